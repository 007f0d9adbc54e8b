"""Invariants: what every request of a lane must keep to. A broken one fails the run; no client hears of it.

Each rule is a function from the request, and what came before it in its conversation, to the evidence that
it is broken, or nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from mock_llm.tool_links import tool_links

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mock_llm.fates import Fate
    from mock_llm.request import ModelRequest

Rule = Literal[
    "system_unchanged",
    "tools_unchanged",
    "roles_alternate",
    "tool_results_answer_calls",
    "lacks",
    "contains",
    "max_messages",
    "no_replay",
]
_AROUND = 24  # characters shown on each side of a place
_LEAST_CUT = 20  # a reply cut off earlier is too short to be told from another


class Invariant(NamedTuple):
    """One rule; ``text`` or ``number`` is what it takes, ``place`` is ``file:line`` for messages.

    With ``dialects`` it holds for requests in these only.
    """

    rule: Rule
    text: str = ""
    number: int = 0
    place: str = ""
    dialects: tuple[str, ...] = ()


class Past(NamedTuple):
    """What came before a request in its conversation: its last request, and how its exchanges ended."""

    before: ModelRequest | None = None
    fates: tuple[Fate, ...] = ()


NO_PAST = Past()


def broken(invariant: Invariant, request: ModelRequest, past: Past = NO_PAST) -> str:
    """The evidence that a request breaks an invariant; empty when it keeps to it."""
    if invariant.dialects and request.dialect not in invariant.dialects:
        return ""
    return _RULES[invariant.rule](invariant, request, past)


def titled(invariant: Invariant) -> str:
    """An invariant as messages name it: ``'lacks' (s.yaml:4)``."""
    return f"'{invariant.rule}' ({invariant.place})" if invariant.place else f"'{invariant.rule}'"


def _system_unchanged(_: Invariant, request: ModelRequest, past: Past) -> str:
    before = past.before
    if before is None or request.system == before.system:
        return ""
    at = _first_difference(before.system, request.system)
    was, now = _around(before.system, at, 0), _around(request.system, at, 0)
    return f"from character {at + 1} on, the system text is {now}, and was {was}"


def _tools_unchanged(_: Invariant, request: ModelRequest, past: Past) -> str:
    before = past.before
    if before is None or (
        request.tools == before.tools and request.body.get("tools") == before.body.get("tools")
    ):
        return ""
    now, was = set(request.tools), set(before.tools)
    changes = [f"'{name}' is new" for name in request.tools if name not in was]
    changes += [f"'{name}' is gone" for name in before.tools if name not in now]
    if not changes:
        changes = ["their order changed" if request.tools != before.tools else _redefined(request, before)]
    return f"of the tools, {', '.join(changes)}"


def _redefined(request: ModelRequest, before: ModelRequest) -> str:
    pairs = zip(request.tools, _listed(request), _listed(before), strict=False)
    changed = [f"'{name}'" for name, now, was in pairs if now != was]
    return f"the definition of {', '.join(changed) or 'one'} changed"


def _listed(request: ModelRequest) -> list[object]:
    tools = request.body.get("tools")
    return tools if isinstance(tools, list) else []


def _roles_alternate(_: Invariant, request: ModelRequest, _past: Past) -> str:
    """Tool results stand on the user's side; a user may speak after them, and not before."""
    previous = ""
    for place, message in enumerate(request.messages):
        role = message.role
        fits = role == "user" if not previous else (previous, role) in _NEIGHBOURS
        if not fits:
            what = f"follows one from '{previous}'" if previous else "comes first"
            return f"message {place + 1} of {len(request.messages)} is from '{role}' and {what}"
        previous = role
    return ""


_NEIGHBOURS = frozenset(
    {("user", "assistant"), ("assistant", "user"), ("assistant", "tool"), ("tool", "tool")}
    | {("tool", "assistant"), ("tool", "user")}
)


def _tool_results_answer_calls(_: Invariant, request: ModelRequest, _past: Past) -> str:
    """Every result names a call before it, and every call has its result before the model speaks again."""
    waiting: dict[str, str] = {}
    for kind, call_id, name in tool_links(request.body):
        if kind == "call":
            waiting[call_id] = name
        elif kind == "result" and waiting.pop(call_id, None) is None:
            return f"the result '{call_id}' answers no call that waits for one"
        elif kind == "turn" and waiting:
            break
    if not waiting:
        return ""
    missing = ", ".join(
        f"'{call_id}' of '{name}'" if name else f"'{call_id}'" for call_id, name in waiting.items()
    )
    return f"no result answers the call {missing}"


def _lacks(invariant: Invariant, request: ModelRequest, _past: Past) -> str:
    for where, text in _texts(request):
        at = text.find(invariant.text)
        if at >= 0:
            return f"{where} contains it at character {at + 1}: {_around(text, at, len(invariant.text))}"
    return ""


def _contains(invariant: Invariant, request: ModelRequest, _past: Past) -> str:
    texts = list(_texts(request))
    if any(invariant.text in text for _, text in texts):
        return ""
    return f"no text of it contains {invariant.text!r}; looked in {len(texts)}"


def _max_messages(invariant: Invariant, request: ModelRequest, _past: Past) -> str:
    count = len(request.messages)
    return f"it has {count} messages, more than {invariant.number}" if count > invariant.number else ""


def _no_replay(_: Invariant, request: ModelRequest, past: Past) -> str:
    """What the client keeps of a reply that it cut off is less than all that it had of it."""
    whole = [fate.whole for fate in past.fates if fate.whole]
    for cut in (fate.cut for fate in past.fates if len(fate.cut) >= _LEAST_CUT):
        if any(text.startswith(cut) for text in whole):
            continue  # another reply said the same and was taken in full
        for place, message in enumerate(request.messages, 1):
            texts = (message.text, message.thinking, message.thinking + message.text)
            if message.role == "assistant" and any(text.startswith(cut) for text in texts):
                who = f"message {place} of {len(request.messages)}, from 'assistant',"
                tail = repr(cut[-_AROUND:])
                return f"{who} replays all {len(cut)} characters of a reply that was cut off, to ...{tail}"
    return ""


# What every provider refuses with an error of its own, so that it is checked without being asked for.
ALWAYS = (Invariant("tool_results_answer_calls"),)

_RULES: Mapping[Rule, Callable[[Invariant, ModelRequest, Past], str]] = {
    "system_unchanged": _system_unchanged,
    "tools_unchanged": _tools_unchanged,
    "roles_alternate": _roles_alternate,
    "tool_results_answer_calls": _tool_results_answer_calls,
    "lacks": _lacks,
    "contains": _contains,
    "max_messages": _max_messages,
    "no_replay": _no_replay,
}


def _texts(request: ModelRequest) -> Iterator[tuple[str, str]]:
    """Every text of a request with what it is."""
    if request.system:
        yield "the system text", request.system
    for place, message in enumerate(request.messages, 1):
        who = f"message {place} of {len(request.messages)}, from '{message.role}',"
        if message.text:
            yield who, message.text
        if message.thinking:
            yield f"the thinking of {who}", message.thinking
        for call in message.tool_calls:
            yield f"a tool call of {who}", call


def _first_difference(one: str, other: str) -> int:
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


def _around(text: str, at: int, length: int) -> str:
    """The text at a place, with what stands around it."""
    low, high = max(0, at - (_AROUND if length else 0)), at + max(length, 1) + _AROUND
    shown = repr(text[low:high])
    return f"{'...' if low else ''}{shown}{'...' if high < len(text) else ''}"
