"""Step ``truncation``: what the session kept of a stopped reply, to the character."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from harness.steps.replies import UNSEEN, kept_text, not_saved, reply, session_line, turn_text, wire_line
from harness.steps.verdicts import CheckVerdict, Failed, Passed, Pending, failed
from harness.steps.wording import chars, look_in, quoted

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.steps.arguments import Truncation
    from harness.steps.replies import Reply


class _Saved(NamedTuple):
    """The saved stream beside what the model says on it, and what the guard had read of it.

    ``sent`` and ``read_chars`` are None where that is unknown.
    """

    kept: str
    has_marker: bool
    marker: str
    sent: str | None
    read_chars: int | None

    @property
    def persisted_chars(self) -> int:
        return len(self.kept) + (len(self.marker) if self.has_marker else 0)

    @property
    def is_whole(self) -> bool:
        return self.sent is not None and not self.has_marker and self.kept == self.sent

    @property
    def is_all_that_was_read(self) -> bool:
        return self.read_chars is not None and len(self.kept) >= self.read_chars


def check(args: Truncation, evidence: Evidence) -> CheckVerdict:
    """Judge as soon as the assistant message is in the session.

    The kept text must be the beginning of what the model sent, word for word.
    """
    view = reply(evidence, args.reply)
    if not evidence.session.is_kept:
        return failed(UNSEEN, _expected(args), [wire_line(view)])
    if view.message is None and not evidence.finished:
        return Pending(f"assistant message {args.reply} in the session")
    if view.message is None:
        return _failure(args, evidence, view, not_saved(view, evidence), [])
    kept, has_marker = kept_text(view.message, args.stream, evidence.guard.truncation_marker)
    marker = evidence.guard.truncation_marker
    saved = _Saved(kept, has_marker, marker, _sent(view, args), _read_chars(view, args))
    reasons = [*_differences(args, saved), *_elsewhere(args, saved, view)]
    if reasons:
        return _failure(args, evidence, view, _observed(saved), reasons)
    return Passed(_observed(saved))


def _sent(view: Reply, args: Truncation) -> str | None:
    turn = view.exchange.turn if view.exchange else None
    if turn is None:
        return None
    text = turn_text(turn.turn, args.stream)
    if turn.stream.until_hang_up and text:
        # The text comes again and again: as often as it takes to reach what was sent.
        assert view.exchange is not None
        return text * (view.exchange.chars_sent // len(text) + 1)
    return text


def _read_chars(view: Reply, args: Truncation) -> int | None:
    """What the guard had read of the stream when it fired, where the session says so."""
    fired = [r.fired_at for r in view.records if r.data.get("stream", "text") == args.stream]
    return min((at for at in fired if at is not None), default=None)


def _observed(saved: _Saved) -> str:
    if saved.is_whole:
        return f"nothing was cut: all {chars(len(saved.kept))} persisted"
    marker = "with the marker" if saved.has_marker else "and no marker"
    return f"{chars(len(saved.kept))} kept, {saved.persisted_chars:,} persisted {marker}"


def _differences(args: Truncation, saved: _Saved) -> list[str]:
    reasons = []
    if saved.is_whole and args.kept_chars != len(saved.kept):
        reasons.append("the session keeps the reply whole")
    elif saved.is_all_that_was_read and args.kept_chars is None:
        reasons.append("the session keeps all that the guard had read when it fired: nothing was cut off")
    if args.kept_chars is not None and args.kept_chars != len(saved.kept):
        reasons.append(f"kept_chars: {len(saved.kept):,}, not {args.kept_chars:,}")
    if args.persisted_chars is not None and args.persisted_chars != saved.persisted_chars:
        reasons.append(f"persisted_chars: {saved.persisted_chars:,}, not {args.persisted_chars:,}")
    if args.marker and not saved.has_marker:
        known = (
            f"no text block equal to {quoted(saved.marker)}"
            if saved.marker
            else "the agent's description has no 'guard.truncation_marker'"
        )
        reasons.append(f"marker: {known}")
    if not args.marker and saved.has_marker:
        reasons.append(f"marker: the message carries {quoted(saved.marker)}")
    return reasons + _first_difference(saved)


def _elsewhere(args: Truncation, saved: _Saved, view: Reply) -> list[str]:
    """Nothing kept of a stream in which nothing went wrong shows nothing, unless that is asked for."""
    if saved.kept or args.kept_chars is not None:
        return []
    streams = [record.data["stream"] for record in view.records if "stream" in record.data]
    if not streams or args.stream in streams:
        return []
    return [f"stream: the rule fired in '{streams[0]}', not in '{args.stream}'", look_in(streams[0])]


def _first_difference(saved: _Saved) -> list[str]:
    if saved.sent is None:
        return ["the kept text cannot be compared: no turn answered this reply"]
    if saved.sent.startswith(saved.kept):
        return []
    pairs = zip(saved.kept, saved.sent, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(saved.kept), len(saved.sent)))
    around = slice(max(0, at - 20), at + 40)
    return [
        f"the kept text differs from what was sent at character {at:,}:",
        f"  kept {quoted(saved.kept[around])}",
        f"  sent {quoted(saved.sent[around])}",
    ]


def _failure(args: Truncation, evidence: Evidence, view: Reply, observed: str, reasons: list[str]) -> Failed:
    return failed(observed, _expected(args), [*reasons, session_line(view, evidence), wire_line(view)])


def _expected(args: Truncation) -> str:
    kept = "the beginning" if args.kept_chars is None else chars(args.kept_chars)
    persisted = "" if args.persisted_chars is None else f", {args.persisted_chars:,} persisted"
    marker = "with the marker" if args.marker else "without a marker"
    stream = "" if args.stream == "text" else f" of its {args.stream}"
    return f"reply {args.reply}: {kept}{stream} kept{persisted} {marker}"
