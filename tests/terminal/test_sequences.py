"""Control sequences are found whole, however the output is cut, and in bounded memory."""

from __future__ import annotations

import pytest
from hypothesis import given

from harness.terminal.sequences import MOST_CHARS, Sequence, SequenceReader
from tests.terminal.outputs import OUTPUT, PLACES, cut


def found(*pieces: str) -> list[tuple[str, str, str]]:
    reader = SequenceReader()
    return [(s.kind, s.body, s.terminator) for piece in pieces for s in reader.feed(piece)]


@pytest.mark.parametrize(
    ("text", "sequences"),
    [
        ("plain text\r\n", []),
        ("a\x1b[?25hb", [("csi", "?25h", "")]),
        ("\x1b[1;31m\x1b[m", [("csi", "1;31m", ""), ("csi", "m", "")]),
        ("\x1b[?2026$p", [("csi", "?2026$p", "")]),
        ("\x1b7\x1bM\x1b(B", [("esc", "7", ""), ("esc", "M", ""), ("esc", "(B", "")]),
        ("\x1b]2;title\x07", [("osc", "2;title", "\x07")]),
        ("\x1b]2;title\x1b\\", [("osc", "2;title", "\x1b\\")]),
        ("\x1bP+q54\x1b\\", [("dcs", "+q54", "\x1b\\")]),
        ("\x1b_Ga=q;AA\x1b\\", [("apc", "Ga=q;AA", "\x1b\\")]),
        (
            "\x1b^private\x1b\\\x1bXstring\x1b\\",
            [("other", "private", "\x1b\\"), ("other", "string", "\x1b\\")],
        ),
    ],
)
def test_each_kind_is_told_with_its_body(text: str, sequences: list[tuple[str, str, str]]) -> None:
    assert found(text) == sequences
    assert found(*text) == sequences


@pytest.mark.parametrize(
    ("text", "sequences"),
    [
        ("\x1b[3\r1m", [("csi", "31m", "")]),  # a control inside is executed, the sequence goes on
        ("\x1b[31\x18m\x1b[H", [("csi", "H", "")]),  # CAN
        ("\x1b[31\x1am\x1b[H", [("csi", "H", "")]),  # SUB
        ("\x1b[31\x1b[H", [("csi", "H", "")]),
        ("\x1b\x1b[H", [("csi", "H", "")]),
        ("\x1b]2;ti\x18tle\x07\x1b[H", [("csi", "H", "")]),
        ("\x1b]2;ti\x1b[H", [("csi", "H", "")]),
        ("\x1bPbody\x07more\x1b\\", [("dcs", "body\x07more", "\x1b\\")]),  # BEL ends an OSC only
    ],
)
def test_what_cancels_a_sequence_leaves_no_trace_of_it(
    text: str, sequences: list[tuple[str, str, str]]
) -> None:
    assert found(text) == sequences


def test_the_end_is_the_place_behind_the_sequence_in_the_piece_that_was_fed() -> None:
    reader = SequenceReader()
    assert [s.end for s in reader.feed("ab\x1b[Hcd\x1b[")] == [5]
    assert [s.end for s in reader.feed("2Jx")] == [2]


def test_a_body_without_end_is_not_kept() -> None:
    reader = SequenceReader()
    for _ in range(100):
        assert list(reader.feed("x\x1b]52;c;" + "A" * MOST_CHARS)) == []
    (last,) = reader.feed("\x07")
    assert last == Sequence("osc", ("52;c;" + "A" * MOST_CHARS)[:MOST_CHARS], 1, "\x07", is_whole=False)
    (long,) = reader.feed("\x1b[" + "1" * 10_000 + "m")
    assert not long.is_whole


@given(OUTPUT, PLACES)
def test_how_output_is_cut_never_changes_what_is_found(text: str, places: list[int]) -> None:
    assert found(*cut(text, places)) == found(text)
