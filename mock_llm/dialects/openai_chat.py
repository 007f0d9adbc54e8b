"""OpenAI chat completions.

What clients need of the stream (measured, see docs): every chunk has ``choices`` with ``index`` and
``delta``; the first delta names the role; every tool delta has an index, the first one of a call also id,
type and name; a last chunk has the finish reason; a chunk with ``usage`` comes only when it was asked for.
Thinking travels as ``reasoning_content``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mock_llm.dialects import fields
from mock_llm.dialects.dialect import WireEvent
from mock_llm.dialects.parts import content_event, joined, walk
from mock_llm.dialects.sse import EVENT_STREAM, compact, data_event, openai_model, quote, usage_of
from mock_llm.request import BadRequest, ModelRequest, RequestMessage
from mock_llm.turn import Refusal, Text, Thinking, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mock_llm.dialects.dialect import Ids
    from mock_llm.dialects.parts import Step
    from mock_llm.turn import Delta, Part, Turn, Usage

FINISH = {"tool": "tool_calls", "refusal": "content_filter"}
_KEYS: dict[type[Part], str] = {Text: "content", Thinking: "reasoning_content", Refusal: "refusal"}
_ERROR_TYPES = {429: "rate_limit_exceeded", 401: "authentication_error", 403: "permission_error"}


class OpenAiChat:
    """The dialect ``openai-chat``."""

    name = "openai-chat"
    request_id_header = "x-request-id"

    def parse_request(
        self, body: bytes | Mapping[str, object], path: str, headers: Mapping[str, str]
    ) -> ModelRequest:
        parsed = fields.read_object(body)
        model = fields.required(parsed, "model", str, "a string")
        messages = fields.objects(fields.required(parsed, "messages", list, "a list"), "messages")
        if not messages:
            raise BadRequest("'messages' must hold at least one message, and is empty")
        system, rest = _split_system(messages)
        options = parsed.get("stream_options")
        return ModelRequest(
            dialect=self.name,
            model=model,
            stream=fields.streamed(parsed),
            system=system,
            messages=rest,
            tools=_tool_names(parsed),
            include_usage=isinstance(options, dict) and bool(options.get("include_usage")),
            body=parsed,
            path=path,
            retry=fields.retry_count(headers),
        )

    def encode(
        self, turn: Turn, deltas: Iterable[Delta], request: ModelRequest, ids: Ids, batch: int = 1
    ) -> Iterator[WireEvent]:
        usage = ',"usage":null' if request.include_usage else ""
        head = "data: " + compact(_envelope(request, ids, "chat.completion.chunk"))[:-1]
        prefix, suffix = head + ',"choices":[{"index":0,"delta":{', "},"
        ending = f'"finish_reason":null}}]{usage}}}\n\n'
        yield WireEvent(f'{prefix}"role":"assistant","content":""{suffix}{ending}'.encode("ascii"))
        yield from _content(walk(turn, deltas, batch), ids, prefix, suffix + ending)
        finish = f'"finish_reason":{quote(_finish(turn))}}}]{usage}}}\n\n'
        yield WireEvent(f"{prefix}{suffix}{finish}".encode("ascii"))
        if request.include_usage:
            counts = compact(_usage(usage_of(turn, request)))
            yield WireEvent(f'{head},"choices":[],"usage":{counts}}}\n\n'.encode("ascii"))
        yield WireEvent(data_event("[DONE]"))

    def encode_whole(self, turn: Turn, request: ModelRequest, ids: Ids) -> bytes:
        message: dict[str, Any] = {
            "role": "assistant",
            "content": joined(turn, Text) or None,
            "refusal": joined(turn, Refusal) or None,
        }
        thinking = joined(turn, Thinking)
        if thinking:
            message["reasoning_content"] = thinking
        calls = [part for part in turn.parts if isinstance(part, ToolCall)]
        if calls:
            message["tool_calls"] = [
                _call(call, place, ids, call.arguments) for place, call in enumerate(calls)
            ]
        elif message["content"] is None and message["refusal"] is None:
            message["content"] = ""
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(turn)}
        reply = _envelope(request, ids, "chat.completion")
        return compact({**reply, "choices": [choice], "usage": _usage(usage_of(turn, request))}).encode(
            "ascii"
        )

    def error_body(self, status: int, message: str, kind: str = "", request_id: str = "") -> bytes:
        del request_id
        default = _ERROR_TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
        error = {"message": message, "type": kind or default, "param": None, "code": None}
        return compact({"error": error}).encode("ascii")

    def stream_type(self, request: ModelRequest) -> str:
        del request
        return EVENT_STREAM

    def error_event(
        self, message: str, kind: str = "", request: ModelRequest | None = None, place: int = 0
    ) -> bytes:
        del request, place
        return data_event(self.error_body(500, message, kind).decode("ascii"))

    def models_body(self, models: Iterable[str]) -> bytes:
        return compact({"object": "list", "data": list(map(openai_model, models))}).encode("ascii")

    def model_body(self, model: str) -> bytes:
        return compact(openai_model(model)).encode("ascii")


def _content(steps: Iterable[Step], ids: Ids, prefix: str, suffix: str) -> Iterator[WireEvent]:
    around: dict[int, tuple[str, str]] = {}
    for kind, block, texts in steps:
        part = block.part
        if kind == "more":
            yield content_event(texts, *around[block.number])
        elif kind == "close":
            around.pop(block.number, None)
        elif isinstance(part, ToolCall):
            opening = compact([{"index": block.place, **_call(part, block.place, ids, "")}])
            yield WireEvent(f'{prefix}"tool_calls":{opening}{suffix}'.encode("ascii"))
            before = f'{prefix}"tool_calls":[{{"index":{block.place},"function":{{"arguments":'
            around[block.number] = (before, "}}]" + suffix)
        else:
            around[block.number] = (f'{prefix}"{_KEYS[type(part)]}":', suffix)


def _finish(turn: Turn) -> str:
    return FINISH.get(turn.stop, turn.stop)


def _call(call: ToolCall, place: int, ids: Ids, arguments: str) -> dict[str, Any]:
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id or ids.numbered("call_", place), "type": "function", "function": function}


def _envelope(request: ModelRequest, ids: Ids, kind: str) -> dict[str, Any]:
    return {
        "id": ids.numbered("chatcmpl-"),
        "object": kind,
        "created": ids.created_s,
        "model": request.model,
    }


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }


def _split_system(messages: list[Mapping[str, Any]]) -> tuple[str, tuple[RequestMessage, ...]]:
    """The system text (of ``system`` and ``developer`` messages, wherever they stand) and the rest."""
    system: list[str] = []
    rest: list[RequestMessage] = []
    for place, message in enumerate(messages):
        where = f"messages[{place}]"
        role = message.get("role")
        text = fields.joined_text(message.get("content"), f"{where}.content")
        if role in ("system", "developer"):
            system.append(text)
        elif role == "assistant":
            rest.append(_assistant(message, text, where))
        elif role in ("user", "tool"):
            rest.append(RequestMessage(role, text))
        else:
            raise BadRequest(
                f"'{where}.role' is {role!r}, not one of system, developer, user, assistant, tool"
            )
    return "\n\n".join(system), tuple(rest)


def _assistant(message: Mapping[str, Any], text: str, where: str) -> RequestMessage:
    calls = fields.objects(message.get("tool_calls") or [], f"{where}.tool_calls")
    functions = [f for f in (call.get("function") for call in calls) if isinstance(f, dict)]
    return RequestMessage(
        "assistant",
        text,
        fields.text_of(message, "reasoning_content"),
        tuple(f"{fields.text_of(f, 'name')} {fields.text_of(f, 'arguments')}" for f in functions),
    )


def _tool_names(body: Mapping[str, Any]) -> tuple[str, ...]:
    tools = fields.objects(body.get("tools") or [], "tools")
    functions = [f for f in (tool.get("function") for tool in tools) if isinstance(f, dict)]
    return tuple(fields.text_of(function, "name") for function in functions)


DIALECT = OpenAiChat()
