"""What a request of the Gemini dialect says: system text, messages, tools.

A field's name may be written ``likeThis`` or ``like_this``; the provider takes both, and clients use both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mock_llm.dialects import fields
from mock_llm.dialects.sse import compact
from mock_llm.request import BadRequest, RequestMessage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def read_system(body: Mapping[str, Any]) -> str:
    """The text of the system instruction."""
    instruction = _field(body, "systemInstruction")
    if instruction is None:
        return ""
    parts = instruction.get("parts") if isinstance(instruction, dict) else instruction
    return fields.joined_text([parts] if isinstance(parts, dict) else parts, "systemInstruction.parts")


def read_contents(body: Mapping[str, Any]) -> tuple[RequestMessage, ...]:
    """The messages; what a user entry answers to function calls comes before what the user said.

    Raises:
        BadRequest: If there are none, or one is not as the dialect has it.
    """
    contents = fields.objects(fields.required(body, "contents", list, "a list"), "contents")
    if not contents:
        raise BadRequest("'contents' must hold at least one entry, and is empty")
    found: list[RequestMessage] = []
    for place, entry in enumerate(contents):
        where = f"contents[{place}]"
        role = entry.get("role", "user")
        if role not in ("user", "model", "function"):
            raise BadRequest(f"'{where}.role' is {role!r}, not one of user, model")
        parts = fields.objects(entry.get("parts"), f"{where}.parts")
        found.extend([_model(parts)] if role == "model" else _user(parts))
    return tuple(found)


def read_tools(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the functions that the model may call."""
    return tuple(
        fields.text_of(function, "name")
        for tool in fields.objects(body.get("tools") or [], "tools")
        for function in fields.objects(
            _field(tool, "functionDeclarations") or [], "tools.functionDeclarations"
        )
    )


def _user(parts: list[Mapping[str, Any]]) -> Iterator[RequestMessage]:
    results = [_field(part, "functionResponse") for part in parts]
    for result in results:
        if isinstance(result, dict):
            yield RequestMessage("tool", _result_text(result.get("response")))
    if any(result is None for result in results):
        yield RequestMessage("user", "".join(map(fields.text_of, parts)))


def _model(parts: list[Mapping[str, Any]]) -> RequestMessage:
    calls = [call for call in (_field(part, "functionCall") for part in parts) if isinstance(call, dict)]
    return RequestMessage(
        "assistant",
        "".join(fields.text_of(part) for part in parts if not part.get("thought")),
        "".join(fields.text_of(part) for part in parts if part.get("thought")),
        tuple(f"{fields.text_of(call, 'name')} {compact(call.get('args') or {})}" for call in calls),
    )


def _result_text(response: Any) -> str:
    """A tool's result: the provider wants an object, so clients put a text into one of a single field."""
    if isinstance(response, dict) and len(response) == 1:
        (only,) = response.values()
        if isinstance(only, str):
            return only
    return compact(response)


def _field(value: Mapping[str, Any], name: str) -> Any:
    """A field under either spelling."""
    if name in value:
        return value[name]
    return value.get(re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name))
