"""A replay for people: where the guard fires, what would be kept, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from harness.lab.explain import Explanation, Nearest, explain, nearest
from harness.reporters.printable import padded, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.detectors.finding import Finding
    from harness.detectors.mechanisms import Profile
    from harness.lab.capture import Capture, Part
    from harness.lab.comparison import Comparison
    from harness.lab.replay import Verdict
    from harness.reporters.paint import Paint

_EXCERPT = 200  # characters
_READ_AS = {"text": "plain text", "terminal": "terminal output", "asciicast": "recorded terminal (asciicast)"}
_DROPS_ALL = "control-token-leak"


class Detail(NamedTuple):
    """What a user wants to see: reasons, and the whole text that would be kept."""

    explains: bool = False
    shows_kept: bool = False


def render_capture(
    capture: Capture,
    verdicts: Sequence[Verdict],
    comparisons: Sequence[Comparison],
    profile: Profile,
    detail: Detail,
    paint: Paint,
    theirs: str = "",
) -> Iterator[str]:
    """The lines about one capture.

    Args:
        capture: What was read.
        verdicts: What the guard said of each message.
        comparisons: The same beside another implementation, or empty.
        profile: The guard's.
        detail: How much is shown.
        paint: How it may look.
        theirs: What the other implementation is called.
    """
    size = sum(len(part.text) for message in capture.messages for part in message.parts)
    replies = f"{_count(len(capture.messages), 'reply', 'replies')}, " if capture.is_session else ""
    read_as = _READ_AS.get(capture.reader, f"session ({capture.reader})")
    yield paint.tone(paint.safe(f"{capture.name}: {read_as}, {replies}{_chars(size)}"), "strong")
    for note in capture.notes:
        yield from paint.block("  note: ", note, "odd")
    for at, verdict in enumerate(verdicts):
        lines = list(_verdict(capture, verdict, profile, detail, paint))
        if comparisons:
            lines += _comparison(comparisons[at], paint, theirs)
        if lines and capture.is_session:
            yield paint.tone(f"  reply {verdict.message.number}", "strong")
        yield from lines
    fired = sum(verdict.finding is not None for verdict in verdicts)
    if not fired:
        yield paint.tone(f"  the guard '{profile.name}' stays silent", "good")
    elif capture.is_session:
        yield f"  the guard '{profile.name}' fires in {fired} of {_count(len(verdicts), 'reply', 'replies')}"
    if comparisons:
        yield _agreement(comparisons, paint, theirs)


def _verdict(
    capture: Capture, verdict: Verdict, profile: Profile, detail: Detail, paint: Paint
) -> Iterator[str]:
    if verdict.part is None or verdict.finding is None:
        if detail.explains and not capture.is_session:
            for part in verdict.message.parts:
                yield from _near(nearest(part.text, part.stream, profile))
        return
    part, finding = verdict.message.parts[verdict.part], verdict.finding
    yield from _fired(part, finding, paint, is_session=capture.is_session)
    yield from _kept(part, finding, detail, paint)
    if detail.explains:
        yield from _why(part, explain(part.text, finding, profile), paint)


def _fired(part: Part, finding: Finding, paint: Paint, *, is_session: bool) -> Iterator[str]:
    line, column = part.place(max(0, finding.fired_at - 1))
    of = "of the part" if is_session else ""
    stream = f"{part.stream}: " if is_session or part.stream != "text" else ""
    rule = "" if finding.rule == finding.mechanism else f" ({finding.rule})"
    fired = (
        f"{finding.mechanism}{rule} fires after {finding.fired_at:,} of {_chars(len(part.text))}, "
        f"line {line}:{column} {of}".rstrip()
    )
    yield from paint.block(f"  {stream}", fired, "bad")
    yield from paint.block("    because      ", finding.reason)
    line, column = part.place(finding.anomaly_start)
    yield f"    loop began   at {finding.anomaly_start:,}, line {line}:{column}"


def _kept(part: Part, finding: Finding, detail: Detail, paint: Paint) -> Iterator[str]:
    kept, dropped = part.text[: finding.garbage_start], part.text[finding.garbage_start :]
    read = finding.fired_at - finding.garbage_start
    if finding.rule == _DROPS_ALL:
        yield f"    kept         nothing, the reply is drawn anew; before the leak: {_chars(len(kept))}"
    else:
        line, column = part.place(finding.garbage_start)
        yield f"    kept         {_chars(len(kept))}, up to line {line}:{column}"
    yield f"    dropped      {_chars(len(dropped))}; {read:,} of them had been read"
    if detail.shows_kept:
        yield paint.tone("    --- kept", "odd")
        yield from (paint.safe(line) for line in kept.split("\n"))
        yield paint.tone("    --- dropped from here on", "odd")
        return
    if kept:
        yield from paint.block("    kept ends    ", _end_of(kept), "faint")
    if dropped:
        yield from paint.block("    dropped is   ", _start_of(dropped), "faint")


def _why(part: Part, why: Explanation, paint: Paint) -> Iterator[str]:
    numbers = ", ".join(f"{name} {_number(value)}" for name, value in why.thresholds.items())
    yield from paint.block("    thresholds   ", f"{why.mechanism}: {numbers}" if numbers else why.mechanism)
    figures = {name: value for name, value in why.figures.items() if not isinstance(value, str)}
    if figures:
        counted = ", ".join(f"{name} {value}" for name, value in figures.items())
        yield from paint.block("    counted      ", counted)
    if why.unit:
        yield from paint.block("    again        ", _start_of(why.unit))
    if why.paragraphs:
        yield from _paragraphs(part, why, paint)


def _paragraphs(part: Part, why: Explanation, paint: Paint) -> Iterator[str]:
    yield paint.tone("    paragraph    start   line  similar  to start  text", "faint")
    for one in why.paragraphs:
        similar = "" if one.similarity is None else f"{one.similarity:.3f}"
        to = "" if one.anchor is None else f"{one.anchor:,}"
        head = f"    {one.role:<8} {one.start:>9,} {part.place(one.start)[0]:>6}  {similar:>7} {to:>9}  "
        room = max(20, paint.width - len(head))
        yield head + _cut(paint.safe(" ".join(one.text.split())), room)


def _near(found: Iterable[Nearest]) -> Iterator[str]:
    for one in found:
        yield f"    {one.mechanism}: at most {one.reached} {one.what}, {one.needed} would fire"


def _comparison(comparison: Comparison, paint: Paint, theirs: str) -> Iterator[str]:
    if comparison.failure:
        first, *more = comparison.failure.split("\n")
        yield from paint.block("    no verdict   ", f"{theirs}: {first}", "bad")
        yield from (f"    {paint.safe(line)}" for line in more)
        return
    if not comparison.rows:
        return
    if not comparison.differences:
        yield paint.tone(f"    {paint.safe(theirs)} says the same", "good")
        return
    cells = [("", "qa", paint.safe(theirs))]
    cells += [(row.name, _cell(row.ours), paint.safe(_cell(row.theirs))) for row in comparison.rows]
    widths = [max(width_of(cell[column]) for cell in cells) for column in range(3)]
    marks = [False, *(row.differs for row in comparison.rows)]
    for cell, differs in zip(cells, marks, strict=True):
        line = "  ".join(padded(text, width) for text, width in zip(cell, widths, strict=True))
        yield paint.tone(f"    {line}  differs", "bad") if differs else f"    {line}".rstrip()


def _agreement(comparisons: Sequence[Comparison], paint: Paint, theirs: str) -> str:
    failed = sum(bool(comparison.failure) for comparison in comparisons)
    differ = sum(bool(comparison.differences) for comparison in comparisons)
    same = len(comparisons) - failed - differ
    counts = [f"the same of {same}"] if same else []
    counts += [f"something else of {differ}"] if differ else []
    counts += [f"nothing of {failed}"] if failed else []
    replies = "reply" if (failed or differ or same) == 1 and len(comparisons) == 1 else "replies"
    text = paint.safe(f"  {theirs} says {', '.join(counts)} {replies}")
    return paint.tone(text, "bad" if differ or failed else "good")


def _cell(value: str | int | None) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:,}"


def _number(value: float) -> str:
    return f"{value:,}" if value is not True and value is not False else str(value).lower()


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _chars(number: int) -> str:
    return _count(number, "character", "characters")


def _cut(text: str, room: int) -> str:
    while width_of(text) > room:
        text = text[: max(1, len(text) - max(1, (width_of(text) - room) // 2) - 1)].rstrip("…") + "…"
        if len(text) <= 2:
            break
    return text


def _start_of(text: str) -> str:
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"


def _end_of(text: str) -> str:
    return text if len(text) <= _EXCERPT else f"…{text[-_EXCERPT:]}"
