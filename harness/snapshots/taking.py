"""Take the snapshots of a finished run and compare them; keep what differs where a person can review it."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from harness.files import read_text
from harness.find_scenarios import shipped_folder
from harness.problems import UserError
from harness.snapshots.difference import changed_lines, is_in_conflict
from harness.snapshots.placing import FOLDER
from harness.snapshots.redaction import Redaction, day_pattern, without_match
from harness.snapshots.rendering import render_requests, render_screen, render_timeline, render_transcript
from harness.snapshots.store import SnapshotStore
from harness.snapshots.unused import unused_of
from harness.steps.verdicts import CheckVerdict, Passed, Skipped, failed
from mock_llm.patterns import RunsAwayError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from harness.evidence import Evidence
    from harness.launch import Launch
    from harness.scenario import Step
    from harness.snapshots.placing import Placed
    from harness.snapshots.redaction import Redacted
    from harness.steps.snapshot_arguments import Snapshot

UPDATE = "QA_UPDATE"
"""The variable that lets runs without a terminal keep changes for a review."""


def taken(launch: Launch, evidence: Evidence, *, is_whole: bool) -> Mapping[Snapshot, CheckVerdict]:
    """The verdict of every ``snapshot`` step.

    Nothing is kept for a review from a control or a run that did not come to its end, and nothing in CI.
    """
    steps = [step for step in launch.job.scenario.steps if step.kind == "snapshot"]
    obstacle = "" if is_whole and not launch.job.control else "a run like this is only compared"
    taking = _Taking(launch, evidence, obstacle or why_not_kept())
    return {step.args: _verdict(taking, step) for step in steps}


def _verdict(taking: _Taking, step: Step) -> CheckVerdict:
    try:
        return taking.verdict(step)
    except RunsAwayError as error:
        return failed(str(error), "masks that can be put in place")
    except OSError as error:
        what = f"{error.filename2 or error.filename}: {error.strerror}"
        return failed("the snapshots cannot be read, or changes not be kept", "as in the snapshots", [what])
    except UserError as error:
        return failed("the snapshots cannot be read", "as in the snapshots", str(error).splitlines())


def why_not_kept() -> str:
    """Why changes are not kept for a review here; empty when they are."""
    if os.environ.get("CI"):
        return "in CI nothing is written: run it on a terminal, then 'qa review'"
    if not (os.environ.get(UPDATE) or _is_terminal()):
        return "no terminal, so nothing is written: set QA_UPDATE=1 (or 'qa run --update'), then 'qa review'"
    return ""


def root_of(path: Path, working_folder: Path) -> tuple[Path, bool]:
    """The folder of a scenario's snapshots, and whether nobody has asked for any there yet.

    It is beside the scenario's file; for a shipped scenario that is run from elsewhere it is in the working
    folder, since snapshots say what a team's own agent looks like. Until one is accepted there, the
    shipped scenario's ``snapshot`` steps have nothing to compare with.
    """
    folder, own = path.parent, working_folder / "scenarios"
    if folder.resolve() != shipped_folder().resolve() or folder.resolve() == own.resolve():
        return folder / FOLDER / path.stem, False
    root = own / FOLDER / path.stem
    return root, not any(root.glob("*/*.txt"))


def _is_terminal() -> bool:
    try:
        return os.isatty(1)
    except OSError:
        return False


def _days() -> set[date]:
    """The day of the run here and in UTC; a run that began before midnight has two."""
    now = datetime.now(UTC)
    moments = (now, now - timedelta(minutes=5))
    return {day for moment in moments for day in (moment.date(), moment.astimezone().date())}


class _Found(NamedTuple):
    artifact: str
    placed: Placed
    redacted: Redacted


def _told(found: _Found) -> str:
    before = found.placed.before
    if before is not None and is_in_conflict(before) and not is_in_conflict(found.redacted.text):
        return "is in a merge conflict"
    return "is missing" if found.placed.state == "new" else "changed"


class _Taking:
    def __init__(self, launch: Launch, evidence: Evidence, obstacle: str) -> None:
        job = launch.job
        self._launch, self._evidence, self._obstacle = launch, evidence, obstacle
        self._scenario = job.scenario
        self._root, is_unasked = root_of(Path(job.scenario.path), Path.cwd())
        self._is_control = launch.job.control
        self._is_skipped = is_unasked and bool(obstacle or not os.environ.get(UPDATE))
        self._variant = f"{job.spec.name}-{job.dialect}"
        self._store = SnapshotStore(Path.cwd())

    def verdict(self, step: Step) -> CheckVerdict:
        args: Snapshot = step.args
        redaction = Redaction(self._values(), dict(args.patterns), {"today": day_pattern(_days())})
        found = [self._compared(artifact, redaction) for artifact in args.of]
        self._log(found)
        if self._is_skipped:
            rerun = self._launch.job._replace(control=False).rerun
            return Skipped(
                f"not compared: no snapshot of {self._variant} has been accepted in this folder; "
                f"'{rerun} --update' keeps a first one for 'qa review'"
            )
        done = [one for each in found for one in each.redacted.replacements]
        wanted = (*args.masks, *(name for name, _ in args.patterns))
        if idle := without_match(wanted, done):
            names = ", ".join(f"'{name}'" for name in idle)
            seen = ", ".join(sorted({one.name for one in done})) or "no mask"
            return failed(
                f"masks that replaced nothing: {names}", f"{names} replace something", [f"did: {seen}"]
            )
        self._settle(found)
        differing = [each for each in found if each.placed.state != "matched"]
        if self._is_control and {each.placed.state for each in differing} == {"new"}:
            return Skipped("not compared: nothing has been accepted yet, so a control shows nothing")
        if not differing:
            return Passed(f"{', '.join(args.of)} matched{self._left_over()}")
        return self._failed(step, differing)

    def _values(self) -> dict[str, str]:
        variables = self._launch.variables
        own = {variables["nonce"]: "[NONCE]", variables["port"]: "[PORT]"}
        return {**self._launch.masks.values, **own}

    def _compared(self, artifact: str, redaction: Redaction) -> _Found:
        redacted = redaction.apply(self._text(artifact))
        self._launch.recorder.write(f"snapshot-{artifact}.txt", redacted.text)
        return _Found(
            artifact, self._store.compare(redacted.text, self._root, artifact, self._variant), redacted
        )

    def _text(self, artifact: str) -> str:
        match artifact:
            case "transcript":
                return render_transcript(self._evidence.transcript)
            case "requests":
                return render_requests(self._evidence.main)
            case "timeline":
                return render_timeline(self._evidence)
        screen = read_text(self._launch.folder / "screen.txt")
        return render_screen(self._evidence.output if screen is None else screen)

    def _log(self, found: Sequence[_Found]) -> None:
        log = [
            {"file": f"{f.artifact}.txt", **one._asdict()} for f in found for one in f.redacted.replacements
        ]
        self._launch.recorder.write("redactions.json", log)

    def _settle(self, found: Sequence[_Found]) -> None:
        for each in found if not self._obstacle else ():
            if each.placed.state == "matched":
                self._store.forget(self._root, each.artifact, self._variant)

    def _failed(self, step: Step, differing: Sequence[_Found]) -> CheckVerdict:
        lines = []
        for each in differing:
            name = f"{self._root.name}/{each.placed.folder}/{each.artifact}"
            if not self._obstacle:
                name = self._store.keep(
                    each.placed,
                    each.redacted.text,
                    self._root,
                    each.artifact,
                    self._variant,
                    str(step.place),
                    str(self._launch.folder.absolute()),
                )
            lines += changed_lines(name, each.placed.before, each.redacted.text)
        told = [f"{f.artifact} {_told(f)}" for f in differing]
        cure = self._obstacle or "look at it with 'qa review'"
        return failed(", ".join(told), "as in the snapshots", [cure, *lines])

    def _left_over(self) -> str:
        asked = {a for step in self._scenario.steps if step.kind == "snapshot" for a in step.args.of}
        names = unused_of(self._root, asked)
        return f"; unused: {', '.join(names)}" if names else ""
