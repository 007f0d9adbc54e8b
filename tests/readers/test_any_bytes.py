"""Whatever bytes a session store holds, a reader gives a transcript or an error with a place."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.readers import READERS, SessionError, read
from harness.transcript import Transcript
from tests.readers.samples import SAMPLES

KEYS = """type id parentId message role content data rules customType payload messages parts text thinking
    toolCalls thoughts $set toolRequests arguments name result output response info functionCall args state"""
WORDS = """message custom custom_message rule-activation assistant user system tool response_item event_msg
    reasoning function_call function_call_output turn_aborted gemini info error tool_result text thinking
    tool_use toolCall assistant.message user.message tool.execution_complete abort"""
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(WORDS.split())
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=6)
    ),
)


def outcome(name: str, session: bytes | dict[str, bytes]) -> Transcript | str:
    """The transcript, or where the reader gave up."""
    try:
        return read(name, session)
    except SessionError as error:
        return error.where


def test_an_error_names_file_place_and_cause() -> None:
    with pytest.raises(SessionError, match=r"^session file a\.json:2:3: no JSON: Expecting value$"):
        read("cline-json", {"a.json": b"[1,\n  oh]"})


@pytest.mark.parametrize("name", sorted(READERS))
@given(records=st.lists(VALUES, max_size=5))
def test_lines_of_known_words_in_any_order_give_a_transcript(name: str, records: list[object]) -> None:
    found = outcome(name, "\n".join(map(json.dumps, records)).encode())
    assert isinstance(found, Transcript) or found.startswith("the session")


@pytest.mark.parametrize("name", sorted(READERS))
@given(record=VALUES)
def test_one_document_gives_a_transcript(name: str, record: object) -> None:
    found = outcome(name, json.dumps(record).encode())
    assert isinstance(found, Transcript) or found == "the session, byte 0"


@pytest.mark.parametrize("name", sorted(READERS))
@given(session=st.binary(max_size=200))
def test_any_bytes_give_a_transcript_or_a_place(name: str, session: bytes) -> None:
    found = outcome(name, session)
    assert isinstance(found, Transcript) or found.startswith("the session")


@pytest.mark.parametrize("name", sorted(SAMPLES))
@given(data=st.data())
def test_a_damaged_session_gives_a_transcript_or_a_place(name: str, data: st.DataObject) -> None:
    files = dict(SAMPLES[name])
    damaged = data.draw(st.sampled_from(sorted(files)))
    content = files[damaged]
    start = data.draw(st.integers(0, max(len(content) - 1, 0)))
    end = start + data.draw(st.integers(0, 40))
    files[damaged] = content[:start] + data.draw(st.binary(max_size=40)) + content[end:]
    found = outcome(name, files)
    assert isinstance(found, Transcript) or found.startswith(next(iter(files)))


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_session_that_is_cut_gives_a_transcript_or_a_place(name: str) -> None:
    first, content = next(iter(SAMPLES[name].items()))
    for end in range(0, len(content), max(len(content) // 150, 1)):
        found = outcome(name, {**SAMPLES[name], first: content[:end]})
        assert isinstance(found, Transcript) or found.startswith(first)


@pytest.mark.parametrize("levels", [190, 900, 100_000])
def test_what_is_read_can_be_copied_and_written_again_however_deeply_a_record_is_nested(levels: int) -> None:
    """A record of more levels than 200 is as good as a damaged one."""
    data = f'{{"rules": ["r"], "more": {"[" * levels}{"]" * levels}}}'
    rule = f'{{"type": "custom", "customType": "rule-activation", "data": {data}}}'
    found = read("pi-jsonl", f'{rule}\n{{"type": "message", "message": {{"role": "user", "content": "a"}}}}')
    assert [message.text for message in found.messages] == ["a"]
    assert [each.rule for each in found.rules] == ["r"] * (levels < 200)
    json.dumps(asdict(found), indent=2)


def test_a_document_that_is_nested_too_deeply_says_so() -> None:
    with pytest.raises(
        SessionError, match=r"^session file a\.json:1:1: no JSON: nested deeper than 200 levels$"
    ):
        read("cline-json", {"a.json": b"[" * 900 + b"]" * 900})
