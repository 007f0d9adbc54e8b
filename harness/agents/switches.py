"""A description with one of its guards switched: for controls, and to see what a guard is worth."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.agents.spec import AgentSpec


def switched(spec: AgentSpec, guard: str, way: Literal["on", "off"]) -> AgentSpec | None:
    """The description with a guard of ``spec.guards`` switched; None when the agent has no such switch.

    Settings of a switch are merged into seeded files that are JSON; any other file is replaced.

    Raises:
        KeyError: If there is no guard of that name.
    """
    found = {each.name: each for each in spec.guards}[guard]
    switch = getattr(found, way)
    if switch is None:
        return None
    settings = {path: _merged(spec.files.get(path), text) for path, text in switch.files.items()}
    files = {**spec.files, **settings}
    return spec._replace(one_shot=(*switch.args, *spec.one_shot), env={**spec.env, **switch.env}, files=files)


def switches(spec: AgentSpec) -> Iterator[tuple[str, tuple[str, ...], AgentSpec]]:
    """Each switch of a description: its key, its arguments, and the description with it in use."""
    guard = spec.guard
    if guard.off:
        yield "guard.off", guard.off, spec._replace(one_shot=(*guard.off, *spec.one_shot))
    if guard.disable_rule and guard.rules:
        words = guard.without(guard.rules)
        yield "guard.disable_rule", words, spec._replace(one_shot=(*words, *spec.one_shot))
    ways: tuple[Literal["on", "off"], ...] = ("on", "off")
    for each in spec.guards:
        for way in ways:
            switch, with_it = getattr(each, way), switched(spec, each.name, way)
            if with_it is not None:
                yield f"guards.{each.name}.{way}", switch.args, with_it


def _merged(seeded: str | None, settings: str) -> str:
    try:
        both = json.loads(seeded or ""), json.loads(settings)
    except ValueError:
        return settings
    return json.dumps(_deep(*both), ensure_ascii=False) + "\n"


def _deep(old: Any, new: Any) -> Any:
    """Mappings are merged key by key; anything else of ``new`` wins."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    return {**old, **{key: _deep(old.get(key), value) for key, value in new.items()}}
