"""Bodies and replies that are too large to keep in memory, in files of a folder."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mock_llm.journal import KEPT_CHARS
from mock_llm.redaction import secrets_of, without

if TYPE_CHECKING:
    from pathlib import Path

    from mock_llm.journal import Exchange, JournalEvent

KEPT_BODY_BYTES = 1024 * 1024


class Spill:
    """Listens to a journal and writes what it does not keep; without a folder that is lost.

    A request body over :data:`KEPT_BODY_BYTES` goes to ``request-N.json``, without the keys that the request
    carried; the exchange keeps its parsed messages. A reply over :data:`mock_llm.journal.KEPT_CHARS` goes to
    ``reply-N.txt``, from its first character, as it is sent. ``body_file`` and ``reply_file`` of the exchange
    name the files.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def body(self, exchange: Exchange, body: bytes) -> None:
        """Take the body of a request that has been answered out of memory, if it is large."""
        if len(body) <= KEPT_BODY_BYTES:
            return
        if exchange.request is not None:
            exchange.request = replace(exchange.request, body={})
        if self._folder is not None:
            text = body.decode("utf-8", "surrogateescape")
            path = self._file(f"request-{exchange.number}.json")
            secrets = secrets_of(exchange.headers, exchange.path)
            path.write_bytes(without(text, secrets).encode("utf-8", "surrogateescape"))
            exchange.body_file = str(path)

    def hear(self, event: JournalEvent) -> None:
        """Write what a reply has beyond what is kept of it."""
        exchange = event.exchange
        if event.kind != "delta" or self._folder is None or exchange.chars_sent <= KEPT_CHARS:
            return
        path = self._file(f"reply-{exchange.number}.txt")
        text = event.data["text"]
        if not exchange.reply_file:
            exchange.reply_file = str(path)
            kept = exchange.text_sent
            text = kept + text[len(text) - (exchange.chars_sent - len(kept)) :]
        with path.open("a", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(text)

    def _file(self, name: str) -> Path:
        assert self._folder is not None
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / name
