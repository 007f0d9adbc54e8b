"""Which files changed since a revision, as git says it."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import TYPE_CHECKING

from harness.problems import CannotRun, UserError
from mock_llm.problems import quoted

if TYPE_CHECKING:
    from pathlib import Path


def changed_since(revision: str, folder: Path) -> list[str]:
    """Paths relative to ``folder`` of files that differ from where this branch left a revision.

    What is not committed counts, and so do new files that git does not ignore. A file that was renamed counts
    under both names.

    Raises:
        UserError: If there is no such revision.
        CannotRun: If there is no git, or no repository.
    """
    top = _git(folder, "rev-parse", "--show-toplevel").strip()
    if revision.startswith("-") or not _has(folder, revision):
        cure = "fetch it first: in a shallow clone only the newest commit is there"
        raise UserError(f"git knows no revision {quoted(revision)}\n  {cure}")
    start = _merge_base(folder, revision) or revision
    names = _git(folder, "diff", "--name-only", "--no-renames", "-z", start, "--", top)
    new = _git(folder, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", top)
    return _seen_from(folder, top, names + new)


def tracked(folder: Path) -> list[str]:
    """Every file of the checkout, as a path relative to ``folder``."""
    top = _git(folder, "rev-parse", "--show-toplevel").strip()
    return _seen_from(folder, top, _git(folder, "ls-files", "--full-name", "-z", top))


def _seen_from(folder: Path, top: str, names: str) -> list[str]:
    here = os.path.realpath(folder)
    found = {name for name in names.split("\0") if name}
    return sorted(os.path.relpath(os.path.join(top, name), here) for name in found)  # noqa: PTH118  names of git


def _has(folder: Path, revision: str) -> bool:
    done = _run(folder, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    return done.returncode == 0


def _merge_base(folder: Path, revision: str) -> str:
    done = _run(folder, "merge-base", revision, "HEAD")
    return done.stdout.strip() if done.returncode == 0 else ""


def _git(folder: Path, *words: str) -> str:
    done = _run(folder, *words)
    if done.returncode != 0:
        raise CannotRun(_why(folder, words[0], done.stderr.strip()))
    return done.stdout


def _why(folder: Path, word: str, said: str) -> str:
    """What is wrong, and what to do, where git cannot say what changed."""
    place = os.path.realpath(folder)
    if "not a git repository" in said:
        return (
            f"'--changed-since' asks git what changed, and {place} is in no git checkout\n"
            "  run it in the checkout of the detector, or leave the option out: everything is run then"
        )
    if "dubious ownership" in said:
        return (
            f"git does not trust the checkout of {place}, which belongs to another user\n"
            f"  git config --global --add safe.directory {shlex.quote(place)}"
        )
    first = said.splitlines()[0] if said else "and said nothing"
    return (
        f"git {word} failed in {place}: {first}\n  '--changed-since' needs it; without it everything is run"
    )


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603  fixed words, and a revision that is no option
            ["git", *words],  # noqa: S607  whichever git the user has
            cwd=folder,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            env={**os.environ, "LC_ALL": "C"},  # what it says is read here
            check=False,
        )
    except OSError as error:
        raise CannotRun(f"cannot run git: {error.strerror}\n  '--changed-since' needs it") from None
