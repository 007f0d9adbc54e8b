"""Write a new baseline: the whole file or nothing, and never over what somebody else has accepted."""

from __future__ import annotations

import datetime as dt
import fcntl
import re
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from harness.files import read_text, write_text
from harness.gate.baseline_file import MARK, Acceptance, change_line, new_head, parse_gate, render_gate
from harness.gate.comparison import known
from harness.problems import CannotRun, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from harness.gate.baseline_file import GateFile
    from harness.gate.comparison import Key
    from harness.results import RunResult


def write_accepted(path: Path, outcome: RunResult, before: GateFile, gone: Sequence[Key]) -> GateFile:
    """Write what was seen as the new baseline, and say what the file says now.

    The settings stay as they stand in the file by then; a new file gets those that the gate was run with.

    Args:
        path: The file; it need not be there yet.
        outcome: The runs, their findings after they were taken, and the reason.
        before: What the file said when the gate began.
        gone: Entries to leave out.

    Raises:
        UserError: If the baseline has changed since; nothing is written.
        CannotRun: If the file cannot be written.
    """
    baseline = {**before.baseline, **known(outcome.scenarios, before.baseline)}
    for key in gone:
        del baseline[key]
    taken = [c for c in outcome.changes if c.level == "accepted" and c.kind != "new-scenario"]
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    entry = Acceptance(today, outcome.accepted, tuple(map(change_line, taken)))
    accepted = (*before.accepted, entry)
    try:
        with _alone(path):
            text = read_text(path) or ""
            now = parse_gate(text, str(path))
            _check_head(text, path)
            if (now.baseline, now.accepted) != (before.baseline, before.accepted):
                cure = "run the gate again: it is compared with what stands there now"
                raise UserError(
                    f"the baseline in {path} has changed while the gate ran, so nothing is written\n  {cure}"
                )
            head = "" if text.partition(MARK)[0] else new_head(before)
            written = render_gate(head + text, baseline, accepted)
            found = parse_gate(written, str(path))
            write_text(path.resolve(), written)  # behind a link stands the file that is shared
    except OSError as error:
        raise CannotRun(f"cannot write {path}: {error.strerror}; nothing is accepted") from None
    return found


def _check_head(text: str, path: Path) -> None:
    """What is written must not stand above the mark too, where it would be a second one."""
    head = text.partition(MARK)[0]
    if found := re.search(r"^(accepted|baseline)\b", head, re.MULTILINE):
        line = head.count("\n", 0, found.start()) + 1
        raise UserError(
            f"{path}:{line}:1: '{found[1]}' is for 'qa gate --accept' to write, and stands in your part\n"
            f"  put this line above it: {MARK}"
        )


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock on the file that is replaced: whoever waits for it then sees that it has changed."""
    with ExitStack() as held:
        with suppress(FileNotFoundError):
            fcntl.flock(held.enter_context(path.open("rb")), fcntl.LOCK_EX)
        yield
