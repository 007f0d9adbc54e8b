"""What a crash left of a reply, as a message."""

from __future__ import annotations

from harness.refagent.conversation import AssistantMessage, Block, TextBlock, ThinkingBlock, ToolCallBlock
from harness.refagent.wire import count_of, parse_object, text_of

DIED = "the program died in the middle of this reply"


def unfinished_reply(lines: str) -> AssistantMessage:
    """Join the pieces of an in-flight file; the message is an error, so it is never sent again.

    A tool call's first piece is its name.
    """
    pieces: dict[int, list[str]] = {}
    kinds: dict[int, str] = {}
    for line in lines.split("\n"):
        piece = parse_object(line) or {}
        number = count_of(piece.get("block"))
        if number is not None:
            kinds.setdefault(number, text_of(piece.get("kind")))
            pieces.setdefault(number, []).append(text_of(piece.get("text")))
    return AssistantMessage(tuple(_block(kinds[n], pieces[n]) for n in pieces), "error", DIED)


def _block(kind: str, pieces: list[str]) -> Block:
    if kind == "tool":
        return ToolCallBlock("", pieces[0], "".join(pieces[1:]))
    text = "".join(pieces)
    return ThinkingBlock(text) if kind == "thinking" else TextBlock(text)
