"""Chat histories of aider and cecli: Markdown in which only marks at the starts of lines tell who speaks.

``#### `` starts a line of the user, ``> `` a line of the tool; whatever else stands there is the model's. A
reply that itself holds such lines cannot be told from the tool's. Every start of the program writes a
heading; without one the file is no history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.transcript import Transcript, TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterator

_USER, _TOOL = "#### ", "> "
_STARTS = ("# aider chat started at ", "# cecli chat started at ")


def read(text: str) -> Transcript:
    r"""The conversation of a history, as far as it has been written.

    >>> [m.text for m in read("# aider chat started at 9:00\n\n#### hi\n\nHello.\n\n> Tokens: 3\n").messages]
    ['hi', 'Hello.', 'Tokens: 3']
    """
    if not any(start in text for start in _STARTS):
        return Transcript()
    return Transcript(tuple(_messages(text.split("\n"))))


def _messages(lines: list[str]) -> Iterator[TranscriptMessage]:
    role: Any = ""
    kept: list[str] = []
    for line in [*lines, *_STARTS[:1]]:
        own, words = _told(line)
        if own == "assistant" and not words.strip() and role != "assistant":
            continue  # the blank lines around marked ones belong to nobody
        if own != role:
            spoken = "\n".join(kept).strip("\n")
            if role and spoken:
                yield TranscriptMessage(role, (TranscriptPart("text", spoken),), hidden=role == "system")
            role, kept = own, []
        kept.append(words)


def _told(line: str) -> tuple[str, str]:
    """Who speaks a line, and its words; nobody speaks the line of a start."""
    if line.startswith(_STARTS):
        return "", ""
    if line.startswith(_USER):
        return "user", line.removeprefix(_USER).removesuffix("  ")
    if line.startswith(_TOOL):
        return "system", line.removeprefix(_TOOL).removesuffix("  ")
    return "assistant", line
