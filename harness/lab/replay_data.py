"""A replay for programs: the shape of ``qa replay --json``, described in docs/replay.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.lab.explain import explain, nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.detectors.finding import Finding
    from harness.detectors.mechanisms import Profile
    from harness.lab.capture import Capture, Part
    from harness.lab.comparison import Comparison
    from harness.lab.replay import Verdict
    from harness.lab.replay_text import Detail

VERSION = 1


def capture_data(
    capture: Capture,
    verdicts: Sequence[Verdict],
    comparisons: Sequence[Comparison],
    profile: Profile,
    detail: Detail,
) -> dict[str, Any]:
    """One capture as what JSON can hold."""
    replies = [
        {
            "reply": verdict.message.number,
            "parts": [{"stream": part.stream, "chars": len(part.text)} for part in verdict.message.parts],
            "part": verdict.part,
            **_verdict(verdict, profile, detail),
            **(_comparison(comparisons[at]) if comparisons else {}),
        }
        for at, verdict in enumerate(verdicts)
    ]
    return {"file": capture.name, "reader": capture.reader, "notes": list(capture.notes), "replies": replies}


def _verdict(verdict: Verdict, profile: Profile, detail: Detail) -> dict[str, Any]:
    if verdict.part is None or verdict.finding is None:
        if not detail.explains:
            return {"finding": None}
        near = [
            one._asdict()
            for part in verdict.message.parts
            for one in nearest(part.text, part.stream, profile)
        ]
        return {"finding": None, "nearest": near}
    part = verdict.message.parts[verdict.part]
    data: dict[str, Any] = {"finding": finding_data(part, verdict.finding)}
    if detail.shows_kept:
        data["kept"] = part.text[: verdict.finding.garbage_start]
    if detail.explains:
        why = explain(part.text, verdict.finding, profile)
        data["why"] = {**why._asdict(), "paragraphs": [one._asdict() for one in why.paragraphs]}
    return data


def finding_data(part: Part, finding: Finding) -> dict[str, Any]:
    """A finding with the line and the column at which it fired."""
    line, column = part.place(max(0, finding.fired_at - 1))
    return {**finding._asdict(), "line": line, "column": column}


def _comparison(comparison: Comparison) -> dict[str, Any]:
    claim = comparison.claim
    return {
        "detector": {
            "finding": claim._asdict() if claim else None,
            "failure": comparison.failure or None,
            "differences": [row.name for row in comparison.differences],
        }
    }
