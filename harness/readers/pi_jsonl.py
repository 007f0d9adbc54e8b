"""Sessions of pi and its relatives (senpi, oh-my-pi): a tree of records, one JSON object a line.

A record has an id and its parent's id. Going back and asking again starts a new branch; the branch that ends
in the last record is the conversation. Messages have the roles ``user``, ``assistant`` and ``toolResult``.
A ``custom_message`` goes to the model; with ``display`` false the user does not see it. The extension senpi
adds: ``custom`` records of type ``rule-activation`` stand before the message that a rule stopped.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness.readers.jsonl import integer_of, object_of, objects_of, parse_lines, string_of
from harness.transcript import RuleRecord, Transcript, TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def read(text: str) -> Transcript:
    """The conversation of a session file, as far as it has been written."""
    messages: list[TranscriptMessage] = []
    rules: list[RuleRecord] = []
    for record in branch(parse_lines(text)):
        message = _message(record)
        if message is not None:
            messages.append(message)
        elif record.get("type") == "custom" and record.get("customType") == "rule-activation":
            rules.extend(_rules(object_of(record.get("data")), len(messages)))
    return Transcript(tuple(messages), tuple(rules))


def branch(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records from the root to the last one, in order.

    Where the chain is broken, because a line was damaged or an agent does not keep one, all records count.
    """
    by_id = {record["id"]: record for record in records if isinstance(record.get("id"), str)}
    tree = [record for record in records if "parentId" in record]
    if not tree:
        return list(records)
    chain: list[dict[str, Any]] = []
    step: dict[str, Any] | None = tree[-1]
    while step is not None and len(chain) <= len(records):
        chain.append(step)
        parent = step.get("parentId")
        step = by_id.get(parent) if isinstance(parent, str) else None
        if step is None and parent is not None:
            return list(records)
    return chain[::-1] if len(chain) <= len(records) else list(records)


def _message(record: dict[str, Any]) -> TranscriptMessage | None:
    match record.get("type"):
        case "custom_message":
            hidden = record.get("display") is False
            return TranscriptMessage("user", tuple(_parts(record.get("content"))), hidden=hidden)
        case "message":
            return _with_role(object_of(record.get("message")))
    return None


def _with_role(message: dict[str, Any]) -> TranscriptMessage | None:
    parts = tuple(_parts(message.get("content")))
    match message.get("role"):
        case "user" | "system" as role:
            return TranscriptMessage(role, parts)
        case "assistant":
            stop_reason, error = string_of(message.get("stopReason")), string_of(message.get("errorMessage"))
            return TranscriptMessage("assistant", parts, stop_reason=stop_reason, error=error)
        case "toolResult":
            text = "".join(part.text for part in parts if part.kind == "text")
            result = TranscriptPart("tool_result", text, name=string_of(message.get("toolName")))
            return TranscriptMessage("tool", (result,))
    return None


def _parts(content: Any) -> Iterator[TranscriptPart]:
    if isinstance(content, str):
        yield TranscriptPart("text", content)
    for block in objects_of(content):
        match block.get("type"):
            case "text":
                yield TranscriptPart("text", string_of(block.get("text")))
            case "thinking":
                yield TranscriptPart("thinking", string_of(block.get("thinking")))
            case "toolCall":
                name = string_of(block.get("name"))
                yield TranscriptPart("tool_call", _arguments(block.get("arguments")), name)


def _arguments(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _rules(data: dict[str, Any], message: int) -> Iterator[RuleRecord]:
    """One record for each rule that is named; senpi names the rule and nothing else."""
    named = data.get("rules")
    names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    for name in names or [string_of(data.get("owner"))]:
        yield RuleRecord(
            name,
            message,
            mechanism=string_of(data.get("mechanism")) or None,
            anomaly_start=integer_of(data.get("anomaly_start")),
            garbage_start=integer_of(data.get("garbage_start")),
            fired_at=integer_of(data.get("fired_at")),
            data=data,
        )
