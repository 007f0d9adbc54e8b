"""The protocol to a detector in any language, and what such programs do wrong."""

from __future__ import annotations

import json
import shlex
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.lab.capture import Message, Part
from harness.lab.comparison import compare
from harness.lab.foreign import Claim, Hello, ProtocolError, code_points, lines_of, parse_claim, units_in
from harness.lab.foreign_process import ForeignDetector, ForeignFailure
from harness.lab.replay import Verdict, replay
from harness.problems import CannotRun, UserError
from tests.dying import dies

LOOP = "!" * 300
GOOD = """
    import json, sys
    def say(**message): print(json.dumps(message), flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say(type="hello", version=1, name="mine", offsets=OFFSETS)
        elif message["type"] == "reset":
            heard = [message["scope"]]
        elif message["type"] == "feed":
            heard.append([message["block"], message["stream"], message["delta"]])
        else:
            text = "".join(delta[2] for delta in heard[1:])
            size = len(text.encode("utf-16-le", "surrogatepass")) // 2
            if "!" in text:
                say(type="finding", block=0, mechanism="marks", reason=json.dumps(heard), fired_at=size)
            say(type="done", id=message["id"])
"""

Program = Callable[[str], str]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    def write(source: str) -> str:
        file = tmp_path / "detector.py"
        file.write_text(textwrap.dedent(source.replace("OFFSETS", "'utf-16'")), encoding="utf-8")
        return shlex.join([sys.executable, str(file)])

    return write


def message(*texts: str) -> Message:
    return Message(1, tuple(Part("text", text) for text in texts))


def test_what_a_program_hears_and_what_it_says(program: Program) -> None:
    with ForeignDetector(program(GOOD), chars_per_delta=2) as detector:
        first = detector.judge(Message(1, (Part("thinking", "a\U0001f642b!"),)), is_first=True)
        assert detector.judge(message("calm"), is_first=False) is None
        third = detector.judge(message("!"), is_first=False)
        assert detector.name == "mine"
    assert first
    assert json.loads(first.reason or "") == [
        "conversation",
        [0, "thinking", "a\U0001f642"],
        [0, "thinking", "b!"],
    ]
    assert (first.mechanism, first.fired_at, first.garbage_start) == ("marks", 4, None)
    assert third
    assert json.loads(third.reason or "") == ["message", [0, "text", "!"]]


def test_far_more_text_than_a_pipe_holds_goes_both_ways(program: Program) -> None:
    chatty = GOOD.replace("heard.append", "print(file=sys.stderr, end='x' * 100); heard.append")
    with ForeignDetector(program(chatty)) as detector:
        claim = detector.judge(message("a" * 20_000 + "!"), is_first=True)
    assert claim
    assert claim.fired_at == 20_001
    assert len(claim.reason or "") > 65_536


WRONG = {
    "crashes": ("raise SystemExit('no such file')", "it ended with exit code 1 and gave no answer\n  its standard error:\n  | no such file"),
    "is killed": ("import os; os.kill(os.getpid(), 9)", "it was ended by SIGKILL"),
    "ends in mid-line": ("print('{\"type\": \"hel', end='')", "it ended with exit code 0 after '{\"type\": \"hel' and gave no answer"),
    "prints": ("print('starting up')", "it wrote 'starting up' to its standard output, which is no message (a JSON object with 'type')"),
    "prints bytes": ("import sys; sys.stdout.buffer.write(b'\\xff\\n')", "it wrote '\ufffd' to its standard output"),
    "prints JSON": ("print('[1]')", "it wrote '[1]' to its standard output"),
    "never ends a line": ("print('x' * 3_000_000, end='')", "it wrote a line of more than 1,048,576 bytes"),
    "gives up": ("print('{\"type\": \"error\", \"message\": \"no rules\"}')", "it gave up: 'no rules'"),
    "is of another version": ("print('{\"type\": \"hello\", \"version\": 9}')", "it speaks version 9 of the protocol; qa speaks 1"),
    "says something else first": ("print('{\"type\": \"done\", \"id\": 1}')", "its first message has the type 'done', not 'hello'"),
    "counts in bytes": ("print('{\"type\": \"hello\", \"version\": 1, \"offsets\": \"bytes\"}')", "its 'offsets' are 'bytes'; valid: 'code-points', 'utf-16'"),
    "answers another message": (GOOD.replace('id=message["id"]', "id=7"), "its 'done' has the id 7, but the 'finish' had 1"),
    "knows other messages": (GOOD.replace('type="done"', 'type="end"'), "it wrote a message of the type 'end'; valid: finding, done, error"),
    "finds without an end": (GOOD.replace('say(type="done"', 'while 1: say(type="finding", block=0)  #'), "it wrote more than 1,000 findings about one message"),
    "counts too far": (GOOD.replace("fired_at=size", "fired_at=size + 1"), "its finding has the fired_at 301, but the block has 300 UTF-16 units"),
    "counts backwards": (GOOD.replace("fired_at=size", "fired_at=-1"), "its finding has the fired_at -1, which is no offset"),
    "answers none": (GOOD.replace('id=message["id"]', "id=None"), "its 'done' has the id null, but the 'finish' had 1"),
    "finds at no number": (GOOD.replace("fired_at=size", "fired_at=True"), "its finding has the fired_at true, which is no offset"),
    "finds at a long list": (GOOD.replace("fired_at=size", "fired_at=[7] * 99"), f"its finding has the fired_at [{'7, ' * 19}7,..., which is no offset"),
    "finds a block": (GOOD.replace("block=0", "block=1"), "its finding has the block 1, but the message has 1"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "said"), WRONG.values(), ids=WRONG)
def test_a_program_that_goes_wrong_is_told_of_in_its_own_words(
    program: Program, source: str, said: str
) -> None:
    with ForeignDetector(program(source)) as detector, pytest.raises(ForeignFailure) as caught:
        detector.judge(message(LOOP), is_first=True)
    assert str(caught.value).startswith(said)


HANGS = {
    "at once": ("import time; time.sleep(600)", 10, 0.5, "gives no answer"),
    "at the end": (GOOD.replace('say(type="done"', '__import__("time").sleep(600); say(type="done"'), 10, 0.5, "gives no answer"),
    "in the middle": (GOOD.replace('"reset":', '"reset" and __import__("time").sleep(600):'), 100_000, 4.0, "reads nothing more"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "size", "timeout_s", "said"), HANGS.values(), ids=HANGS)
def test_a_program_that_hangs_is_ended_at_the_deadline(
    program: Program, source: str, size: int, timeout_s: float, said: str
) -> None:
    with ForeignDetector(program(source), timeout_s) as detector, pytest.raises(ForeignFailure) as caught:
        detector.judge(message("a" * size), is_first=True)
    assert str(caught.value) == f"it hangs: for {timeout_s:g} s it {said}"


def test_after_a_failure_the_next_message_is_shown_to_a_new_process(program: Program) -> None:
    fragile = GOOD.replace('if "!" in text:', 'if "?" in text: sys.exit(3)\n            if "!" in text:')
    with ForeignDetector(program(fragile)) as detector:
        with pytest.raises(ForeignFailure, match="exit code 3"):
            detector.judge(message("?"), is_first=True)
        claim = detector.judge(message("!"), is_first=False)
        assert claim
        assert json.loads(claim.reason or "")[0] == "conversation"  # the new process knows of none before
        for _ in range(2):
            with pytest.raises(ForeignFailure, match="exit code 3"):
                detector.judge(message("?"), is_first=False)
        with pytest.raises(ForeignFailure, match="not asked: it has failed 3 times"):
            detector.judge(message("!"), is_first=False)


def test_nothing_of_a_program_is_left_when_it_is_closed(program: Program, tmp_path: Path) -> None:
    stubborn = """
        import os, signal, sys, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            open(sys.argv[0] + ".child", "w").write(str(os.getpid()))
            time.sleep(600)
        while not os.path.exists(sys.argv[0] + ".child") or not open(sys.argv[0] + ".child").read(): pass
        print("ready", flush=True)
        time.sleep(600)
    """
    with (
        ForeignDetector(program(stubborn)) as detector,
        pytest.raises(ForeignFailure, match="it wrote 'ready'"),
    ):
        detector.judge(message("a"), is_first=True)
    assert dies(int((tmp_path / "detector.py.child").read_text(encoding="utf-8")))


def test_a_command_that_cannot_start_is_said_before_anything_is_read() -> None:
    with pytest.raises(CannotRun, match="no program 'nodee' on PATH"):
        ForeignDetector("nodee detector.mjs")
    with pytest.raises(
        UserError, match=r"cannot be split: no closing quotation\n  give a command that works"
    ):
        ForeignDetector("node 'open")
    for empty in ("", " "):
        with pytest.raises(UserError, match=r"is empty\n  give a command that works"):
            ForeignDetector(empty)


def test_a_finding_that_names_no_block_is_about_the_only_one() -> None:
    hello = Hello("mine", is_utf16=False)
    assert parse_claim({"fired_at": 1}, message("a"), hello) == Claim(fired_at=1, block=0)
    with pytest.raises(ProtocolError, match="names no 'block', but the message has several"):
        parse_claim({"fired_at": 1}, message("a", "b"), hello)


@given(st.text(st.sampled_from("ab\u00e9\U0001f642\U00020000"), max_size=30), st.data())
def test_utf16_offsets_become_code_points(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    assert code_points(text, units_in(text[:at])) == at
    assert units_in(text) == len(text.encode("utf-16-le")) // 2


@given(st.text(max_size=40), st.integers(1, 7))
def test_the_deltas_are_the_text_however_they_are_cut(text: str, chars: int) -> None:
    heard = [json.loads(line) for line in lines_of(message(text), 5, chars, is_first=True)]
    assert heard[0] == {"type": "reset", "scope": "conversation"}
    assert heard[-1] == {"type": "finish", "id": 5}
    deltas = [line["delta"] for line in heard[1:-1]]
    assert "".join(deltas) == text
    assert all(len(delta) == chars for delta in deltas[:-1])


def verdict(text: str) -> Verdict:
    (found,) = replay([message(text)])
    return found


def test_differences_are_counted_where_both_say_something() -> None:
    ours = verdict(LOOP)
    assert ours.finding
    same = Claim("dominant-scalar-run", 0, 1, 256, block=0)
    assert compare(ours, same).differences == ()
    assert compare(ours, same._replace(anomaly_start=None, mechanism=None)).differences == ()
    other = compare(ours, same._replace(mechanism="flood", fired_at=260))
    assert [(row.name, row.ours, row.theirs) for row in other.differences] == [
        ("mechanism", "dominant-scalar-run", "flood"),
        ("fired_at", 256, 260),
    ]


def test_one_that_fires_alone_is_a_difference() -> None:
    assert [row.name for row in compare(verdict(LOOP), None).differences] == ["verdict"]
    (alone,) = compare(verdict("calm"), Claim("flood", 0, 1, 2, block=0)).differences
    assert tuple(alone) == ("verdict", "silent", "fires")
    assert compare(verdict("calm"), None).rows == ()


def test_the_block_counts_where_there_are_several() -> None:
    (ours,) = replay([message("calm", LOOP)])
    assert [row.name for row in compare(ours, Claim(block=0)).differences] == ["block"]
