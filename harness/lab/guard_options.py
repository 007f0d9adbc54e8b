"""Which guard a tool runs, from its command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.detectors.mechanisms import PUBLISHED, Profile
from harness.problems import UserError
from mock_llm.problems import ScriptError, did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


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
