"""``recorded: FILE`` in a script, and what may stand beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from mock_llm.faults import Fault
from mock_llm.matchers import Check
from mock_llm.pace import Beat
from mock_llm.problems import ScriptError
from mock_llm.script import ScriptTurn
from mock_llm.script_yaml import load_script, parse_script
from mock_llm.turn import Text

LINES = (
    {"recorded": 1},
    {"at_ms": 10, "status": 200},
    {"at_ms": 20, "part": 0, "say": "abc"},
    {"at_ms": 50, "part": 0, "say": "de"},
    {"at_ms": 51, "ended": "complete"},
)
GOOD = "".join(json.dumps(line) + "\n" for line in LINES)
REFUSED = '{"recorded": 1}\n{"at_ms": 1, "status": 500}\n{"at_ms": 2, "body": "no"}\n{"at_ms": 3, "ended": "complete"}\n'


def turn_of(yaml: str, files: Mapping[str, str] | None = None) -> ScriptTurn:
    files = files or {"a.jsonl": GOOD, "b.jsonl": REFUSED}

    def read(path: str) -> str:
        if path not in files:
            raise FileNotFoundError(2, "No such file or directory")
        return files[path]

    [turn] = parse_script(f"model:\n  - {yaml}\n", "s.yaml", read).turns
    return turn


def test_a_recorded_turn_is_said_at_its_own_pace() -> None:
    turn = turn_of("recorded: a.jsonl")

    assert turn.turn.parts == (Text("abcde"),)
    assert turn.stream.recorded == (Beat(20.0, 3), Beat(50.0, 2))
    assert (turn.stream.fault, turn.place) == (None, "s.yaml:2")


def test_a_recorded_turn_can_wait_for_a_request_that_fits() -> None:
    turn = turn_of("{recorded: a.jsonl, when: {model: mock}}")

    assert turn.turn.parts == (Text("abcde"),)
    assert turn.when == (Check("model", "contains", "mock"),)


def test_failed_attempts_stand_before_the_reply() -> None:
    turn = turn_of("recorded: [b.jsonl, a.jsonl]")

    assert turn.turn.parts == (Text("abcde"),)
    assert turn.stream.fault == Fault("status", attempts=1, status=500, body="no")


def test_a_runaway_can_be_replayed_without_end_at_its_pace() -> None:
    turn = turn_of("{recorded: a.jsonl, stream: {until: client-hangs-up, cap_chars: 99}}")

    assert turn.stream.until_hang_up
    assert turn.stream.cap_chars == 99
    assert turn.stream.recorded == (Beat(20.0, 3), Beat(50.0, 2))


def test_a_pace_beside_it_replaces_the_recorded_one() -> None:
    turn = turn_of("{recorded: a.jsonl, stream: {chars_per_delta: 2}, fault: {kind: reset, at: 3}}")

    assert turn.stream.recorded == ()
    assert turn.stream.chars_per_delta == 2
    assert turn.stream.fault == Fault("reset", at=3)


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("recorded: none.jsonl", "s.yaml:2:15: cannot read 'none.jsonl': No such file or directory"),
        ("{recorded: a.jsonl, say: hello}", "s.yaml:2:5: 'say' says nothing of a recorded turn"),
        ("{recorded: a.jsonl, times: 2}", "s.yaml:2:5: 'times' says nothing of a recorded turn"),
        ("recorded: []", "s.yaml:2:15: "),
    ],
)
def test_a_mistake_is_shown_at_its_place(yaml: str, message: str) -> None:
    with pytest.raises(ScriptError) as caught:
        turn_of(yaml)
    assert str(caught.value).startswith(message)


def test_a_file_that_is_no_recording_is_shown_at_its_place() -> None:
    with pytest.raises(ScriptError) as caught:
        turn_of("recorded: a.jsonl", {"a.jsonl": "hello\nworld\n"})
    assert str(caught.value).splitlines()[0] == (
        "s.yaml:2:15: 'a.jsonl': line 1 is no JSON: the file is no recording"
    )


def test_a_recording_can_be_read_wherever_it_was_torn(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("model:\n  - recorded: a.jsonl\n", encoding="utf-8")
    torn = GOOD.replace("abc", "äö€").encode()

    said = []
    for end in range(torn.index(b"\n") + 1, len(torn) + 1):
        (tmp_path / "a.jsonl").write_bytes(torn[:end])
        [turn] = load_script(tmp_path / "s.yaml").turns
        said.append("".join(part.text for part in turn.turn.parts if isinstance(part, Text)))

    assert list(dict.fromkeys(said)) == ["", "äö€", "äö€de"]


def test_bytes_that_are_no_text_are_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("model:\n  - recorded: a.jsonl\n", encoding="utf-8")
    (tmp_path / "a.jsonl").write_bytes(b'{"recorded": 1}\n\xff\n')

    with pytest.raises(ScriptError, match=r"cannot read 'a\.jsonl'"):
        load_script(tmp_path / "s.yaml")
