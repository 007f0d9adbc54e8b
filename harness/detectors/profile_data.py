"""A profile as plain data, so that it can travel to another process as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.detectors.mechanisms import MECHANISMS, Profile

if TYPE_CHECKING:
    from collections.abc import Mapping


def profile_data(profile: Profile) -> dict[str, Any]:
    """A profile of published mechanisms as what JSON can hold.

    >>> from harness.detectors.mechanisms import PUBLISHED
    >>> leak = PUBLISHED.without("collapse-repetition", "repetitive-turns")
    >>> profile_data(leak.tuned("control-token-leak", reach=99))["mechanisms"]
    {'control-token-leak': {'streams': ['text', 'thinking'], 'reach': 99}}
    """
    rows = {row.id: {"streams": sorted(row.streams), **row.numbers} for row in profile.mechanisms}
    return {"profile": profile.name, "mechanisms": rows}


def profile_of(data: Mapping[str, Any]) -> Profile:
    """The profile that :func:`profile_data` gave; a mechanism that is not named does not run.

    Raises:
        ValueError: If the data name what does not exist, or numbers that do not go together.
    """
    try:
        said = {name: dict(numbers) for name, numbers in data["mechanisms"].items()}
        name = str(data["profile"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError("no guard profile: it needs 'profile' and 'mechanisms'") from error
    unknown = [mechanism for mechanism in said if mechanism not in {row.id for row in MECHANISMS}]
    if unknown:
        raise ValueError(
            f"unknown mechanism '{unknown[0]}'; there are {', '.join(row.id for row in MECHANISMS)}"
        )
    profile = Profile(name, tuple(row for row in MECHANISMS if row.id in said))
    for mechanism, numbers in said.items():
        profile = _row_changed(profile, mechanism, numbers)
    return profile


def _row_changed(profile: Profile, mechanism: str, numbers: dict[str, Any]) -> Profile:
    streams = numbers.pop("streams", None)
    try:
        profile = profile.tuned(mechanism, **numbers)
    except TypeError as error:
        raise ValueError(f"'{mechanism}': {error}") from error
    if streams is None:
        return profile
    (row,) = (row for row in profile.mechanisms if row.id == mechanism)
    if not streams or not set(streams) <= set(row.possible_streams):
        raise ValueError(f"'{mechanism}': streams are of {', '.join(row.possible_streams)}, got {streams}")
    rows = [one._replace(streams=frozenset(streams)) if one is row else one for one in profile.mechanisms]
    return Profile(profile.name, tuple(rows))
