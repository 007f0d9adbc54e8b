"""The character rules written down plainly, one character at a time: slow, and easy to compare with the contract."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from operator import eq

SPACE = " \t\n\r\f\v"
DECORATION = set("\"#'()*+,-./:;<=>[\\]^_`{|}~") | {chr(code) for code in range(0x2500, 0x25A0)}

Verdict = tuple[str, int, int, int]


def scalar_run(text: str) -> Iterator[Verdict]:
    target, count, spaces, start = "", 0, 0, 0
    for at, char in enumerate(text):
        if char == target:
            count += 1
        elif char in SPACE and target and spaces < 32 and (spaces + 1) * 8 <= count:
            spaces += 1
        elif char in "!$%&?@" or (char > "\x7f" and not "\u2500" <= char <= "\u259f"):
            target, count, spaces, start = char, 1, 0, at
        else:
            target, count = "", 0
        if char == target and count >= (256 if char < "\x80" else 224):
            yield "dominant-scalar-run", start, start + 1, at + 1
            return


def whitespace_flood(text: str) -> Iterator[Verdict]:
    start = newlines = 0
    for at, char in enumerate(text):
        if char not in SPACE:
            start, newlines = at + 1, 0
            continue
        newlines += char == "\n"
        size = at + 1 - start
        if size >= 480 or (size >= 320 and newlines >= 8):
            yield "whitespace-flood", start, start + 1, at + 1
            return


def unit_counts(unit: str) -> bool:
    chars = set(unit)
    return not (
        all(char.isspace() for char in chars)
        or chars <= DECORATION
        or re.fullmatch(r"[A-Za-z0-9+/=]+", unit)
        or re.fullmatch(r"[0-9a-fA-F\s.,:;/|-]+", unit)
        or all(char.isspace() or (char in DECORATION and char < "\x80") for char in chars)
    )


def short_period(text: str) -> Iterator[Verdict]:
    found = []
    for period in range(2, 65):
        at, needed = period, max(256, 8 * period)
        for matches, run in groupby(map(eq, text, text[period:])):
            size = sum(1 for _ in run)
            start = at - period
            if matches and size >= needed and unit_counts(text[start:at]):
                found.append(("short-period", start, at, at + needed))
            at += size
    if found:
        yield min(found, key=lambda verdict: verdict[3])


def line_cycle(text: str) -> Iterator[Verdict]:
    ends = [at + 1 for at, char in enumerate(text) if char == "\n"]
    block: list[tuple[int, str]] = []
    streaks = dict.fromkeys(range(1, 5), (0, 0, 0))  # lines, of which count, start
    start = 0
    for end in ends:
        line = text[start : end - 1]
        if not line.strip():
            block, streaks = [], dict.fromkeys(streaks, (0, 0, 0))
        else:
            block.append((start, line))
            counts = any(not char.isspace() and char not in DECORATION for char in line)
            for period, (lines, counted, begin) in streaks.items():
                if len(block) > period and block[-1 - period][1] == line:
                    first = begin if lines else block[-1 - period][0]
                    streaks[period] = lines + 1, counted + counts, first
                else:
                    streaks[period] = 0, 0, 0
            for period, (lines, counted, begin) in streaks.items():
                if counted >= 5 * period and end - begin >= 384:
                    yield "line-cycle", begin, block[-lines][0], end
                    return
        start = end


def first_verdict(text: str) -> Verdict | None:
    """What the four character rules say about a text: the earliest finding, in a tie the first rule's."""
    found = [v for rule in (scalar_run, whitespace_flood, short_period, line_cycle) for v in rule(text)]
    return min(found, key=lambda verdict: verdict[3], default=None)
