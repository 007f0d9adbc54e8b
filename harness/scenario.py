"""The scenario: what a YAML file says, read and checked."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from harness.place import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mock_llm.invariants import Invariant
    from mock_llm.script import Exhausted, Lane, ScriptTurn


class Step(NamedTuple):
    """One check: its kind, its checked arguments, and where it stands.

    ``args`` is the kind's own named tuple (see ``harness.steps``).
    """

    kind: str
    label: str
    args: Any
    place: Place


class Control(NamedTuple):
    """The negative control: the same scenario with one thing wrong, and the steps that must then fail.

    Exactly one of ``disable`` (rules switched off) and ``model`` (other turns) is not empty.
    """

    must_fail: tuple[str, ...]
    disable: tuple[str, ...] = ()
    model: tuple[ScriptTurn, ...] = ()
    place: Place = Place("", 1, 1)


class Scenario(NamedTuple):
    """One scenario file.

    Attributes:
        name: The ``scenario:`` value; equals the file's stem.
        model: The turns the mock model plays, in order.
        then: What the user asks in further runs, each in a process of its own that goes on with the session.
        prompt: What the user asks; ``{nonce}`` in it is replaced by the run's nonce.
        mode: ``one-shot`` (the prompt is an argument) or ``terminal`` (steps type it).
        files: Files put into the agent's working folder, by relative path.
        timeout_s: Deadline of the whole run.
        lanes: Conversations beside the main one, such as those of sub-agents, and what answers them.
        invariants: What every request of the main lane keeps to.
        when_exhausted: What answers when the turns of ``model`` have been played.
    """

    name: str
    summary: str
    path: str
    model: tuple[ScriptTurn, ...]
    prompt: str
    steps: tuple[Step, ...]
    tags: tuple[str, ...] = ()
    control: Control | None = None
    mode: Literal["one-shot", "terminal"] = "one-shot"
    files: Mapping[str, str] = MappingProxyType({})
    timeout_s: float = 60
    max_requests: int = 20
    warnings: tuple[str, ...] = ()
    lanes: tuple[Lane, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    when_exhausted: Exhausted = "error"
    then: tuple[str, ...] = ()
