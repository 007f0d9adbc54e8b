"""A scripted model server: it plays turns, cuts and paces them, and records what the client did."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mock_llm.api import serve, serve_async

__all__ = ["serve", "serve_async"]


def __getattr__(name: str) -> Any:
    """The functions for Python programs, imported when they are used: a run of qa needs none."""
    if name not in __all__:
        raise AttributeError(f"module 'mock_llm' has no attribute '{name}'")
    return getattr(import_module("mock_llm.api"), name)
