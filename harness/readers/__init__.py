"""Readers of session stores: an agent's own files to one :class:`~harness.transcript.Transcript`.

A reader takes the text of a session file as it is at that moment. It copes with a last line that is still
being written and skips records it does not know, so it never raises for what an agent may write.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.transcript import Transcript

# Each module has a function ``read``. They are imported when asked for: a run has one agent.
_MODULES = {
    "pi-jsonl": "harness.readers.pi_jsonl",
    "reference-jsonl": "harness.readers.reference_jsonl",
}


def _reader(name: str) -> Callable[[str], Transcript]:
    def read_text(text: str) -> Transcript:
        found: Callable[[str], Transcript] = importlib.import_module(_MODULES[name]).read
        return found(text)

    return read_text


READERS: dict[str, Callable[[str], Transcript]] = {name: _reader(name) for name in _MODULES}


def read(name: str, text: str) -> Transcript:
    """Read a session with the reader of that name.

    Raises:
        KeyError: If there is no such reader; :data:`READERS` has the names.

    >>> read("pi-jsonl", '{"type": "session"}').messages
    ()
    """
    return READERS[name](text)
