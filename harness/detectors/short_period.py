"""Detector 3: a few characters again and again."""

from __future__ import annotations

import re
from typing import ClassVar

from harness.detectors.finding import Finding

DECORATION = "\"#'()*+,-./:;<=>[\\]^_`{|}~"
"""ASCII punctuation that draws lines and builds code; ``! $ % & ? @`` are not among it."""

_ASCII_DECORATION = re.escape(DECORATION)
_HARMLESS = re.compile(
    rf"\s+|[{_ASCII_DECORATION}\u2500-\u259f]+|[A-Za-z0-9+/=]+|[0-9A-Fa-f\s.,:;\-/|]+|[\s{_ASCII_DECORATION}]+"
)
_BLOCK = 64


class ShortPeriod:
    """Detect a few characters that come again and again.

    A character matches when it equals the one ``period`` characters before it. A stretch of matches fires
    when it has ``min_matched`` characters and ``min_periods`` periods. Some units never count: only
    whitespace, only decoration, only base64 characters, only numbers and table separators, only code
    punctuation and whitespace. Memory stays within the longest stretch that decides.

    Args:
        min_period: Shortest period in characters.
        max_period: Longest period in characters.
        min_matched: Matching characters that make a finding.
        min_periods: Matching periods that do, beside ``min_matched``.

    Raises:
        ValueError: If ``max_period`` is below ``min_period``, or ``min_matched`` below ``max_period``.

    Source: senpi pull request 493, as restated in the stream-guard contract (2..64, 256, 8).
    """

    rule: ClassVar[str] = "collapse-repetition"
    mechanism: ClassVar[str] = "short-period"
    fires_on: ClassVar[str] = ""

    def __init__(
        self, *, min_period: int = 2, max_period: int = 64, min_matched: int = 256, min_periods: int = 8
    ) -> None:
        if not 1 <= min_period <= max_period:
            raise ValueError(f"min_period is {min_period}, but must be 1..{max_period}")
        if min_matched < max_period:
            raise ValueError(f"min_matched is {min_matched}, but must be at least {max_period} (max_period)")
        self._min = min_period
        self._max = max_period
        self._min_matched = min_matched
        self._min_periods = min_periods
        self._keep = max_period + self._needed(max_period)
        # Any stretch that fires holds a probe: max_period characters, and the same again a period later.
        self._stride = min_matched - max_period + 1
        self.reset()

    def reset(self) -> None:
        """Forget everything: afterwards the detector equals a new one."""
        self._text = ""
        self._start = 0  # of _text in the stream
        self._quiet = self._min_matched - 1
        self._fired = False

    @property
    def quiet(self) -> int:
        """How many characters can follow without a finding, whatever they are."""
        return self._quiet

    def feed(self, delta: str) -> Finding | None:
        """Read more text; the first finding is returned once and latches."""
        if self._fired or not delta:
            return None
        text = self._text + delta
        finding = self._scan(text)
        self._fired = finding is not None
        self._quiet = self._quiet_after(text)
        self._text = text[-self._keep :]
        self._start += len(text) - len(self._text)
        return finding

    def finish(self) -> Finding | None:
        """Say that the stream has ended."""
        return None

    def _needed(self, period: int) -> int:
        return max(self._min_matched, self._min_periods * period)

    def _scan(self, text: str) -> Finding | None:
        longest, shortest, find = self._max, self._min, text.find
        at, last = 0, len(text) - longest - shortest
        while at <= last:
            again = find(text[at : at + longest], at + shortest, at + 2 * longest)
            if again < 0:
                at += self._stride
                continue
            period = again - at
            begin, end = _stretch(text, at, period)
            if end - begin - period >= self._needed(period) and self._counts(text[begin : begin + period]):
                return self._finding(text, begin, period)
            at = max(at + 1, end - longest + 1)
        return None

    def _counts(self, unit: str) -> bool:
        return _HARMLESS.fullmatch(unit) is None

    def _quiet_after(self, text: str) -> int:
        """The probe that ends with the text bounds what any stretch has matched so far."""
        size = self._max
        if len(text) < size + self._min:
            return self._min_matched - len(text) - 1
        at = len(text) - size
        before = text.rfind(text[at:], max(0, at - size), len(text) - self._min)
        if before < 0:
            return self._min_matched - size - 1
        period = at - before
        begin, end = _stretch(text, before, period)
        if not self._counts(text[begin : begin + period]):
            return self._min_matched - size - 1
        return max(0, self._needed(period) - (end - begin - period) - 1)

    def _finding(self, text: str, begin: int, period: int) -> Finding:
        start = self._start + begin
        needed = self._needed(period)
        return Finding(
            rule=self.rule,
            mechanism=self.mechanism,
            reason=f"{needed} characters with a period of {period}",
            anomaly_start=start,
            garbage_start=start + period,
            fired_at=start + period + needed,
            details={"period": period, "matched": needed, "unit": text[begin : begin + period]},
        )


def _stretch(text: str, at: int, period: int) -> tuple[int, int]:
    """The longest stretch around ``at`` in which every character equals the one a period later."""
    return at - _common_suffix(text, at, at + period), at + period + _common_prefix(text, at, at + period)


def _common_prefix(text: str, left: int, right: int) -> int:
    done, most = 0, len(text) - right
    while done < most and text.startswith(text[left + done : left + done + _BLOCK], right + done):
        done += _BLOCK
    done = min(done, most)
    while done < most and text[left + done] == text[right + done]:
        done += 1
    return done


def _common_suffix(text: str, left: int, right: int) -> int:
    done = 0
    while done + _BLOCK <= left and text.endswith(text[left - done - _BLOCK : left - done], 0, right - done):
        done += _BLOCK
    while done < left and text[left - done - 1] == text[right - done - 1]:
        done += 1
    return done
