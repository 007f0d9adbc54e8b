"""``mock-llm record`` as a program: captured, killed, and replayed by ``mock-llm serve``."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.agents.locate import cache_folder, installed_program, load_agent
from mock_llm import serve
from mock_llm.clients import by_client, lines_for
from mock_llm.script_yaml import load_script
from mock_llm.turn import Text
from tests.mock_llm.command import Running, ask, opened, run

RUNAWAY = "Let me check the parser again. " * 40


def reading(url: str, text: str) -> http.client.HTTPResponse:
    """A streamed request under way."""
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": text}]}
    response: http.client.HTTPResponse = opened(f"{url}/v1/chat/completions", body)
    return response


def until_said(response: http.client.HTTPResponse, chars: int) -> str:
    """Read a chat stream until so many characters have come."""
    said = ""
    while len(said) < chars:
        line = response.readline()
        assert line, f"the stream ended after {len(said)} characters"
        if line.startswith(b"data: {"):
            delta: dict[str, Any] = json.loads(line[6:])["choices"][0]["delta"]
            said += delta.get("content", "")
    return said


def texts(script: Path) -> list[str]:
    return [
        "".join(part.text for part in turn.turn.parts if isinstance(part, Text))
        for turn in load_script(script).turns
    ]


def test_what_was_recorded_is_served_again(tmp_path: Path) -> None:
    with (
        serve("One.", "Two {braces}.") as upstream,
        Running("record", "--upstream", upstream.base_url, cwd=tmp_path) as recording,
    ):
        url = recording.url()
        said = [ask(url, text) for text in ("a", "b")]
        recording.until(r"^2 POST /v1/chat/completions: status 200, 13 characters, complete")
        code = recording.end(signal.SIGINT)

    assert code == 130
    assert recording.lines[-1] == "recording.yaml is ready: mock-llm serve recording.yaml"
    with Running("serve", "recording.yaml", "--no-token", cwd=tmp_path) as serving:
        url = serving.url()
        assert [ask(url, text) for text in ("a", "b")] == said == ["One.", "Two {braces}."]
    shown = run("check", "recording.yaml", cwd=tmp_path).stdout
    assert shown.splitlines()[0] == "recording.yaml: 2 turns"


def test_a_runaway_that_was_cut_off_is_kept_as_far_as_it_had_come(tmp_path: Path) -> None:
    held = {"say": RUNAWAY, "stream": {"chars_per_delta": 10, "every_ms": 0.1, "hold_after": 500}}
    with (
        serve(held) as upstream,
        Running("record", "--upstream", upstream.base_url, cwd=tmp_path) as recording,
    ):
        url = recording.url()
        with reading(url, "a") as response:
            until_said(response, 500)
        recording.until(r"status 200, 500 characters, client-hung-up")
        assert upstream.wait_for_end(1).ended == "client-hung-up"

    assert texts(tmp_path / "recording.yaml") == [RUNAWAY[:500]]


def test_a_kill_loses_nothing_that_the_client_had_seen(tmp_path: Path) -> None:
    held = {"say": RUNAWAY, "stream": {"chars_per_delta": 10, "every_ms": 0.1, "hold_after": 500}}
    with (
        serve("Before.", held) as upstream,
        Running("record", "--upstream", upstream.base_url, cwd=tmp_path) as recording,
    ):
        url = recording.url()
        ask(url, "first")
        with reading(url, "second") as response:
            seen = until_said(response, 500)
            code = recording.end(signal.SIGKILL)

    assert code == -signal.SIGKILL
    assert texts(tmp_path / "recording.yaml") == ["Before.", seen]
    with Running("serve", "recording.yaml", "--no-token", cwd=tmp_path) as serving:
        url = serving.url()
        assert [ask(url, "first"), ask(url, "second")] == ["Before.", RUNAWAY[:500]]


def test_nothing_is_written_when_no_model_was_asked(tmp_path: Path) -> None:
    with (
        serve("x") as upstream,
        Running("record", "--upstream", upstream.base_url, cwd=tmp_path) as recording,
    ):
        url = recording.url()
        with opened(f"{url}/v1/models") as response:
            assert response.status == 200
        recording.until(r"^1 GET /v1/models: status 200, not recorded, complete")
        recording.end()

    assert recording.lines[-1] == "no request to a model came: nothing was written"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.real_agent
def test_a_session_of_the_real_pi_is_recorded_and_replayed_to_it(tmp_path: Path) -> None:
    pi = load_agent("pi")
    program = installed_program(pi, cache_folder())
    if program is None:
        assert not os.environ.get("CI"), "pi is not installed: run 'qa agents install pi' first"
        pytest.skip("pi is not installed here: 'qa agents install pi'")

    def answer_to(lines: str) -> str:
        folder = str(tmp_path)
        environment = {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": folder, "TMPDIR": folder}
        done = subprocess.run(
            ["bash", "-ec", lines],
            env=environment,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        return done.stdout.strip()

    listing = {"think": "Hm.", "say": "I look.", "call": {"bash": {"command": "echo hi"}}}
    with (
        serve(
            listing, {"say": RUNAWAY.strip(), "stream": {"chars_per_delta": 24, "every_ms": 1}}
        ) as upstream,
        Running("record", "--upstream", upstream.base_url, cwd=tmp_path) as recording,
    ):
        said = answer_to(lines_for(by_client("pi"), recording.url(), "sk-real-secret-7"))
        recording.end()
    with Running("serve", "recording.yaml", "--client", "pi", "--strict", cwd=tmp_path) as serving:
        serving.until("^HOME=")
        again = answer_to("\n".join(serving.lines))
        code = serving.end()

    assert said == again == RUNAWAY.strip()
    assert (code, serving.lines[-1]) == (0, "2 requests, 2 replies, 0 problems, 0 turns unused")
    recorded = [tmp_path / "recording.yaml", *(tmp_path / "recording").iterdir()]
    assert [path for path in recorded if "sk-real-secret-7" in path.read_text(encoding="utf-8")] == []
