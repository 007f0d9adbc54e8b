"""What the clients make of HTTP errors, how often they ask again, and how long they mean to wait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from email.utils import formatdate
from time import time

from mock_llm.faults import Fault
from mock_llm.script import Script, Stream
from mock_llm.turn import Text, Turn
from tests.sdk.clients_table import Column, played
from tests.sdk.running import Case, Understood

SAID = "At last."
DATE_S = 100  # beyond 120 s openai gives up
HTML = "<html><body>502 Bad Gateway</body></html>"
# The first two waits of the clients that back off: 0.5 s doubled, up to a quarter less.
BACKOFF_S = ((0.375, 0.5), (0.75, 1.0))
# The Google client, where retries are asked for: 1 s doubled, up to a second more.
GOOGLE_BACKOFF_S = ((1.0, 2.0), (2.0, 3.0), (4.0, 5.0), (8.0, 9.0))

# Every answer is the same one; the header makes all waits short.
STATUSES: Mapping[str, Fault] = {
    **{
        str(status): Fault("status", attempts=0, status=status, retry_after_ms=10)
        for status in (400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 503, 504, 529)
    },
    "502, HTML": Fault("status", attempts=0, status=502, body=HTML, retry_after_ms=10),
    "FIN before the headers": Fault("close-before-headers", attempts=0),
    "RST before the headers": Fault("reset-before-headers", attempts=0),
}
# The first answer says when to come back; the second one is a reply.
HEADERS: Mapping[str, Fault] = {
    "429 without a header": Fault("status"),
    "`retry-after-ms: 20`": Fault("status", retry_after_ms=20),
    "`retry-after: 1.5`": Fault("status", retry_after="1.5"),
    "`retry-after: 0`": Fault("status", retry_after="0"),
    "`retry-after: 3600`": Fault("status", retry_after="3600"),
    "`retry-after:` a date in 100 s": Fault("status"),
    "`x-should-retry: false`": Fault("status", should_retry=False),
    "400 with `x-should-retry: true`": Fault("status", status=400, should_retry=True),
}
NO_TURN = "no turn left in the script"
# Asked for a whole reply, for a stream's headers come at once. The ai library has no timeout of its own.
SILENCE = "no answer within a second, its timeout"
SILENCE_S = 1.0
_DATED = "`retry-after:` a date in 100 s"

PYTHON = (
    Column("openai", "openai", "chat-raw"),
    Column("anthropic", "anthropic", "messages-raw"),
    Column("google-genai", "google-genai", "gemini-raw"),
    Column("google-genai, retries asked for", "google-genai", "gemini-raw", {"retries": {"attempts": 5}}),
)
NPM = (
    Column("openai", "openai", "chat-raw"),
    Column("@anthropic-ai/sdk", "@anthropic-ai/sdk", "messages-raw"),
    Column("@google/genai", "@google/genai", "gemini-raw"),
    Column("ai: openai chat", "ai", "chat-streamed"),
    Column("ai: anthropic", "ai", "messages-streamed"),
    Column("ai: google", "ai", "gemini-streamed"),
)


def cases(columns: tuple[Column, ...], library: str) -> Iterator[Case]:
    """A case for each error and each column of the library; the headers' ones where waits are told."""
    rows = {**STATUSES, **HEADERS} if columns is PYTHON else STATUSES
    for column in columns:
        for row, fault in rows.items():
            if column.library == library:
                dated = fault._replace(retry_after=formatdate(time() + DATE_S, usegmt=True))
                stream = Stream(fault=dated if row == _DATED else fault)
                script = played(Turn((Text(SAID),)), stream)
                yield Case(name(column, row), column.way, script, extras=column.extras)
        if column.library == library:
            yield Case(name(column, NO_TURN), column.way, Script(()), extras=column.extras)
            if SILENCE in rows_of(column):
                silent = played(Turn((Text(SAID),)), Stream(hold="never"))
                whole, extras = (
                    column.way.replace("-raw", "-whole"),
                    {**column.extras, "timeout_s": SILENCE_S},
                )
                yield Case(name(column, SILENCE), whole, silent, SILENCE_S, extras)


def rows_of(column: Column) -> tuple[str, ...]:
    """The rows of the table of errors in which the column has a cell."""
    return (*STATUSES, NO_TURN) if column.library == "ai" else (*STATUSES, NO_TURN, SILENCE)


def name(column: Column, row: str) -> str:
    return f"{column.title}: {row}"


def table(columns: tuple[Column, ...], results: Mapping[str, Mapping[str, Understood]]) -> str:
    """The Markdown table: rows of statuses, columns of clients."""
    lines = [f"| | {' | '.join(column.title for column in columns)} |", "|---" * (len(columns) + 1) + "|"]
    for row in (*STATUSES, NO_TURN, SILENCE):
        found = [results[column.library].get(name(column, row)) for column in columns]
        words = [f"{each.heard['error']}, {_times(each)}" if each else "" for each in found]
        lines.append(f"| {row} | {' | '.join(words)} |")
    return "\n".join(lines)


def retries_table(columns: tuple[Column, ...], results: Mapping[str, Mapping[str, Understood]]) -> str:
    """The Markdown table of what the clients do when the first answer is an error."""
    lines = [f"| | {' | '.join(column.title for column in columns)} |", "|---" * (len(columns) + 1) + "|"]
    for row in HEADERS:
        words = [_word(column, results[column.library][name(column, row)]) for column in columns]
        lines.append(f"| {row} | {' | '.join(words)} |")
    return "\n".join(lines)


def told(row: str, understood: Understood) -> None:
    """Every try was answered with the fault, and the exception tells the status and what the server said."""
    heard = understood.heard
    assert heard["error"]
    assert heard["text"] == ""
    if row == NO_TURN:
        assert len(understood.exchanges) == len(understood.problems) == 1
        assert "no turn left" in heard["message"]
        return
    assert understood.problems == []
    if row == SILENCE:
        assert {exchange.ended for exchange in understood.exchanges} == {"client-hung-up"}
        return
    assert {exchange.fault for exchange in understood.exchanges} == {STATUSES[row].kind}
    if STATUSES[row].kind == "status" and heard["error"] != "RetryError":
        assert heard["status"] == STATUSES[row].status
        assert "scripted fault" in heard["message"] or STATUSES[row].body


def backs_off(column: Column, understood: Understood) -> None:
    """Each wait is within the range that is published for it."""
    ranges = GOOGLE_BACKOFF_S if column.extras else BACKOFF_S
    waits_s = understood.heard["waits_s"]
    assert len(waits_s) == len(understood.exchanges) - 1 == len(ranges)
    for wait_s, (low_s, high_s) in zip(waits_s, ranges, strict=True):
        assert low_s <= wait_s <= high_s


def _times(understood: Understood) -> str:
    count = len(understood.exchanges)
    return "once" if count == 1 else f"{count} times"


def _word(column: Column, understood: Understood) -> str:
    heard = understood.heard
    if heard["error"]:
        return f"{heard['error']} at once" if not heard["waits_s"] else f"{heard['error']} after waiting"
    assert heard["text"] == SAID, heard
    (wait_s,) = heard["waits_s"]
    (low_s, high_s), *_ = GOOGLE_BACKOFF_S if column.extras else BACKOFF_S
    if low_s <= wait_s <= high_s:
        return f"waits its own {low_s} to {high_s} s"
    if DATE_S / 3 <= wait_s <= DATE_S:  # some of the time went by before the client was started
        return "waits until the date"
    return f"waits {wait_s} s"
