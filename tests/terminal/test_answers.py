"""What a program is told when it asks; each answer is one write, and what is not answered is reported."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyghostty import Terminal

from harness.terminal.answers import Unanswered, is_query
from harness.terminal.emulator import Emulator
from harness.terminal.ghostty import GhosttyScreen
from harness.terminal.sequences import SequenceReader
from tests.terminal.outputs import OUTPUT, PLACES, QUERIES, cut


def emulator(columns: int = 80, rows: int = 24) -> Emulator:
    return Emulator(GhosttyScreen(columns, rows))


def answers(*pieces: str) -> list[str]:
    made = emulator()
    return [answer for piece in pieces for answer in made.feed(piece)]


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("\x1b[c", "\x1b[?62;22c"),
        ("\x1b[0c", "\x1b[?62;22c"),
        ("\x1bZ", "\x1b[?62;22c"),
        ("\x1b[>c", "\x1b[>1;0;0c"),
        ("\x1b[=c", "\x1bP!|00000000\x1b\\"),
        ("\x1b[5n", "\x1b[0n"),
        ("\x1b[6n", "\x1b[1;1R"),
        ("abc\r\nde\x1b[6n", "\x1b[2;3R"),
        ("abc\x1b[?6n", "\x1b[?1;4R"),
        ("\x1b[?996n", "\x1b[?997;1n"),
        ("\x1b[?u", "\x1b[?0u"),
        ("\x1b[>7u\x1b[?u", "\x1b[?0u"),  # asked for or not, plain keys are sent
        ("\x1b[>q", "\x1bP>|ttsr-qa\x1b\\"),
        ("\x1b[>0q", "\x1bP>|ttsr-qa\x1b\\"),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[?2027$p", "\x1b[?2027;1$y"),
        ("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"),
        ("\x1b[?31999$p", "\x1b[?31999;0$y"),
        ("\x1b[4$p", "\x1b[4;2$y"),
        ("\x1b[14t", "\x1b[4;384;640t"),
        ("\x1b[16t", "\x1b[6;16;8t"),
        ("\x1b[18t", "\x1b[8;24;80t"),
        ("\x1b[19t", "\x1b[9;24;80t"),
        ("\x1b]4;1;?\x07", "\x1b]4;1;rgb:cccc/6666/6666\x07"),
        ("\x1b]10;?\x1b\\", "\x1b]10;rgb:c5c5/c8c8/c6c6\x1b\\"),
        ("\x1b]11;?\x07", "\x1b]11;rgb:1d1d/1f1f/2121\x07"),
        ("\x1b]11;#102030\x07\x1b]11;?\x07", "\x1b]11;rgb:1010/2020/3030\x07"),
        ("\x1bP$qm\x1b\\", "\x1bP0$r\x1b\\"),
        ("\x1bP+q544e\x1b\\", "\x1bP0+r544e\x1b\\"),
    ],
)
def test_a_query_gets_its_answer_in_one_write(query: str, answer: str) -> None:
    assert answers(query) == [answer]
    assert answers(*query) == [answer]


def test_one_query_for_several_colours_has_one_answer() -> None:
    (answer,) = answers("\x1b]4;1;?;2;?\x07")
    assert answer == "\x1b]4;1;rgb:cccc/6666/6666\x07\x1b]4;2;rgb:b5b5/bdbd/6868\x07"
    (answer,) = answers("\x1b]10;?;?\x1b\\")
    assert answer == "\x1b]10;rgb:c5c5/c8c8/c6c6\x1b\\\x1b]11;rgb:1d1d/1f1f/2121\x1b\\"


def test_several_queries_in_one_write_are_answered_one_by_one_and_in_order() -> None:
    assert answers("\x1b[?u\x1b[c\x1b[6n") == ["\x1b[?0u", "\x1b[?62;22c", "\x1b[1;1R"]


def test_the_position_is_that_of_the_moment_of_the_query() -> None:
    assert answers("ab\x1b[6ncd\x1b[6n") == ["\x1b[1;3R", "\x1b[1;5R"]


def test_in_origin_mode_rows_are_counted_from_the_top_of_the_scroll_region() -> None:
    assert answers("\x1b[5;9r\x1b[?6h\x1b[2;1H\x1b[6n") == ["\x1b[2;1R"]
    assert answers("\x1b[5;9r\x1b[?6h\x1b[?6l\x1b[2;1H\x1b[6n") == ["\x1b[2;1R"]
    assert answers("\x1b[5;9r\x1b[3;1H\x1b[6n") == ["\x1b[3;1R"]


def test_a_resize_makes_the_scroll_region_the_whole_screen() -> None:
    made = emulator()
    list(made.feed("\x1b[5;9r\x1b[?6h"))
    made.resize(40, 12)
    assert list(made.feed("\x1b[3;1H\x1b[6n\x1b[18t")) == ["\x1b[3;1R", "\x1b[8;12;40t"]


@pytest.mark.parametrize(
    ("query", "printed"),
    [
        ("\x1b]52;c;?\x07", "OSC 52;c;?"),
        ("\x1b]4;300;?\x07", "OSC 4;300;?"),
        ("\x1b]17;?\x07", "OSC 17;?"),
        ("\x1b]21;foreground=?\x1b\\", "OSC 21;foreground=?"),
        ("\x1b[21t", "CSI 21t"),
        ("\x1b[?15n", "CSI ?15n"),
        ("\x1b[x", "CSI x"),
        ("\x1b[?4m", "CSI ?4m"),
        ("\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\", "APC Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA"),
    ],
)
def test_what_cannot_be_answered_is_reported(query: str, printed: str) -> None:
    made = emulator()
    assert list(made.feed(query * 2)) == []
    assert made.unanswered == (Unanswered(printed, 2),)


@pytest.mark.parametrize(
    "text",
    [
        "text\r\n\x1b[31m\x1b[?25h\x1b[2J\x1b[8;24;80t",
        "\x1b]0;what now?\x07",
        "\x1b]8;;https://example.invalid/?q=?\x07link\x1b]8;;\x07",
        "\x1b]4;1;rgb:00/00/00\x07\x1b]11;#000000\x07",
        "\x1b[>7u\x1b[<u\x1b[=1u",
        "\x1b_Gf=24,a=T;AAAA\x1b\\",
        "\x1b[?1049h\x1b[>4;2m\x1b[5 q",
    ],
)
def test_what_asks_nothing_is_neither_answered_nor_reported(text: str) -> None:
    made = emulator()
    assert list(made.feed(text)) == []
    assert made.unanswered == ()


def test_the_report_is_bounded() -> None:
    made = emulator()
    for number in range(100):
        list(made.feed(f"\x1b]52;{number};{'?' * 500}\x07"))
    assert len(made.unanswered) == 20
    assert all(len(left.query) < 100 for left in made.unanswered)


def test_whatever_is_answered_counts_as_a_query() -> None:
    for query in QUERIES:
        assert answers(query), query
        (sequence,) = SequenceReader().feed(query)
        assert is_query(sequence), query


# What Ghostty itself answers; the rest of its answers needs functions that a window would give.
OF_GHOSTTY = (
    *(
        "\x1b[c",
        "\x1b[>c",
        "\x1b[=c",
        "\x1b[5n",
        "\x1b[6n",
        "\x1b[?u",
        "\x1b[?2026$p",
        "\x1b[?6$p",
        "\x1b[?7$p",
    ),
    *("\x1b[4$p", "\x1b[20$p", "\x1b]4;7;?\x07", "\x1b]4;1;?;2;?\x1b\\", "\x1b]10;?\x07", "\x1b]11;?\x1b\\"),
)
MOVES = st.sampled_from(
    [
        *(
            "word",
            "\r\n",
            "\x1b[9;5H",
            "\x1b[3;9r",
            "\x1b[12;11r",
            "\x1b[0;0r",
            "\x1b[r",
            "\x1b[5r",
            "\x1b[;7r",
        ),
        *("\x1b[99;99H", "\x1b[?6h", "\x1b[?6l", "\x1bc", "\x1b[!p", "\x1b[4h", "\x1b[?7l", "\x1b[20h"),
        *("\x1b]4;7;#123456\x07", "\x1b]11;#abcdef\x07", "\x1b]104\x07"),
    ]
)


@given(st.lists(MOVES, max_size=12), st.sampled_from(OF_GHOSTTY))
def test_ghostty_would_answer_the_same(moves: list[str], query: str) -> None:
    text = "".join(moves)
    ghostty, theirs = GhosttyScreen(80, 24)._core, []
    assert isinstance(ghostty, Terminal)
    ghostty.feed(text)
    ghostty.on_reply(lambda data: theirs.append(data.decode()))
    ghostty.feed(query)
    made = emulator()
    list(made.feed(text))
    assert "".join(made.feed(query)) == "".join(theirs)


@given(OUTPUT, PLACES)
def test_how_output_is_cut_never_changes_the_answers(text: str, places: list[int]) -> None:
    assert answers(*cut(text, places)) == answers(text)
