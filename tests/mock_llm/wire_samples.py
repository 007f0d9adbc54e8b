"""Requests in every dialect, arbitrary turns in arbitrary deltas, and events read without any of our code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from mock_llm.delivery import cut
from mock_llm.dialects import by_name
from mock_llm.dialects.dialect import Ids, WireEvent
from mock_llm.script import Stream
from mock_llm.turn import Delta, Refusal, Text, Thinking, ToolCall, Turn, Usage, content

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from mock_llm.request import ModelRequest

IDS = Ids(1)
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    "gemini": "/v1beta/models/mock-model:streamGenerateContent?alt=sse",
}

# Every character there is, and often those that a reader of lines, of UTF-8 or of JSON may trip over: other
# line separators, a byte order mark, halves of a surrogate pair, an astral character.
_HARD = '\u2028\u2029\x85\x0b\r\n\x00\ufeff\ud83d\ude00\U0001f600"\\'
words = st.text(st.characters() | st.sampled_from(_HARD), max_size=20)
json_objects = st.dictionaries(words, words | st.integers() | st.lists(words, max_size=2), max_size=3)


def asked(name: str, text: str = "hello", *, stream: bool = True) -> tuple[str, dict[str, Any]]:
    """Path and body of the smallest request that the dialect allows."""
    if name == "openai-responses":
        return PATHS[name], {"model": "mock-model", "input": text, "stream": stream}
    if name == "gemini":
        path = PATHS[name] if stream else "/v1beta/models/mock-model:generateContent"
        return path, {"contents": [{"role": "user", "parts": [{"text": text}]}]}
    messages = [{"role": "user", "content": text}]
    return PATHS[name], {"model": "mock-model", "max_tokens": 100, "stream": stream, "messages": messages}


def parse(name: str, headers: dict[str, str] | None = None, **changed: Any) -> ModelRequest:
    """The smallest request with its fields changed, as bytes that are read."""
    path, body = asked(name, "hi", stream=False)
    return by_name(name).parse_request(json.dumps({**body, **changed}).encode(), path, headers or {})


def request_for(name: str, *, stream: bool = True, path: str = "", **more: Any) -> ModelRequest:
    """The smallest request, with more fields in its body."""
    own, body = asked(name, stream=stream)
    return by_name(name).parse_request({**body, **more}, path or own, {})


def events_of(name: str, turn: Turn, stream: Stream | None = None, **more: Any) -> list[WireEvent]:
    """The events of a turn."""
    deltas = cut(turn, stream or Stream())
    return list(by_name(name).encode(turn, deltas, request_for(name, **more), IDS))


def whole_of(name: str, turn: Turn, **more: Any) -> Any:
    """The body of a reply that is not streamed."""
    return json.loads(by_name(name).encode_whole(turn, request_for(name, stream=False, **more), IDS))


def payloads(events: list[WireEvent]) -> list[Any]:
    """The JSON of each event."""
    found = []
    for event in events:
        lines = event.data.decode("ascii").splitlines()
        data = next(line for line in lines if line.startswith("data: "))
        found.append("[DONE]" if data == "data: [DONE]" else json.loads(data[6:]))
    return found


@st.composite
def turns(draw: DrawFn, arguments: SearchStrategy[str] = words) -> Turn:
    """Text, thinking and tool calls in any order, empty ones too."""
    kinds = draw(st.lists(st.sampled_from([Text, Thinking, ToolCall]), max_size=6))
    parts = [
        ToolCall(f"call_{place}", draw(st.sampled_from(["read", "bash"])), draw(arguments))
        if kind is ToolCall
        else kind(draw(words))
        for place, kind in enumerate(kinds)
    ]
    counts = st.integers(0, 10**6)
    return Turn(tuple(parts), Usage(draw(counts), draw(counts)), "tool" if ToolCall in kinds else "stop")


def refusing(turn: Turn, text: str) -> Turn:
    """The same turn, with a refusal at its end."""
    return Turn((*turn.parts, Refusal(text)), turn.usage)


@st.composite
def interleaved(draw: DrawFn, turn: Turn) -> list[Delta]:
    """The turn in deltas of any size; those of one part keep their order, parts come as they like."""
    left = {place: content(part) for place, part in enumerate(turn.parts) if content(part)}
    deltas = []
    while left:
        place = draw(st.sampled_from(sorted(left)))
        size = draw(st.integers(1, len(left[place])))
        deltas.append(Delta(place, left[place][:size]))
        left[place] = left[place][size:]
        if not left[place]:
            del left[place]
    return deltas
