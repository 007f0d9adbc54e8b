"""When a refused request is sent again."""

from __future__ import annotations

import pytest

from harness.refagent.retry import Refused, wait_before_retry


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529, None])
def test_troubles_that_pass_are_tried_again(status: int | None) -> None:
    assert wait_before_retry(Refused(status, {}), 0, 2, 0) == 0.5


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 413, 422])
def test_troubles_that_stay_are_not(status: int) -> None:
    assert wait_before_retry(Refused(status, {"retry-after": "1"}), 0, 2, 0) is None


def test_waits_double_up_to_8_s_and_end_with_the_last_retry() -> None:
    waits = [wait_before_retry(Refused(500, {}), made, 6, 0) for made in range(7)]
    assert waits == [0.5, 1, 2, 4, 8, 8, None]


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "60"}, 60),
        ({"retry-after": "3600"}, None),
        ({"retry-after": "0"}, 0.5),
        ({"retry-after": "-3"}, 0.5),
        ({"retry-after": "nan"}, 0.5),
        ({"retry-after": "inf"}, 0.5),
        ({"retry-after": "soon"}, 0.5),
        ({"retry-after": ""}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}, 20),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:05 GMT"}, 0.5),
    ],
)
def test_what_the_server_asks_for_counts_within_reason(headers: dict[str, str], wait_s: float | None) -> None:
    assert wait_before_retry(Refused(429, headers), 0, 2, now_s=10) == wait_s
