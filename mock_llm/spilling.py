"""Bodies and replies that are too large to keep in memory, in files of a folder."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from mock_llm.journal import KEPT_CHARS
from mock_llm.redaction import secrets_of, without

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mock_llm.journal import Exchange, JournalEvent

KEPT_BODY_BYTES = 1024 * 1024


class Spill:
    """Listens to a journal and writes what it does not keep; without a folder that is lost.

    A request body over :data:`KEPT_BODY_BYTES` goes to ``request-N.json``, without the keys that the request
    carried; the exchange keeps its parsed messages. A reply over :data:`mock_llm.journal.KEPT_CHARS` goes to
    ``reply-N.txt``, from its first character, as it is sent. ``body_file`` and ``reply_file`` of the exchange
    name the files. Where such a file is there already, from another run or from before a reset, the name gets
    a number more: ``reply-N.2.txt``. When nothing can be written, that is told once and no more is tried.
    """

    def __init__(self, folder: Path | None) -> None:
        self.tell: Callable[[str], None] = lambda _: None
        self._folder = folder

    def body(self, exchange: Exchange, body: bytes) -> None:
        """Write the body of a request that has been answered, if it is large."""
        if len(body) <= KEPT_BODY_BYTES or self._folder is None:
            return
        text = body.decode("utf-8", "surrogateescape")
        secrets = secrets_of(exchange.headers, exchange.path)
        data = without(text, secrets).encode("utf-8", "surrogateescape")
        exchange.body_file = self._written(f"request-{exchange.number}", ".json", data)
        self.forget(exchange, len(body))

    def forget(self, exchange: Exchange, body_bytes: int) -> None:
        """Take a large body out of memory, now that whoever listens to the journal has seen it."""
        if body_bytes > KEPT_BODY_BYTES and exchange.request is not None and exchange.request.body:
            exchange.request = exchange.request._replace(body={})

    def hear(self, event: JournalEvent) -> None:
        """Write what a reply has beyond what is kept of it."""
        exchange = event.exchange
        if event.kind != "delta" or self._folder is None or exchange.chars_sent <= KEPT_CHARS:
            return
        text = event.data["text"]
        if exchange.reply_file:
            self._is_written(self._folder / exchange.reply_file.rpartition("/")[2], "ab", _bytes(text))
            return
        kept = exchange.text_sent
        text = kept + text[len(text) - (exchange.chars_sent - len(kept)) :]
        exchange.reply_file = self._written(f"reply-{exchange.number}", ".txt", _bytes(text))

    def _written(self, name: str, ending: str, data: bytes) -> str:
        """The path of a new file with these bytes; empty when it cannot be written."""
        for again in count(1):
            if self._folder is None:
                break
            path = self._folder / f"{name}{f'.{again}' if again > 1 else ''}{ending}"
            if self._is_written(path, "xb", data):
                return str(path)
        return ""

    def _is_written(self, path: Path, mode: str, data: bytes) -> bool:
        """False when a new file is there already, or nothing can be written; that is told."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open(mode) as file:
                file.write(data)
        except OSError as error:
            if not (isinstance(error, FileExistsError) and path.exists()):
                self._folder = None
                self.tell(
                    f"cannot write '{path}': {error.strerror}\nlong replies and bodies are kept no more"
                )
            return False
        return True


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
