"""OpenAI responses.

What clients need of the stream (measured, see docs): ``response.created`` first and ``response.completed``
with the whole response last, all with one id; every item is added empty before its deltas and done in full
after them, with the same id, type and call id in all three places; every delta has its item's id and
indexes; ``sequence_number`` counts the events from 0 without a gap. No event of another type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mock_llm.dialects import fields
from mock_llm.dialects.openai_responses_items import Items, finished
from mock_llm.dialects.openai_responses_request import read_input, read_tools
from mock_llm.dialects.parts import walk, whole_blocks
from mock_llm.dialects.sse import EVENT_STREAM, compact, named_event, openai_model, usage_of
from mock_llm.request import ModelRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mock_llm.dialects.dialect import Ids, WireEvent
    from mock_llm.turn import Delta, Turn, Usage

# The response's status and why it is incomplete; a stop reason that is not here is the latter.
_ENDINGS = {
    "stop": ("completed", None),
    "tool": ("completed", None),
    "length": ("incomplete", "max_output_tokens"),
    "refusal": ("incomplete", "content_filter"),
    "failed": ("failed", None),
}
_ERROR_TYPES = {429: "rate_limit_exceeded", 401: "authentication_error", 403: "permission_error"}


class OpenAiResponses:
    """The dialect ``openai-responses``."""

    name = "openai-responses"
    request_id_header = "x-request-id"

    def parse_request(
        self, body: bytes | Mapping[str, object], path: str, headers: Mapping[str, str]
    ) -> ModelRequest:
        parsed = fields.read_object(body)
        model = fields.required(parsed, "model", str, "a string")
        system, messages = read_input(parsed)
        return ModelRequest(
            dialect=self.name,
            model=model,
            stream=fields.streamed(parsed),
            system=system,
            messages=messages,
            tools=read_tools(parsed),
            include_usage=True,
            body=parsed,
            path=path,
            retry=fields.retry_count(headers),
        )

    def encode(
        self, turn: Turn, deltas: Iterable[Delta], request: ModelRequest, ids: Ids, batch: int = 1
    ) -> Iterator[WireEvent]:
        items = Items(ids, signed=_wants_signature(request))
        begun = _response(request, ids, ("in_progress", None), [], None)
        yield items.event("response.created", response=begun)
        yield items.event("response.in_progress", response=begun)
        for kind, block, texts in walk(turn, deltas, batch):
            if kind == "more":
                yield items.more(block, texts)
            elif kind == "open":
                yield from items.opened(block)
            else:
                yield from items.closed(block)
        ending = _ending(turn)
        ended = _response(request, ids, ending, items.output, usage_of(turn, request))
        yield items.event(f"response.{ending[0]}", response=ended)

    def encode_whole(self, turn: Turn, request: ModelRequest, ids: Ids) -> bytes:
        signed = _wants_signature(request)
        output = [finished(block, ids, signed=signed) for block in whole_blocks(turn)]
        reply = _response(request, ids, _ending(turn), output, usage_of(turn, request))
        return compact(reply).encode("ascii")

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
        del request
        error = {"type": "error", "code": kind or "server_error", "message": message, "param": None}
        return named_event("error", compact({**error, "sequence_number": place}))

    def count_body(self, tokens: int) -> bytes:
        return compact({"object": "response.input_tokens", "input_tokens": tokens}).encode("ascii")

    def models_body(self, models: Iterable[str]) -> bytes:
        return compact({"object": "list", "data": list(map(openai_model, models))}).encode("ascii")

    def model_body(self, model: str) -> bytes:
        return compact(openai_model(model)).encode("ascii")


def _ending(turn: Turn) -> tuple[str, str | None]:
    return _ENDINGS.get(turn.stop, ("incomplete", turn.stop))


def _wants_signature(request: ModelRequest) -> bool:
    """Whether reasoning comes with what a client without server-side storage sends back."""
    include = request.body.get("include")
    return isinstance(include, list) and "reasoning.encrypted_content" in include


def _response(
    request: ModelRequest,
    ids: Ids,
    ending: tuple[str, str | None],
    output: list[dict[str, Any]],
    usage: Usage | None,
) -> dict[str, Any]:
    status, reason = ending
    failed = {"code": "server_error", "message": "The model failed to answer."}
    return {
        "id": ids.numbered("resp_"),
        "object": "response",
        "created_at": ids.created_s,
        "status": status,
        "error": failed if status == "failed" else None,
        "incomplete_details": {"reason": reason} if reason else None,
        "instructions": None,
        "max_output_tokens": None,
        "metadata": {},
        "model": request.model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "store": False,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": None if usage is None else _usage(usage),
        "user": None,
    }


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }


DIALECT = OpenAiResponses()
