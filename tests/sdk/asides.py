"""Beside a full reply: the list of models, counted tokens, and every way in which a reply stops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mock_llm.script import Script, Stream
from mock_llm.turn import Refusal, Text, Turn
from tests.sdk.clients_table import FORMS, played
from tests.sdk.running import Case, Understood

SAID = "I said “no” to it."
# The question at four characters a token, rounded up.
QUESTION_TOKENS = 8

# For each interface what its provider calls the ends of a reply.
STOPS: Mapping[str, Mapping[str, str]] = {
    "chat": {"stop": "stop", "length": "length", "refusal": "content_filter"},
    "responses": {"stop": "completed", "length": "incomplete", "refusal": "incomplete"},
    "messages": {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"},
    "gemini": {"stop": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"},
}
# What a model that declines looks like: its stop reason, and whether the words have a channel of their own.
REFUSALS = {
    "chat": ("stop", True),
    "responses": ("completed", True),
    "messages": ("refusal", False),
    "gemini": ("SAFETY", False),
}
# What the accumulators of the Python openai library raise in place of a reply that is not complete.
RAISED = {
    ("chat-helper", "length"): "LengthFinishReasonError",
    ("chat-helper", "refusal"): "ContentFilterFinishReasonError",
    ("responses-helper", "length"): "RuntimeError",
    ("responses-helper", "refusal"): "RuntimeError",
}
INTERFACES = {"openai": ("chat", "responses"), "anthropic": ("messages",), "google": ("gemini",)}
SUFFIXES = {"iterated": "raw", "accumulated": "helper", "whole": "whole"}


class Aside(NamedTuple):
    """A case of a provider's own library and the fields of what it must hear."""

    library: str
    way: str
    what: str
    script: Script
    wanted: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.library}: {self.way}, {self.what}"

    @property
    def case(self) -> Case:
        return Case(self.name, self.way, self.script)


def asides(libraries: Mapping[str, str], raised: Mapping[tuple[str, str], str]) -> Iterator[Aside]:
    """All cases; ``libraries`` are the names of the three providers' libraries."""
    for provider, library in libraries.items():
        model = "models/mock-model" if provider == "google" else "mock-model"
        yield Aside(library, "models", "listed", Script(()), {"error": "", "listed": [model]})
        yield Aside(library, "count", "counted", Script(()), {"error": "", "usage": [QUESTION_TOKENS, 0]})
        for interface in INTERFACES[provider]:
            for form in FORMS if provider != "google" else ("iterated", "whole"):
                yield from _stops(library, interface, f"{interface}-{SUFFIXES[form]}", raised)


def _stops(library: str, interface: str, way: str, raised: Mapping[tuple[str, str], str]) -> Iterator[Aside]:
    for stop, word in STOPS[interface].items():
        script = played(Turn((Text(SAID),), stop=stop), Stream(deltas=4))
        wanted = {"text": SAID, "refused": "", "error": raised.get((way, stop), "")}
        wanted |= {} if wanted["error"] else {"stop": word}
        yield Aside(library, way, f"stop {stop}", script, wanted)
    word, has_channel = REFUSALS[interface]
    said = {"text": "", "refused": SAID} if has_channel else {"text": SAID, "refused": ""}
    script = played(Turn((Refusal(SAID),)), Stream(deltas=4))
    yield Aside(library, way, "a refusal", script, {"error": "", **said, "stop": word})


PYTHON = tuple(asides({"openai": "openai", "anthropic": "anthropic", "google": "google-genai"}, RAISED))
NPM = tuple(asides({"openai": "openai", "anthropic": "@anthropic-ai/sdk", "google": "@google/genai"}, {}))


def heard(aside: Aside, understood: Understood) -> None:
    """The library understood what it must, and the server had nothing to object."""
    assert understood.problems == []
    found = {field: understood.heard[field] for field in aside.wanted}
    assert found == aside.wanted, understood.heard["message"]
