"""The server as a tool of its own: scripts, the control API, a token, a journal file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TextIO

from mock_llm.control import Control
from mock_llm.filling import fill_script
from mock_llm.journal_json import event_line, redacted_text
from mock_llm.routing import refuse
from mock_llm.script import Script
from mock_llm.scripts import Scripts
from mock_llm.server import MockServer
from mock_llm.token import is_admitted, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from mock_llm.journal import Exchange, JournalEvent
    from mock_llm.reload import Reloaded
    from mock_llm.replies import Reply

NONCE = "nonce"


class Standalone:
    """A mock server that needs no harness. Start and stop ``server`` as any other.

    Args:
        scripts: What to play, by name; their templates are filled here.
        nonce: What ``{nonce}`` stands for in a script without a ``lane``, whose nonce is the lane.
        token: A request has to carry it; empty for none.
        journal: Takes a JSON line for each request as it begins and as it ends, at once.
        changed: Asked before each request which files are new; they start at their first turn.
        tell: Hears what a person should read: a script that was loaded again, or is broken.
        spill: A folder for bodies and replies that are too large to keep.
    """

    def __init__(
        self,
        scripts: Mapping[str, Script],
        *,
        nonce: str = NONCE,
        token: str = "",
        journal: TextIO | None = None,
        changed: Callable[[], Iterable[Reloaded]] = tuple,
        tell: Callable[[str], None] = lambda _: None,
        spill: Path | None = None,
    ) -> None:
        self._nonce = nonce
        self.scripts = Scripts({name: self._filled(script) for name, script in scripts.items()})
        self.server = MockServer(Script(()), spill=spill)
        self.server.spill.tell = tell
        self.server.route = self._route
        self.server.control = Control(
            self.server, restart=self.scripts.restart, unused=lambda: self.scripts.unused, token=token
        )
        self.token = token
        self._changed = changed
        self._tell = tell
        if journal is not None:
            self.server.journal.listeners.append(_Writer(journal, tell).write)

    def look(self) -> None:
        """Take in the scripts whose files have changed. Replies under way go on as they began."""
        for new in self._changed():
            if new.script is None:
                self._tell(f"{new.problem}\nthe script as it was goes on")
            else:
                self.scripts.put(new.name, self._filled(new.script))
                self._tell(f"{new.path} has changed: it starts at its first turn")

    def _filled(self, script: Script) -> Script:
        return fill_script(script, {"nonce": script.lane or self._nonce})

    def _route(self, exchange: Exchange, body: bytes) -> Reply:
        if not is_admitted(self.token, exchange.headers, exchange.path):
            why = refusal(exchange.headers, exchange.path)
            return refuse(exchange, 401, f"request {exchange.number} {why}")
        self.look()
        return self.scripts.route(exchange, body)


class _Writer:
    """Writes events as JSON lines, until the file takes no more."""

    def __init__(self, file: TextIO, tell: Callable[[str], None]) -> None:
        self._file = file
        self._tell = tell
        self._is_broken = False

    def write(self, event: JournalEvent) -> None:
        line = None if self._is_broken else event_line(event)
        if line is None:
            return
        try:
            self._file.write(redacted_text(event.exchange, json.dumps(line)) + "\n")
            self._file.flush()
        except OSError as error:
            self._is_broken = True
            self._tell(f"cannot write the journal file: {error.strerror}\nrequests are answered without it")
