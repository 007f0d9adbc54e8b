"""Evidence made by hand: each side of a reply is said by itself, so the sides can disagree."""

from __future__ import annotations

from typing import Any

import pytest

from harness.evidence import Evidence, GuardDescription, SessionSource
from harness.transcript import RuleRecord, Transcript, TranscriptMessage, TranscriptPart
from mock_llm.journal import Exchange
from mock_llm.request import ModelRequest, RequestMessage
from mock_llm.script import ScriptTurn, Stream
from mock_llm.turn import Text, Thinking, Turn, content

MARKER = "[output interrupted by stream rule]"
INTERRUPT = "<system-interrupt"
SESSION = SessionSource(pattern="{home}/.agent/*.jsonl", reader="pi-jsonl", file="a.jsonl")
GUARD = GuardDescription(("collapse-repetition",), INTERRUPT, MARKER)


class Build:
    """Makes the parts of evidence from the few facts that a test is about."""

    marker = MARKER
    guard = GUARD
    text = "\n\n".join(f"Paragraph about {word}, in full." for word in ("tides", "moss", "copper", "ferries"))

    def turn(self, text: str = "", thinking: str = "", **stream: Any) -> ScriptTurn:
        parts = (Thinking(thinking),) if thinking else ()
        return ScriptTurn(Turn((*parts, Text(text)) if text else parts), Stream(**stream))

    def exchange(self, text: str = "", sent: int | None = None, **facts: Any) -> Exchange:
        """A reply that arrived whole, unless ``sent`` or a fact says otherwise."""
        turn = facts.pop("turn", None) or self.turn(text, facts.pop("thinking", ""))
        total = turn.turn.chars
        given: dict[str, Any] = {
            "number": 1,
            "reply": 1,
            "lane": "main",
            "turn": turn,
            "chars_total": total,
            "chars_sent": total if sent is None else sent,
            "exact": True,
            "ended": "complete",
            "ended_s": 0.5,
            "request": self.request("hello"),
        }
        said = "".join(content(part) for part in turn.turn.parts)
        given["sent"] = [said[: given["chars_sent"]]]
        fixed: dict[str, Any] = {"method": "POST", "path": "/v1/messages", "headers": {}, "started_s": 0.0}
        return Exchange(**(fixed | given | facts))

    def request(self, *texts: str | tuple[str, str], **facts: Any) -> ModelRequest:
        """A request; a plain text is a user message, a pair is ``(role, text)``."""
        pairs: list[Any] = [("user", text) if isinstance(text, str) else text for text in texts]
        messages = tuple(RequestMessage(role, text) for role, text in pairs)
        given: dict[str, Any] = {"dialect": "openai-chat", "model": "m", "stream": True, "system": "sys"}
        return ModelRequest(messages=messages, **(given | facts))

    def message(
        self, *texts: str, stop: str = "stop", thinking: str = "", error: str = ""
    ) -> TranscriptMessage:
        parts = [TranscriptPart("text", text) for text in texts]
        if thinking:
            parts.insert(0, TranscriptPart("thinking", thinking))
        return TranscriptMessage("assistant", tuple(parts), stop_reason=stop, error=error)

    def record(self, fired_at: int | None = 60, message: int = 1, **facts: Any) -> RuleRecord:
        given: dict[str, Any] = {"rule": "collapse-repetition", "mechanism": "paragraph-repeat"}
        return RuleRecord(message=message, fired_at=fired_at, **(given | facts))

    def evidence(
        self,
        *exchanges: Exchange,
        saved: tuple[TranscriptMessage, ...] | None = None,
        rules: tuple[RuleRecord, ...] = (),
        **facts: Any,
    ) -> Evidence:
        """A run that has ended; the session begins with the user's message, so reply 1 is message 1."""
        transcript = None
        if saved is not None:
            user = TranscriptMessage("user", (TranscriptPart("text", "hello"),))
            transcript = Transcript((user, *saved), rules)
        for number, exchange in enumerate(exchanges, 1):
            exchange.number = number
            exchange.reply = number if exchange.lane == "main" else None
        main = [e for e in exchanges if e.reply is not None]
        given: dict[str, Any] = {
            "guard": self.guard,
            "finished": True,
            "variables": {"nonce": "N-7"},
            "session": SESSION
            if saved is not None
            else SESSION._replace(file="", others="files there: none"),
        }
        return Evidence(main=main, exchanges=exchanges, transcript=transcript, **(given | facts))


@pytest.fixture
def build() -> Build:
    return Build()
