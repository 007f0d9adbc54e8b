"""The output items of the responses dialect, and the numbered events that build them up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from mock_llm.dialects.dialect import WireEvent
from mock_llm.dialects.sse import compact, named_event, quote
from mock_llm.turn import Refusal, Thinking, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mock_llm.dialects.dialect import Ids
    from mock_llm.dialects.parts import Block


class _Frame(NamedTuple):
    """What is constant in the events of one item: each delta stands between two pieces, then its number."""

    place: dict[str, Any]
    before: str
    after: str


class Items:
    """Makes the events of one stream, each with the next sequence number.

    ``signed`` reasoning carries the content that a client may send back.
    """

    def __init__(self, ids: Ids, *, signed: bool) -> None:
        self._finished: dict[int, dict[str, Any]] = {}
        self._ids = ids
        self._signed = signed
        self._number = 0
        self._frames: dict[int, _Frame] = {}

    @property
    def output(self) -> list[dict[str, Any]]:
        """The items that are done, each in the place that its ``output_index`` says."""
        return [self._finished[number] for number in sorted(self._finished)]

    def event(self, kind: str, **more: Any) -> WireEvent:
        """An event without content."""
        payload = {"type": kind, **more, "sequence_number": self._number}
        self._number += 1
        return WireEvent(named_event(kind, compact(payload)))

    def opened(self, block: Block) -> Iterator[WireEvent]:
        """The item is added, empty, and its one content part begins."""
        item = _item(block, self._ids, "in_progress", "", signed=False)
        self._frames[block.number] = _frame(block, item["id"])
        yield self.event("response.output_item.added", output_index=block.number, item=item)
        yield from self._part(block, "added", "")

    def more(self, block: Block, texts: Sequence[str]) -> WireEvent:
        """One delta a text."""
        _, before, after = self._frames[block.number]
        numbered = enumerate(texts, self._number)
        data = "".join([f"{before}{quote(text)}{after}{number}}}\n\n" for number, text in numbered])
        self._number += len(texts)
        text = "".join(texts)
        return WireEvent(data.encode("ascii"), len(text), text)

    def closed(self, block: Block) -> Iterator[WireEvent]:
        """The content is done, its part is done, the item is done: each with the whole text."""
        text, place = block.text, self._frames.pop(block.number).place
        name = {"name": block.part.name} if isinstance(block.part, ToolCall) else {}
        key = {ToolCall: "arguments", Refusal: "refusal"}.get(type(block.part), "text")
        logprobs: dict[str, Any] = {"logprobs": []} if _is_text(block) else {}
        yield self.event(f"{_channel(block)}.done", **place, **name, **{key: text}, **logprobs)
        yield from self._part(block, "done", text, place)
        item = finished(block, self._ids, signed=self._signed)
        self._finished[block.number] = item
        yield self.event("response.output_item.done", output_index=block.number, item=item)

    def _part(
        self, block: Block, what: str, text: str, place: dict[str, Any] | None = None
    ) -> Iterator[WireEvent]:
        if isinstance(block.part, ToolCall):
            return
        place = self._frames[block.number].place if place is None else place
        kind = "reasoning_summary_part" if isinstance(block.part, Thinking) else "content_part"
        yield self.event(f"response.{kind}.{what}", **place, part=_content(block, text))


def finished(block: Block, ids: Ids, *, signed: bool) -> dict[str, Any]:
    """A whole item; one that was cut off says so."""
    status = "completed" if block.is_complete else "incomplete"
    return _item(block, ids, status, block.text, signed=signed)


def _item(block: Block, ids: Ids, status: str, text: str, *, signed: bool) -> dict[str, Any]:
    part, number = block.part, block.number
    if isinstance(part, ToolCall):
        return {
            "id": ids.numbered("fc_", number),
            "type": "function_call",
            "status": status,
            "arguments": text,
            "call_id": part.id or ids.numbered("call_", block.place),
            "name": part.name,
        }
    content = [_content(block, text)] if text else []
    if isinstance(part, Thinking):
        proof = {"encrypted_content": ids.numbered("mock-signature-", number)} if signed else {}
        return {"id": ids.numbered("rs_", number), "type": "reasoning", "summary": content, **proof}
    return {
        "id": ids.numbered("msg_", number),
        "type": "message",
        "status": status,
        "role": "assistant",
        "content": content,
    }


def _content(block: Block, text: str) -> dict[str, Any]:
    if isinstance(block.part, Thinking):
        return {"type": "summary_text", "text": text}
    if isinstance(block.part, Refusal):
        return {"type": "refusal", "refusal": text}
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _is_text(block: Block) -> bool:
    return not isinstance(block.part, (Thinking, ToolCall, Refusal))


def _channel(block: Block) -> str:
    """The events that carry a block's text are called after this."""
    if isinstance(block.part, ToolCall):
        return "response.function_call_arguments"
    if isinstance(block.part, Thinking):
        return "response.reasoning_summary_text"
    return "response.refusal" if isinstance(block.part, Refusal) else "response.output_text"


def _frame(block: Block, item_id: str) -> _Frame:
    place: dict[str, Any] = {"item_id": item_id, "output_index": block.number}
    if isinstance(block.part, Thinking):
        place["summary_index"] = 0
    elif not isinstance(block.part, ToolCall):
        place["content_index"] = 0
    kind = f"{_channel(block)}.delta"
    head = compact({"type": kind, **place})[:-1]
    logprobs = ',"logprobs":[]' if _is_text(block) else ""
    return _Frame(place, f'event: {kind}\ndata: {head},"delta":', f'{logprobs},"sequence_number":')
