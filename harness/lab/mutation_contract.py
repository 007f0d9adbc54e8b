"""The unit contract of a guard as data, and how a guard is held against it.

Nothing here imports the detectors: a case is tried on whatever copy of them is handed in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.lab.mutants import Mutant
    from harness.lab.mutation_copy import Detectors

Figures = tuple[str, int, int, int]
"""Mechanism, anomaly_start, garbage_start, fired_at."""

Part = tuple[int, str, str]
"""Of a message: index of the block, kind of stream, text."""

_LATE: Figures = ("late", 0, 0, 0)
_QUICK = (20,)  # characters of a delta
_THOROUGH = (1, 333)
_LONG = 3_000  # characters of a text that is not read one by one, nor twice


class Case(Protocol):
    """One thing that a guard must do.

    ``group`` is its column in the kill matrix, ``mechanisms`` are those that it wants to fire, if any.
    """

    @property
    def id(self) -> str:
        """Its name."""

    @property
    def group(self) -> str:
        """Its column."""

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms of which it is a positive test."""

    def holds(self, detectors: Detectors, mutant: Mutant | None, *, thorough: bool) -> bool:
        """Whether a guard does it; ``thorough`` tries what takes long, and that alone."""


class Settings(NamedTuple):
    """How the profile of a case differs from the published one."""

    without: tuple[str, ...] = ()
    tuned: Mapping[str, Mapping[str, int | float | bool]] = {}

    def profile(self, detectors: Detectors, mutant: Mutant | None) -> Any:
        """The profile of the case with what is wrong with a mutant; the case's own numbers win."""
        profile = detectors.PUBLISHED
        if mutant:
            profile = mutant.applied(profile)
        profile = profile.without(*self.without)
        for mechanism, numbers in self.tuned.items():
            if mechanism in profile.ids:
                profile = profile.tuned(mechanism, **numbers)
        return profile


class TextCase(NamedTuple):
    """A text that is the only block of its message, and the finding in it (None: silence).

    It is tried as a whole, in small deltas and character by character.
    """

    group: str
    id: str
    text: str
    figures: Figures | None
    stream: str = "text"
    settings: Settings = Settings()

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms of which it is a positive test."""
        return self.figures[:1] if self.figures else ()

    def holds(self, detectors: Detectors, mutant: Mutant | None, *, thorough: bool) -> bool:
        """Whether both forms of a guard find it, and with the delta that holds the character."""
        profile = self.settings.profile(detectors, mutant)
        if not thorough:
            scanner, times = detectors.Scanner(profile=profile), 1 if len(self.text) > _LONG else 2
            if any(_figures(scanner.scan(self.text, self.stream)) != self.figures for _ in range(times)):
                return False
        return all(
            _watched(detectors.Guard(profile=profile), self.stream, self.text, chars) == self.figures
            for chars in (_THOROUGH if thorough else _QUICK)
            if chars > 1 or len(self.text) <= _LONG
        )


class MessageCase(NamedTuple):
    """A message of several blocks, delta by delta, and the block in which a finding is made."""

    group: str
    id: str
    parts: tuple[Part, ...]
    block: int | None
    figures: Figures | None
    settings: Settings = Settings()

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms of which it is a positive test."""
        return self.figures[:1] if self.figures else ()

    def holds(self, detectors: Detectors, mutant: Mutant | None, *, thorough: bool) -> bool:
        """Whether a guard finds it there, and a guard that was reset finds it again."""
        if thorough:
            return True
        guard = detectors.Guard(profile=self.settings.profile(detectors, mutant))
        for _ in range(2):
            finding = _read(guard, self.parts)
            if (_figures(finding), guard.block) != (self.figures, self.block):
                return False
            guard.reset()
        return True


class TurnsCase(NamedTuple):
    """The whole replies of a conversation and at which of them, from 1, ``repetitive-turns`` fires.

    ``fires`` holds number, similarity and streak. ``streamed`` are the characters read when it fires while
    the last reply streams; None when that is not stated. ``rebuilt`` tells that the replies before the last
    stand in a session that is resumed; ``rearmed`` that the agent has corrected the model before the last.
    """

    group: str
    id: str
    replies: tuple[str, ...]
    fires: tuple[tuple[int, float, int], ...]
    streamed: int | None = None
    rebuilt: bool = False
    rearmed: bool = False
    settings: Settings = Settings()

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms of which it is a positive test."""
        return ("repetitive-turns",) if self.fires or self.streamed else ()

    def holds(self, detectors: Detectors, mutant: Mutant | None, *, thorough: bool) -> bool:
        """Whether the rule fires there and nowhere else."""
        if thorough:
            return True
        profile = self.settings.profile(detectors, mutant)
        return self._remembered(profile) == self.fires and (
            self.streamed is None or self._streamed(detectors, profile) == self.streamed
        )

    def _before(self, profile: Any) -> tuple[Any, list[tuple[int, float, int]]]:
        """The watch over the turns before the last reply, and what it has found."""
        if self.rebuilt:
            return profile.turns(self.replies[:-1]), []
        turns = profile.turns()
        found = [(n, turns and turns.remember(reply)) for n, reply in enumerate(self.replies[:-1], 1)]
        return turns, [(n, f.details["similarity"], f.details["streak"]) for n, f in found if f]

    def _remembered(self, profile: Any) -> tuple[tuple[int, float, int], ...]:
        turns, found = self._before(profile)
        if turns is None:
            return ()
        if self.rearmed:
            turns.rearm()
        last = turns.remember(self.replies[-1])
        if last:
            found.append((len(self.replies), last.details["similarity"], last.details["streak"]))
        return tuple(found)

    def _streamed(self, detectors: Detectors, profile: Any) -> int:
        """Characters read when it fired in the stream: 0 if it did not, -1 if that depends on the cut."""
        seen = set()
        for chars in (1, 7, 1_000_000):
            turns, _ = self._before(profile)
            if turns and self.rearmed:
                turns.rearm()
            figures = _watched(detectors.Guard(profile=profile, turns=turns), "text", self.replies[-1], chars)
            again = turns and turns.remember(self.replies[-1])
            if figures and (again or figures[0] != "repetitive-turns"):
                return -1  # it fires once
            seen.add(figures[3] if figures else 0)
        return seen.pop() if len(seen) == 1 else -1


class RefusedCase(NamedTuple):
    """Numbers of a mechanism, and whether they go together."""

    group: str
    id: str
    name: str
    numbers: Mapping[str, int | float | bool]
    accepted: bool = False

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """None: nothing is streamed."""
        return ()

    def holds(self, detectors: Detectors, mutant: Mutant | None, *, thorough: bool) -> bool:
        """Whether the profile takes them; a mutant of the profile's own numbers says nothing about that."""
        if thorough or (mutant and mutant.change is None):
            return True
        try:
            profile = detectors.PUBLISHED.tuned(self.name, **self.numbers)
        except ValueError:
            return not self.accepted
        travelled = detectors.profile_of(detectors.profile_data(profile))
        bare = detectors.profile_of({"profile": profile.name, "mechanisms": {self.name: dict(self.numbers)}})
        return self.accepted and travelled == profile and bare.mechanisms[0] in profile.mechanisms


def vectors(group: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Case]:
    """The published vectors of one file as cases: ``collapse``, ``leak`` or ``turns``."""
    # The collapse vectors were made before code-shaped lines were left out, and with the collapse rule alone.
    older = Settings(("control-token-leak",), {"near-duplicate-paragraphs": {"skips_code_lines": False}})
    for row in rows:
        if group == "turns":
            fires = tuple((fire["turn"], fire["similarity"], fire["streak"]) for fire in row["fires"])
            yield TurnsCase(group, row["id"], tuple(row["replies"]), fires)
            continue
        said = row["finding"]
        figures = said and (
            said["mechanism"],
            said["anomaly_start"],
            said["garbage_start"],
            said["fired_at"],
        )
        yield TextCase(
            group, row["id"], row["text"], figures, settings=older if group == "collapse" else Settings()
        )


def _figures(finding: Any) -> Figures | None:
    if finding is None:
        return None
    return finding.mechanism, finding.anomaly_start, finding.garbage_start, finding.fired_at


def _watched(guard: Any, stream: str, text: str, chars: int) -> Figures | None:
    """What a guard finds in deltas of a size; nothing that it says later than it could have counts."""
    for at in range(0, len(text), chars):
        finding = guard.feed(0, stream, text[at : at + chars])
        if finding:
            return _figures(finding) if at < finding.fired_at <= at + chars else _LATE
    finding = guard.finish()
    return _LATE if finding and finding.fired_at < len(text) else _figures(finding)


def _read(guard: Any, parts: Sequence[Part]) -> Any:
    found = [guard.feed(block, kind, text) for block, kind, text in parts]
    return next(filter(None, found), None) or guard.finish()
