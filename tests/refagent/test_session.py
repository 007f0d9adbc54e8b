"""The session file and its side file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.readers import read
from harness.refagent.conversation import (
    AssistantMessage,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResult,
    UserMessage,
)
from harness.refagent.errors import StartError
from harness.refagent.records import SessionFormatError, injection, message_record, parse_session
from harness.refagent.session import last_session, new_session, resume_session
from harness.refagent.unfinished import unfinished_reply

if TYPE_CHECKING:
    from pathlib import Path

    from harness.refagent.session import Session

short = st.text(max_size=8)
# The arguments of a whole call are JSON; they come back as JSON, spaced the usual way.
arguments = st.dictionaries(short, short, max_size=2).map(lambda value: json.dumps(value, ensure_ascii=False))
blocks = (
    st.builds(TextBlock, short)
    | st.builds(ThinkingBlock, short, short)
    | st.builds(ToolCallBlock, short, short, arguments | st.just('{"cut'))
)
messages = st.lists(
    st.builds(UserMessage, short)
    | st.builds(ToolResult, short, short, short, is_error=st.booleans())
    | st.builds(
        AssistantMessage,
        st.lists(blocks, max_size=3).map(tuple),
        st.sampled_from(["stop", "toolUse", "aborted", "error", "length"]),
        short,
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    max_size=4,
)


def fresh(home: Path) -> Session:
    return new_session(None, home, "openai-chat", "m")


def said(text: str) -> dict[str, Any]:
    return message_record(UserMessage(text))


@given(conversation=messages)
def test_a_conversation_comes_back_as_it_was(conversation: list[Message]) -> None:
    lines = ['{"type": "session"}', *(json.dumps(message_record(message)) for message in conversation)]
    assert parse_session("\n".join(lines) + "\n").messages == tuple(conversation)


def test_an_interrupt_comes_back_hidden() -> None:
    lines = ['{"type": "session"}', json.dumps(injection("a-rule", "stop it"))]
    assert parse_session("\n".join(lines)).messages == (UserMessage("stop it", hidden=True),)


def test_a_session_in_which_nothing_is_said_leaves_no_file(tmp_path: Path) -> None:
    fresh(tmp_path).close()
    assert list(tmp_path.iterdir()) == []


def test_records_are_on_disk_at_once_and_know_their_parents(tmp_path: Path) -> None:
    session = fresh(tmp_path)
    session.append(said("one"))
    session.append(said("two"))
    head, one, two = [json.loads(line) for line in session.path.read_text().splitlines()]
    assert (head["type"], head["version"], head["dialect"], head["model"]) == (
        "session",
        1,
        "openai-chat",
        "m",
    )
    assert head["id"] in session.path.name
    assert (one["parentId"], two["parentId"]) == (None, one["id"])
    assert datetime.fromisoformat(two["timestamp"]).tzinfo == UTC
    assert oct(session.path.stat().st_mode & 0o777) == "0o600"


def test_half_a_surrogate_pair_is_written_and_read_back(tmp_path: Path) -> None:
    session = fresh(tmp_path)
    session.append(said("\ud83d"))
    assert parse_session(session.path.read_text()).messages == (UserMessage("\ud83d"),)


def test_pieces_in_flight_are_on_disk_until_they_are_settled(tmp_path: Path) -> None:
    session = fresh(tmp_path)
    session.append(said("one"))
    session.save_in_flight(0, "thinking", "hm")
    session.save_in_flight(1, "text", "Hel")
    session.save_in_flight(1, "text", "lo")
    session.save_in_flight(2, "tool", "bash")
    session.save_in_flight(2, "tool", '{"comm')
    kept = unfinished_reply(session.in_flight_path.read_text()[:-5] + "\n")
    whole = unfinished_reply(session.in_flight_path.read_text())
    assert whole.blocks == (ThinkingBlock("hm"), TextBlock("Hello"), ToolCallBlock("", "bash", '{"comm'))
    assert kept.blocks[:2] == whole.blocks[:2]
    assert whole.stop_reason == "error"
    session.settle_in_flight()
    assert not session.in_flight_path.exists()


def test_resuming_continues_the_chain(tmp_path: Path) -> None:
    session = fresh(tmp_path)
    session.append(said("one"))
    session.close()
    notices: list[str] = []
    again, loaded = resume_session(last_session(tmp_path), notices.append)
    again.append(said("two"))
    again.close()
    assert loaded.messages == (UserMessage("one"),)
    assert notices == []
    assert [m.text for m in read("reference-jsonl", session.path.read_text()).messages] == ["one", "two"]


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_cut_last_line_is_left_alone_and_named(tmp_path: Path, cut: int) -> None:
    session = fresh(tmp_path)
    session.append(said("one"))
    session.append(said("two"))
    session.close()
    whole = session.path.read_bytes()
    session.path.write_bytes(whole[: -1 - cut])
    notices: list[str] = []
    again, loaded = resume_session(session.path, notices.append)
    again.append(said("three"))
    again.close()
    assert loaded.messages == (UserMessage("one"),)
    assert notices == [f"{session.path}:3: this line is damaged and was left out; the rest is used"]
    texts = [message.text for message in read("reference-jsonl", session.path.read_text()).messages]
    assert texts == ["one", "three"]


def test_a_last_line_without_its_newline_is_whole(tmp_path: Path) -> None:
    session = fresh(tmp_path)
    session.append(said("one"))
    session.close()
    session.path.write_bytes(session.path.read_bytes()[:-1])
    again, loaded = resume_session(session.path, pytest.fail)
    again.append(said("two"))
    assert loaded.messages == (UserMessage("one"),)
    assert len(session.path.read_text().splitlines()) == 3


def test_only_one_process_has_a_session(tmp_path: Path) -> None:
    session = fresh(tmp_path)
    session.append(said("one"))
    with pytest.raises(StartError, match="is in use by another process"):
        resume_session(session.path, pytest.fail)
    session.close()


@pytest.mark.parametrize("text", ["", "\n", "[]\n", '{"type": "message"}\n', "\x00\x01"])
def test_a_file_that_is_no_session_is_refused(text: str) -> None:
    with pytest.raises(SessionFormatError, match="line 1 is not a session header"):
        parse_session(text)


def test_last_is_the_newest_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    for name in ("2026-09-03T10-00-00-000Z_a.jsonl", "2026-09-16T10-00-00-000Z_b.jsonl"):
        (folder / name).touch()
    assert last_session(tmp_path).name.endswith("_b.jsonl")
