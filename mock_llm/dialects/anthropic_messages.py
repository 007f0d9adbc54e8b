"""Anthropic messages.

What clients need of the stream (measured, see docs): every event has an ``event:`` line; ``message_start``
carries empty content and both usage counters; a block is started with its empty value before its deltas and
stopped after them; ``message_delta`` carries the stop reason and the cumulative output count; then
``message_stop``. A thinking block gets its signature last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mock_llm.dialects import fields
from mock_llm.dialects.dialect import WireEvent
from mock_llm.dialects.parts import content_event, stop_of, walk, whole_blocks
from mock_llm.dialects.sse import EVENT_STREAM, compact, json_value, named_event, usage_of
from mock_llm.request import BadRequest, ModelRequest, RequestMessage
from mock_llm.turn import Thinking, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mock_llm.dialects.dialect import Ids
    from mock_llm.dialects.parts import Block
    from mock_llm.turn import Delta, Turn

COUNT_PATH = "/count_tokens"
STOP_REASON = {"stop": "end_turn", "tool": "tool_use", "length": "max_tokens"}
_ERROR_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class AnthropicMessages:
    """The dialect ``anthropic-messages``."""

    name = "anthropic-messages"
    request_id_header = "request-id"

    def parse_request(
        self, body: bytes | Mapping[str, object], path: str, headers: Mapping[str, str]
    ) -> ModelRequest:
        parsed = fields.read_object(body)
        model = fields.required(parsed, "model", str, "a string")
        if not path.partition("?")[0].endswith(COUNT_PATH):
            fields.required(parsed, "max_tokens", int, "a whole number")
        messages = fields.objects(fields.required(parsed, "messages", list, "a list"), "messages")
        if not messages:
            raise BadRequest("'messages' must hold at least one message, and is empty")
        system, rest = _split_system(parsed, messages)
        return ModelRequest(
            dialect=self.name,
            model=model,
            stream=fields.streamed(parsed),
            system=system,
            messages=rest,
            tools=tuple(
                fields.text_of(t, "name") for t in fields.objects(parsed.get("tools") or [], "tools")
            ),
            include_usage=True,
            body=parsed,
            path=path,
            retry=fields.retry_count(headers),
        )

    def encode(
        self, turn: Turn, deltas: Iterable[Delta], request: ModelRequest, ids: Ids, batch: int = 1
    ) -> Iterator[WireEvent]:
        usage = usage_of(turn, request)
        message = _message(request, ids, [], None, {"input_tokens": usage.input_tokens, "output_tokens": 1})
        yield _event({"type": "message_start", "message": message})
        around: dict[int, tuple[str, str]] = {}
        for kind, block, texts in walk(turn, deltas, batch):
            if kind == "more":
                yield content_event(texts, *around[block.number])
            elif kind == "open":
                around[block.number] = _around(block)
                start = {"index": block.number, "content_block": _started(block, ids)}
                yield _event({"type": "content_block_start", **start})
            else:
                del around[block.number]
                yield from _stopped(block, ids)
        ending = {"stop_reason": _stop_reason(turn), "stop_sequence": None}
        counts = {"output_tokens": usage.output_tokens}
        yield _event({"type": "message_delta", "delta": ending, "usage": counts})
        yield _event({"type": "message_stop"})

    def encode_whole(self, turn: Turn, request: ModelRequest, ids: Ids) -> bytes:
        usage = usage_of(turn, request)
        content = [_whole(block, ids) for block in whole_blocks(turn)]
        counts = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
        return compact(_message(request, ids, content, _stop_reason(turn), counts)).encode("ascii")

    def error_body(self, status: int, message: str, kind: str = "", request_id: str = "") -> bytes:
        default = _ERROR_TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
        error: dict[str, Any] = {"type": "error", "error": {"type": kind or default, "message": message}}
        return compact({**error, "request_id": request_id} if request_id else error).encode("ascii")

    def stream_type(self, request: ModelRequest) -> str:
        del request
        return EVENT_STREAM

    def error_event(
        self, message: str, kind: str = "", request: ModelRequest | None = None, place: int = 0
    ) -> bytes:
        del request, place
        return named_event("error", self.error_body(529, message, kind).decode("ascii"))

    def count_body(self, tokens: int) -> bytes:
        return compact({"input_tokens": tokens}).encode("ascii")

    def models_body(self, models: Iterable[str]) -> bytes:
        rows = [_model(model) for model in models]
        ends = {"first_id": rows[0]["id"], "last_id": rows[-1]["id"]} if rows else {}
        return compact({"data": rows, "has_more": False, **ends}).encode("ascii")

    def model_body(self, model: str) -> bytes:
        return compact(_model(model)).encode("ascii")


def _model(model: str) -> dict[str, Any]:
    made = "2023-11-14T22:13:20Z"
    return {"type": "model", "id": model, "display_name": model, "created_at": made}


def _event(payload: dict[str, Any]) -> WireEvent:
    return WireEvent(named_event(payload["type"], compact(payload)))


def _stop_reason(turn: Turn) -> str:
    stop = stop_of(turn)
    return STOP_REASON.get(stop, stop)


def _around(block: Block) -> tuple[str, str]:
    """What stands before and after the text of each delta of a block."""
    kind, key = ("text_delta", "text")
    if isinstance(block.part, Thinking):
        kind, key = ("thinking_delta", "thinking")
    elif isinstance(block.part, ToolCall):
        kind, key = ("input_json_delta", "partial_json")
    head = f'{{"type":"content_block_delta","index":{block.number},"delta":{{"type":"{kind}","{key}":'
    return f"event: content_block_delta\ndata: {head}", "}}\n\n"


def _stopped(block: Block, ids: Ids) -> Iterator[WireEvent]:
    if isinstance(block.part, Thinking):
        signature = {"type": "signature_delta", "signature": _signature(block, ids)}
        yield _event({"type": "content_block_delta", "index": block.number, "delta": signature})
    yield _event({"type": "content_block_stop", "index": block.number})


def _message(
    request: ModelRequest, ids: Ids, content: list[Any], stop: str | None, usage: dict[str, int]
) -> dict[str, Any]:
    return {
        "id": ids.numbered("msg_"),
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }


def _started(block: Block, ids: Ids) -> dict[str, Any]:
    """A content block before its first delta."""
    part = block.part
    if isinstance(part, ToolCall):
        call_id = part.id or ids.numbered("toolu_", block.place)
        return {"type": "tool_use", "id": call_id, "name": part.name, "input": {}}
    if isinstance(part, Thinking):
        return {"type": "thinking", "thinking": "", "signature": ""}
    return {"type": "text", "text": ""}


def _whole(block: Block, ids: Ids) -> dict[str, Any]:
    start, part = _started(block, ids), block.part
    if isinstance(part, ToolCall):
        return {**start, "input": json_value(part.arguments)}
    if isinstance(part, Thinking):
        return {**start, "thinking": part.text, "signature": _signature(block, ids)}
    return {**start, "text": part.text}


def _signature(block: Block, ids: Ids) -> str:
    return ids.numbered("mock-signature-", block.number)


def _split_system(
    body: Mapping[str, Any], messages: list[Mapping[str, Any]]
) -> tuple[str, tuple[RequestMessage, ...]]:
    """The system text, with that of ``system`` entries among the messages, and the rest."""
    system = [fields.joined_text(body.get("system"), "system")]
    rest: list[RequestMessage] = []
    for place, message in enumerate(messages):
        where = f"messages[{place}]"
        role, content = message.get("role"), message.get("content")
        if content is None:
            raise BadRequest(f"'{where}.content' must be a string or a list, and is missing")
        if role == "system":
            system.append(fields.joined_text(content, f"{where}.content"))
        elif role == "user":
            rest.extend(_user(content, f"{where}.content"))
        elif role == "assistant":
            rest.append(_assistant(content, f"{where}.content"))
        else:
            raise BadRequest(f"'{where}.role' is {role!r}, not one of user, assistant, system")
    return "\n\n".join(text for text in system if text), tuple(rest)


def _user(content: Any, where: str) -> Iterator[RequestMessage]:
    """A user message as its tool results, in order, then what the user said, if anything."""
    if isinstance(content, str):
        yield RequestMessage("user", content)
        return
    blocks = fields.objects(content, where)
    results = [block for block in blocks if block.get("type") == "tool_result"]
    said = [block for block in blocks if block.get("type") != "tool_result"]
    for block in results:
        yield RequestMessage("tool", fields.joined_text(block.get("content"), f"{where}.content"))
    if said:
        yield RequestMessage("user", "".join(fields.text_of(block) for block in said))


def _assistant(content: Any, where: str) -> RequestMessage:
    if isinstance(content, str):
        return RequestMessage("assistant", content)
    blocks = fields.objects(content, where)
    calls = [b for b in blocks if b.get("type") == "tool_use"]
    return RequestMessage(
        "assistant",
        "".join(fields.text_of(b) for b in blocks),
        "".join(fields.text_of(b, "thinking") for b in blocks),
        tuple(f"{fields.text_of(b, 'name')} {compact(b.get('input'))}" for b in calls),
    )


DIALECT = AnthropicMessages()
