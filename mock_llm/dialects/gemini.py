"""Gemini generateContent and streamGenerateContent.

What clients need of the stream (measured, see docs): with ``alt=sse`` bare ``data: `` lines and nothing else,
no comment, no name, no id; without it a JSON array that grows. Every chunk has parts; a function call is
whole, never split; the finish reason stands in the last chunk. Model and streaming are in the path.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from mock_llm.dialects import fields
from mock_llm.dialects.dialect import WireEvent
from mock_llm.dialects.gemini_request import read_contents, read_system, read_tools
from mock_llm.dialects.parts import content_event, stop_of, walk, whole_blocks
from mock_llm.dialects.sse import EVENT_STREAM, compact, json_value, usage_of
from mock_llm.request import ModelRequest
from mock_llm.turn import Thinking, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mock_llm.dialects.dialect import Ids
    from mock_llm.dialects.parts import Block
    from mock_llm.turn import Delta, Turn

FINISH = {"stop": "STOP", "tool": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}
_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_COUNTING = "countTokens"


class Gemini:
    """The dialect ``gemini``."""

    name = "gemini"
    request_id_header = "x-request-id"

    def parse_request(
        self, body: bytes | Mapping[str, object], path: str, headers: Mapping[str, str]
    ) -> ModelRequest:
        parsed = fields.read_object(body)
        model, method = _model_and_method(path)
        asked = parsed
        if method == _COUNTING and isinstance(parsed.get("generateContentRequest"), dict):
            asked = parsed["generateContentRequest"]
        return ModelRequest(
            dialect=self.name,
            model=model,
            stream=method.startswith("stream"),
            system=read_system(asked),
            messages=read_contents(asked),
            tools=read_tools(asked),
            include_usage=True,
            body=parsed,
            path=path,
            retry=fields.retry_count(headers),
        )

    def encode(
        self, turn: Turn, deltas: Iterable[Delta], request: ModelRequest, ids: Ids, batch: int = 1
    ) -> Iterator[WireEvent]:
        if not _is_sse(request):
            yield WireEvent(b"[")
        lead, tail, last = ("data: ", "\n\n", "\n\n") if _is_sse(request) else ("", ",\r\n", "]")
        before = lead + '{"candidates":[{"content":{"parts":[{'
        after = f'],"role":"model"}},"index":0}}],{_asked(turn, request, ids)}}}{tail}'
        for kind, block, texts in walk(turn, deltas, batch):
            if isinstance(block.part, ToolCall):
                # A call is sent whole, when its last piece is due; one that was cut off is not sent.
                if kind == "close" and block.is_complete:
                    call, arguments = compact(_part(block, turn, ids))[1:], block.part.arguments
                    yield WireEvent(f"{before}{call}{after}".encode("ascii"), len(arguments), arguments)
            elif kind == "more":
                thought = '"thought":true,' if isinstance(block.part, Thinking) else ""
                yield content_event(texts, f'{before}{thought}"text":', "}" + after)
        ending = compact(_reply(turn, request, ids, [{"text": ""}]))
        yield WireEvent(f"{lead}{ending}{last}".encode("ascii"))

    def encode_whole(self, turn: Turn, request: ModelRequest, ids: Ids) -> bytes:
        parts = [_part(block, turn, ids) for block in whole_blocks(turn)]
        return compact(_reply(turn, request, ids, parts or [{"text": ""}])).encode("ascii")

    def error_body(self, status: int, message: str, kind: str = "", request_id: str = "") -> bytes:
        del request_id
        default = _STATUS.get(status, "INTERNAL" if status >= 500 else "INVALID_ARGUMENT")
        error = {"code": status, "message": message, "status": kind or default}
        return compact({"error": error}).encode("ascii")

    def stream_type(self, request: ModelRequest) -> str:
        return EVENT_STREAM if _is_sse(request) else "application/json; charset=utf-8"

    def error_event(
        self, message: str, kind: str = "", request: ModelRequest | None = None, place: int = 0
    ) -> bytes:
        del place
        status = next((code for code, word in _STATUS.items() if word == kind), 503 if not kind else 500)
        error = self.error_body(status, message, kind)
        return b"data: %b\n\n" % error if request is None or _is_sse(request) else error + b"]"

    def count_body(self, tokens: int) -> bytes:
        return compact({"totalTokens": tokens}).encode("ascii")

    def models_body(self, models: Iterable[str]) -> bytes:
        rows = [_model(model) for model in models]
        return compact({"models": rows}).encode("ascii")

    def model_body(self, model: str) -> bytes:
        return compact(_model(model)).encode("ascii")


def _model(model: str) -> dict[str, Any]:
    return {
        "name": f"models/{model}",
        "version": "001",
        "displayName": model,
        "inputTokenLimit": 1_048_576,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": ["generateContent", _COUNTING],
    }


def _model_and_method(path: str) -> tuple[str, str]:
    """The two last words of a path: ``.../models/MODEL:method``; a model's name may hold slashes."""
    named, _, method = urlsplit(path).path.rpartition(":")
    _, marker, model = named.partition("/models/")
    return unquote(model if marker else named.rpartition("/")[2]), method


def _is_sse(request: ModelRequest) -> bool:
    return parse_qs(urlsplit(request.path).query).get("alt") == ["sse"]


def _asked(turn: Turn, request: ModelRequest, ids: Ids) -> str:
    """What each chunk says beside its content; the count of the answer comes with the last one."""
    asked = usage_of(turn, request).input_tokens
    usage = {"promptTokenCount": asked, "totalTokenCount": asked}
    return compact({"usageMetadata": usage, **_origin(request, ids)})[1:-1]


def _origin(request: ModelRequest, ids: Ids) -> dict[str, str]:
    return {"modelVersion": request.model, "responseId": ids.numbered("mock-")}


def _part(block: Block, turn: Turn, ids: Ids) -> dict[str, Any]:
    part = block.part
    if isinstance(part, Thinking):
        return {"thought": True, "text": part.text}
    if not isinstance(part, ToolCall):
        return {"text": part.text}
    call_id = part.id or ids.numbered("call_", block.place)
    args = json_value(part.arguments)
    call: dict[str, Any] = {"functionCall": {"id": call_id, "name": part.name, "args": args}}
    if block.place == 0 and any(isinstance(p, Thinking) and p.text for p in turn.parts):
        # The first call proves the thinking before it; clients read this as base64.
        signature = b64encode(ids.numbered("mock-signature-").encode("ascii"))
        call["thoughtSignature"] = signature.decode("ascii")
    return call


def _reply(turn: Turn, request: ModelRequest, ids: Ids, parts: list[dict[str, Any]]) -> dict[str, Any]:
    """A chunk that ends the reply. A refusal without a word is a blocked prompt: no candidate at all."""
    usage, stop = usage_of(turn, request), stop_of(turn)
    candidate: dict[str, Any] = {
        "content": {"parts": parts, "role": "model"},
        "finishReason": FINISH.get(stop, stop),
        "index": 0,
    }
    said: dict[str, Any] = {"candidates": [candidate]}
    if stop == "refusal" and not turn.chars:
        said = {"promptFeedback": {"blockReason": "SAFETY"}}
    counts = {
        "promptTokenCount": usage.input_tokens,
        "candidatesTokenCount": usage.output_tokens,
        "totalTokenCount": usage.input_tokens + usage.output_tokens,
    }
    return {**said, "usageMetadata": counts, **_origin(request, ids)}


DIALECT = Gemini()
