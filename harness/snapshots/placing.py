"""Which file a snapshot belongs to: one for all agents, and one of its own only for an agent that differs."""

from __future__ import annotations

from typing import Literal, NamedTuple

State = Literal["new", "matched", "changed"]
COMMON = "common"
FOLDER = "__snapshots__"
"""Where snapshots lie, beside the scenarios."""


class Stored(NamedTuple):
    """What is there: the common text, the agent's own, and which agent the common one was taken from."""

    common: str | None = None
    own: str | None = None
    taken_from: str = ""


class Placed(NamedTuple):
    """The state of a snapshot, the folder it belongs to, and the text that stood there.

    For an agent that begins to differ, ``before`` is the common text although the folder is its own.
    """

    state: State
    folder: str
    before: str | None


def placed(text: str, stored: Stored, variant: str) -> Placed:
    """Compare a text with what is there.

    The common file changes with the agent and dialect it was taken from; any other that differs from it gets
    a file of its own.

    >>> placed("a", Stored(common="b", taken_from="pi-openai"), "codex-openai")
    Placed(state='changed', folder='codex-openai', before='b')
    """
    if stored.own is not None:
        return Placed("matched" if stored.own == text else "changed", variant, stored.own)
    if stored.common is None:
        return Placed("new", COMMON, None)
    if stored.common == text:
        return Placed("matched", COMMON, stored.common)
    is_its_own = stored.taken_from in ("", variant)
    return Placed("changed", COMMON if is_its_own else variant, stored.common)
