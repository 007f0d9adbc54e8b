"""The pytest fixture ``mock_llm``: a scripted model for one test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mock_llm.api import Mock


class StartMock:
    """Starts mock models that are stopped when the test is over.

    A request that no turn answers fails the test, unless the mock was started with ``check=False``.
    """

    def __init__(self) -> None:
        self._started: list[tuple[Mock, bool]] = []

    def __call__(self, *given: Any, check: bool = True, **options: Any) -> Mock:
        """Start one: see :func:`mock_llm.api.serve`."""
        from mock_llm.api import serve

        mock = serve(*given, **options)
        self._started.append((mock, check))
        return mock

    def stop(self) -> list[str]:
        """Stop all of them; what went wrong with those that are checked."""
        for mock, _ in self._started:
            mock.stop()
        return [problem for mock, check in self._started if check for problem in mock.problems]


@pytest.fixture
def mock_llm() -> Iterator[StartMock]:
    """Start scripted models, which stop when the test is over; see :class:`StartMock`."""
    starting = StartMock()
    yield starting
    problems = starting.stop()
    if problems:
        pytest.fail("the mock model refused requests:\n" + "\n".join(problems), pytrace=False)
