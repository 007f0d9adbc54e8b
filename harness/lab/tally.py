"""What is counted over a store: parts, bytes, fires, what is unread. It adds up, and stays small."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.detectors.finding import Finding, StreamKind
    from harness.lab.capture import Part

MB = 1_000_000
_EXCERPT = 120  # characters


class Fire(NamedTuple):
    """One part in which the guard fires.

    Attributes:
        file: Where it is.
        line: The line of the file; in a session 0, there ``where`` says which reply.
        where: The part inside of the record, such as ``reply 3, part 2``; may be empty.
        stream: What the part is.
        chars: Code points of the part.
        rule: Which rule fired.
        mechanism: Which detector.
        reason: Why.
        anomaly_start: Where the loop began, in the part.
        garbage_start: How much would be kept.
        fired_at: How much was read.
        excerpt: How the text goes on where the garbage starts.
    """

    file: str
    line: int
    where: str
    stream: StreamKind
    chars: int
    rule: str
    mechanism: str
    reason: str
    anomaly_start: int
    garbage_start: int
    fired_at: int
    excerpt: str


class Unread(NamedTuple):
    """A record, or with line 0 a whole file, that could not be read, and why."""

    file: str
    line: int
    why: str


_Listed = TypeVar("_Listed", Fire, Unread)


class Place(NamedTuple):
    """Where a part is."""

    file: str
    line: int
    where: str = ""


class Tally:
    """Counts of a scan. Of fires and of what is unread, only the first ``most`` are kept."""

    def __init__(self, most: int = 100) -> None:
        self.most = most
        self.parts: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self.mechanisms: Counter[str] = Counter()
        self.fires: list[Fire] = []
        self.bad = 0
        self.bad_listed: list[Unread] = []
        self.skipped = 0
        self.skipped_listed: list[Unread] = []
        self.without_text = 0
        self.paths: list[str] = []
        self.lines = 0

    @property
    def fired(self) -> int:
        """Parts in which the guard fires."""
        return self.mechanisms.total()

    @property
    def megabytes(self) -> float:
        """Text in MB of UTF-8, a MB being 1,000,000 bytes."""
        return self.bytes.total() / MB

    def add(self, place: Place, part: Part, finding: Finding | None) -> None:
        """Count a part that was scanned."""
        text = part.text
        self.parts[part.stream] += 1
        self.bytes[part.stream] += len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if finding is None:
            return
        self.mechanisms[finding.mechanism] += 1
        if len(self.fires) < self.most:
            self.fires.append(_fire(place, part, finding))

    def add_bad(self, file: str, line: int, why: str) -> None:
        """Count a record that is damaged, or a file that cannot be read."""
        self.bad += 1
        if len(self.bad_listed) < self.most:
            self.bad_listed.append(Unread(file, line, why))

    def add_skipped(self, file: str, why: str) -> None:
        """Count a file that holds nothing to scan."""
        self.skipped += 1
        if len(self.skipped_listed) < self.most:
            self.skipped_listed.append(Unread(file, 0, why))

    def merge(self, other: Tally, line_base: int = 0) -> None:
        """Add what was counted after this; its lines are counted from ``line_base``."""
        self.parts += other.parts
        self.bytes += other.bytes
        self.mechanisms += other.mechanisms
        self.bad += other.bad
        self.skipped += other.skipped
        self.without_text += other.without_text
        self.paths = self.paths or other.paths
        self.lines += other.lines
        self.fires += [_moved(fire, line_base) for fire in other.fires[: self._room(self.fires)]]
        self.bad_listed += [_moved(bad, line_base) for bad in other.bad_listed[: self._room(self.bad_listed)]]
        self.skipped_listed += other.skipped_listed[: self._room(self.skipped_listed)]

    def _room(self, listed: Sequence[object]) -> int:
        return max(0, self.most - len(listed))


def _moved(one: _Listed, line_base: int) -> _Listed:
    return one._replace(line=one.line + line_base) if one.line else one


def _fire(place: Place, part: Part, finding: Finding) -> Fire:
    dropped = part.text[finding.garbage_start : finding.garbage_start + 2 * _EXCERPT]
    return Fire(
        place.file,
        place.line,
        place.where,
        part.stream,
        len(part.text),
        finding.rule,
        finding.mechanism,
        finding.reason,
        finding.anomaly_start,
        finding.garbage_start,
        finding.fired_at,
        " ".join(dropped.split())[:_EXCERPT],
    )
