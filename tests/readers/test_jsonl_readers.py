"""Session files, made line by line to the documented shapes, read into transcripts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.readers import read, reader_names
from harness.transcript import TranscriptPart

MARKER = "[output interrupted by stream rule]"
INTERRUPT = '<system-interrupt reason="rule_violation" rule="collapse-repetition">stop</system-interrupt>'


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def chained(*records: dict[str, Any]) -> list[dict[str, Any]]:
    ids = [None, *(str(number) for number in range(len(records)))]
    return [
        {"id": own, "parentId": parent, "timestamp": "2026-09-03T10:00:00.000Z", **record}
        for record, parent, own in zip(records, ids[:-1], ids[1:], strict=True)
    ]


def session(data: dict[str, Any]) -> str:
    """A near-duplicate run as senpi and the reference agent write it."""
    aborted = {"role": "assistant", "content": [text("k" * 492), text(MARKER)], "stopReason": "aborted"}
    records = chained(
        {"type": "model_change", "provider": "mock"},
        {"type": "message", "message": {"role": "user", "content": [text("do it")]}},
        {"type": "custom", "customType": "rule-activation", "data": data},
        {"type": "message", "message": {**aborted, "errorMessage": "Request was aborted"}},
        {"type": "custom", "customType": "senpi.hooks.stop-state", "data": {}},
        {"type": "custom_message", "customType": "ttsr-injection", "display": False, "content": INTERRUPT},
        {
            "type": "message",
            "message": {"role": "assistant", "content": [text("RECOVERED")], "stopReason": "stop"},
        },
    )
    return lines({"type": "session", "version": 3, "id": "s", "cwd": "/w"}, *records)


SENPI_DATA = {
    "kind": "ttsr",
    "owner": "collapse-repetition",
    "rules": ["collapse-repetition"],
    "remediation": "nudge",
}


def test_a_stopped_reply_a_hidden_interrupt_and_the_recovery_are_read_in_order() -> None:
    transcript = read("pi-jsonl", session(SENPI_DATA))
    assert [message.role for message in transcript.messages] == ["user", "assistant", "user", "assistant"]
    stopped, recovered = transcript.assistant
    assert (len(stopped.text), stopped.stop_reason, stopped.error) == (527, "aborted", "Request was aborted")
    assert stopped.parts[1] == TranscriptPart("text", MARKER)
    assert (recovered.text, recovered.stop_reason) == ("RECOVERED", "stop")
    assert [message.hidden for message in transcript.messages] == [False, False, True, False]
    assert transcript.messages[2].text == INTERRUPT


def test_a_rule_record_points_at_the_message_after_it() -> None:
    (rule,) = read("pi-jsonl", session(SENPI_DATA)).rules
    assert (rule.rule, rule.message) == ("collapse-repetition", 1)
    assert (rule.mechanism, rule.anomaly_start, rule.garbage_start, rule.fired_at) == (None, None, None, None)
    assert rule.data == SENPI_DATA


def test_the_reference_agent_also_says_where_and_why() -> None:
    figures = {
        "mechanism": "near-duplicate-paragraphs",
        "anomaly_start": 0,
        "garbage_start": 492,
        "fired_at": 1797,
    }
    (rule,) = read("reference-jsonl", session({**SENPI_DATA, **figures})).rules
    assert rule.mechanism == "near-duplicate-paragraphs"
    assert (rule.anomaly_start, rule.garbage_start, rule.fired_at) == (0, 492, 1797)


def test_tool_calls_and_their_results_keep_names_and_text() -> None:
    call = {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "ä.txt"}}
    content = [{"type": "thinking", "thinking": "hm"}, call]
    result = {"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": [text("a"), text("b")]}
    transcript = read(
        "pi-jsonl",
        lines(
            *chained(
                {
                    "type": "message",
                    "message": {"role": "assistant", "content": content, "stopReason": "toolUse"},
                },
                {"type": "message", "message": result},
            )
        ),
    )
    assert transcript.messages[0].parts == (
        TranscriptPart("thinking", "hm"),
        TranscriptPart("tool_call", '{"path": "ä.txt"}', "read"),
    )
    assert transcript.messages[1].role == "tool"
    assert transcript.messages[1].parts == (TranscriptPart("tool_result", "ab", "read"),)


def test_a_call_that_was_cut_keeps_its_raw_arguments() -> None:
    call = {"type": "toolCall", "id": "c", "name": "write", "arguments": '{"content": "a'}
    record = {"type": "message", "message": {"role": "assistant", "content": [call], "stopReason": "aborted"}}
    assert read("reference-jsonl", lines(record)).messages[0].parts[0].text == '{"content": "a'


def test_an_abandoned_branch_is_not_part_of_the_conversation() -> None:
    def user(own: str, parent: str | None, words: str) -> dict[str, Any]:
        return {
            "type": "message",
            "id": own,
            "parentId": parent,
            "message": {"role": "user", "content": words},
        }

    tree = lines({"type": "session"}, user("a", None, "one"), user("b", "a", "two"), user("c", "a", "three"))
    assert [message.text for message in read("pi-jsonl", tree).messages] == ["one", "three"]


def test_a_damaged_line_loses_only_its_own_message() -> None:
    whole = session(SENPI_DATA).splitlines(keepends=True)
    damaged = "".join([*whole[:2], '{"type": "mess\n', *whole[3:]])
    assert [message.role for message in read("pi-jsonl", damaged).messages] == [
        "assistant",
        "user",
        "assistant",
    ]


def test_ids_in_a_circle_do_not_hang_the_reader() -> None:
    one = {"type": "message", "id": "a", "parentId": "b", "message": {"role": "user", "content": "one"}}
    two = {"type": "message", "id": "b", "parentId": "a", "message": {"role": "user", "content": "two"}}
    assert [message.text for message in read("pi-jsonl", lines(one, two)).messages] == ["one", "two"]


@pytest.mark.parametrize("name", ["pi-jsonl", "reference-jsonl"])
def test_a_session_cut_anywhere_gives_the_messages_that_were_whole(name: str) -> None:
    whole = session(SENPI_DATA)
    everything = read(name, whole).messages
    for end in range(len(whole)):
        found = read(name, whole[:end]).messages
        assert found == everything[: len(found)]


def test_a_reader_that_a_package_adds_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    point = EntryPoint("mine-jsonl", "harness.readers.pi_jsonl:read", "ttsr_qa.readers")
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point] * (group == point.group))
    assert "mine-jsonl" in reader_names()
    record = {"type": "message", "message": {"role": "user", "content": "hello"}}
    assert [message.text for message in read("mine-jsonl", lines(record)).messages] == ["hello"]


def test_a_reader_that_nobody_has_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="nobodys-jsonl"):
        read("nobodys-jsonl", "")
