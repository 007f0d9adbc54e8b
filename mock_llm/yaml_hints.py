"""Where a syntax error of YAML is best shown, and how the mistakes that are made most are put right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import yaml

    from mock_llm.problems import Source

_Note = tuple[int, int, str]  # start, end, hint

# A value that begins with a brace, or ends with a quote, right before the place where the parser gave up.
_BRACED = re.compile(r"[:-]\s+(\{[^{}]*\}|\[[^\[\]]*\])\s*$")
_BRACE_INSIDE = re.compile(r"[{\[,].*[:,]\s+([^\s{}\[\],:\"'][^{}\[\],:]*)$")
_AFTER_QUOTE = re.compile(r"""[:-]\s+("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*$""")
_CONFLICT = re.compile(r"^<{7} [^\r\n]*", re.MULTILINE)


def syntax_place(text: Source, error: yaml.MarkedYAMLError, long_quote: tuple[int, int] | None) -> _Note:
    """Where a syntax error is best shown, and the hint for it.

    Right behind a quoted text of several lines, the likely cause is a quote that was never closed. The end of
    the file shows nothing, so an unfinished thing is shown where it starts.
    """
    mark, context_mark = cast("tuple[Any, Any]", (error.problem_mark, error.context_mark))
    begin = context_mark.index if context_mark and error.context else None
    offset = min(mark.index, len(text.text)) if mark else len(text.text)
    if conflict := _CONFLICT.search(text.text):
        return *conflict.span(), "a merge left this: keep one of the sides, and take the marks of git out"
    if long_quote and "\n" not in text.text[long_quote[1] : offset]:
        line, column = text.place(offset)
        return *long_quote, f"is the closing quote missing? this text ends at {line}:{column} only"
    if begin_hint := _syntax_hint(text.text, offset, str(error.problem)):
        return begin_hint
    if begin is None or begin >= offset:
        return offset, offset, ""
    if not text.text[offset:].strip():
        return begin, begin, str(error.context)
    line, column = text.place(begin)
    return offset, offset, f"{error.context} that starts at {line}:{column}"


def _syntax_hint(text: str, offset: int, problem: str) -> _Note | None:
    """The cure of the mistakes that are made most, from the line up to the place."""
    if "alphabetic or numeric character" in problem:
        start = max(0, *(text.rfind(mark, 0, offset) for mark in "*&"))
        return start, offset, f"put the text in quotes: '{text[start]}' begins no text in YAML"
    return _tab_hint(text, offset) or _quotes_hint(text, offset, problem)


def _tab_hint(text: str, offset: int) -> _Note | None:
    before = _line_before(text, offset)
    if text[offset : offset + 1] == "\t" or "\t" in before[: len(before) - len(before.lstrip())]:
        return offset, offset, "indent with blanks: YAML allows no tab here"
    return None


def _line_before(text: str, offset: int) -> str:
    return text[max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1 : offset]


def _quotes_hint(text: str, offset: int, problem: str) -> _Note | None:
    before = _line_before(text, offset)
    line_start = offset - len(before)
    is_inside = text[offset : offset + 1] == ":" and "','" in problem and {"{", "["} & set(before)
    if is_inside or "mapping values are not allowed" in problem:
        return offset, offset, "put the whole text in quotes: ': ' inside it would begin a mapping"
    if match := _BRACE_INSIDE.search(before) if text[offset : offset + 1] in ("{", "[") else None:
        start = line_start + match.start(1)
        return start, offset + 1, f"put the whole text in quotes: a '{text[offset]}' inside it is no text"
    if match := _BRACED.search(before):
        start = line_start + match.start(1)
        return start, offset, f"put the whole text in quotes: one that begins with '{match[1][0]}' is no text"
    if match := _AFTER_QUOTE.search(before):
        start = line_start + match.start(1)
        return start, offset, "the text ends at its closing quote: put all of it in quotes"
    if "cannot start any token" in problem:
        return offset, offset, f"put the text in quotes: '{text[offset : offset + 1]}' begins no text in YAML"
    return None
