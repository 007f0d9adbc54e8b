"""The pytest fixture ``mock_llm``, in test files that are run on their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

Outcome = Callable[[str], tuple[str, str]]
ROOT = Path(__file__).parents[2]
CLIENT = """
import json
import urllib.error
import urllib.request


def ask(mock, text):
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    request = urllib.request.Request(
        f"{mock.openai_url}/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=20) as response:
            return json.load(response)["choices"][0]["message"]["content"]
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
"""


@pytest.fixture
def outcome(tmp_path: Path) -> Outcome:
    def run(test: str) -> tuple[str, str]:
        (tmp_path / "test_it.py").write_text(CLIENT + test, encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "mock_llm.pytest_fixture",
            "-p",
            "no:cacheprovider",
            ".",
        ]
        done = subprocess.run(
            [*command, "-W", "error"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        counts = re.findall(r"\d+ (?:passed|failed|error)", done.stdout.splitlines()[-1])
        return ", ".join(counts), done.stdout

    return run


def test_it_starts_mocks_and_stops_them_with_the_test(outcome: Outcome) -> None:
    counts, shown = outcome(
        """
import socket
import threading

import pytest

started = []


def test_one(mock_llm):
    left, right = mock_llm("Hello", "Bye"), mock_llm({"say": "Yes"})
    started.append(left)
    assert [ask(left, "a"), ask(right, "a"), ask(left, "b")] == ["Hello", "Yes", "Bye"]
    assert left.wait_for_request(2).request.last_user_text == "b"


def test_two():
    assert not any(thread.name == "mock-llm" for thread in threading.enumerate())
    with socket.socket() as client, pytest.raises(ConnectionRefusedError):
        client.connect(("127.0.0.1", int(started[0].base_url.rsplit(":", 1)[1])))
"""
    )
    assert counts == "2 passed", shown


def test_a_refused_request_fails_the_test_even_if_the_client_did_not_mind(outcome: Outcome) -> None:
    counts, shown = outcome(
        """
def test_one(mock_llm):
    mock = mock_llm("Hello")
    assert [ask(mock, "a"), ask(mock, "b")] == ["Hello", 400]
"""
    )
    assert counts == "1 passed, 1 error"
    assert "the mock model refused requests:\nrequest 2 has no turn left to answer it" in shown


def test_a_test_may_want_refusals(outcome: Outcome) -> None:
    counts, shown = outcome(
        """
def test_one(mock_llm):
    mock = mock_llm("Hello", check=False, token="t")
    assert ask(mock, "a") == 401
    assert len(mock.problems) == 1
"""
    )
    assert counts == "1 passed", shown


def test_an_installation_brings_the_fixture() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert "mock_llm.pytest_fixture" in project["entry-points"]["pytest11"].values()
