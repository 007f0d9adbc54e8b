"""Readers of session stores: an agent's own files to one :class:`~harness.transcript.Transcript`.

A reader takes what a session store holds at that moment. It copes with a last line that is still being
written and skips records it does not know. What it cannot make out is a :class:`SessionError` with a place.

A package may add a reader: an entry point of the group ``ttsr_qa.readers``, named like the reader, that is a
function from the text of the session file to a transcript. With an attribute ``takes_files`` that is true it
gets the files themselves: names to bytes, the session file first.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.transcript import Transcript

    Files = Mapping[str, bytes]

GROUP = "ttsr_qa.readers"

# Each module has a function ``read``. They are imported when asked for: a run has one agent.
READERS: Mapping[str, str] = {
    "pi-jsonl": "harness.readers.pi_jsonl",
    "reference-jsonl": "harness.readers.reference_jsonl",
    "codex-rollout": "harness.readers.codex_rollout",
    "claude-jsonl": "harness.readers.claude_jsonl",
    "gemini-jsonl": "harness.readers.gemini_jsonl",
    "qwen-jsonl": "harness.readers.qwen_jsonl",
    "opencode-sqlite": "harness.readers.opencode_sqlite",
    "cline-json": "harness.readers.cline_json",
    "copilot-events": "harness.readers.copilot_events",
    "aider-markdown": "harness.readers.aider_markdown",
    "gptme-jsonl": "harness.readers.gptme_jsonl",
    "llm-json": "harness.readers.llm_json",
    "mini-json": "harness.readers.mini_json",
}
"""The shipped readers and their modules."""

BESIDE = {"opencode-sqlite": ("-wal",), "llm-json": ("-wal",)}
"""What is read beside the session file, by the endings of the names: SQLite keeps what is new in a log."""


class SessionError(ValueError):
    """A session file that its reader cannot make out; the message says where and what."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"session file {where}: {what}")
        self.where = where
        self.what = what


def read(name: str, session: str | bytes | Files) -> Transcript:
    """Read a session with the reader of that name.

    Args:
        name: One of :func:`reader_names`.
        session: The text or bytes of the session file, or all files by name, the session file first.

    Raises:
        KeyError: If there is no such reader.
        SessionError: If the session file is nothing that the reader knows.

    >>> read("pi-jsonl", '{"type": "session"}').messages
    ()
    """
    if isinstance(session, str):
        session = session.encode("utf-8", "surrogatepass")
    files: Files = {"the session": session} if isinstance(session, bytes) else session
    reader = _reader(name)
    if getattr(reader, "takes_files", False):
        return reader(files)
    return reader(next(iter(files.values()), b"").decode("utf-8", "replace"))


def reader_names() -> tuple[str, ...]:
    """The shipped readers, then those that installed packages add."""
    return (*READERS, *sorted(_plugins().keys() - READERS.keys()))


def load_reader(name: str) -> None:
    """Load a shipped reader already, so that nobody waits for it when a session is there."""
    if name in READERS:
        importlib.import_module(READERS[name])


def takes_files(function: Callable[[Files], Transcript]) -> Callable[[Files], Transcript]:
    """Mark a reader that gets the files themselves."""
    function.takes_files = True  # type: ignore[attr-defined]
    return function


def _reader(name: str) -> Callable[[Any], Transcript]:
    if name in READERS:
        found: Callable[[Any], Transcript] = importlib.import_module(READERS[name]).read
        return found
    plugin: Callable[[Any], Transcript] = _plugins()[name].load()
    return plugin


def _plugins() -> Mapping[str, Any]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}
