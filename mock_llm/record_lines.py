"""What a recorder writes of one exchange: JSON values, a line each, in the order things happened.

    {"recorded": 1, "dialect": ..., "method": ..., "path": ..., "headers": {...}, "asked": {...}}
    {"at_ms": 212.0, "status": 200, "headers": {...}}
    {"at_ms": 230.1, "part": 0, "say": "Let me "}          also 'think', 'refuse', and 'args' of a call
    {"at_ms": 260.4, "part": 1, "call": {"id": "call_1", "name": "read"}}
    {"at_ms": 280.0, "usage": {"input_tokens": 31, "output_tokens": 27}}
    {"at_ms": 280.0, "stop": "tool"}
    {"at_ms": 280.2, "failed": "Overloaded"}               an error event in the middle
    {"at_ms": 281.0, "body": "..."}                        what is no reply of a model, such as an error
    {"at_ms": 281.5, "ended": "complete"}                  see :data:`Ended`

Times are milliseconds after the request went upstream. Keys are redacted in every line. Pure.
"""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, Protocol

from mock_llm.packed_body import PackedError, unpacked
from mock_llm.record_decode import decoder_for
from mock_llm.record_decode.piece import Called, Counted, Failed, Finished, Said, Stopped
from mock_llm.record_decode.sse import EventData
from mock_llm.record_hiding import Hiding
from mock_llm.redaction import redacted_headers, redacted_path, secrets_of, without

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mock_llm.record_decode.piece import Decoder, Piece

# 'early-end': the body ended properly before the reply was complete; 'upstream-closed': in the middle of it.
Ended = Literal["complete", "early-end", "upstream-closed", "client-hung-up", "recorder-stopped"]
Line = dict[str, Any]

MOST_BODY_BYTES = 64 * 1024 * 1024
"""What is kept of a body that is not streamed, until it has ended."""
UNZIPPED_BYTES = 1024 * 1024
_GZIP_OR_ZLIB = 47


class Lines:
    """Make the lines of one exchange. ``begin`` first, then ``head``, ``feed`` as bytes come, and ``end``."""

    def __init__(self, dialect: str, method: str, path: str, headers: Mapping[str, str]) -> None:
        self._dialect, self._method, self._path, self._headers = dialect, method, path, headers
        self._secrets = secrets_of(headers, path)
        self._hiding = Hiding(self._secrets)
        self._body: _Body = _Other()
        self._unzip: Any = None
        self.chars = 0
        self.is_failed = False

    def begin(self, body: bytes) -> Line:
        """The request."""
        with suppress(PackedError):
            body = unpacked(body, self._headers.get("content-encoding", ""), MOST_BODY_BYTES)
        try:
            asked: Any = json.loads(self._clean(body.decode("utf-8", "replace")))
            json.dumps(asked)
        except (ValueError, RecursionError):
            asked = self._clean(body.decode("utf-8", "replace"))
        return {
            "recorded": 1,
            "dialect": self._dialect,
            "method": self._method,
            "path": self._clean(redacted_path(self._path)),
            "headers": self._clean_all(redacted_headers(self._headers)),
            "asked": asked,
        }

    def head(self, at_ms: float, status: int, headers: Mapping[str, str]) -> Line:
        """The status and headers of the answer."""
        if headers.get("content-encoding", "").lower() in ("gzip", "deflate"):
            self._unzip = zlib.decompressobj(_GZIP_OR_ZLIB)
        kind = headers.get("content-type", "")
        if status < 400:
            decoder = decoder_for(self._dialect)
            self._body = _Streamed(decoder) if "event-stream" in kind else _Whole(decoder)
        self.is_failed = status >= 400
        return _at(at_ms, {"status": status, "headers": self._clean_all(redacted_headers(headers))})

    def feed(self, at_ms: float, data: bytes) -> Iterator[Line]:
        """What these bytes of the body say."""
        for piece in (data,) if self._unzip is None else self._unzipped(data):
            yield from self._lines(at_ms, self._body.feed(piece))

    def end(self, at_ms: float, ended: Ended) -> Iterator[Line]:
        """The rest, and how it ended; a reply that lacks its last event has ended early."""
        yield from self._lines(at_ms, self._body.end())
        yield from self._hiding.finish()
        if ended == "complete" and not self._body.is_complete:
            ended = "early-end"
        self.is_failed = self.is_failed or ended in ("early-end", "upstream-closed")
        yield _at(at_ms, {"ended": ended})

    def _lines(self, at_ms: float, found: Iterable[Piece | str]) -> Iterator[Line]:
        for piece in found:
            line = {"body": piece} if isinstance(piece, str) else _line(piece)
            if line is None:
                continue
            if isinstance(piece, Said):
                self.chars += len(piece.text)
            self.is_failed = self.is_failed or isinstance(piece, Failed)
            cleaned = {name: self._cleaned(value) for name, value in line.items()}
            yield from self._hiding.feed(_at(at_ms, cleaned))

    def _unzipped(self, data: bytes) -> Iterator[bytes]:
        """The bytes in pieces of some size, as a few bytes may stand for very many."""
        try:
            while data:
                yield self._unzip.decompress(data, UNZIPPED_BYTES)
                data = self._unzip.unconsumed_tail
        except zlib.error:
            return

    def _cleaned(self, value: Any) -> Any:
        return self._clean(value) if isinstance(value, str) else value

    def _clean_all(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {name: self._clean(value) for name, value in headers.items()}

    def _clean(self, text: str) -> str:
        return without(text, self._secrets)


class _Body(Protocol):
    """A body as it comes: what it says, and whether that is all."""

    is_complete: bool

    def feed(self, data: bytes) -> Iterable[Piece | str]:
        """What these bytes say."""

    def end(self) -> Iterable[Piece | str]:
        """What is known only at the end."""


class _Streamed:
    """An event stream. An event that is no JSON is left out."""

    def __init__(self, decoder: Decoder) -> None:
        self.is_complete = False
        self._events = EventData()
        self._decoder = decoder

    def feed(self, data: bytes) -> Iterator[Piece]:
        for event in self._events.feed(data):
            try:
                value = event if event == "[DONE]" else json.loads(event)
            except (ValueError, RecursionError):
                continue
            for piece in self._decoder.event(value):
                self.is_complete = self.is_complete or isinstance(piece, Finished | Stopped)
                yield piece

    def end(self) -> tuple[()]:
        return ()


class _Whole:
    """A reply that is not streamed."""

    def __init__(self, decoder: Decoder) -> None:
        self.is_complete = False
        self._data = bytearray()
        self._decoder = decoder

    def feed(self, data: bytes) -> tuple[()]:
        self._data += data[: MOST_BODY_BYTES - len(self._data)]
        return ()

    def end(self) -> Iterator[Piece | str]:
        text = self._data.decode("utf-8", "replace")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            if text:
                yield text
            return
        self.is_complete = True
        yield from self._decoder.whole(value)


class _Other:
    """A body that is no reply of a model."""

    def __init__(self) -> None:
        self.is_complete = False
        self._data = bytearray()

    def feed(self, data: bytes) -> tuple[()]:
        self._data += data[: MOST_BODY_BYTES - len(self._data)]
        return ()

    def end(self) -> Iterator[str]:
        self.is_complete = True
        if self._data:
            yield self._data.decode("utf-8", "replace")


def _line(piece: Piece) -> Line | None:
    match piece:
        case Said(part, kind, text):
            line: Line | None = {"part": part, kind: text}
        case Called(part, id, name):
            line = {"part": part, "call": {"id": id, "name": name}}
        case Counted(input_tokens, output_tokens):
            line = {"usage": {"input_tokens": input_tokens, "output_tokens": output_tokens}}
        case Stopped(stop):
            line = {"stop": stop}
        case Failed(message):
            line = {"failed": message}
        case _:
            line = None
    return line


def _at(at_ms: float, line: Line) -> Line:
    return {"at_ms": round(at_ms, 2), **line}
