"""Whether a request that failed before its reply began is sent again, and after how long."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_MAX_RETRIES = 2
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
LONGEST_RETRY_AFTER_S = 60.0


@dataclass(frozen=True, slots=True)
class Refused:
    """How a request failed: ``status`` is None when no answer came at all."""

    status: int | None
    headers: Mapping[str, str]


def wait_before_retry(refused: Refused, retries_made: int, max_retries: int, now_s: float) -> float | None:
    """Seconds to wait before the next try, or None to give up.

    Statuses 408, 409, 429 and 5xx and failed connections are tried again. The server's ``retry-after``
    counts up to 60 s; a server that asks for more is not waited for. Otherwise the wait is 0.5 s, doubled
    each time, at most 8 s.

    Args:
        refused: How the last try failed.
        retries_made: Tries so far, less the first.
        max_retries: How many there may be.
        now_s: Seconds since the epoch, for a ``retry-after`` that is a date.

    >>> wait_before_retry(Refused(503, {}), 1, 2, 0)
    1.0
    >>> wait_before_retry(Refused(429, {"retry-after": "3"}), 0, 2, 0)
    3.0
    >>> wait_before_retry(Refused(400, {}), 0, 2, 0) is None
    True
    """
    if retries_made >= max_retries or not _is_passing(refused.status):
        return None
    asked = _retry_after(refused.headers, now_s)
    if asked is None or asked <= 0:
        return min(FIRST_WAIT_S * 2.0**retries_made, LONGEST_WAIT_S)
    return asked if asked <= LONGEST_RETRY_AFTER_S else None


def _is_passing(status: int | None) -> bool:
    return status is None or status in (408, 409, 429) or 500 <= status <= 599


def _retry_after(headers: Mapping[str, str], now_s: float) -> float | None:
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _number(text)
    if seconds is not None:
        return seconds
    date = parsedate_tz(text)
    return None if date is None else mktime_tz(date) - now_s


def _number(text: str) -> float | None:
    """A finite number, or None.

    >>> _number("1.5"), _number("inf"), _number("soon")
    (1.5, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None
