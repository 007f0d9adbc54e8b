"""What the mock encodes the reference agent's own decoder reads back, in every dialect and however it arrives.

The two were written apart. What a format cannot say is said here: chat completions and Gemini have no blocks,
so neighbours of one channel become one; Gemini sends a call whole, when its last piece is due, and its
arguments as a value; a refusal is text of the model, and the reply ends as refused.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.refagent.conversation import (
    AssistantMessage,
    Block,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResult,
    UserMessage,
)
from harness.refagent.events import Done, StreamError
from harness.refagent.reply import Reply
from harness.refagent.tool_specs import TOOLS
from harness.refagent.wire import DIALECTS, Ask, wire
from mock_llm.dialects import NAMES, by_name
from mock_llm.dialects.dialect import Ids
from mock_llm.fault_events import raw_utf8
from mock_llm.request import RequestMessage
from mock_llm.turn import Delta, Refusal, Text, Thinking, ToolCall, Turn, Usage
from tests.mock_llm.wire_samples import interleaved, json_objects, refusing, turns, words
from tests.refagent.received import cut, decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hypothesis.strategies import DataObject

    from harness.refagent.conversation import Message
    from harness.refagent.events import StreamEvent
    from mock_llm.request import ModelRequest
    from mock_llm.turn import Part

HAS_BLOCKS = ("anthropic-messages", "openai-responses")
PROMPT = (UserMessage("hello"),)
NOTHING = RequestMessage("assistant")  # an answer of which nothing may be sent back

every_dialect = pytest.mark.parametrize("name", NAMES)


def ask(name: str, messages: Sequence[Message] = PROMPT, *, stream: bool = True) -> ModelRequest:
    """The agent's own request, as the mock reads it."""
    own = wire(name)
    body = json.dumps(own.request_body(Ask("mock-model", "be brief", messages, TOOLS, stream))).encode()
    return by_name(name).parse_request(body, own.path("mock-model", stream=stream), {})


def read(events: Iterable[StreamEvent]) -> Reply:
    reply = Reply()
    for event in events:
        reply.add(event)
    return reply


def arrival(name: str, turn: Turn, deltas: Iterable[Delta]) -> list[tuple[Part, str]]:
    """The pieces of a turn in the order in which a client of the dialect sees them.

    A call without arguments has no deltas; it is seen before the next piece of a later part. One that is
    sent whole is seen with its last piece.
    """
    seen: list[tuple[Part, str]] = []
    silent = [i for i, part in enumerate(turn.parts) if isinstance(part, ToolCall) and not part.arguments]
    got = dict.fromkeys(range(len(turn.parts)), "")
    for place, text in (*deltas, Delta(len(turn.parts), "")):
        while silent and silent[0] < place:
            seen.append((turn.parts[silent.pop(0)], ""))
        if place == len(turn.parts):
            break
        part = turn.parts[place]
        got[place] += text
        if not (name == "gemini" and isinstance(part, ToolCall)):
            seen.append((part, text))
        elif got[place] == part.arguments:
            seen.append((part, part.arguments))
    return seen


def expected(name: str, pieces: Iterable[tuple[Part, str]]) -> list[Block]:
    """The blocks that such pieces make."""
    blocks: list[tuple[Any, type[Part], list[str]]] = []
    for part, text in pieces:
        kind = Text if isinstance(part, Refusal) else type(part)
        if kind is ToolCall or name in HAS_BLOCKS:
            open_one = next((b for b in blocks if b[0] is part), None)
        else:
            open_one = blocks[-1] if blocks and blocks[-1][1] is kind else None
        if open_one is None:
            blocks.append((part, kind, [text]))
        else:
            open_one[2].append(text)
    return [plain(name, _block(part, kind, "".join(texts))) for part, kind, texts in blocks]


def _block(part: Any, kind: type[Part], text: str) -> Block:
    if kind is ToolCall:
        return ToolCallBlock(part.id, part.name, text)
    return ThinkingBlock(text) if kind is Thinking else TextBlock(text)


def plain(name: str, block: Block) -> Block:
    """A block without its proof, two halves of a character joined, arguments that travel as a value as JSON."""
    if isinstance(block, ThinkingBlock):
        return ThinkingBlock(joined(block.text))
    if isinstance(block, TextBlock):
        return TextBlock(joined(block.text))
    text = block.arguments
    if name == "gemini":
        text = json.dumps(json.loads(text or "{}"), ensure_ascii=False)
    return ToolCallBlock(block.id, block.name, joined(text))


def joined(text: str) -> str:
    """Two halves of a surrogate pair that meet are one character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def arguments(name: str) -> st.SearchStrategy[str]:
    return json_objects.map(json.dumps) if name == "gemini" else words | json_objects.map(json.dumps)


def streamed(name: str, turn: Turn, deltas: Iterable[Delta], batch: int = 1) -> bytes:
    encoded = by_name(name).encode(turn, deltas, ask(name), Ids(1), batch)
    return b"".join(event.data for event in encoded)


def test_the_agent_speaks_every_dialect_of_the_mock() -> None:
    assert sorted(DIALECTS) == sorted(NAMES)


@every_dialect
@given(data=st.data())
def test_a_streamed_turn_is_read_as_it_was_said(name: str, data: DataObject) -> None:
    turn = data.draw(turns(arguments(name)))
    deltas = data.draw(interleaved(turn))
    sent = streamed(name, turn, deltas, data.draw(st.integers(1, 5)))
    if data.draw(st.booleans()):
        sent = raw_utf8(sent)

    events = decode(name, cut(sent, data.draw(st.lists(st.integers(0, 10_000), max_size=9))))

    reply = read(events)
    assert [plain(name, block) for block in reply.blocks] == expected(name, arrival(name, turn, deltas))
    assert Usage(reply.input_tokens, reply.output_tokens) == turn.usage
    assert events[-1] == Done("tool" if turn.stop == "tool" else "stop")


@every_dialect
@given(data=st.data())
def test_a_whole_turn_is_read_as_it_was_said(name: str, data: DataObject) -> None:
    turn = data.draw(turns(json_objects.map(json.dumps)))
    request = ask(name, stream=False)
    events = wire(name).decode_whole(json.loads(by_name(name).encode_whole(turn, request, Ids(1))))

    reply, parts = read(events), turn.parts
    if name == "openai-chat":  # one text, one thinking, then the calls: the order is not said
        parts = tuple(sorted(parts, key=lambda part: [Thinking, Text, ToolCall].index(type(part))))
    pieces = [(p, p.arguments if isinstance(p, ToolCall) else p.text) for p in parts]
    wanted = expected(name, [(p, text) for p, text in pieces if text or isinstance(p, ToolCall)])
    assert [valued(block) for block in reply.blocks] == [valued(block) for block in wanted]
    assert Usage(reply.input_tokens, reply.output_tokens) == turn.usage
    assert events[-1] == Done("tool" if turn.stop == "tool" else "stop")


def valued(block: Block) -> Any:
    """Arguments as the value that they mean: where they are sent as one, their spaces are not."""
    if isinstance(block, ToolCallBlock):
        return block.id, block.name, json.loads(joined(block.arguments) or "{}")
    return plain("", block)


@every_dialect
@given(
    turn=turns(json_objects.map(json.dumps)), said=words.filter(bool), places=st.lists(st.integers(0, 10_000))
)
def test_a_refusal_is_kept_as_text_and_ends_the_reply(
    name: str, turn: Turn, said: str, places: list[int]
) -> None:
    turn = refusing(turn, said)
    deltas = [Delta(place, text) for place, part in enumerate(turn.parts) if (text := content_of(part))]

    events = decode(name, cut(streamed(name, turn, deltas), places))

    last = events[-1]
    assert [plain(name, block) for block in read(events).blocks] == expected(
        name, arrival(name, turn, deltas)
    )
    assert isinstance(last, StreamError)
    assert "refused" in last.message or "SAFETY" in last.message


def content_of(part: Part) -> str:
    return part.arguments if isinstance(part, ToolCall) else part.text


@every_dialect
@pytest.mark.parametrize("stream", [True, False])
def test_a_reply_that_ran_into_a_limit_and_one_that_was_filtered_are_told_apart(
    name: str, stream: Any
) -> None:
    def last(stop: str) -> StreamEvent:
        turn = Turn((Text("x"),), stop=stop)
        if stream:
            return decode(name, [streamed(name, turn, [Delta(0, "x")])])[-1]
        body = by_name(name).encode_whole(turn, ask(name, stream=False), Ids(1))
        return wire(name).decode_whole(json.loads(body))[-1]

    assert last("length") == Done("length")
    assert isinstance(last("refusal"), StreamError)


@every_dialect
def test_an_error_of_the_mock_is_an_error_with_its_message_for_the_agent(name: str) -> None:
    assert decode(name, [by_name(name).error_event("too busy")]) == [StreamError("too busy")]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "openai-chat"])
@pytest.mark.parametrize("stream", [True, False])
def test_thinking_goes_back_with_the_proof_that_came_with_it(name: str, *, stream: bool) -> None:
    turn = Turn((Thinking("hm"), ToolCall("c", "read", '{"path": "x"}')), stop="tool")
    if stream:
        events = decode(name, [streamed(name, turn, [Delta(0, "hm"), Delta(1, '{"path": "x"}')])])
    else:
        body = by_name(name).encode_whole(turn, ask(name, stream=False), Ids(1))
        events = list(wire(name).decode_whole(json.loads(body)))
    reply = AssistantMessage(read(events).blocks, "toolUse")

    sent = ask(name, [*PROMPT, reply, ToolResult("c", "read", "text")])

    if name == "gemini":  # the proof alone goes back, with the call that it came with
        part = sent.body["contents"][1]["parts"][0]
        assert part["thoughtSignature"] == "bW9jay1zaWduYXR1cmUtMDAwMDAwMDAwMDAx"
    else:
        assert "mock-signature-000000000001_0" in json.dumps(sent.body)
        assert sent.messages[1].thinking == "hm"


assistant_blocks = st.lists(
    words.map(TextBlock)
    | st.builds(ThinkingBlock, words, st.just('{"id": "rs", "encrypted_content": "proof"}'))
    | st.builds(ToolCallBlock, st.just("c"), st.just("read"), json_objects.map(json.dumps)),
    min_size=1,
    max_size=3,
)


@every_dialect
@given(said=words.filter(str.strip), blocks=assistant_blocks, result=words)
def test_what_the_agent_asks_is_what_the_mock_reads(
    name: str, said: str, blocks: list[Block], result: str
) -> None:
    """The part of a conversation that every format has room for: who said what, which calls, which results."""
    reply = AssistantMessage(tuple(blocks), "toolUse")
    results = [ToolResult(call.id, call.name, result) for call in reply.tool_calls]

    request = ask(name, [UserMessage(said), reply, *results, UserMessage("go on")])

    assert (request.model, request.system, request.stream) == ("mock-model", "be brief", True)
    assert request.tools == tuple(tool.name for tool in TOOLS)
    users = [message.text for message in request.messages if message.role == "user"]
    assert users == [joined(said), "go on"]
    assert [message.text for message in request.messages if message.role == "tool"] == [joined(result)] * len(
        results
    )
    answer = next((message for message in request.messages if message.role == "assistant"), NOTHING)
    shown = [block.text for block in blocks if isinstance(block, TextBlock) and is_sent(name, block.text)]
    assert answer.text == joined("".join(shown))
    called = [call.partition(" ") for call in answer.tool_calls]
    wanted = [("read", json.loads(call.arguments)) for call in reply.tool_calls]
    assert [(tool, json.loads(text)) for tool, _, text in called] == wanted


def is_sent(name: str, text: str) -> bool:
    """Anthropic's API refuses a text block of nothing but spaces, so the agent leaves it out."""
    return bool(text.strip()) or name != "anthropic-messages"
