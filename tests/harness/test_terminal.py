"""A program on its own terminal, and its output as plain text."""

from __future__ import annotations

import asyncio
import itertools
import sys
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from harness.terminal.plain import PlainText
from harness.terminal.pty import Terminal

PIECES = [
    "a",
    "é",
    "\r\n",
    "\n",
    "\r",
    "\x1b[1m",
    "\x1b[?2026h",
    "\x1b]0;title\x07",
    "\x1bP1;2qbody\x1b\\",
    "\x1b_Ga=T;body\x1b[1m",
    "\x1b[1;2 q",
    "\x1b[=1;31",
    "\x1b#8",
    "\x1b7",
    "\x07",
    "\x1b(B",
]
# All that begins, goes on with, breaks or ends a sequence.
SIGNS = "\x1b[]P_\\0;=? (#Bm\x07\x18\r\né"


@given(
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(SIGNS, max_size=30),
    st.lists(st.integers(0, 80), max_size=5),
)
@example("\x1b[?2026h\x1b[=1;31é", [12])
def test_where_the_output_was_cut_never_changes_the_text(stream: str, cuts: list[int]) -> None:
    whole, parts = PlainText(), PlainText()
    whole.feed(stream)
    bounds = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    for start, end in itertools.pairwise(bounds):
        parts.feed(stream[start:end])
    assert parts.text == whole.text
    assert "\x1b" not in whole.text.rstrip("\x1b")


def test_escape_sequences_and_their_bodies_are_taken_out() -> None:
    plain = PlainText()
    plain.feed("\x1b[31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\x1b_apc\x1b\\ end\r\n")
    assert plain.text == "red link end\n"


def test_of_a_sequence_that_something_else_breaks_nothing_is_shown() -> None:
    plain = PlainText()
    plain.feed("a\x1b[=1;31é\x1b[1;\r\nb\x1b((é\x1b[1 2mc")
    assert plain.text == "aé\nbé2mc"


def test_of_a_body_that_does_not_end_only_how_far_it_has_come_is_kept() -> None:
    plain = PlainText()
    for piece in ["a\x1b_G", *["A" * 4096] * 500, "\x1b", "\\b"]:
        plain.feed(piece)
        assert len(plain._rest) <= 3
    assert plain.text == "ab"


def output_of(program: str, folder: Path) -> tuple[str, int]:
    terminal = Terminal([sys.executable, "-c", program], {"ONLY": "this"}, str(folder))
    seen: list[str] = []

    async def play() -> int:
        loop = asyncio.get_running_loop()
        terminal.attach(loop, seen.append)
        code = await terminal.exited(loop)
        seen.append(terminal.detach(loop))
        return code

    try:
        code = asyncio.run(play())
    finally:
        terminal.close()
    return "".join(seen), code


def test_the_program_has_a_terminal_and_only_the_given_environment(tmp_path: Path) -> None:
    program = "import os, sys; print(sys.stdin.isatty(), os.get_terminal_size()[0], os.environ.get('ONLY'), 'PATH' in os.environ)"
    text, code = output_of(program, tmp_path)
    assert text == "True 120 this False\r\n"
    assert code == 0


def test_exit_codes_and_signals_are_told_apart(tmp_path: Path) -> None:
    assert output_of("raise SystemExit(7)", tmp_path)[1] == 7
    assert output_of("import os; os.kill(os.getpid(), 9)", tmp_path)[1] == -9


def test_all_output_before_the_exit_is_read(tmp_path: Path) -> None:
    text, _code = output_of("import sys; sys.stdout.write('x' * 500_000)", tmp_path)
    assert text.count("x") == 500_000


def test_a_program_that_still_runs_is_killed_on_close(tmp_path: Path) -> None:
    terminal = Terminal([sys.executable, "-c", "input()"], {}, str(tmp_path))
    terminal.close()
    assert terminal.exit_code == -9
