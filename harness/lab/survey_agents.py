"""The agents of a survey: a name, or a name with one thing different."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from harness.agents.switches import switched
from harness.problems import UserError
from mock_llm.problems import did_you_mean, quoted

if TYPE_CHECKING:
    from harness.agents.spec import AgentSpec

_WORD = re.compile(r"(?P<name>.+?)(?::(?P<rest>(?:on=|off=|model=|dialect=|terminal\b).*))?\Z")
SETTINGS = "on=GUARD, off=GUARD, model=ID, dialect=NAME, terminal"


class Wanted(NamedTuple):
    """An agent as the command line names it: ``qwen:on=loop-detection`` or ``omp:model=gemini-3.5-flash``."""

    label: str
    name: str
    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    model: str = ""
    dialect: str = ""
    terminal: bool = False


def parse_agent(word: str) -> Wanted:
    """The agent that a word names; settings follow a colon, with commas between.

    Raises:
        UserError: For a setting that there is not.
    """
    match = _WORD.fullmatch(word)
    wanted = Wanted(word, match["name"] if match else word)
    for setting in (match["rest"] or "").split(",") if match else ():
        key, _, value = setting.partition("=")
        if key == "on" and value:
            wanted = wanted._replace(on=(*wanted.on, value))
        elif key == "off" and value:
            wanted = wanted._replace(off=(*wanted.off, value))
        elif key == "model" and value:
            wanted = wanted._replace(model=value)
        elif key == "dialect" and value:
            wanted = wanted._replace(dialect=value)
        elif setting == "terminal":
            wanted = wanted._replace(terminal=True)
        elif setting:
            raise UserError(
                f"--agent {quoted(word)}: there is no setting {quoted(setting)}\n  there are {SETTINGS}"
            )
    return wanted


def aimed(spec: AgentSpec, wanted: Wanted) -> AgentSpec:
    """The description with the settings done.

    Raises:
        UserError: If the agent has no such guard, no switch for it, or does not speak the dialect.
    """
    for way, names in (("on", wanted.on), ("off", wanted.off)):
        for name in names:
            spec = _switched(spec, wanted, name, way)
    if wanted.model:
        spec = spec._replace(model=wanted.model)
    if wanted.dialect and spec.dialect(wanted.dialect) is None:
        spoken = ", ".join(dialect.name for dialect in spec.dialects)
        raise UserError(f"agent '{spec.name}' does not speak {quoted(wanted.dialect)}; it speaks {spoken}")
    if wanted.terminal and spec.terminal is None:
        raise UserError(f"agent '{spec.name}' has no 'terminal' in its description: it is run only one-shot")
    return spec


def usual(spec: AgentSpec) -> list[str]:
    """The agent as it comes, and once more for each guard that has to be switched on."""
    off = [guard.name for guard in spec.guards if guard.default == "off" and guard.on is not None]
    return [spec.name, *(f"{spec.name}:on={name}" for name in off)]


def _switched(spec: AgentSpec, wanted: Wanted, name: str, way: str) -> AgentSpec:
    known = [guard.name for guard in spec.guards]
    if name not in known:
        hint = did_you_mean(name, known) or f"it has {', '.join(known) or 'none'}"
        raise UserError(
            f"--agent {quoted(wanted.label)}: '{spec.name}' has no guard {quoted(name)}\n  {hint}"
        )
    changed = switched(spec, name, "on" if way == "on" else "off")
    if changed is None:
        raise UserError(f"--agent {quoted(wanted.label)}: '{name}' of '{spec.name}' has no switch '{way}'")
    return changed
