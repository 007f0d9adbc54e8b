"""Steps ``output`` (what the program printed) and ``exit`` (how it ended)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.steps.texts import (
    contains_words,
    lines_with,
    missing,
    nearest_lines,
    satisfied,
    shows,
    unwanted,
    wanted,
)
from harness.steps.verdicts import CheckVerdict, Failed, Passed, Pending, failed
from harness.steps.wording import last_lines

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.steps.arguments import Exit, Output

# The numbers that are the same on every system qa runs on.
_SIGNALS = {1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV"} | {
    13: "SIGPIPE",
    14: "SIGALRM",
    15: "SIGTERM",
}


def check_output(args: Output, evidence: Evidence) -> CheckVerdict:
    """Pass as soon as everything wanted is there, unless something must be lacking to the end.

    A phrase that a terminal program has wrapped over two lines is found too.
    """
    want = wanted(evidence, args.contains, args.lacks, args.matches)
    if isinstance(want, Failed | Pending):
        return want
    text = evidence.output

    def has(phrase: str) -> bool:
        return shows(evidence, phrase)

    present = unwanted(want, has)
    if present:
        near = [line for phrase in present for line in lines_with(phrase, text)]
        mistakes = [*contains_words(present), *missing(want, has, text)]
        return failed(f"the output {' and '.join(mistakes)}", f"the output {want.expected}", near)
    absent = missing(want, has, text)
    if not evidence.finished and (absent or want.lacks):
        return Pending("the output" if absent else "the end of the run")
    if not absent:
        return Passed(satisfied(want, text))
    near = [line for phrase in want.contains for line in nearest_lines(phrase, text)]
    lines = near or last_lines(text, 3)
    return failed(f"the output {' and '.join(absent)}", f"the output {want.expected}", lines)


def check_exit(args: Exit, evidence: Evidence) -> CheckVerdict:
    """Judge when the program has ended."""
    code = evidence.exit_code
    if code is None:
        if not evidence.finished:
            return Pending("the program's end")
        running = "the program was still running when the run ended"
        return failed(running, exit_words(args.code), last_lines(evidence.output, 5))
    if code == args.code:
        return Passed(exit_words(code))
    return failed(exit_words(code), exit_words(args.code), last_lines(evidence.output, 5))


def exit_words(code: int) -> str:
    """An exit code in words.

    >>> exit_words(0), exit_words(-15), exit_words(143)
    ('exit 0', 'killed by SIGTERM (-15)', 'exit 143 (128 + SIGTERM)')
    """
    if code < 0:
        return f"killed by {_SIGNALS.get(-code, f'signal {-code}')} ({code})"
    name = _SIGNALS.get(code - 128)
    return f"exit {code} (128 + {name})" if name else f"exit {code}"
