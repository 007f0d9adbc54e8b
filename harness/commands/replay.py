"""``qa replay``: a guard over captured text, and where it would have fired."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.detectors.finding import StreamKind
    from harness.detectors.mechanisms import Profile
    from harness.lab.capture import Capture
    from harness.lab.comparison import Comparison
    from harness.lab.foreign_process import ForeignDetector
    from harness.lab.replay import Verdict
    from harness.lab.replay_text import Detail


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--explain", is_flag=True, help="Say why: the paragraphs, their similarity, the window, the anchor."
)
@click.option("--kept", is_flag=True, help="Print the whole text that would be kept.")
@click.option("--reader", metavar="NAME", help="What FILE is, instead of finding it out.")
@click.option(
    "--stream",
    type=click.Choice(["text", "thinking", "tool"]),
    help="What a text is [default: text]; of a session, the only kind of part that is read.",
)
@click.option("--columns", type=click.IntRange(min=20), help="Cells of a line of terminal output.")
@click.option("--guard-profile", "profile_file", type=click.Path(path_type=Path), help="Another guard.")
@click.option(
    "--disable", "disabled", multiple=True, metavar="RULE", help="A rule or mechanism that does not run."
)
@click.option("--detector", metavar="COMMAND", help="Another implementation, asked beside the guard.")
@click.option(
    "--detector-timeout",
    "timeout_s",
    default=10.0,
    show_default=True,
    type=click.FloatRange(min=0.1),
    help="Seconds without a sign of life.",
)
@click.option(
    "--chars-per-delta",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="What the detector gets at a time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--fail-on-finding", is_flag=True, help="Exit with 1 if the guard fires.")
@click.option("--fail-on-difference", is_flag=True, help="Exit with 1 if the detector says something else.")
def replay(
    files: tuple[str, ...],
    reader: str | None,
    stream: StreamKind | None,
    columns: int | None,
    profile_file: Path | None,
    disabled: tuple[str, ...],
    detector: str | None,
    timeout_s: float,
    chars_per_delta: int,
    *,
    explain: bool,
    kept: bool,
    as_json: bool,
    fail_on_finding: bool,
    fail_on_difference: bool,
) -> None:
    """Run a guard over captured text, terminal output or sessions; '-' is standard input.

    Exit codes: 0 whatever is found (1 with --fail-on-finding or --fail-on-difference), 2 wrong command
    line or file, 3 the detector gave no verdict.
    """
    from harness.lab.guard_options import checked_reader, chosen_profile
    from harness.lab.replay_text import Detail

    if fail_on_difference and detector is None:
        raise click.UsageError("--fail-on-difference needs --detector")
    checked_reader(reader)
    profile = chosen_profile(profile_file, disabled)
    captures = [_load(file, reader, stream, columns) for file in files]
    with contextlib.ExitStack() as stack:
        foreign = None
        if detector is not None:
            from harness.lab.foreign_process import ForeignDetector

            foreign = stack.enter_context(ForeignDetector(detector, timeout_s, chars_per_delta))
        results = (_judged(capture, profile, foreign) for capture in captures)
        report = _Report(profile, Detail(explain, kept), foreign)
        seen = report.as_json(results) if as_json else report.as_text(results)
    sys.exit(_exit_code(seen, on_finding=fail_on_finding, on_difference=fail_on_difference))


class _Result(NamedTuple):
    capture: Capture
    verdicts: list[Verdict]
    comparisons: list[Comparison]


class _Report(NamedTuple):
    """Prints results as they come, and gives them all."""

    profile: Profile
    detail: Detail
    foreign: ForeignDetector | None

    def as_text(self, results: Iterator[_Result]) -> list[_Result]:
        from harness.lab.guard_options import paint
        from harness.lab.replay_text import render_capture

        seen: list[_Result] = []
        for result in results:
            theirs = self.foreign.name if self.foreign else ""
            lines = render_capture(*result, self.profile, self.detail, paint(), theirs)
            click.echo("\n".join([*([""] if seen else []), *lines]))
            seen.append(result)
        return seen

    def as_json(self, results: Iterator[_Result]) -> list[_Result]:
        from harness.lab.replay_data import VERSION, capture_data

        seen = list(results)
        data: dict[str, Any] = {"version": VERSION, "guard": self.profile.name}
        if self.foreign:
            data["detector"] = self.foreign.name
        data["files"] = [capture_data(*result, self.profile, self.detail) for result in seen]
        data["fired"] = sum(verdict.finding is not None for result in seen for verdict in result.verdicts)
        click.echo(json.dumps(data, indent=2))
        return seen


def _load(file: str, reader: str | None, stream: StreamKind | None, columns: int | None) -> Capture:
    from harness.lab.read_capture import read_capture
    from harness.problems import UserError

    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        hint = "\n  name the files in it, or scan it whole: qa calibrate" if Path(file).is_dir() else ""
        raise UserError(f"cannot read '{file}': {error.strerror}{hint}") from error
    name = "standard input" if file == "-" else file
    try:
        return read_capture(name, data, reader=reader, stream=stream, columns=columns, log=_log_of(file))
    except ValueError as error:
        raise UserError(f"cannot read '{file}' as {reader}: {error}") from error


def _log_of(file: str) -> bytes:
    """What SQLite keeps beside a file, if it is one of its own."""
    log = Path(f"{file}-wal")
    return log.read_bytes() if log.is_file() else b""


def _judged(capture: Capture, profile: Profile, foreign: ForeignDetector | None) -> _Result:
    from harness.lab.replay import replay as replayed

    verdicts = list(replayed(capture.messages, profile))
    return _Result(capture, verdicts, list(_compared(verdicts, foreign)) if foreign else [])


def _compared(verdicts: Sequence[Verdict], foreign: ForeignDetector) -> Iterator[Comparison]:
    from harness.lab.comparison import Comparison, compare
    from harness.lab.foreign_process import ForeignFailure

    for at, verdict in enumerate(verdicts):
        try:
            yield compare(verdict, foreign.judge(verdict.message, is_first=at == 0))
        except ForeignFailure as failure:
            yield Comparison(verdict, None, failure=str(failure))


def _exit_code(results: Sequence[_Result], *, on_finding: bool, on_difference: bool) -> int:
    comparisons = [comparison for result in results for comparison in result.comparisons]
    if any(comparison.failure for comparison in comparisons):
        return 3
    if on_difference and any(comparison.differences for comparison in comparisons):
        return 1
    fired = any(verdict.finding for result in results for verdict in result.verdicts)
    return 1 if on_finding and fired else 0
