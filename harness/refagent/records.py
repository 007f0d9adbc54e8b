"""Session records: messages and findings to JSON objects, and back to a conversation.

The shape is the one of pi and its relatives: a ``session`` header, then records with ``type`` ``message``,
``custom`` and ``custom_message``. Id, parent and time are added where a record is written.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from harness.refagent.conversation import (
    AssistantMessage,
    Block,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResult,
    UserMessage,
)
from harness.refagent.wire import child, count_of, objects, parse_object, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from harness.detectors.finding import Finding
    from harness.refagent.conversation import StopReason

VERSION = 1
_STOP_REASONS = ("stop", "toolUse", "aborted", "error", "length")


def header(session_id: str, cwd: str, timestamp: str, dialect: str, model: str) -> dict[str, Any]:
    """The first record of a session."""
    return {
        "type": "session",
        "version": VERSION,
        "id": session_id,
        "timestamp": timestamp,
        "cwd": cwd,
        "dialect": dialect,
        "model": model,
    }


def message_record(message: Message) -> dict[str, Any]:
    """A message as a record; a hidden user message is a ``custom_message`` (see :func:`injection`)."""
    if isinstance(message, AssistantMessage):
        return {"type": "message", "message": _assistant(message)}
    if isinstance(message, ToolResult):
        return {"type": "message", "message": _tool_result(message)}
    return {"type": "message", "message": {"role": "user", "content": _text(message.text)}}


def _text(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def _tool_result(result: ToolResult) -> dict[str, Any]:
    return {
        "role": "toolResult",
        "toolCallId": result.call_id,
        "toolName": result.name,
        "content": _text(result.output),
        "isError": result.is_error,
    }


def _assistant(message: AssistantMessage) -> dict[str, Any]:
    record: dict[str, Any] = {
        "role": "assistant",
        "content": [_block(block) for block in message.blocks],
        "stopReason": message.stop_reason,
        "usage": {"input": message.input_tokens, "output": message.output_tokens},
    }
    return {**record, "errorMessage": message.error} if message.error else record


def _block(block: Block) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    if isinstance(block, ThinkingBlock):
        signature = {"signature": block.signature} if block.signature else {}
        return {"type": "thinking", "thinking": block.text, **signature}
    parsed = parse_object(block.arguments)
    arguments = block.arguments if parsed is None else parsed  # a cut call keeps its raw text
    return {"type": "toolCall", "id": block.id, "name": block.name, "arguments": arguments}


def rule_activation(finding: Finding, stream: str, remediation: str) -> dict[str, Any]:
    """That a rule stopped the message which follows.

    ``remediation`` says what comes next: an interrupt (``nudge``), the same request once more
    (``provider-error``), or nothing (``stop``).
    """
    data = {
        "kind": "ttsr",
        "owner": finding.rule,
        "rules": [finding.rule],
        "remediation": remediation,
        "mechanism": finding.mechanism,
        "reason": finding.reason,
        "anomaly_start": finding.anomaly_start,
        "garbage_start": finding.garbage_start,
        "fired_at": finding.fired_at,
        "stream": stream,
    }
    return {"type": "custom", "customType": "rule-activation", "data": data}


def discarded_output(stream: str, text: str) -> dict[str, Any]:
    """What was cut off: kept for people, never for the model."""
    return {"type": "custom", "customType": "discarded-output", "data": {"stream": stream, "text": text}}


def injection(rule: str, text: str) -> dict[str, Any]:
    """An interrupt: the model sees it as a user message, the user does not see it."""
    return {
        "type": "custom_message",
        "customType": "ttsr-injection",
        "display": False,
        "details": {"rules": [rule]},
        "content": text,
    }


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a session file holds. ``damaged`` are the numbers of lines that are no record, from 1."""

    header: Mapping[str, Any]
    messages: tuple[Message, ...]
    last_id: str | None
    damaged: tuple[int, ...]


class SessionFormatError(ValueError):
    """The text does not begin with a session header; the message says so."""


def parse_session(text: str) -> Loaded:
    """Read a whole session file.

    A line that is no JSON object (a crash cuts the last one short) is skipped and named; unknown records are
    kept in the chain of ids and otherwise ignored.

    Raises:
        SessionFormatError: If the first line is not a session header.
    """
    lines = text.split("\n")
    first = parse_object(lines[0])
    if first is None or first.get("type") != "session":
        raise SessionFormatError("line 1 is not a session header")
    parsed = [(number, parse_object(line)) for number, line in enumerate(lines[1:], 2) if line.strip()]
    records = [record for _, record in parsed if record is not None]
    ids = [record["id"] for record in records if isinstance(record.get("id"), str)]
    return Loaded(
        first, tuple(_messages(records)), ids[-1] if ids else None, tuple(n for n, r in parsed if r is None)
    )


def _messages(records: Iterable[Mapping[str, Any]]) -> Iterator[Message]:
    for record in records:
        if record.get("type") == "custom_message":
            yield UserMessage(content_text(record.get("content")), hidden=record.get("display") is False)
        elif record.get("type") == "message":
            yield from _message(child(record, "message"))


def _message(message: Mapping[str, Any]) -> Iterator[Message]:
    match message.get("role"):
        case "user":
            yield UserMessage(content_text(message.get("content")))
        case "assistant":
            yield _read_assistant(message)
        case "toolResult":
            yield ToolResult(
                text_of(message.get("toolCallId")),
                text_of(message.get("toolName")),
                content_text(message.get("content")),
                is_error=message.get("isError") is True,
            )


def _read_assistant(message: Mapping[str, Any]) -> AssistantMessage:
    stop = message.get("stopReason")
    usage = child(message, "usage")
    return AssistantMessage(
        tuple(_read_blocks(message.get("content"))),
        cast("StopReason", stop if stop in _STOP_REASONS else "error"),
        text_of(message.get("errorMessage")),
        count_of(usage.get("input")) or 0,
        count_of(usage.get("output")) or 0,
    )


def _read_blocks(content: Any) -> Iterator[Block]:
    for block in objects(content):
        match block.get("type"):
            case "text":
                yield TextBlock(text_of(block.get("text")))
            case "thinking":
                yield ThinkingBlock(text_of(block.get("thinking")), text_of(block.get("signature")))
            case "toolCall":
                yield ToolCallBlock(text_of(block.get("id")), text_of(block.get("name")), _arguments(block))


def _arguments(block: Mapping[str, Any]) -> str:
    arguments = block.get("arguments")
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def content_text(content: Any) -> str:
    """The text of a record's content, which is a string or a list of blocks."""
    if isinstance(content, str):
        return content
    return "".join(text_of(block.get("text")) for block in objects(content) if block.get("type") == "text")
