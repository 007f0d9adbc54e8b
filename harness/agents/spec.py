"""An agent description: how to aim a CLI at the mock, where it keeps its session, which guard it has."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.terminal.condition import TerminalSettings


class Install(NamedTuple):
    """How to get the program: ``source`` is ``npm``, ``pypi``, ``embedded`` (part of qa) or ``own``.

    ``also`` are further pinned packages. ``runtime`` is the pinned npm package of the interpreter that starts
    the program. ``scripts`` names the npm packages whose installation scripts run.
    """

    source: str
    package: str = ""
    version: str = ""
    size_mb: int = 0
    also: tuple[str, ...] = ()
    runtime: str = ""
    scripts: tuple[str, ...] = ()

    @property
    def is_ours(self) -> bool:
        """Whether ``qa agents install`` puts it in place."""
        return self.source in {"npm", "pypi"}

    @property
    def pinned(self) -> str:
        """The package and its version as its registry writes them."""
        return f"{self.package}{'@' if self.source == 'npm' else '=='}{self.version}"


class GuardSwitches(NamedTuple):
    """The guard of an agent and how to switch it.

    ``rules`` are the ids it can report. ``off`` are arguments that switch the whole guard off;
    ``disable_rule`` are arguments that switch one rule off, with ``{rule}`` in them, or several, with
    ``{rules}``. Empty means that the agent has no such switch. Without ``mechanisms`` it is not known what
    fires under the rules.
    ``unrecorded`` are figures that the session never states: checks that ask for them take the rest.
    """

    rules: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    disable_rule: tuple[str, ...] = ()
    interrupt_marker: str = ""
    truncation_marker: str = ""
    mechanisms: tuple[str, ...] = ()
    output_marker: str = ""
    unrecorded: tuple[str, ...] = ()

    def without(self, rules: Sequence[str]) -> tuple[str, ...]:
        """The arguments that switch these rules off.

        >>> GuardSwitches(disable_rule=("--off", "{rule}")).without(["a", "b"])
        ('--off', 'a', '--off', 'b')
        >>> GuardSwitches(disable_rule=("--off", "{rules}")).without(["a", "b"])
        ('--off', 'a,b')
        """
        if any("{rules}" in word for word in self.disable_rule):
            return tuple(word.replace("{rules}", ",".join(rules)) for word in self.disable_rule)
        return tuple(word.replace("{rule}", rule) for rule in rules for word in self.disable_rule)


class SideForm(NamedTuple):
    """A request that the agent makes beside the conversation: recognised by a text, answered with ``say``.

    ``at`` tells when it comes, seen from the first request of the conversation: ``before``, ``during``,
    ``after`` or ``any``.
    """

    name: str
    contains: str
    say: str = "ok"
    at: str = "any"


class Switch(NamedTuple):
    """What is different when a guard is switched: more arguments, environment and settings."""

    args: tuple[str, ...] = ()
    env: Mapping[str, str] = MappingProxyType({})
    files: Mapping[str, str] = MappingProxyType({})


class OtherGuard(NamedTuple):
    """A guard of the agent's own that is no set of stream rules.

    ``shows`` has its own words by channel (``screen``, ``output``, ``session``, ``request``). ``on`` and
    ``off`` are None where the agent has no such switch.
    """

    name: str
    looks_at: tuple[str, ...]
    detects: str
    default: str = "on"
    shows: Mapping[str, str] = MappingProxyType({})
    on: Switch | None = None
    off: Switch | None = None


class DialectSettings(NamedTuple):
    """Template values that one dialect needs: ``api`` is the agent's own name for it."""

    name: str
    variables: Mapping[str, str] = MappingProxyType({})


class AgentSpec(NamedTuple):
    """One agent CLI.

    Strings in ``command``, ``one_shot``, ``env``, ``files`` and ``session_glob`` are templates over the
    names of :data:`harness.agents.agent_shape.VARIABLES` and the variables of the dialect (see
    :mod:`mock_llm.template`); other braces are literal.

    Attributes:
        command: The program and its fixed arguments. A program with a slash is a path beside the
            description; any other is looked up in the private prefix of ``qa agents install``, then on PATH.
        one_shot: Arguments of a one-shot run with the prompt.
        resume: Arguments of a one-shot run that goes on with the last session; empty if there are none.
        version_probe: Arguments that print the version.
        env: Environment beside the sandbox's own.
        files: Seeded files; keys are templates of absolute paths under ``{home}`` or ``{work}``.
        session_glob: Where the session file appears, a template with ``*``; empty when none is kept.
        reader: Id of the session reader; empty when no session is kept.
        guards: Further guards, as the agent knows them; see :mod:`harness.agents.switches`.
        tools: The agent's names for the tools ``read``, ``write`` and ``bash``.
        tool_arguments: Its names for their arguments ``path``, ``content`` and ``command``, by our tool name.
        final_call: Tool and arguments, as JSON text, of a call that ends a run; it is put behind a scripted
            reply without calls, for agents that ask on until they are told that all is done.
        terminal: How it is used in a terminal; None for an agent that is only run one-shot.
        daemons: Whether processes of it outlive it.
        own_tmp: Whether it writes to /tmp whatever ``TMPDIR`` says.
        real_folders: The user's own folders of this agent (``~``-paths) that a run must not touch.
        command_line: The line of ``command`` in the file, for messages; 0 when there is no file.
    """

    name: str
    path: str
    command: tuple[str, ...]
    one_shot: tuple[str, ...]
    dialects: tuple[DialectSettings, ...]
    session_glob: str
    reader: str
    install: Install
    title: str = ""
    model: str = "mock-model"
    version_probe: tuple[str, ...] = ("--version",)
    resume: tuple[str, ...] = ()
    env: Mapping[str, str] = MappingProxyType({})
    files: Mapping[str, str] = MappingProxyType({})
    sides: tuple[SideForm, ...] = ()
    guard: GuardSwitches = GuardSwitches()
    guards: tuple[OtherGuard, ...] = ()
    tools: Mapping[str, str] = MappingProxyType({})
    tool_arguments: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    final_call: tuple[str, str] | None = None
    daemons: bool = False
    own_tmp: bool = False
    real_folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    terminal: TerminalSettings | None = None
    command_line: int = 0

    def dialect(self, name: str) -> DialectSettings | None:
        """The settings of a dialect, or None when the agent does not speak it."""
        return next((d for d in self.dialects if d.name == name), None)
