"""Snapshots beside the scenarios, and the changes that wait for a review.

A pending change is two files: ``<snapshot>.pending`` with the new text, and one in ``.qa/pending`` that says
where it came from. Every step is one rename under a lock, in an order that leaves something to review
whenever the process dies.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

from harness.files import locked, read_json, read_text, write_json, write_text
from harness.problems import UserError
from harness.snapshots.placing import COMMON, Placed, Stored, placed

PENDING = ".pending"
_ORIGINS = "taken-from.json"


class OutdatedError(UserError):
    """A change that is not as it was shown: another review or another run has been at it."""


class Change(NamedTuple):
    """A change that waits.

    Attributes:
        name: ``scenario/folder/artifact``, as commands take it.
        state: ``new`` or ``changed``.
        before: The accepted text; None for a new one.
        after: The text of the run.
        made_by: Agent and dialect of the run.
        place: ``file:line:column`` of the step.
        evidence: The folder of the run.
        target: The snapshot.
        record: The file that describes the change.
        is_first: An agent begins to differ: ``before`` is the common text, and ``target`` is not there yet.
    """

    name: str
    state: str
    before: str | None
    after: str
    made_by: str
    place: str
    evidence: str
    target: Path
    record: Path
    is_first: bool = False

    @property
    def artifact(self) -> str:
        return self.target.stem

    @property
    def pending(self) -> Path:
        return self.target.with_name(self.target.name + PENDING)


class Undo(NamedTuple):
    """What brings a decided change back: the change, and the text of its snapshot before and after."""

    change: Change
    before: str | None
    after: str | None


class SnapshotStore:
    """The snapshots that are reviewed from one working folder."""

    def __init__(self, working_folder: Path) -> None:
        self.folder = working_folder / ".qa" / "pending"

    def compare(self, text: str, root: Path, artifact: str, variant: str) -> Placed:
        """Compare a text with the snapshots of a scenario.

        Args:
            text: What the run looked like, redacted.
            root: The scenario's folder of snapshots.
            artifact: Which part of the run.
            variant: Agent and dialect.
        """
        name = f"{artifact}.txt"
        origin = str(_origins(root).get(name, ""))
        common, own = (_checked_out(read_text(root / folder / name), text) for folder in (COMMON, variant))
        return placed(text, Stored(common, own, origin), variant)

    def keep(
        self, found: Placed, text: str, root: Path, artifact: str, variant: str, place: str, evidence: str
    ) -> str:
        """Keep a new or changed text for the review; give the name of the change.

        Where no text is accepted and another agent's waits to be the common one, this is its own; the same
        text need not wait twice.
        """
        with locked(self.folder):
            folder = found.folder
            if (first := self._waiting(root, artifact)) and found.state == "new" and first.made_by != variant:
                if first.after == text:
                    return first.name
                folder = variant
            target = (root / folder / f"{artifact}.txt").absolute()
            name = f"{root.name}/{folder}/{artifact}"
            for path, rules in self._for_git(root.parent).items():
                if not path.exists():
                    write_text(path, rules)
            self._put(name, found.state, variant, place, evidence, target, text)
        return name

    def _put(
        self, name: str, state: str, made_by: str, place: str, evidence: str, target: Path, text: str
    ) -> None:
        """Let a change wait: first what it is, then its text, without which it is none."""
        about = {"name": name, "state": state, "made_by": made_by, "place": place, "evidence": evidence}
        write_json(self._record(target), {**about, "target": str(target), "sha256": _digest(text)})
        write_text(target.with_name(target.name + PENDING), text)

    def forget(self, root: Path, artifact: str, variant: str) -> None:
        """The run looks as it was accepted: what it had left for the review before is settled."""
        with locked(self.folder):
            for folder in (COMMON, variant):
                target = (root / folder / f"{artifact}.txt").absolute()
                if read_json(self._record(target)).get("made_by") == variant:
                    _remove(target, self._record(target))

    def changes(self) -> list[Change]:
        """Every change that waits, by name."""
        found = [self._load(path) for path in self.folder.glob("*.json")]
        return sorted(change for change in found if change is not None)

    def accept(self, change: Change) -> Undo:
        """Make the new text the snapshot.

        Raises:
            OutdatedError: If the change is not as it was shown.
        """
        with locked(self.folder):
            self._same(change)
            root, folder = change.target.parents[1], change.target.parent.name
            undo = Undo(change, read_text(change.target), change.after)
            if folder == COMMON:
                origins = {**_origins(root), change.target.name: change.made_by}
                write_json(root / COMMON / _ORIGINS, origins)
            elif read_text(root / COMMON / change.target.name) == change.after:
                change.target.unlink(missing_ok=True)
                _remove(change.target, change.record)
                return undo._replace(after=None)
            change.pending.replace(change.target)
            change.record.unlink(missing_ok=True)
        return undo

    def reject(self, change: Change) -> Undo:
        """Drop the new text; the run's evidence still has it.

        Raises:
            OutdatedError: If the change is not as it was shown.
        """
        with locked(self.folder):
            self._same(change)
            text = read_text(change.target)
            _remove(change.target, change.record)
        return Undo(change, text, text)

    def undo(self, undo: Undo) -> None:
        """Bring a decided change back.

        Raises:
            OutdatedError: If the snapshot has changed since, or another change waits for it.
        """
        change = undo.change
        with locked(self.folder):
            if read_text(change.target) != undo.after or change.pending.exists():
                raise OutdatedError(f"'{change.name}' has changed since, so it is left as it is")
            known = change.name, change.state, change.made_by, change.place, change.evidence
            self._put(*known, change.target, change.after)
            if undo.before is None:
                change.target.unlink(missing_ok=True)
            elif undo.before != undo.after:
                write_text(change.target, undo.before)

    def _for_git(self, snapshots: Path) -> dict[Path, str]:
        """What git is told: what waits is not committed, and no snapshot gets other line ends."""
        return {
            self.folder / ".gitignore": "*\n",
            snapshots / ".gitignore": f"*{PENDING}\n.*.part\n",
            snapshots / ".gitattributes": "*.txt -text\n",
        }

    def _waiting(self, root: Path, artifact: str) -> Change | None:
        """The change that waits for the common file of an artifact."""
        return self._load(self._record((root / COMMON / f"{artifact}.txt").absolute()))

    def _record(self, target: Path) -> Path:
        return self.folder / f"{_digest(str(target))[:16]}.json"

    def _load(self, record: Path) -> Change | None:
        about = read_json(record)
        target = Path(str(about.get("target", "")))
        after = read_text(target.with_name(target.name + PENDING)) if target.name else None
        if after is None or about.get("sha256", _digest(after)) != _digest(after):
            return None  # a run that was killed has left only half of it
        before = read_text(target)
        is_first = before is None and target.parent.name != COMMON
        if is_first:
            before = read_text(target.parents[1] / COMMON / target.name)
        words = [str(about.get(key, "")) for key in ("name", "state", "made_by", "place", "evidence")]
        name, state, made_by, place, evidence = words
        return Change(name, state, before, after, made_by, place, evidence, target, record, is_first)

    def _same(self, change: Change) -> None:
        if read_text(change.pending) is None:
            raise OutdatedError(f"'{change.name}' has been decided meanwhile, by another review")
        now = self._load(change.record)
        if now is not None and change.is_first:  # the common text, which it is shown beside, may be another
            now = now._replace(before=change.before)
        if now != change:
            raise OutdatedError(f"'{change.name}' has changed meanwhile: look at it again with 'qa review'")


def _origins(root: Path) -> dict[str, Any]:
    """Which agent each common snapshot was taken from, by the name of its file.

    Raises:
        UserError: If the file cannot be read as what it is, such as in a merge conflict.
    """
    path = root / COMMON / _ORIGINS
    found = read_json(path)
    if not found and (read_text(path) or "").strip() not in ("", "{}"):
        raise UserError(
            f"{path} says which agent the common snapshots were taken from, and cannot be read\n"
            "  keep one side of a merge conflict, or delete it: the next agent that differs takes its place"
        )
    return found


def _checked_out(stored: str | None, text: str) -> str | None:
    """A snapshot as it was accepted: git may have given its lines the ends of Windows."""
    is_converted = stored is not None and "\r" not in text and stored.replace("\r\n", "\n") == text
    return text if is_converted else stored


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _remove(target: Path, record: Path) -> None:
    target.with_name(target.name + PENDING).unlink(missing_ok=True)
    record.unlink(missing_ok=True)
