"""Guard profiles from files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.guard_profile import parse_profile
from harness.problems import UserError

if TYPE_CHECKING:
    from harness.detectors.mechanisms import Profile

PUBLISHED_FILE = Path(__file__).parent / "guard_profile_published.yaml"
"""The published profile as a file, each number with its source: a start for one's own."""


def load_profile(path: Path) -> Profile:
    """Read a profile file.

    Raises:
        UserError: If the file cannot be read.
        ScriptError: All mistakes of its text, each with its place.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read the guard profile '{path}': {error.strerror}") from error
    return parse_profile(text, str(path))
