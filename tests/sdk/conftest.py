"""One run of all Python clients and one of all npm clients serve every test here."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.sdk.environments import LEAST_NODE, node_program
from tests.sdk.everything import Results, npm_results, python_results

# The client programs import libraries that are in other environments.
collect_ignore = ["clients"]


@pytest.fixture(scope="session")
def python(request: pytest.FixtureRequest) -> Results:
    """What the Python libraries made of every case; their environments are built if they are missing."""
    return _uncaptured(request, python_results)


@pytest.fixture(scope="session")
def npm(request: pytest.FixtureRequest) -> Results:
    """What the npm libraries made of every case, where there is a Node.js to run them."""
    if node_program() is None:
        assert not os.environ.get("CI"), f"no Node.js {LEAST_NODE} or newer on PATH"
        pytest.skip(f"needs Node.js {LEAST_NODE} or newer on PATH")
    return _uncaptured(request, npm_results)


def _uncaptured(request: pytest.FixtureRequest, run: Callable[[], Results]) -> Results:
    """Let the terminal show what is built, for that takes a minute."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        return run()
