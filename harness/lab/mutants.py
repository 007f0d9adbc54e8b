"""The mutants of a guard: one thing wrong with each."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from harness.lab.mutation_code import Change, changes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.detectors.finding import StreamKind
    from harness.detectors.mechanisms import Mechanism, Number, Profile

_STEP = 0.01  # of a threshold that is a ratio
KINDS = ("wiring", "stream", "order", "threshold", "edge", "flip")


class Mutant(NamedTuple):
    """A guard with one thing wrong.

    Exactly one of the last five says what.

    Attributes:
        id: Its name, which stays when lines move.
        kind: One of :data:`KINDS`.
        group: The mechanism, or the module for a changed comparison.
        without: The mechanism that is taken out.
        streams: The streams that the mechanism of the group looks at instead.
        swapped: The mechanism of the group comes after this one, which follows it.
        number: The name of a threshold of the group's mechanism and its other value.
        change: A comparison with another sign.
    """

    id: str
    kind: str
    group: str
    without: str = ""
    streams: tuple[StreamKind, ...] = ()
    swapped: str = ""
    number: tuple[str, Number] | None = None
    change: Change | None = None

    def applied(self, profile: Profile) -> Profile:
        """The profile with what is wrong in it. A changed comparison is none of the profile's business."""
        if self.without:
            return profile.without(self.without)
        rows = list(profile.mechanisms)
        if self.number is not None:
            name, value = self.number
            return profile.tuned(self.group, **{name: value})
        at = next((at for at, row in enumerate(rows) if row.id == self.group), None)
        if at is None:
            return profile
        if self.streams:
            rows[at] = rows[at]._replace(streams=frozenset(self.streams))
        if self.swapped:
            rows[at], rows[at + 1] = rows[at + 1], rows[at]
        return profile._replace(mechanisms=tuple(rows))


def mutants(profile: Profile, sources: Mapping[str, str]) -> tuple[Mutant, ...]:
    """Every mutant of a profile and of the modules that carry it out.

    Args:
        profile: The guard.
        sources: The source of each module of its package, by the module's name.
    """
    rows = profile.mechanisms
    found: list[Mutant] = [Mutant(f"{row.id}: taken out", "wiring", row.id, without=row.id) for row in rows]
    for row in rows:
        found += _streams(row)
    found += [
        Mutant(f"{one.id}: after {two.id}", "order", one.id, swapped=two.id)
        for one, two in pairwise(rows)
        if not two.turns  # whole replies are compared apart from the others
    ]
    for row in rows:
        found += _thresholds(profile, row)
    for module, source in sources.items():
        found += [Mutant(change.id, change.kind, module, change=change) for change in changes(module, source)]
    return tuple(found)


def _streams(row: Mechanism) -> Iterator[Mutant]:
    """A kind of stream that it looks at left out, or one that it does not look at added."""
    if row.turns:
        return  # compared with text alone, whatever the row says
    for kind in row.possible_streams:
        others = tuple(sorted(row.streams ^ {kind}))
        verb = "blind to" if kind in row.streams else "looks at"
        yield Mutant(f"{row.id}: {verb} {kind}", "stream", row.id, streams=others)


def _thresholds(profile: Profile, row: Mechanism) -> Iterator[Mutant]:
    """Each threshold one step up and one down; what the mechanism refuses is no mutant."""
    for name, value in row.thresholds.items():
        for other in _moved(value):
            mutant = Mutant(f"{row.id}: {name} {other}", "threshold", row.id, number=(name, other))
            try:
                mutant.applied(profile)
            except ValueError:
                continue
            yield mutant


def _moved(value: Number) -> tuple[Number, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return value - 1, value + 1
    return round(value - _STEP, 6), round(value + _STEP, 6)
