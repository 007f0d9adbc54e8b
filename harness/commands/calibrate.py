"""``qa calibrate``: how often a guard fires over a store of real texts."""

from __future__ import annotations

import contextlib
import gc
import json
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.detectors.finding import StreamKind
    from harness.detectors.mechanisms import Profile
    from harness.lab.calibrate import Reading
    from harness.lab.calibrate_pool import Done
    from harness.lab.json_path import Path as JsonPath
    from harness.lab.tally import Tally

_EVERY_S = 0.1
_SMALL_BYTES = 2_000_000
"""Of a smaller store, more processes cost more than they save."""


@click.command()
@click.argument("stores", nargs=-1, required=True, metavar="STORE...")
@click.option(
    "--text-path",
    "texts",
    multiple=True,
    metavar="PATH",
    help="Where a JSON record has text, such as choices[].message.content.",
)
@click.option("--thinking-path", "thinkings", multiple=True, metavar="PATH", help="Where it has thinking.")
@click.option(
    "--where", multiple=True, metavar="PATH=VALUE", help="Only records that have this string there."
)
@click.option("--reader", metavar="NAME", help="What the files are, instead of finding it out for each.")
@click.option(
    "--stream",
    "streams",
    multiple=True,
    type=click.Choice(["text", "thinking", "tool"]),
    help="The kinds of parts that are scanned.  [default: text, thinking]",
)
@click.option("--guard-profile", "profile_file", type=click.Path(path_type=Path), help="Another guard.")
@click.option(
    "--disable", "disabled", multiple=True, metavar="RULE", help="A rule or mechanism that does not run."
)
@click.option("--jobs", type=click.IntRange(min=1), help="Processes.  [default: one for each processor]")
@click.option(
    "--list",
    "most",
    default=100,
    show_default=True,
    type=click.IntRange(min=0),
    help="Fires that are listed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--fail-on-finding", is_flag=True, help="Exit with 1 if the guard fires.")
def calibrate(
    stores: tuple[str, ...],
    texts: tuple[str, ...],
    thinkings: tuple[str, ...],
    where: tuple[str, ...],
    reader: str | None,
    streams: tuple[StreamKind, ...],
    profile_file: Path | None,
    disabled: tuple[str, ...],
    jobs: int | None,
    most: int,
    *,
    as_json: bool,
    fail_on_finding: bool,
) -> None:
    """Run a guard over stores of real texts, and say how often it fires.

    A STORE is a folder or a file of sessions, plain text, or JSON lines ('--text-path'); '-' is standard
    input. Exit codes: 0 scanned (1 with --fail-on-finding if it fired), 2 wrong command line or store, 5 no
    text found, 130 interrupted.
    """
    from harness.lab.calibrate import Reading
    from harness.lab.calibrate_files import check_stores, total_bytes
    from harness.lab.guard_options import checked_reader, chosen_profile

    gc.enable()  # the front of qa has switched it off
    checked_reader(reader)
    reading = Reading(
        texts=tuple(_path("--text-path", text) for text in texts),
        thinkings=tuple(_path("--thinking-path", text) for text in thinkings),
        where=tuple(map(_condition, where)),
        reader=reader,
        streams=streams or ("text", "thinking"),
        most=most,
    )
    if reading.where and not reading.is_records:
        raise click.UsageError("--where needs --text-path or --thinking-path")
    if reading.is_records and reader:
        raise click.UsageError("--reader and --text-path exclude each other")
    profile = chosen_profile(profile_file, disabled)
    check_stores(stores)
    live = sys.stderr.isatty()
    total = total_bytes(stores) if live or not jobs else 0
    jobs = jobs or _jobs(stores, total)
    scan = _Scan(reading, profile, _Progress(total, live=live))
    with contextlib.suppress(KeyboardInterrupt):
        scan.run(stores, jobs)
    scan.print_report(as_json=as_json)
    sys.exit(scan.exit_code(fail_on_finding=fail_on_finding))


class _Scan:
    """One scan: what it has counted, also when it was interrupted."""

    def __init__(self, reading: Reading, profile: Profile, progress: _Progress) -> None:
        from harness.lab.tally import Tally

        self._reading = reading
        self._profile = profile
        self._progress = progress
        self._started = time.monotonic()
        self._tally = Tally(reading.most)
        self._is_whole = False

    def run(self, stores: Sequence[str], jobs: int) -> None:
        from harness.lab.calibrate_files import tasks
        from harness.lab.calibrate_pool import scan_all

        with contextlib.closing(
            scan_all(tasks(stores, self._reading), self._reading, self._profile, jobs)
        ) as results:
            self._add(results)
        self._is_whole = True

    def _add(self, results: Iterable[Done]) -> None:
        base = 0
        for done in results:
            first = done.task[0]
            base = base if first.start else 0
            self._tally.merge(done.tally, base)
            base += done.tally.lines
            size = sum(piece.end - piece.start for piece in done.task)
            self._progress.tell(size, self._tally, time.monotonic() - self._started)

    def print_report(self, *, as_json: bool) -> None:
        from harness.lab.calibrate_text import render_tally, tally_data, why_nothing
        from harness.lab.guard_options import paint

        self._progress.end()
        seconds = time.monotonic() - self._started
        name, tally = self._profile.name, self._tally
        if as_json:
            click.echo(json.dumps(tally_data(tally, name, seconds, interrupted=not self._is_whole), indent=2))
        else:
            click.echo("\n".join(render_tally(tally, name, paint(), seconds)))
        if not self._is_whole:
            click.echo("interrupted: this is what was counted so far", err=True)
        elif not tally.parts and (why := why_nothing(tally, self._reading)):
            click.echo(why, err=True)

    def exit_code(self, *, fail_on_finding: bool) -> int:
        if not self._is_whole:
            return 130
        if not self._tally.parts:
            return 5
        return 1 if fail_on_finding and self._tally.fired else 0


class _Progress:
    """One line on a terminal, renewed ten times a second; elsewhere nothing."""

    def __init__(self, total: int, *, live: bool) -> None:
        self._total = total
        self._live = live
        self._done = 0
        self._shown_s: float | None = None

    def tell(self, size: int, tally: Tally, seconds: float) -> None:
        from harness.lab.calibrate_text import progress_line

        self._done += size
        if self._live and (self._shown_s is None or seconds - self._shown_s >= _EVERY_S):
            line = progress_line(self._done, self._total, tally, seconds)
            width = shutil.get_terminal_size().columns - 1
            click.echo(f"\r\x1b[2K{line[:width]}", nl=False, err=True)
            self._shown_s = seconds

    def end(self) -> None:
        """Take the line away: the report follows."""
        if self._live and self._shown_s is not None:
            click.echo("\r\x1b[2K", nl=False, err=True)


def _jobs(stores: Sequence[str], total: int) -> int:
    from harness.lab.calibrate_files import STDIN
    from harness.lab.calibrate_pool import default_jobs

    return 1 if STDIN not in stores and total < _SMALL_BYTES else default_jobs()


def _path(option: str, text: str) -> JsonPath:
    from harness.lab.json_path import parse_path
    from harness.problems import UserError
    from mock_llm.problems import quoted

    try:
        return parse_path(text)
    except ValueError as error:
        example = "a path looks like message.content[].text"
        raise UserError(f"{option} {quoted(text)}, {error}\n  {example}") from error


def _condition(text: str) -> tuple[JsonPath, str]:
    path, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--where {text}: it needs PATH=VALUE, such as message.role=assistant")
    return _path("--where", path), value
