"""Wire formats read back into what the model said; apart from the encoders, so that both can disagree."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mock_llm.record_decode.piece import Decoder

_MODULES = {
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic-messages": "anthropic_messages",
    "gemini": "gemini",
}


def decoder_for(dialect: str) -> Decoder:
    """A new decoder for one reply of that dialect.

    Raises:
        KeyError: If there is none.
    """
    module = import_module(f"mock_llm.record_decode.{_MODULES[dialect]}")
    decoder: Decoder = module.decoder()
    return decoder


def dialect_of(path: str) -> str | None:
    """The dialect of a request by its path, as every provider and proxy spells it.

    >>> dialect_of("/v1beta/models/gemini-pro:streamGenerateContent?alt=sse")
    'gemini'
    >>> dialect_of("/openai/v1/responses")
    'openai-responses'
    """
    bare = path.partition("?")[0].rstrip("/")
    if bare.endswith((":streamGenerateContent", ":generateContent")):
        return "gemini"
    endings = {
        "/chat/completions": "openai-chat",
        "/responses": "openai-responses",
        "/messages": "anthropic-messages",
    }
    return next((name for ending, name in endings.items() if bare.endswith(ending)), None)
