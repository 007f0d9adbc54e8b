"""The lines that aim clients at the mock."""

from __future__ import annotations

import json
import shlex
import subprocess

import pytest

from mock_llm.clients import NAMES, by_client, curl, lines_for, render_clients

URL = "http://127.0.0.1:1"


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_filled_and_are_a_shell_program(name: str) -> None:
    lines = lines_for(by_client(name), URL, "key-7")

    assert URL in lines
    assert "key-7" in lines
    assert not {"{url}", "{key}", "{model}"} & set(lines.split())
    assert subprocess.run(["bash", "-n", "-c", lines], capture_output=True, check=False).returncode == 0


def test_an_unknown_client_is_named_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="no client 'nano'; there are openai, anthropic"):
        by_client("nano")


def test_only_clients_of_the_given_dialects_are_shown_and_long_ones_by_name() -> None:
    assert render_clients(URL, ("openai-responses",)) == (
        "codex: the option '--client NAME' prints a few lines"
    )
    assert [line.split()[0] for line in render_clients(URL, ("gemini",)).splitlines()] == [
        "google-genai",
        "gemini",
    ]


@pytest.mark.parametrize("text", ["Hello", "it's", 'a "quoted" $HOME `x` \\ ü\nline'])
def test_the_curl_line_carries_any_text_through_the_shell(text: str) -> None:
    words = shlex.split(curl(URL, "key-7", text))

    assert json.loads(words[-1])["messages"][0]["content"] == text
    assert "authorization: Bearer key-7" in words
