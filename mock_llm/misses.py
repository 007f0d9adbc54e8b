"""What a report says of a request that nothing answers: the closest turn, what it wanted, and what it got."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mock_llm.matchers import Check, explain, named, wanted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mock_llm.conversations import Conversation, Track
    from mock_llm.matchers import Fit, Matcher
    from mock_llm.request import ModelRequest
    from mock_llm.script import Lane, ScriptTurn

_SHOWN_CHARS = 80
_MOST_OTHERS = 6


class Candidate(NamedTuple):
    """Something that might have answered: its name for messages and how its checks came out."""

    name: str
    fits: list[Fit]

    @property
    def misfits(self) -> int:
        """How many checks do not fit."""
        return sum(not fit.fits for fit in self.fits)


def describe(request: ModelRequest) -> str:
    """A request in one line of a report."""
    count = len(request.messages)
    text = request.last_user_text
    shown = repr(text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 3] + "...")
    return f"  POST {request.path}, {count} message{'s' * (count != 1)}, last user text {shown}"


def turn_name(turns: Sequence[ScriptTurn], place: int) -> str:
    """A turn, whose place counts from 0, as messages name it: ``turn 2 (s.yaml:9)``.

    One that was given to ``serve`` has no other place than its number.
    """
    name, where = f"turn {place + 1}", turns[place].place
    return f"{name} ({where})" if where and where.partition(":")[0] != name else name


def lane_name(lane: Lane) -> str:
    """A lane as messages name it: ``lane 'title' (s.yaml:9)``."""
    where = f" ({lane.place})" if lane.place else ""
    return f"lane '{lane.name}'{where}"


def over_cap(request: ModelRequest, number: int, cap: int, played: str) -> str:
    """There were too many requests; ``played`` says how many turns were."""
    return "\n".join(
        (
            f"request {number} is over the cap of {cap} requests",
            describe(request),
            f"  {played}",
            "  see what the client repeats, or raise 'max_requests'",
        )
    )


def in_no_lane(request: ModelRequest, number: int, main: str, lanes: Sequence[Lane]) -> str:
    """The request belongs to no lane.

    Args:
        request: What was asked.
        number: Its place among all requests, from 1.
        main: What the closest turn of the main lane wants; empty when the script has no such lane.
        lanes: The other lanes.
    """
    of_script = "the conversation of the script" if main and not lanes else "any lane of the script"
    lines = [f"request {number} does not belong to {of_script}", describe(request)]
    lines += [f"  closest: {main}"] if main else []
    candidates = [Candidate(lane_name(lane), explain(_matcher_of(lane), request, 0)) for lane in lanes]
    if candidates:
        lines += _tried(candidates, "" if main else "closest: ")
    lines.append("  describe it as a side request of the agent, or put that text into the prompt")
    if lanes:
        lines[-1] = "  describe it as a side request of the agent, or as a lane of the script"
    return "\n".join(lines)


def _matcher_of(lane: Lane) -> Matcher:
    """All that a lane wants of a request, its nonce too."""
    return (Check("user", "contains", lane.nonce), *lane.match) if lane.nonce else lane.match


def main_wants(track: Track, nonce: str) -> str:
    """What the closest turn of the main lane wants, where a nonce tells its requests."""
    turns, unused = track.lane.turns, track.unused
    if unused:
        closest = f"{turn_name(turns, unused[0])} wants"
    elif turns:
        closest = f"{turn_name(turns, len(turns) - 1)} (played) wanted"
    else:
        closest = "the script has no turns, and wants"
    return f"{closest} a user message that contains '{nonce}'"


def no_turn_left(
    request: ModelRequest, number: int, conversation: Conversation, why_not_last: str = ""
) -> str:
    """The conversation has no turn that answers the request.

    ``why_not_last`` says why ``when_exhausted`` did not help.
    """
    lane = conversation.track.lane
    of_lane = f" in {lane_name(lane)}" if lane.name else ""
    lines = [f"request {number} has no turn left to answer it{of_lane}", describe(request)]
    waiting = [
        Candidate(turn_name(lane.turns, p), explain(lane.turns[p].when, request, conversation.nth))
        for p in conversation.waiting
    ]
    if waiting:
        lines += _tried(waiting)
        lines.append("  add a turn that fits it, or set 'when_exhausted'")
    elif conversation.last is not None:
        last = turn_name(lane.turns, conversation.last)
        lines.append(f"  closest: {last} was the last one, and it is played already")
        lines.append("  add a turn to 'model', or see why the client asked again")
    else:
        lines.append("  the script has no turns" if not lane.name else "  the lane has no turns")
        lines.append("  add a turn to 'model', or see why the client asked again")
    if why_not_last:
        lines[-1] = f"  {why_not_last}"
    return "\n".join(lines)


def _closest(candidates: Sequence[Candidate]) -> Candidate:
    """The one with the fewest checks that do not fit; of several, the first."""
    return min(candidates, key=lambda candidate: (candidate.misfits, -len(candidate.fits)))


def _tried(candidates: Sequence[Candidate], label: str = "closest: ") -> list[str]:
    """The closest one with all its checks, then the others, each with the first check that does not fit."""
    closest = _closest(candidates)
    others = [candidate for candidate in candidates if candidate is not closest]
    lines = _compared(closest, label)
    for candidate in others[:_MOST_OTHERS]:
        misfit = next(fit for fit in candidate.fits if not fit.fits)
        more = f" (and {candidate.misfits - 1} more)" if candidate.misfits > 1 else ""
        lines.append(f"  tried too: {candidate.name} wants {_sentence(misfit)}{more}")
    left = len(others) - _MOST_OTHERS
    return [*lines, f"  and {left} more that do not fit"] if left > 0 else lines


def _compared(candidate: Candidate, label: str) -> list[str]:
    """What a candidate wanted and what it got: in one line, or a line for each of several checks."""
    fits = candidate.fits
    if len(fits) == 1:
        return [f"  {label}{candidate.name} wants {_sentence(fits[0])}"]
    head = f"  {label}{candidate.name}, {len(fits) - candidate.misfits} of {len(fits)} checks fit"
    return [head, *(f"    {'fits ' if fit.fits else 'wants'} {_sentence(fit)}" for fit in fits)]


def _sentence(fit: Fit) -> str:
    """``the model to contain 'pi', got 'gpt'``."""
    return f"{named(fit.check)} {wanted(fit.check)}, got {fit.got}"
