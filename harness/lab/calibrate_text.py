"""A calibration for people, in the form of the published statement, and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.lab.tally import MB

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.lab.calibrate import Reading
    from harness.lab.tally import Fire, Tally, Unread
    from harness.reporters.paint import Paint

VERSION = 1
_TIMES = {1: "once", 2: "twice"}
_MOST_PATHS = 8
_BAR = 20  # cells


def statement(tally: Tally) -> str:
    """The result in one line.

    >>> from harness.lab.tally import Tally
    >>> tally = Tally()
    >>> tally.parts["text"], tally.bytes["text"], tally.mechanisms["line-cycle"] = 12_499, 28_900_000, 2
    >>> statement(tally)
    '12,499 parts, 28.9 MB: fires twice'
    """
    parts = tally.parts.total()
    if not parts:
        return "0 parts: there was nothing to scan"
    fires = f"fires {_TIMES.get(tally.fired, f'{tally.fired:,} times')}" if tally.fired else "stays silent"
    return f"{parts:,} part{'s' * (parts != 1)}, {_size(tally.bytes.total())}: {fires}"


def render_tally(tally: Tally, profile: str, paint: Paint, seconds: float | None = None) -> Iterator[str]:
    """The report.

    Args:
        tally: What was counted.
        profile: The guard's name.
        paint: How it may look.
        seconds: How long it took; None leaves that out.
    """
    yield paint.tone(statement(tally), "odd" if tally.fired or not tally.parts else "good")
    took = "" if seconds is None else f", {seconds:.1f} s"
    streams = [f"{name} {tally.parts[name]:,} / {_size(tally.bytes[name])}" for name in sorted(tally.parts)]
    yield paint.safe(f"  guard '{profile}'{took}; {', '.join(streams) or 'no part'}")
    for mechanism, count in tally.mechanisms.most_common():
        yield f"  {mechanism:<28} {count:>7,}   {_rate(count, tally):>10} per MB"
    for fire in tally.fires:
        yield ""
        yield from _fire(fire, paint)
    yield from _rest("fire", tally.fired - len(tally.fires))
    yield from _unread("damaged or unreadable {}", tally.bad, tally.bad_listed, paint)
    yield from _unread("{} left out", tally.skipped, tally.skipped_listed, paint)
    if tally.without_text:
        yield ""
        yield f"{_count(tally.without_text, 'record')} without text at the given path"


def _fire(fire: Fire, paint: Paint) -> Iterator[str]:
    place = _place(fire.file, fire.line) + (f" {fire.where}" if fire.where else "")
    yield paint.tone(paint.safe(place), "strong")
    figures = (
        f"{fire.mechanism} ({fire.rule}) fires in the {fire.stream} after {fire.fired_at:,} of "
        f"{fire.chars:,} characters, keeps {fire.garbage_start:,}: {fire.reason}"
    )
    yield from paint.block("  ", figures)
    yield from paint.block("  > ", fire.excerpt, "faint")


def _unread(what: str, count: int, listed: Sequence[Unread], paint: Paint) -> Iterator[str]:
    if not count:
        return
    yield ""
    files = sum(one.line == 0 for one in listed)
    kinds = "files" if files == len(listed) else "records" if not files else "records and files"
    yield paint.tone(f"{count:,} {what.format(kinds if count > 1 else kinds.removesuffix('s'))}", "odd")
    for one in listed:
        yield from paint.block(f"  {paint.safe(_place(one.file, one.line))}: ", one.why)
    yield from _rest("", count - len(listed))


def _rest(what: str, count: int) -> Iterator[str]:
    if count > 0:
        more = f" {what}{'s' * (count != 1)}" if what else ""
        yield f"  and {count:,} more{more}; --list says how many are listed"


def _place(file: str, line: int) -> str:
    return f"{file}:{line}" if line else file


def _size(size: int) -> str:
    return f"{size / MB:,.1f} MB" if size >= MB / 10 else f"{size / 1000:,.1f} kB"


def _rate(count: int, tally: Tally) -> str:
    return f"{count / tally.megabytes:.3g}" if tally.megabytes else "-"


def _count(number: int, one: str) -> str:
    return f"{number:,} {one}{'s' * (number != 1)}"


def progress_line(done: int, total: int, tally: Tally, seconds: float) -> str:
    """How far a scan has come, for a terminal.

    >>> from harness.lab.tally import Tally
    >>> progress_line(1_500_000, 3_000_000, Tally(), 2.0)
    '[==========          ]  50 %  1.5 of 3.0 MB read, 0 parts, 0 fires, 2 s'
    """
    share = min(1.0, done / total) if total else 0.0
    bar = ("=" * int(_BAR * share)).ljust(_BAR)
    of = f" of {total / MB:,.1f}" if total else ""
    counts = f"{_count(tally.parts.total(), 'part')}, {_count(tally.fired, 'fire')}"
    return (
        f"[{bar}] {share:>4.0%}".replace("%", " %")
        + f"  {done / MB:,.1f}{of} MB read, {counts}, {seconds:.0f} s"
    )


def tally_data(tally: Tally, profile: str, seconds: float, *, interrupted: bool) -> dict[str, Any]:
    """The report as what JSON can hold; docs/calibrate.md describes it."""
    rates = {
        name: {"fires": count, "per_mb": round(count / tally.megabytes, 6) if tally.megabytes else None}
        for name, count in tally.mechanisms.most_common()
    }
    return {
        "version": VERSION,
        "statement": statement(tally),
        "guard": profile,
        "interrupted": interrupted,
        "seconds": round(seconds, 3),
        "parts": tally.parts.total(),
        "bytes": tally.bytes.total(),
        "streams": {
            name: {"parts": tally.parts[name], "bytes": tally.bytes[name]} for name in sorted(tally.parts)
        },
        "fired": tally.fired,
        "mechanisms": rates,
        "fires": [fire._asdict() for fire in tally.fires],
        "bad": {"count": tally.bad, "listed": [one._asdict() for one in tally.bad_listed]},
        "left_out": {"count": tally.skipped, "listed": [one._asdict() for one in tally.skipped_listed]},
        "records_without_text": tally.without_text,
    }


def why_nothing(tally: Tally, reading: Reading) -> str:
    """Why there was no part to scan, with the cure; empty when there is no more to say than that."""
    if tally.without_text:
        return f"no record has text at the given path\n  {hint_of_paths(tally)}"
    if reading.is_records and tally.bad:
        return (
            "no record could be read\n  each is a JSON object on a line of its own; of one list, "
            "jq -c '.[]' FILE makes such lines"
        )
    if reading.where and tally.lines:
        return "no record has what --where asks for; it compares whole strings, such as role=assistant"
    if tally.skipped and not reading.is_records:
        return (
            "no text was found; of JSON records, --text-path says where they have text, such as "
            "--text-path 'message.content[].text'"
        )
    return ""


def hint_of_paths(tally: Tally) -> str:
    """Where the first record without text has strings, for somebody whose path leads nowhere."""
    shown = ", ".join(tally.paths[:_MOST_PATHS])
    more = ", ..." if len(tally.paths) > _MOST_PATHS else ""
    return f"the first record has text at: {shown}{more}" if shown else "the first record has no text at all"
