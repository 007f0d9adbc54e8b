"""The evidence folder of one run, written as things happen."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from harness.problems import CannotRun
from harness.redact import MaskedStream, Masks
from harness.session_files import UnreadableSessionError, files_of, session_files
from harness.terminal.cast import header, resized

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mock_llm.journal import Exchange, JournalEvent


def new_run_folder(runs: Path) -> Path:
    """Make the next numbered folder below ``runs``; two processes never get the same one.

    Raises:
        CannotRun: If it cannot be made.
    """
    try:
        runs.mkdir(parents=True, exist_ok=True)
        ignore = runs / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")
        return _next_folder(runs)
    except OSError as error:
        cause = f"cannot keep evidence in {runs}: {error.strerror}"
        raise CannotRun(f"{cause}\n  name another folder with --runs (pytest: --qa-runs)") from None


def _next_folder(runs: Path) -> Path:
    number = max((int(p.name) for p in runs.iterdir() if p.name.isascii() and p.name.isdigit()), default=0)
    while True:
        number += 1
        folder = runs / f"{number:04}"
        with suppress(FileExistsError):
            folder.mkdir()
            return folder


_HEAD_BYTES = 1024
_BLANK = b"*"


class KeptSession(NamedTuple):
    """A session file of the agent, and its copy; ``problem`` says why there is none."""

    path: Path
    copy: Path | None
    problem: str = ""


def copy_session(pattern: str, target: Path, masks: Masks) -> list[KeptSession]:
    """Copy every file that matches the pattern, masked, in the order of their names.

    Raises:
        OSError: If the copies cannot be written.
    """
    kept: list[KeptSession] = []
    for path in session_files(pattern):
        try:
            files = files_of(path, ("-wal",))
        except UnreadableSessionError as error:
            kept.append(KeptSession(path, None, str(error)))
            continue
        target.mkdir(exist_ok=True)
        copy = _free_name(target, path)
        for name, content in files.items():
            beside = copy.with_name(copy.name + name.removeprefix(path.name))
            beside.write_bytes(_masked(content, masks))
        kept.append(KeptSession(path, copy))
    return kept


def _masked(content: bytes, masks: Masks) -> bytes:
    """The bytes with every secret masked; those of a database keep their places, or it could not be read."""
    if b"\0" not in content[:_HEAD_BYTES]:
        return masks.apply(content.decode("utf-8", "replace")).encode("utf-8", "replace")
    for secret in masks.values:
        value = secret.encode("utf-8", "replace")
        if len(value) > len(_BLANK) and not value.startswith(b"/"):
            content = content.replace(value, _BLANK * len(value))
    return content


def _free_name(target: Path, path: Path) -> Path:
    """Where to copy a file: under its own name, or with that of its folder, or with a number."""
    names = [path.name, f"{path.parent.name}-{path.name}"]
    number = 1
    while (target / names[0]).exists():
        number += 1
        names = [*names[1:], f"{number}-{path.name}"]
    return target / names[0]


class Recorder:
    """Writes ``events.jsonl``, ``requests/``, ``replies/`` and ``terminal.cast`` of one run.

    Every line is one unbuffered write, so a killed run leaves whole lines. All text is masked. What cannot be
    written disturbs neither the agent nor the model: ``problem`` then says so, and the run cannot pass.

    Raises:
        OSError: If the first files cannot be made.
    """

    def __init__(self, folder: Path, masks: Masks, size: tuple[int, int], started_s: float) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.problem = ""
        self._masks = masks
        self._started_s = started_s
        self._events = _appendable(folder / "events.jsonl")
        self._cast = _appendable(folder / "terminal.cast")
        self._terminal = MaskedStream(masks)
        self._replies: dict[int, IO[bytes]] = {}
        columns, rows = size
        self._line(self._cast, header(columns, rows))

    def event(self, at_s: float, channel: str, kind: str, data: Mapping[str, Any]) -> None:
        """Append one event of the timeline; times are seconds since the run began."""
        at = round(at_s - self._started_s, 6)
        self._line(self._events, {"t": at, "channel": channel, "kind": kind, **data})

    def terminal(self, at_s: float, text: str) -> None:
        """Append what the program wrote to its terminal."""
        masked = self._terminal.feed(text)
        if masked:
            self._line(self._cast, [round(at_s - self._started_s, 6), "o", masked])

    def typed(self, at_s: float, text: str) -> None:
        """Append what was written to the program."""
        self._line(self._cast, [round(at_s - self._started_s, 6), "i", text])

    def resized(self, at_s: float, columns: int, rows: int) -> None:
        """Append another size of the terminal."""
        self._line(self._cast, [round(at_s - self._started_s, 6), "r", resized(columns, rows)])

    def exchange(self, event: JournalEvent) -> None:
        """Append what happened on the wire. Listens to the journal."""
        self._try(lambda: self._write_exchange(event))
        self.event(event.at_s, "wire", event.kind, _summary(event))

    def write(self, name: str, value: Any) -> None:
        """Write a whole file at once: text as it is, anything else as JSON."""
        if is_dataclass(value) and not isinstance(value, type):
            value = asdict(value)
        masked = self._masks.of_value(value)
        text = masked if isinstance(masked, str) else json.dumps(masked, indent=2, ensure_ascii=False) + "\n"
        self._try(lambda: self._replace(name, text))

    def sessions(self, pattern: str) -> list[KeptSession]:
        """Copy the session files of the agent."""
        kept: list[KeptSession] = []
        self._try(lambda: kept.extend(copy_session(pattern, self.folder / "session", self._masks)))
        return kept

    def close(self, at_s: float) -> None:
        """Write what was held back and close all files."""
        rest = self._terminal.finish()
        if rest:
            self._line(self._cast, [round(at_s - self._started_s, 6), "o", rest])
        for file in (self._events, self._cast, *self._replies.values()):
            file.close()

    def _try(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            cause = f"the evidence cannot be kept in {self.folder}: {error.strerror}"
            self.problem = self.problem or cause

    def _write_exchange(self, event: JournalEvent) -> None:
        exchange, number = event.exchange, event.exchange.number
        if event.kind == "request":
            self._write_request(exchange)
        elif event.kind == "delta" and (text := event.data.get("text")):
            if number not in self._replies:
                self._replies[number] = _appendable(self._path("replies", number, "txt"))
            _put(self._replies[number], self._masks.apply(text).encode("utf-8", "replace"))
        elif event.kind == "ended" and number in self._replies:
            self._replies.pop(number).close()

    def _write_request(self, exchange: Exchange) -> None:
        body = exchange.request.body if exchange.request else None
        path = self._path("requests", exchange.number, "json")
        head = {"method": exchange.method, "path": exchange.path, "headers": dict(exchange.headers)}
        masked = self._masks.of_value({**head, "body": body})
        text = json.dumps(masked, indent=2, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8", errors="replace")

    def _replace(self, name: str, text: str) -> None:
        partial = self.folder / f"{name}.part"
        partial.write_text(text, encoding="utf-8", errors="replace")
        partial.replace(self.folder / name)

    def _path(self, kind: str, number: int, suffix: str) -> Path:
        (self.folder / kind).mkdir(exist_ok=True)
        return self.folder / kind / f"{number:03}.{suffix}"

    def _line(self, file: IO[bytes], value: Any) -> None:
        text = json.dumps(self._masks.of_value(value), ensure_ascii=False)
        self._try(lambda: _put(file, text.encode("utf-8", "replace") + b"\n"))


def _put(file: IO[bytes], data: bytes) -> None:
    """Write all of it: a full disk may take a part before it complains."""
    while data:
        data = data[file.write(data) :]


def _appendable(path: Path) -> IO[bytes]:
    return open(path, "ab", buffering=0, opener=lambda name, flags: os.open(name, flags, 0o644))


def _summary(event: JournalEvent) -> dict[str, Any]:
    exchange = event.exchange
    data: dict[str, Any] = {"request": exchange.number, "reply": exchange.reply, "lane": exchange.lane}
    if event.kind == "delta":
        return {**data, "chars_sent": exchange.chars_sent}
    if event.kind == "ended":
        figures = {"chars_sent": exchange.chars_sent, "chars_total": exchange.chars_total}
        return {
            **data,
            "ended": exchange.ended,
            **figures,
            "exact": exchange.exact,
            "problem": exchange.problem,
        }
    return {**data, "path": exchange.path, "problem": exchange.problem}
