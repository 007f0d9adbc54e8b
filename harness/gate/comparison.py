"""The gate: what a run shows that its baseline does not, and what follows from it.

A finding ``fails`` when no reason makes it right: a run that could not be made, a control that no longer
fails, a scenario that has none. A difference from the baseline is to ``accept`` with a reason, or to repair.
What can only be better or is a matter of the machine ``warns``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from harness.place import Place
from harness.results import Change, ScenarioResult, Stop
from harness.steps.wording import chars, count

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from harness.results import Level

CLASSES_S = {"under 1 s": 1.0, "under 3 s": 3.0, "under 10 s": 10.0, "under 30 s": 30.0, "over 30 s": 1e9}
"""Classes of duration by their upper bounds: coarse, because a busy machine is no finding."""

_BETTER = ("caught-earlier", "passes-now", "new-scenario")
"""What warns because the baseline should say it."""

_STOPPING_STEPS = ("abort", "silent", "truncation", "recovery")


class Known(NamedTuple):
    """What the baseline says of a scenario on an agent in a dialect.

    ``control`` is the verdict of its control, empty where none was run.
    """

    verdict: str
    control: str
    requests: int
    duration: str
    stops: tuple[Stop, ...] = ()


Key = tuple[str, str, str]
"""Agent, dialect, scenario."""


def key_of(result: ScenarioResult) -> Key:
    """Where the baseline keeps a result."""
    return result.agent, result.dialect, result.scenario


def known(results: Iterable[ScenarioResult], before: Mapping[Key, Known]) -> dict[Key, Known]:
    """The baseline that these results would make.

    A duration stays in the class it had until it is two classes away, so that a new baseline differs from
    the one before only in what matters.
    """
    found: dict[Key, Known] = {}
    controls = {key_of(r): r.verdict for r in results if r.control}
    for result in results:
        if not result.control:
            key = key_of(result)
            duration = duration_class(result.duration_s)
            old = before.get(key)
            if old is not None and abs(_rank(duration) - _rank(old.duration)) < 2:
                duration = old.duration
            control = controls.get(key, "")
            found[key] = Known(result.verdict, control, result.requests, duration, result.stops)
    return found


def duration_class(seconds: float) -> str:
    """The class of a duration.

    >>> duration_class(0.4), duration_class(12)
    ('under 1 s', 'under 30 s')
    """
    return next(name for name, bound in CLASSES_S.items() if seconds < bound)


def compare(
    before: Mapping[Key, Known],
    results: Sequence[ScenarioResult],
    *,
    gone: Iterable[Key] = (),
    later_chars: int = 0,
) -> tuple[Change, ...]:
    """Every finding, in the order of the results.

    Args:
        before: The baseline.
        results: The runs, controls among them.
        gone: Entries of the baseline whose scenario is not among the gate's any more.
        later_chars: A loop may be caught so many characters later with a warning only.
    """
    controls = {key_of(r): r for r in results if r.control}
    found: list[Change] = []
    for result in results:
        if not result.control:
            one = _One(result, before.get(key_of(result)), controls.get(key_of(result)), later_chars)
            found += one.changes()
    for agent, dialect, scenario in gone:
        text = "is in the baseline and no longer among the scenarios of the gate"
        found.append(Change("scenario-gone", "accept", scenario, agent, dialect, text))
    return tuple(found)


def failing(changes: Iterable[Change]) -> list[Change]:
    """The findings for which the gate fails."""
    return [change for change in changes if change.level in ("fails", "accept")]


def taken(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The findings once what was seen is the new baseline: what differs from the old one is accepted."""
    return tuple(
        replace(change, level="accepted") if change.level == "accept" or change.kind in _BETTER else change
        for change in changes
    )


class _One(NamedTuple):
    """One scenario on one agent in one dialect, beside what was known of it."""

    result: ScenarioResult
    old: Known | None
    control: ScenarioResult | None
    later_chars: int

    def changes(self) -> Iterator[Change]:
        result, old = self.result, self.old
        if result.verdict == "error":
            yield self._change("could-not-run", "fails", _first(result.problem))
        elif old is None:
            yield from self._new()
        else:
            yield from self._stops(old)
            yield from self._verdict(old)
            if result.requests != old.requests:
                text = f"makes {count(result.requests, 'request')} instead of {old.requests:,}"
                yield self._change("other-requests", "accept", text, str(old.requests), str(result.requests))
            yield from self._duration(old)
        if result.is_flaky:
            yield self._flaky(result)
        yield from self._control()

    def _new(self) -> Iterator[Change]:
        if self.result.verdict == "failed":
            text = f"is new and fails: {_why(self.result)}"
            yield self._change("new-and-failing", "accept", text, place=_wrong_place(self.result))
        else:
            text = f"is new to the baseline ({self.result.verdict})"
            yield self._change("new-scenario", "warns", text)

    def _verdict(self, old: Known) -> Iterator[Change]:
        now = self.result.verdict
        place = _wrong_place(self.result)
        if now == old.verdict:
            if now == "failed":
                text = f"fails as in the baseline: {_why(self.result)}"
                yield self._change("known-failure", "warns", text, place=place)
            return
        if now == "passed":
            text = f"passes now, and the baseline says {old.verdict}"
            yield self._change("passes-now", "warns", text, old.verdict, now)
        elif now == "skipped":
            text = f"is skipped now: {_first(self.result.problem)}"
            yield self._change("skipped-now", "accept", text, old.verdict, now)
        else:
            text = f"no longer passes: {_why(self.result)}"
            yield self._change("no-longer-passes", "accept", text, old.verdict, now, place=place)

    def _stops(self, old: Known) -> Iterator[Change]:
        was = {stop.reply: stop for stop in old.stops}
        now = {stop.reply: stop for stop in self.result.stops}
        for reply in sorted(was.keys() | now.keys()):
            before, after = was.get(reply), now.get(reply)
            if after is None:
                assert before is not None
                text = f"the loop of reply {reply} is no longer caught; it was, by {_shown(before)}"
                yield self._change("loop-missed", "accept", text, _shown(before), "not caught")
            elif before is None:
                kind = "healthy" if not old.stops else "whole"
                text = f"reply {reply}, which was {kind}, is now interrupted by {_shown(after)}"
                yield self._change("healthy-interrupted", "accept", text, "whole", _shown(after))
            else:
                yield from self._stop(before, after)

    def _stop(self, was: Stop, now: Stop) -> Iterator[Change]:
        subject = f"the loop of reply {now.reply} is caught"
        late = (now.fired_at or 0) - (was.fired_at or 0) if None not in (was.fired_at, now.fired_at) else 0
        if late:
            way = "later" if late > 0 else "earlier"
            level: Level = "accept" if late > self.later_chars else "warns"
            text = f"{subject} {chars(abs(late))} {way}: by {_shown(now)}, was {_shown(was)}"
            yield self._change(f"caught-{way}", level, text, _shown(was), _shown(now), by=late)
        if (was.rule, was.mechanism, was.stream) != (now.rule, now.mechanism, now.stream):
            text = f"{subject} by another mechanism: by {_shown(now)}, was {_shown(was)}"
            yield self._change("other-mechanism", "accept", text, _shown(was), _shown(now))
        if (was.fired_at is None) != (now.fired_at is None):
            text = f"{subject} by {_shown(now)}, was {_shown(was)}"
            yield self._change("other-figures", "accept", text, _shown(was), _shown(now))
        if was.kept_chars != now.kept_chars:
            verb = "is" if now.kept_chars in (None, 0, 1) else "are"
            text = f"{_kept(now)} of reply {now.reply} {verb} kept, {_kept(was)} before"
            place = _step_place(self.result, ("truncation",))
            yield self._change("keeps-other", "accept", text, _kept(was), _kept(now), place=place)

    def _duration(self, old: Known) -> Iterator[Change]:
        now = duration_class(self.result.duration_s)
        if _rank(now) - _rank(old.duration) >= 2:
            text = f"takes {self.result.duration_s:.1f} s, was {old.duration}"
            yield self._change("slower", "warns", text, old.duration, now)

    def _control(self) -> Iterator[Change]:
        control = self.control
        if control is None:
            text = "has no control: nothing shows that its checks can fail"
            yield self._change("no-control", "fails", text)
            return
        text = _first(control.problem)
        if control.verdict == "error":
            yield self._change("could-not-run", "fails", text, of=control)
        elif control.verdict == "failed":
            text = f"the control no longer fails as it must: {text}"
            yield self._change("control-broken", "fails", text, of=control)
        elif control.verdict == "skipped" and (self.old is None or self.old.control != "skipped"):
            level: Level = "warns" if self.old is None else "accept"
            yield self._change("control-skipped", level, f"the control is skipped: {text}", of=control)
        if control.is_flaky:
            yield self._flaky(control)

    def _flaky(self, of: ScenarioResult) -> Change:
        passed, made = of.passes
        what = next((a.what for a in of.attempts if a.verdict != "passed"), "")
        text = f"is flaky: {passed} of {made} attempts passed; {what}".removesuffix("; ")
        return self._change("flaky", "warns", text, of=of)

    def _change(
        self,
        kind: str,
        level: Level,
        text: str,
        before: str = "",
        after: str = "",
        *,
        by: int | None = None,
        place: Place | None = None,
        of: ScenarioResult | None = None,
    ) -> Change:
        result = of or self.result
        return Change(
            kind=kind,
            level=level,
            scenario=result.scenario,
            agent=result.agent,
            dialect=result.dialect,
            text=text,
            control=result.control,
            before=before,
            after=after,
            by=by,
            place=place or _place(result),
        )


def _place(result: ScenarioResult) -> Place | None:
    """Where in the scenario a finding stands: at the first step about stopping, or else at the first line."""
    found = _step_place(result, _STOPPING_STEPS)
    return found or (Place(result.file, 1, 1) if result.file else None)


def _step_place(result: ScenarioResult, kinds: Container[str]) -> Place | None:
    return next((step.place for step in result.steps if step.kind in kinds), None)


def _wrong_place(result: ScenarioResult) -> Place | None:
    return next((step.place for step in result.steps if step.verdict == "failed"), None)


def _why(result: ScenarioResult) -> str:
    wrong = next((step for step in result.steps if step.verdict == "failed"), None)
    if wrong is None:
        return _first(result.problem)
    cure = "; 'qa review' shows and accepts it" if wrong.kind == "snapshot" else ""
    return f"'{wrong.label}': {wrong.observed}{cure}"


def _first(text: str) -> str:
    return text.splitlines()[0] if text else ""


def _shown(stop: Stop) -> str:
    """``paragraph-repeat at 1,046 of 1,362 characters``, as far as it is known."""
    who = stop.mechanism or stop.rule or "an unnamed rule"
    if stop.fired_at is None:
        return who
    if not stop.text_chars:
        return f"{who} at {chars(stop.fired_at)}"
    return f"{who} at {stop.fired_at:,} of {chars(stop.text_chars)}"


def _kept(stop: Stop) -> str:
    if stop.kept_chars is None:
        return "an unknown part"
    return chars(stop.kept_chars) if stop.kept_chars else "nothing"


def _rank(duration: str) -> int:
    names = list(CLASSES_S)
    return names.index(duration) if duration in names else 0
