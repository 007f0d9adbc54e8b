"""``qa review``: what differs from the snapshots, one change at a time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.problems import CannotRun, UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.snapshots.store import Change, SnapshotStore


@click.command()
@click.option("--list", "listing", is_flag=True, help="Name what waits, and the snapshots nothing asks for.")
@click.option("--json", "as_json", is_flag=True, help="The same as JSON, with both texts.")
@click.option("--accept", "accepted", multiple=True, metavar="NAME", help="Accept a change (repeatable).")
@click.option("--reject", "rejected", multiple=True, metavar="NAME", help="Reject a change (repeatable).")
@click.option("--html", "page", type=click.Path(path_type=Path), help="Write a page to look at in a browser.")
def review(
    accepted: tuple[str, ...],
    rejected: tuple[str, ...],
    page: Path | None,
    *,
    listing: bool,
    as_json: bool,
) -> None:
    """Look at new and changed snapshots, and accept or reject each.

    NAME is that of a change, or a folder of it such as the scenario's. Every decision takes effect at once.
    """
    from harness.snapshots.store import SnapshotStore

    store = SnapshotStore(Path.cwd())
    try:
        code = _review(store, accepted, rejected, page, listing=listing, as_json=as_json)
    except OSError as error:
        if error.filename is None:
            raise
        raise CannotRun(f"cannot use {error.filename2 or error.filename}: {error.strerror}") from None
    sys.exit(code)


def _review(
    store: SnapshotStore,
    accepted: Sequence[str],
    rejected: Sequence[str],
    page: Path | None,
    *,
    listing: bool,
    as_json: bool,
) -> int:
    if accepted or rejected:
        _decide(store, accepted, rejected)
    changes = store.changes()
    if page is not None:
        _write_page(page, changes)
    if as_json:
        click.echo(json.dumps(_as_json(changes), indent=1, ensure_ascii=False))
        return 0
    if accepted or rejected or page is not None:
        return 0
    from harness.snapshots.review import is_possible
    from harness.snapshots.review import review as review_on_terminal

    if listing or not changes or not is_possible():
        _list(changes)
        return 0
    return 130 if review_on_terminal(store, changes) else 0


def _decide(store: SnapshotStore, accepted: Sequence[str], rejected: Sequence[str]) -> None:
    """Everything is looked up before anything is decided.

    Raises:
        UserError: If a name means no change, or one change is both accepted and rejected.
    """
    changes = store.changes()
    to_accept = [change for name in accepted for change in _meant(name, changes)]
    to_reject = [change for name in rejected for change in _meant(name, changes)]
    if both := {change.name for change in to_accept} & {change.name for change in to_reject}:
        raise UserError(f"'{min(both)}' cannot be accepted and rejected")
    for change in dict.fromkeys(to_accept):
        store.accept(change)
        click.echo(f"accepted {change.name}")
    for change in dict.fromkeys(to_reject):
        store.reject(change)
        click.echo(f"rejected {change.name}")


def _meant(name: str, changes: Sequence[Change]) -> list[Change]:
    from mock_llm.problems import did_you_mean, quoted

    folder = name.rstrip("/") + "/"
    found = [change for change in changes if change.name == name or change.name.startswith(folder)]
    if not found:
        known = [change.name for change in changes]
        hint = did_you_mean(name, known) or "'qa review --list' names what waits"
        raise UserError(f"no change {quoted(name)} waits for a review\n  {hint}")
    return found


def _list(changes: Sequence[Change]) -> None:
    from harness.snapshots.unused import unused_below

    for change in changes:
        click.echo(f"{change.state:8} {change.name}  (from {change.made_by})")
    unused = unused_below(Path.cwd() / "scenarios")
    for name in unused:
        click.echo(f"unused   {name}")
    if not changes:
        click.echo("nothing waits for a review")
        return
    first = changes[0].name
    click.echo(
        f"\nlook at them on a terminal with 'qa review', or in a browser: qa review --html review.html\n"
        f"decide here: qa review --accept {first}\n             qa review --reject {first}"
    )


def _as_json(changes: Sequence[Change]) -> dict[str, object]:
    from harness.snapshots.unused import unused_below

    pending = [
        {
            "name": change.name,
            "state": change.state,
            "made_by": change.made_by,
            "place": change.place,
            "evidence": change.evidence,
            "snapshot": str(change.target),
            "pending": str(change.pending),
            "before": change.before,
            "after": change.after,
        }
        for change in changes
    ]
    return {"pending": pending, "unused": unused_below(Path.cwd() / "scenarios")}


def _write_page(path: Path, changes: Sequence[Change]) -> None:
    from harness.snapshots.page import render_page
    from harness.snapshots.unused import unused_below

    text = render_page(changes, unused_below(Path.cwd() / "scenarios"), str(Path.cwd()))
    path.write_text(text, encoding="utf-8", errors="replace")
    click.echo(f"wrote {path}")
