"""What the tools of the lab have in common at the command line: the guard, the reader, the look."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from harness.detectors.mechanisms import PUBLISHED, Profile
from harness.lab.capture import PLAIN_READERS
from harness.problems import UserError
from harness.readers import reader_names
from harness.reporters.paint import Paint
from mock_llm.problems import ScriptError, did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_WIDTH = 100  # columns where there is no terminal


def checked_reader(name: str | None) -> None:
    """See that there is such a reader.

    Raises:
        UserError: With the closest names.
    """
    names = [*PLAIN_READERS, *reader_names()]
    if name is not None and name not in names:
        raise UserError(f"no reader {quoted(name)}\n  {did_you_mean(name, names)}")


def paint() -> Paint:
    """How a report may look on this standard output."""
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") not in {"utf8", "utf16"}
    return Paint(color, shutil.get_terminal_size((_WIDTH, 24)).columns, ascii_only)


def chosen_profile(file: Path | None, disabled: Sequence[str]) -> Profile:
    """The profile of a file, or the published one, without the rules or mechanisms that are disabled.

    Raises:
        UserError: If there is no such rule or mechanism, or none is left; all mistakes of the file.
    """
    profile = PUBLISHED
    if file:
        from harness.guard_profile_file import load_profile

        try:
            profile = load_profile(file)
        except ScriptError as error:
            raise UserError(str(error)) from error
    for name in disabled:
        known = list(dict.fromkeys([*PUBLISHED.rules, *PUBLISHED.ids]))
        if name not in known:
            raise UserError(f"no rule or mechanism {quoted(name)}\n  {did_you_mean(name, known)}")
    profile = profile.without(*disabled)
    if not profile.mechanisms:
        raise UserError(f"the guard '{profile.name}' has no mechanism left; disable fewer")
    return profile
