"""A guard over a store: what is scanned, counted, listed and left out."""

from __future__ import annotations

import codecs
import json
import os
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.detectors.batch import Scanner
from harness.detectors.mechanisms import PUBLISHED
from harness.lab import calibrate_files
from harness.lab.calibrate import Reading, scan_file, scan_part, scan_records
from harness.lab.calibrate_files import scan_task, tasks
from harness.lab.calibrate_pool import scan_all
from harness.lab.calibrate_text import hint_of_paths, render_tally, statement, tally_data
from harness.lab.capture import Part
from harness.lab.json_path import parse_path
from harness.lab.tally import Tally
from harness.reporters.paint import Paint

LOOP = "!" * 300
TEXT, THINKING = parse_path("message.content[].text"), parse_path("message.content[].thinking")
RECORDS = Reading(texts=(TEXT,), thinkings=(THINKING,))
PLAIN = Paint(color=False, width=100)


def line(*parts: str, role: str = "assistant", thinking: str = "") -> bytes:
    content = [{"text": part} for part in parts] + ([{"thinking": thinking}] if thinking else [])
    return json.dumps({"message": {"role": role, "content": content}}).encode() + b"\n"


def scan(*lines: bytes, reading: Reading = RECORDS) -> Tally:
    return scan_records("a.jsonl", lines, reading, Scanner())


def counts(tally: Tally) -> Any:
    return (tally.parts, tally.bytes, tally.mechanisms, tally.fires, tally.bad_listed, tally.skipped_listed)


def test_a_byte_order_mark_belongs_to_no_record() -> None:
    tally = scan(codecs.BOM_UTF8 + line("one"), codecs.BOM_UTF8 + line("two"))
    assert (tally.parts.total(), tally.bad) == (2, 0)


def test_text_and_thinking_of_records_are_scanned_part_by_part() -> None:
    tally = scan(line("calm", LOOP, thinking="hm"), line("caf\u00e9"))
    assert (dict(tally.parts), dict(tally.bytes)) == (
        {"text": 3, "thinking": 1},
        {"text": 4 + 300 + 5, "thinking": 2},
    )
    (fire,) = tally.fires
    assert (fire.file, fire.line, fire.where, fire.stream) == ("a.jsonl", 1, "part 2", "text")
    assert (fire.mechanism, fire.fired_at, fire.garbage_start, fire.chars) == (
        "dominant-scalar-run",
        256,
        1,
        300,
    )
    assert fire.excerpt == "!" * 120


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (b"{oh\n", "no JSON: expecting property name enclosed in double quotes at character 2"),
        (b"[1]\n", "JSON, but no object"),
        (b'{"a": "\xff"}\n', "byte 8 of the line is no UTF-8"),
        (b"[" * 100_000 + b"\n", "no JSON: it is nested too deeply"),
        (b'{"a": ' + b"9" * 5_000 + b"}\n", "a number has more digits than can be read"),
        (b'{"a": "b\tc"}\n', "no JSON: invalid control character at character 9"),
        (b"x" * (1 << 26), "the line is longer than 67,108,864 bytes"),
    ],
    ids=["torn", "list", "bytes", "deep", "number", "control", "long"],
)
def test_a_damaged_record_is_counted_and_listed_and_the_others_are_scanned(bad: bytes, why: str) -> None:
    tally = scan(line("one"), bad, b"\n", line(LOOP))
    assert (tally.parts.total(), tally.fired, tally.bad) == (2, 1, 1)
    assert (tally.bad_listed[0].line, tally.fires[0].line) == (2, 4)
    assert tally.bad_listed[0].why.startswith(why)


def test_only_records_that_say_what_is_wanted_count() -> None:
    reading = RECORDS._replace(where=((parse_path("message.role"), "assistant"),))
    tally = scan(line(LOOP, role="user"), line("calm"), reading=reading)
    assert (tally.parts.total(), tally.fired, tally.without_text) == (1, 0, 0)


def test_a_path_that_leads_nowhere_is_answered_with_those_that_lead_to_text() -> None:
    tally = scan(line("calm"), reading=Reading(texts=(parse_path("content"),)))
    assert (tally.parts.total(), tally.without_text) == (0, 1)
    assert hint_of_paths(tally) == "the first record has text at: message.role, message.content[].text"


@pytest.mark.parametrize(
    ("path", "why"),
    [("", "character 1"), ("a..b", "character 3"), ("a.", "character 3"), ("a[x]", "character 2"), ("a]", "character 2")],
)  # fmt: skip
def test_a_broken_path_is_said_with_its_place(path: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_path(path)


def session(*replies: str) -> bytes:
    records: list[Any] = [{"type": "session", "version": 1}]
    records += [
        {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": reply}]}}
        for reply in replies
    ]
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def test_a_session_is_scanned_reply_by_reply_and_its_damaged_lines_are_counted() -> None:
    tally = scan_file("s.jsonl", session("calm", LOOP) + b'{"type": "mess', Reading(), Scanner())
    assert (tally.parts.total(), tally.fires[0].line, tally.fires[0].where) == (2, 0, "reply 2")
    assert [(bad.line, bad.why[:7]) for bad in tally.bad_listed] == [(4, "no JSON")]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x7fELF\0\0", "it is binary"),
        (b'{"settings": true}', "no session reader finds a reply in it"),
        (b" \n", "it holds no text"),
    ],
)
def test_a_file_with_nothing_to_scan_is_left_out_and_listed(data: bytes, why: str) -> None:
    tally = scan_file("f", data, Reading(), Scanner())
    assert (tally.parts.total(), tally.bad, [one.why for one in tally.skipped_listed]) == (0, 0, [why])


def test_a_fire_in_plain_text_stands_at_its_line() -> None:
    tally = scan_file("f.txt", f"One.\n\n{LOOP}".encode(), Reading(), Scanner())
    assert (tally.fires[0].line, tally.fires[0].where) == (3, "")


def prose(seed: int) -> str:
    """Paragraphs of words that do not come again."""
    dice = random.Random(seed)
    paragraphs = dice.randint(1, 12)
    return "\n\n".join(
        " ".join("".join(dice.choices("abdefgiklmnorstu", k=7)) for _ in range(25)) for _ in range(paragraphs)
    )


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Records in one large and several small files, two damaged lines, and one loop in forty."""
    folder = tmp_path / "store"
    (folder / "deeper").mkdir(parents=True)
    for name, size in [("large.jsonl", 600), ("deeper/a.jsonl", 20), ("deeper/b.jsonl", 30)]:
        lines = [line(LOOP if number % 40 == 7 else prose(number)) for number in range(size)]
        lines[size // 2] = b"{torn\n"
        (folder / name).write_bytes(b"".join(lines))
    return folder


def scan_store(folder: Path, jobs: int, method: str | None = None, most: int = 1000) -> Tally:
    reading = RECORDS._replace(most=most)
    total, base = Tally(most), 0
    for done in scan_all(tasks([str(folder)], reading), reading, PUBLISHED, jobs, method):
        base = base if done.task[0].start else 0
        total.merge(done.tally, base)
        base += done.tally.lines
    return total


def test_slices_and_processes_change_nothing(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = scan_store(store, jobs=1)
    assert (whole.parts.total(), whole.bad) == (647, 3)
    assert [fire.line for fire in whole.fires if "large" in fire.file] == list(range(8, 601, 40))
    assert len(list(tasks([str(store)], RECORDS))) == 1
    for size in (1 << 12, 1 << 16):
        monkeypatch.setattr(calibrate_files, "TASK_BYTES", size)
        assert len(list(tasks([str(store)], RECORDS))) > 5
        assert counts(scan_store(store, jobs=1)) == counts(whole)
        assert counts(scan_store(store, jobs=3)) == counts(whole)
    assert counts(scan_store(store, 2, "spawn")) == counts(whole)


@given(st.lists(st.integers(0, 40), max_size=12), st.integers(1, 60), st.sampled_from([b"", b"\n"]))
def test_every_line_is_read_once_wherever_a_file_is_cut(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], cut: int, end: bytes
) -> None:
    lines = [str(at).encode() + b"x" * size for at, size in enumerate(sizes)]
    data = b"\n".join(lines) + end
    file = tmp_path_factory.getbasetemp() / "lines"
    file.write_bytes(data)
    read: list[bytes] = []
    for start in range(0, len(data), cut):
        piece = calibrate_files.Slice(str(file), start, min(len(data), start + cut), is_whole=False)
        with file.open("rb") as opened:
            read += calibrate_files._lines(opened, piece)
    assert b"".join(read) == data
    assert len(read) == data.count(b"\n") + (not data.endswith(b"\n") if data else 0)


def test_lists_are_bounded_and_counts_are_not(store: Path) -> None:
    tally = scan_store(store, jobs=1, most=2)
    assert (len(tally.fires), tally.fired, len(tally.bad_listed), tally.bad) == (2, 17, 2, 3)
    report = "\n".join(render_tally(tally, "published", PLAIN))
    assert "and 15 more fires; --list says how many are listed" in report
    assert "3 damaged or unreadable records" in report
    assert "and 1 more; --list" in report


def test_a_file_that_cannot_be_read_costs_nothing_but_itself(store: Path) -> None:
    (store / "gone.jsonl").symlink_to(store / "nowhere")
    tally = scan_store(store, jobs=1)
    assert tally.parts.total() == 647
    assert tally.bad == 4
    assert "it cannot be read: No such file or directory" in [bad.why for bad in tally.bad_listed]


def test_what_a_reader_cannot_cope_with_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Tally:
        raise ZeroDivisionError("oh")

    (tmp_path / "a.txt").write_text("calm")
    monkeypatch.setattr(calibrate_files, "scan_file", broken)
    (task,) = tasks([str(tmp_path)], Reading())
    assert [bad.why for bad in scan_task(task, Reading(), Scanner()).bad_listed] == [
        "it cannot be scanned: ZeroDivisionError: oh"
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="what is set here reaches the process by fork")
def test_a_process_that_dies_costs_its_task_and_another_goes_on(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned = calibrate_files._scan_slice

    def deadly(piece: calibrate_files.Slice, reading: Reading, scanner: Scanner) -> Tally:
        if piece.file.endswith("b.jsonl"):
            os.kill(os.getpid(), signal.SIGKILL)
        return scanned(piece, reading, scanner)

    monkeypatch.setattr(calibrate_files, "TASK_BYTES", 1 << 12)
    whole = scan_store(store, jobs=2)
    monkeypatch.setattr(calibrate_files, "_scan_slice", deadly)
    tally = scan_store(store, jobs=2)
    lost = [bad for bad in tally.bad_listed if bad.line == 0]
    assert lost
    assert {bad.why for bad in lost} == {"the process that scanned it ended by signal 9"}
    assert tally.parts.total() == whole.parts.total() - 29
    assert tally.fires == [f for f in whole.fires if not f.file.endswith("b.jsonl")]


def test_tasks_are_taken_as_they_are_needed(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibrate_files, "TASK_BYTES", 1 << 12)
    taken = 0

    def counted() -> Iterator[calibrate_files.Task]:
        nonlocal taken
        for task in tasks([str(store)], RECORDS):
            taken += 1
            yield task

    results = scan_all(counted(), RECORDS, PUBLISHED, jobs=2)
    next(results)
    assert taken <= 2 * 4 + 1
    results.close()


@given(st.lists(st.text("ab! \n", max_size=400), max_size=5), st.randoms())
def test_the_order_of_parts_never_matters(texts: list[str], dice: random.Random) -> None:
    scanner = Scanner()
    found = {text: scan_part(Part("text", text), scanner) for text in texts}
    dice.shuffle(texts)
    assert {text: scan_part(Part("text", text), scanner) for text in texts} == found


def test_the_report_has_the_form_of_the_published_statement() -> None:
    tally = Tally()
    tally.parts["text"], tally.bytes["text"] = 12_499, 28_900_000
    assert statement(tally) == "12,499 parts, 28.9 MB: stays silent"
    tally.mechanisms.update({"paragraph-repeat": 1, "near-duplicate-paragraphs": 1})
    assert list(render_tally(tally, "published", PLAIN)) == [
        "12,499 parts, 28.9 MB: fires twice",
        "  guard 'published'; text 12,499 / 28.9 MB",
        "  paragraph-repeat                   1       0.0346 per MB",
        "  near-duplicate-paragraphs          1       0.0346 per MB",
        "  and 2 more fires; --list says how many are listed",
    ]


def test_the_data_say_what_the_report_says() -> None:
    tally = scan(line("calm", LOOP), b"{oh\n", line())
    data = json.loads(json.dumps(tally_data(tally, "published", 1.5, interrupted=False)))
    assert (data["statement"], data["parts"], data["bytes"], data["fired"]) == (
        "2 parts, 0.3 kB: fires once",
        2,
        304,
        1,
    )
    assert data["mechanisms"] == {"dominant-scalar-run": {"fires": 1, "per_mb": round(1e6 / 304, 6)}}
    assert (data["bad"]["count"], data["records_without_text"], data["interrupted"]) == (1, 1, False)
    assert data["fires"][0]["line"] == 1
