"""What the clients make of replies that break, or that are framed oddly, in the middle of their text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mock_llm.faults import Fault
from mock_llm.script import Stream
from mock_llm.turn import Text, Turn
from tests.sdk.clients_table import Column, played
from tests.sdk.running import Case, Understood

HALF = "The first half. "
NEXT = "“And” so"
WHOLE = f"{HALF}{NEXT} on, to the end."
TIMEOUT_S = 4.0
STALL_MS = 6000

# Rows: what goes wrong after the first half.
FAULTS: Mapping[str, Fault] = {
    "FIN in the middle of the body": Fault("close", len(HALF)),
    "RST": Fault("reset", len(HALF)),
    "clean end without a terminal event": Fault("early-end", len(HALF)),
    "half an event, then a clean end": Fault("half-event", len(HALF)),
    "an event without its blank line, then a clean end": Fault("no-blank-line", len(HALF)),
    "an event that is not JSON, then the rest": Fault("bad-json", len(HALF)),
    f"stall of {STALL_MS // 1000} s, then FIN": Fault("stall", len(HALF), for_ms=STALL_MS),
    "the provider's error event": Fault("error-event", len(HALF)),
    "an unknown event, then the rest": Fault("unknown-event", len(HALF)),
    "an event twice, then the rest": Fault("duplicate-event", len(HALF)),
    "an event of 1 MB, then the rest": Fault("oversized-event", len(HALF), megabytes=1),
    "UTF-8 split between two TCP segments": Fault("split-utf8"),
    "a byte order mark": Fault("bom"),
    "CRLF": Fault("crlf"),
    "comments": Fault("comments"),
    "`id:` lines": Fault("ids"),
    "`retry:` lines": Fault("retry-lines"),
    "no space after `data:`": Fault("no-space"),
    "content type `text/plain`": Fault("wrong-content-type"),
    "no content type": Fault("no-content-type"),
}


PYTHON = (
    Column("openai chat, iterated", "openai", "chat-raw"),
    Column("openai chat, accumulated", "openai", "chat-helper"),
    Column("openai responses, iterated", "openai", "responses-raw"),
    Column("openai responses, accumulated", "openai", "responses-helper"),
    Column("anthropic, iterated", "anthropic", "messages-raw"),
    Column("anthropic, accumulated", "anthropic", "messages-helper"),
    Column("google-genai", "google-genai", "gemini-raw"),
)
NPM = (
    Column("openai chat, iterated", "openai", "chat-raw"),
    Column("openai chat, accumulated", "openai", "chat-helper"),
    Column("openai responses, iterated", "openai", "responses-raw"),
    Column("openai responses, accumulated", "openai", "responses-helper"),
    Column("@anthropic-ai/sdk, iterated", "@anthropic-ai/sdk", "messages-raw"),
    Column("@anthropic-ai/sdk, accumulated", "@anthropic-ai/sdk", "messages-helper"),
    Column("@google/genai", "@google/genai", "gemini-raw"),
    Column("ai: openai chat", "ai", "chat-streamed"),
    Column("ai: openai-compatible", "ai", "compatible-streamed"),
    Column("ai: openai responses", "ai", "responses-streamed"),
    Column("ai: anthropic", "ai", "messages-streamed"),
    Column("ai: google", "ai", "gemini-streamed"),
)


def cases(columns: tuple[Column, ...], library: str) -> Iterator[Case]:
    """A case for each fault and each way of the library."""
    for column in columns:
        for row, fault in FAULTS.items():
            if column.library == library:
                yield _case(column, row, fault)


def _case(column: Column, row: str, fault: Fault) -> Case:
    script = played(Turn((Text(WHOLE),)), Stream(chars_per_delta=8, fault=fault._replace(attempts=0)))
    # Only a stall is for the client's own timeout; elsewhere a slow machine must not look like one.
    bound = {"timeout_s": TIMEOUT_S} if fault.kind == "stall" else {}
    return Case(name(column, row), column.way, script, bound.get("timeout_s", 30), bound)


def name(column: Column, row: str) -> str:
    return f"{column.title}: {row}"


def table(columns: tuple[Column, ...], results: Mapping[str, Mapping[str, Understood]]) -> str:
    """The Markdown table: rows of faults, columns of clients."""
    lines = [f"| | {' | '.join(column.title for column in columns)} |", "|---" * (len(columns) + 1) + "|"]
    for row in FAULTS:
        words = [outcome(results[column.library][name(column, row)]) for column in columns]
        lines.append(f"| {row} | {' | '.join(words)} |")
    return "\n".join(lines)


def outcome(understood: Understood) -> str:
    """What was heard, and the exception if there was one; a wait is told when the client did not end it."""
    heard = understood.heard
    shown = _text(heard["text"])
    said = f"{heard['error']} after {shown}" if heard["error"] else shown
    if heard["message"] and not heard["error"]:
        said += " and the error as an event"
    (exchange,) = understood.exchanges
    if exchange.held_at == "stall" and exchange.ended != "client-hung-up":
        said += ", waits for the server"
    return said


def delivered(row: str, understood: Understood) -> None:
    """One request came, was answered with the fault, and got the characters that the script says."""
    (exchange,) = understood.exchanges
    fault = FAULTS[row]
    assert understood.problems == []
    assert exchange.fault == fault.kind
    ends_there = fault.kind in (
        "close",
        "reset",
        "early-end",
        "half-event",
        "no-blank-line",
        "stall",
        "error-event",
    )
    if ends_there:
        assert exchange.chars_sent == len(HALF)
    else:
        assert exchange.chars_sent == len(WHOLE) or exchange.ended == "client-hung-up"


def _text(text: str) -> str:
    names = {
        "": "nothing",
        HALF: "half",
        HALF + NEXT: "half and the event",
        WHOLE: "whole",
        HALF + NEXT + WHOLE.removeprefix(HALF): "whole, the event twice",
    }
    return names.get(text, f"{text!r}")
