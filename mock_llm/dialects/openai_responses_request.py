"""What a request of the responses dialect says: its input items as messages, and its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mock_llm.dialects import fields
from mock_llm.request import BadRequest, RequestMessage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ROLES = ("system", "developer", "user", "assistant")


def read_input(body: Mapping[str, Any]) -> tuple[str, tuple[RequestMessage, ...]]:
    """The system text (the instructions, then what ``system`` and ``developer`` say) and the messages.

    Items of the assistant that follow one another are one message, as in the other dialects.

    Raises:
        BadRequest: If the input is missing, empty or not as the dialect has it.
    """
    given = body.get("input")
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    elif given is None:
        raise BadRequest("'input' must be a string or a list, and is missing")
    read = list(_messages(fields.objects(given, "input")))
    if not read:
        raise BadRequest("'input' must hold at least one message, and is empty")
    system = [fields.joined_text(body.get("instructions"), "instructions")]
    system += [message.text for message in read if message.role == "system"]
    rest = tuple(_merged(message for message in read if message.role != "system"))
    return "\n\n".join(text for text in system if text), rest


def read_tools(body: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the tools; one of the provider's own is called by its type."""
    tools = fields.objects(body.get("tools") or [], "tools")
    return tuple(fields.text_of(tool, "name") or fields.text_of(tool, "type") for tool in tools)


def _messages(items: list[Mapping[str, Any]]) -> Iterator[RequestMessage]:
    for place, item in enumerate(items):
        where = f"input[{place}]"
        kind = item.get("type") or "message"
        if kind == "message":
            yield _message(item, where)
        elif kind == "reasoning":
            thinking = fields.joined_text(item.get("summary"), f"{where}.summary")
            yield RequestMessage("assistant", thinking=thinking)
        elif kind == "function_call":
            call = f"{fields.text_of(item, 'name')} {fields.text_of(item, 'arguments')}"
            yield RequestMessage("assistant", tool_calls=(call,))
        elif kind == "function_call_output":
            yield RequestMessage("tool", fields.joined_text(item.get("output"), f"{where}.output"))
        elif not isinstance(kind, str):
            raise BadRequest(f"'{where}.type' must be a string, and is {fields.kind(kind)}")


def _message(item: Mapping[str, Any], where: str) -> RequestMessage:
    role = item.get("role")
    if role not in _ROLES:
        raise BadRequest(f"'{where}.role' is {role!r}, not one of {', '.join(_ROLES)}")
    content = item.get("content")
    if content is None:
        raise BadRequest(f"'{where}.content' must be a string or a list, and is missing")
    text = fields.joined_text(content, f"{where}.content")
    if not isinstance(content, str):
        text += "".join(fields.text_of(part, "refusal") for part in content)
    return RequestMessage("system" if role == "developer" else role, text)


def _merged(messages: Iterator[RequestMessage]) -> Iterator[RequestMessage]:
    growing: RequestMessage | None = None
    for message in messages:
        if message.role != "assistant":
            if growing is not None:
                yield growing
                growing = None
            yield message
        elif growing is None:
            growing = message
        else:
            growing = RequestMessage(
                "assistant",
                growing.text + message.text,
                growing.thinking + message.thinking,
                growing.tool_calls + message.tool_calls,
            )
    if growing is not None:
        yield growing
