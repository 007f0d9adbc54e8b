"""Which tool calls a request holds and which results answer them, whatever its wire format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Link(NamedTuple):
    """A call, a result, or a turn: the model or the user speaks, so that no call may wait any longer."""

    kind: Literal["call", "result", "turn"]
    call_id: str = ""
    name: str = ""


def tool_links(body: Mapping[str, Any]) -> Iterator[Link]:
    """The calls and results of a body in order, with the turns between them.

    A request that continues a stored response (``previous_response_id``) holds results without their calls;
    nothing is said of it.

    >>> [link.kind for link in tool_links({"messages": [{"role": "user", "content": "hi"}]})]
    ['turn']
    """
    if body.get("previous_response_id"):
        return
    if "contents" in body:
        yield from _gemini(_objects(body["contents"]))
    elif "input" in body:
        yield from _responses(_objects(body["input"]))
    else:
        for message in _objects(body.get("messages")):
            yield from _message(message)


def _message(message: Mapping[str, Any]) -> Iterator[Link]:
    """A message of Anthropic messages or OpenAI chat completions."""
    if message.get("role") == "tool":
        yield Link("result", str(message.get("tool_call_id", "")))
        return
    blocks = _objects(message.get("content"))
    results = [block for block in blocks if block.get("type") == "tool_result"]
    for block in results:
        yield Link("result", str(block.get("tool_use_id", "")))
    yield Link("turn")
    for block in blocks:
        if block.get("type") == "tool_use":
            yield Link("call", str(block.get("id", "")), str(block.get("name", "")))
    for call in _objects(message.get("tool_calls")):
        function = call.get("function")
        name = function.get("name", "") if isinstance(function, dict) else ""
        yield Link("call", str(call.get("id", "")), str(name))


def _responses(items: list[Mapping[str, Any]]) -> Iterator[Link]:
    """Parallel calls are items of their own, one after the other."""
    for item in items:
        kind = item.get("type", "message")
        if kind == "function_call":
            yield Link("call", str(item.get("call_id", "")), str(item.get("name", "")))
        elif kind == "function_call_output":
            yield Link("result", str(item.get("call_id", "")))
        elif kind == "message":
            yield Link("turn")


def _gemini(contents: list[Mapping[str, Any]]) -> Iterator[Link]:
    """Where calls have no ids, the results answer them by name, in order."""
    for content in contents:
        parts = _objects(content.get("parts"))
        yield from _named(parts, "functionResponse", "result")
        yield Link("turn")
        yield from _named(parts, "functionCall", "call")


def _named(parts: list[Mapping[str, Any]], key: str, kind: Literal["call", "result"]) -> Iterator[Link]:
    counts: dict[str, int] = {}
    for found in (part[key] for part in parts if isinstance(part.get(key), dict)):
        name = str(found.get("name", ""))
        counts[name] = counts.get(name, 0) + 1
        yield Link(kind, str(found.get("id") or f"{name}#{counts[name]}"), name)


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
