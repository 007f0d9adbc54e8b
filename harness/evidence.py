"""What a step looks at: every channel of one run, as far as it has come."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.steps.abort_words import Says
    from harness.steps.snapshot_arguments import Snapshot
    from harness.steps.verdicts import CheckVerdict
    from harness.transcript import Transcript
    from mock_llm.journal import Exchange


class GuardDescription(NamedTuple):
    """What an agent's description says of its guard: empty means it has none that stops text.

    ``rules`` are the rule ids it can report. ``unrecorded`` names the figures that its session
    never states, of ``mechanism`` and ``fired_at``: a check that asks for one takes the rest.
    ``output_marker`` is what the agent prints when it has stopped a reply. ``says`` are the words of guards
    that are no stream rules.
    """

    rules: tuple[str, ...] = ()
    interrupt_marker: str = ""
    truncation_marker: str = ""
    unrecorded: tuple[str, ...] = ()
    output_marker: str = ""
    says: tuple[Says, ...] = ()


class SessionSource(NamedTuple):
    """Where the session was looked for and what was found there, in words for messages.

    ``is_kept`` is false for an agent that keeps no session. ``pattern`` is the description's own. ``file``
    is the name of the file that ``reader`` read, empty when none matched; then ``others`` says what lay
    there instead.
    """

    is_kept: bool = True
    pattern: str = ""
    reader: str = ""
    file: str = ""
    others: str = ""


class Evidence(NamedTuple):
    r"""The channels of one run.

    Attributes:
        main: Exchanges of the main lane; ``main[0]`` is reply 1 and answers request 1.
        exchanges: All exchanges, also side requests and refused ones.
        transcript: The saved session; None while the agent has written none.
        output: What the program printed, escape codes removed, lines ended by ``\n``.
        exit_code: The program's exit code; negative is a signal; None while it runs.
        finished: True when nothing more will happen: a pending step is then a failed one.
        variables: Values for templates, such as ``nonce``.
        guard: What the agent's description says of its guard.
        session: Where the transcript comes from, for messages.
        driven: How the steps that drive a terminal ended, by label; one that was not reached is absent.
        typed: What was typed in a terminal. Then ``output`` is what the screen showed, with its scrollback.
        panels: ``output`` with panels of a screen that stand beside each other one behind the other.
        snapshots: How the comparisons with the snapshots ended, made when the run was over.
    """

    main: Sequence[Exchange] = ()
    exchanges: Sequence[Exchange] = ()
    transcript: Transcript | None = None
    output: str = ""
    exit_code: int | None = None
    finished: bool = False
    variables: Mapping[str, str] = MappingProxyType({})
    guard: GuardDescription = GuardDescription()
    session: SessionSource = SessionSource()
    driven: Mapping[str, CheckVerdict] = MappingProxyType({})
    typed: Sequence[str] = ()
    panels: str = ""
    snapshots: Mapping[Snapshot, CheckVerdict] = MappingProxyType({})
