"""How figures and quotations read in a verdict: both numbers, always with the unit."""

from __future__ import annotations

LINE_CHARS = 160


def count(number: int, unit: str) -> str:
    """A number with its unit.

    >>> count(2446, "character"), count(1, "reply"), count(3, "reply"), count(2, "key")
    ('2,446 characters', '1 reply', '3 replies', '2 keys')
    """
    if number == 1:
        return f"1 {unit}"
    plural = f"{unit[:-1]}ies" if unit.endswith("y") and unit[-2] not in "aeiou" else f"{unit}s"
    return f"{number:,} {plural}"


def chars(number: int) -> str:
    """Characters with their unit: ``2,446 characters``."""
    return count(number, "character")


def shortened(text: str, limit: int = LINE_CHARS) -> str:
    """The text on one line and within ``limit`` characters; the middle gives way.

    >>> shortened("one two three four", 11)
    'one ...four'
    """
    line = text.replace("\n", "\\n")
    if len(line) <= limit:
        return line
    tail = (limit - 3) // 2
    return f"{line[: limit - 3 - tail]}...{line[-tail:]}"


def quoted(text: str, limit: int = 100) -> str:
    """The text in single quotes, shortened."""
    return f"'{shortened(text, limit)}'"


def first_line(text: str) -> str:
    """The first line that is not blank, or an empty string."""
    return next((line for line in text.splitlines() if line.strip()), "")


def folded(text: str) -> str:
    r"""The text with every run of white space as one blank.

    >>> folded(" all\n  is well ")
    'all is well'
    """
    return " ".join(text.split())


LAST_LINES = "last lines of the output:"


def last_lines(output: str, most: int) -> list[str]:
    """The last lines of the output that are not blank, below a heading.

    >>> last_lines("one two", 3), last_lines(" ", 3)
    (['last lines of the output:', '| one two'], ['the output is empty'])
    """
    shown = [f"| {line}" for line in output.splitlines() if line.strip()][-most:]
    return [LAST_LINES, *shown] if shown else ["the output is empty"]


def look_in(stream: str) -> str:
    """The cure for a step that looks at another stream than the one with the loop."""
    return f"'stream: {stream}' in the step looks there"
