"""Scenarios at the level of their texts: what the model streams, and what the steps say of the guard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from harness.lab.mutation_contract import Settings
from harness.steps.arguments import Abort, Silent, Truncation
from mock_llm.turn import Text, Thinking, content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.lab.mutants import Mutant
    from harness.lab.mutation_copy import Detectors
    from harness.scenario import Scenario, Step
    from mock_llm.script import ScriptTurn

_NONCE = "qa00000000"  # as long as a real one
_CHARS = 20  # of a delta


class Stated(NamedTuple):
    """What a step says of a reply, from 1; None leaves a figure open, and ``is_silent`` wants no finding."""

    label: str
    reply: int | None
    is_silent: bool = False
    rule: str | None = None
    mechanism: str | None = None
    stream: str | None = None
    fired_at: int | None = None
    within_chars: int | None = None
    kept_chars: int | None = None

    def holds(self, stops: Sequence[_Stop | None]) -> bool:
        """Whether it is so of the replies as a guard read them."""
        if self.is_silent:
            return not any(stops if self.reply is None else stops[self.reply - 1 : self.reply])
        assert self.reply is not None
        stop = stops[self.reply - 1] if self.reply <= len(stops) else None
        if stop is None:
            return False
        finding = stop.finding
        stated = (self.rule, self.mechanism, self.stream, self.fired_at, self.kept_chars)
        seen = (finding.rule, finding.mechanism, stop.stream, finding.fired_at, finding.garbage_start)
        return all(want in (None, is_) for want, is_ in zip(stated, seen, strict=True)) and (
            self.within_chars is None or finding.fired_at <= self.within_chars
        )


class ScenarioCase(NamedTuple):
    """The replies of a scenario as parts (stream, text), and what its steps say of them."""

    group: str
    id: str
    replies: tuple[tuple[tuple[str, str], ...], ...]
    stated: tuple[Stated, ...]
    settings: Settings = Settings()

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms that it wants to fire."""
        return tuple(step.mechanism for step in self.stated if step.mechanism)

    def failed(self, detectors: Detectors, mutant: Mutant | None) -> tuple[str, ...]:
        """The labels of the steps that are not so."""
        stops = tuple(self._stops(detectors, mutant))
        return tuple(step.label for step in self.stated if not step.holds(stops))

    def holds(self, detectors: Detectors, mutant: Mutant | None, *, thorough: bool) -> bool:
        """Whether every step is so."""
        return thorough or not self.failed(detectors, mutant)

    def _stops(self, detectors: Detectors, mutant: Mutant | None) -> Iterator[_Stop | None]:
        """Where the guard stops each reply, when the agent does with it what its rule says."""
        profile = self.settings.profile(detectors, mutant)
        turns = profile.turns()
        for parts in self.replies:
            guard = detectors.Guard(profile=profile, turns=turns)
            stop = _read(guard, parts)
            said = "".join(text for stream, text in parts if stream == "text")
            if stop is None:
                late = turns and turns.remember(said)
                yield _Stop(late, "text") if late else None
                continue
            yield stop
            _answer(turns, stop, parts, guard.block)


class _Stop(NamedTuple):
    finding: Any
    stream: str


def scenario_case(scenario: Scenario) -> ScenarioCase | None:
    """A scenario as a case; None when no step of it speaks of a guard."""
    stated = tuple(filter(None, map(_stated, scenario.steps)))
    if not stated:
        return None
    return ScenarioCase("scenarios", scenario.name, tuple(map(_parts, scenario.model)), stated)


def only_what_holds(case: ScenarioCase, detectors: Detectors) -> ScenarioCase:
    """The case with the steps that its texts alone can tell: those that hold without any mutant."""
    failed = case.failed(detectors, None)
    return case._replace(stated=tuple(step for step in case.stated if step.label not in failed))


def _stated(step: Step) -> Stated | None:
    args = step.args
    if isinstance(args, Abort):
        return Stated(
            label=step.label,
            reply=args.reply,
            rule=args.rule,
            mechanism=args.mechanism,
            stream=args.stream,
            fired_at=args.fired_at,
            within_chars=args.within_chars,
        )
    if isinstance(args, Truncation):
        return Stated(step.label, args.reply, stream=args.stream, kept_chars=args.kept_chars)
    if isinstance(args, Silent):
        return Stated(step.label, args.reply, is_silent=True)
    return None


def _parts(turn: ScriptTurn) -> tuple[tuple[str, str], ...]:
    parts = tuple(
        (
            "text" if isinstance(part, Text) else "thinking" if isinstance(part, Thinking) else "tool",
            content(part).replace("{nonce}", _NONCE),
        )
        for part in turn.turn.parts
    )
    if not turn.stream.until_hang_up:
        return parts
    size = max(1, sum(len(text) for stream, text in parts if stream == "text"))
    times = turn.stream.cap_chars // size + 1
    return tuple(
        (stream, (text * times)[: turn.stream.cap_chars] if stream == "text" else text)
        for stream, text in parts
    )


def _read(guard: Any, parts: Sequence[tuple[str, str]]) -> _Stop | None:
    for block, (stream, text) in enumerate(parts):
        for at in range(0, len(text), _CHARS):
            finding = guard.feed(block, stream, text[at : at + _CHARS])
            if finding:
                return _Stop(finding, stream)
    finding = guard.finish()
    return _Stop(finding, parts[guard.block][0]) if finding else None


def _answer(turns: Any, stop: _Stop, parts: Sequence[tuple[str, str]], block: int) -> None:
    """What the watch over the turns hears of a stopped reply: what is kept of it, and the correction."""
    if turns is None or stop.finding.rule == "control-token-leak":
        return
    texts = [text for stream, text in parts[:block] if stream == "text"]
    if stop.stream == "text":
        texts.append(parts[block][1][: stop.finding.garbage_start])
    turns.remember("".join(texts))
    if stop.finding.rule == turns.rule:
        turns.rearm()
