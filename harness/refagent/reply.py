"""A reply while it arrives: its blocks so far, and how it is cut where a loop began."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from harness.detectors.surrogates import joined
from harness.refagent.conversation import Block, TextBlock, ThinkingBlock, ToolCallBlock
from harness.refagent.events import (
    TextDelta,
    ThinkingDelta,
    ThinkingSignature,
    ToolCallDelta,
    ToolCallStart,
    UsageReport,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.refagent.events import StreamEvent

BlockKind = Literal["text", "thinking", "tool"]


@dataclass(slots=True)
class _Growing:
    kind: BlockKind
    pieces: list[str] = field(default_factory=list)
    id: str = ""
    name: str = ""
    signature: str = ""

    @property
    def text(self) -> str:
        return joined("".join(self.pieces))

    def kept(self, end: int | None) -> Block | None:
        """The block up to ``end`` characters; None when nothing is left of it.

        A cut thinking block loses its signature, which vouches for the whole.
        """
        text = self.text[:end]
        if self.kind == "tool":
            return ToolCallBlock(self.id, self.name, text)
        if not text:
            return None
        return TextBlock(text) if self.kind == "text" else ThinkingBlock(text, "" if end else self.signature)


class Piece(NamedTuple):
    """What a stream event added to a block, or what a cut leaves out of it."""

    block: int
    kind: BlockKind
    text: str


class Reply:
    """The blocks of one reply in the order in which they began.

    A call that the server gave no id gets ``fallback_id`` with its block number.
    """

    def __init__(self, fallback_id: str = "call") -> None:
        self._blocks: dict[int, _Growing] = {}
        self._fallback_id = fallback_id
        self.input_tokens = 0
        self.output_tokens = 0

    def add(self, event: StreamEvent) -> Piece | None:
        """Take one stream event in; a piece is returned when it added content."""
        match event:
            case TextDelta(block, text):
                return self._grow(block, "text", text)
            case ThinkingDelta(block, text):
                return self._grow(block, "thinking", text)
            case ToolCallDelta(block, text):
                return self._grow(block, "tool", text)
            case ToolCallStart(block, call_id, name):
                call = self._block(block, "tool")
                call.id, call.name = call_id or f"{self._fallback_id}-{block}", name
            case ThinkingSignature(block, signature):
                self._block(block, "thinking").signature = signature
            case UsageReport(input_tokens, output_tokens):
                self.input_tokens = self.input_tokens if input_tokens is None else input_tokens
                self.output_tokens = self.output_tokens if output_tokens is None else output_tokens
            case _:
                pass
        return None

    def _grow(self, number: int, kind: BlockKind, text: str) -> Piece:
        self._block(number, kind).pieces.append(text)
        return Piece(number, kind, text)

    def _block(self, number: int, kind: BlockKind) -> _Growing:
        return self._blocks.setdefault(number, _Growing(kind, id=f"{self._fallback_id}-{number}"))

    def kind_of(self, number: int) -> BlockKind:
        """What block ``number`` holds."""
        return self._blocks[number].kind

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Everything that arrived; blocks without content are left out."""
        return _present(block.kept(None) for block in self._blocks.values())

    def cut(self, number: int, end: int) -> tuple[Block, ...]:
        """The blocks before block ``number``, and that block up to ``end`` characters."""
        before = (b.kept(None) for n, b in self._blocks.items() if n < number)
        return _present([*before, self._blocks[number].kept(end)])

    def dropped(self, number: int, end: int) -> tuple[Piece, ...]:
        """What :meth:`cut` leaves out, block by block."""
        left = (
            Piece(n, b.kind, b.text[end if n == number else 0 :])
            for n, b in self._blocks.items()
            if n >= number
        )
        return tuple(piece for piece in left if piece.text)

    @property
    def content(self) -> tuple[Piece, ...]:
        """Everything that arrived, block by block."""
        return tuple(Piece(n, b.kind, b.text) for n, b in self._blocks.items() if b.text)


def _present(blocks: Iterable[Block | None]) -> tuple[Block, ...]:
    return tuple(block for block in blocks if block is not None)
