"""Exchanges as JSON values, for the control API and the journal file. Keys are redacted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mock_llm.redaction import redacted_headers, redacted_path, secrets_of, without

if TYPE_CHECKING:
    from mock_llm.journal import Exchange, JournalEvent


def exchange_summary(exchange: Exchange) -> dict[str, Any]:
    """An exchange in about a kilobyte: no bodies, no texts. Times are seconds on the journal's clock."""
    request = exchange.request
    return {
        "number": exchange.number,
        "method": exchange.method,
        "path": redacted_path(exchange.path),
        "script": exchange.script,
        "lane": exchange.lane,
        "reply": exchange.reply,
        "dialect": request.dialect if request else None,
        "model": request.model if request else None,
        "stream": request.stream if request else None,
        "messages": len(request.messages) if request else None,
        "of_lane": exchange.of_lane,
        "conversation": exchange.conversation,
        "turn": exchange.turn.place if exchange.turn else None,
        "attempt": exchange.attempt,
        "fault": exchange.fault,
        "held_at": exchange.held_at,
        "started_s": exchange.started_s,
        "ended_s": exchange.ended_s,
        "ended": exchange.ended,
        "chars_total": exchange.chars_total,
        "chars_generated": exchange.chars_generated,
        "chars_encoded": exchange.chars_encoded,
        "chars_sent": exchange.chars_sent,
        "reply_file": exchange.reply_file,
        "body_file": exchange.body_file,
        "received_at_least": exchange.received_at_least,
        "exact": exchange.exact,
        "note": exchange.note,
        "problem": exchange.complaint,
    }


def exchange_whole(exchange: Exchange) -> dict[str, Any]:
    """An exchange with everything: headers, the request's body, the text that was handed to the socket."""
    request = exchange.request
    return {
        **exchange_summary(exchange),
        "headers": redacted_headers(exchange.headers),
        "system": request.system if request else None,
        "last_user_text": request.last_user_text if request else None,
        "body": dict(request.body) if request else None,
        "text_sent": exchange.text_sent,
    }


def event_line(event: JournalEvent) -> dict[str, Any] | None:
    """An event as a line of the journal file; deltas have none, as the end carries the whole text."""
    if event.kind == "request":
        return {"event": "request", "at_s": event.at_s, **_asked(event.exchange)}
    if event.kind == "ended":
        sent = {"text_sent": event.exchange.text_sent}
        return {"event": "ended", "at_s": event.at_s, **exchange_summary(event.exchange), **sent}
    if event.kind == "delta":
        return None
    at = {"number": event.exchange.number, "chars_sent": event.exchange.chars_sent}
    return {"event": event.kind, "at_s": event.at_s, **at, **event.data}


def redacted_text(exchange: Exchange, text: str) -> str:
    """A text without the secrets that the request carried."""
    return without(text, secrets_of(exchange.headers, exchange.path))


def _asked(exchange: Exchange) -> dict[str, Any]:
    later = (
        "ended", "ended_s", "held_at", "text_sent", "reply_file", "chars_generated", "chars_encoded",
        "chars_sent", "received_at_least",
    )  # fmt: skip
    return {name: value for name, value in exchange_whole(exchange).items() if name not in later}
