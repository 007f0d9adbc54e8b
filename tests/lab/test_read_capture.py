"""What a captured file is, found out from its bytes."""

from __future__ import annotations

import codecs
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.lab.read_capture import read_capture
from harness.lab.sessions import session_reader
from tests.readers.samples import SAMPLES

TEXT = {"type": "text", "text": "Hello."}
THINKING = {"type": "thinking", "thinking": "Hm."}
CALL = {"type": "toolCall", "name": "read", "arguments": {"path": "a"}}


def session(*replies: list[object], rules: int = 0) -> bytes:
    records: list[object] = [{"type": "session", "version": 1}]
    activation = {
        "type": "custom",
        "customType": "rule-activation",
        "data": {"rules": ["collapse-repetition"]},
    }
    records += [activation] * rules
    records += [{"type": "message", "message": {"role": "assistant", "content": reply}} for reply in replies]
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def cast(*outputs: str, width: int = 80) -> bytes:
    rows: list[object] = [{"version": 2, "width": width, "height": 24}]
    rows += [[0.1, "o", output] for output in outputs] + [[0.2, "i", "typed"]]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(
    ("data", "reader", "text"),
    [
        (b"One.\n\nTwo.", "text", "One.\n\nTwo."),
        (b"One.\r\nTwo.\r\n", "text", "One.\r\nTwo.\r\n"),
        (b"One.\r\r\nTwo.", "text", "One.\r\r\nTwo."),
        (b"\x1b[1mOne.\x1b[0m", "terminal", "One.\n"),
        (b"10 %\r99 %", "terminal", "99 %\n"),
        (b"ab\bc", "terminal", "ac\n"),
        (cast("One.\r\n", "\x1b[1mTwo."), "asciicast", "One.\nTwo.\n"),
        (b"{not json", "text", "{not json"),
        (b"[12:00] started", "text", "[12:00] started"),
        (b"", "text", ""),
        (codecs.BOM_UTF8 + b"One.", "text", "One."),
        ("Zwölf.".encode("utf-16"), "text", "Zwölf."),
    ],
)
def test_text_is_recognised_and_read(data: bytes, reader: str, text: str) -> None:
    capture = read_capture("a", data)
    assert (capture.reader, [[part.text for part in message.parts] for message in capture.messages]) == (
        reader,
        [[text]],
    )
    assert not capture.is_session
    assert capture.notes == ()


def test_a_session_is_read_as_its_replies_with_all_their_parts() -> None:
    capture = read_capture("a", session([THINKING, TEXT, CALL], [TEXT]))
    assert capture.is_session
    assert [[(part.stream, part.text) for part in message.parts] for message in capture.messages] == [
        [("thinking", "Hm."), ("text", "Hello."), ("tool", '{"path": "a"}')],
        [("text", "Hello.")],
    ]
    assert [message.number for message in capture.messages] == [1, 2]


def test_of_a_session_only_one_kind_of_part_can_be_read_and_any_other_text_be_called_so() -> None:
    capture = read_capture("a", session([THINKING, TEXT]), stream="thinking")
    assert [part.text for message in capture.messages for part in message.parts] == ["Hm."]
    assert read_capture("a", b"Hm.", stream="thinking").messages[0].parts[0].stream == "thinking"


def test_a_reader_that_is_named_is_not_doubted() -> None:
    assert read_capture("a", b"\x1b[1mOne.", reader="text").messages[0].text == "\x1b[1mOne."
    assert read_capture("a", b"no session", reader="pi-jsonl").messages == ()


@pytest.mark.parametrize(
    "data",
    [
        b'{"some": "record"}\n',
        b'{"some": "record"}\n{torn',
        b'\n {\n  "some": "document"\n}\n',
        b'[{"some": "list"},\n {}]',
    ],
)
def test_json_that_is_no_session_is_plain_text_and_that_is_said(data: bytes) -> None:
    capture = read_capture("a", data)
    assert capture.reader == "text"
    assert capture.notes == (
        "JSON in which no session reader finds a reply; read as plain text (--reader names one)",
    )
    assert session_reader(data) is None


@pytest.mark.parametrize("name", SAMPLES)
def test_the_session_of_every_agent_is_recognised_by_its_own_reader(name: str) -> None:
    files = {file.rpartition("-")[2] if "-" in file else "": data for file, data in SAMPLES[name].items()}
    capture = read_capture("a", files[""], log=files.get("wal", b""))
    assert (capture.reader, capture.is_session) == (name, True)
    assert any(part.text for message in capture.messages for part in message.parts)


def test_a_session_in_which_rules_fired_is_said_to_hold_only_what_was_kept() -> None:
    (note,) = read_capture("a", session([TEXT], rules=2)).notes
    assert note.startswith("the session has 2 records of stream rules that fired")


def test_bytes_that_are_no_text_are_named_and_replaced() -> None:
    capture = read_capture("a", b"ab\xffc")
    assert capture.messages[0].text == "ab\ufffdc"
    assert capture.notes == ("byte 2 is no UTF-8; such bytes are read as U+FFFD",)


def test_a_binary_file_is_read_and_that_is_said() -> None:
    (note,) = read_capture("a", b"\x7fELF\0\0").notes
    assert note.startswith("it holds zero bytes")


def test_a_painted_screen_is_warned_of() -> None:
    (note,) = read_capture("a", b"\x1b[3;4Htext" * 30).notes
    assert note.startswith("the program painted the screen by absolute positions (30 times)")


def test_halves_of_surrogate_pairs_in_a_session_are_the_one_character_they_mean() -> None:
    data = session([{"type": "text", "text": "\ud83d"}]).replace(b"\\ud83d", b"\\ud83d\\ude42")
    assert read_capture("a", data).messages[0].text == "\U0001f642"


def test_the_width_of_a_recording_says_where_lines_were_broken() -> None:
    broken = "The quick brown fox\r\njumps over it.\r\n"
    assert (
        read_capture("a", cast(broken, width=20)).messages[0].text == "The quick brown fox jumps over it.\n\n"
    )
    assert (
        read_capture("a", cast(broken, width=80)).messages[0].text
        == "The quick brown fox\njumps over it.\n\n"
    )


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    assert read_capture("a", data).messages
