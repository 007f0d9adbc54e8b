"""The command ``mock-llm``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-c", "from mock_llm.cli import main; main()", "serve"]


def ask(url: str) -> str:
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{url}/chat/completions", json.dumps(body).encode(), timeout=20) as response:
        content: str = json.load(response)["choices"][0]["message"]["content"]
    return content


def test_serve_says_where_answers_by_the_script_and_stops_on_ctrl_c(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text('model:\n  - say: "Good morning."\n', encoding="utf-8")

    with subprocess.Popen([*COMMAND, str(script)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        dialect, url = process.stdout.readline().split()
        other, origin = process.stdout.readline().split()
        said = ask(url)
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=20)

    assert (dialect, other, url) == ("openai-chat", "anthropic-messages", f"{origin}/v1")
    assert said == "Good morning."
    assert line == "1 POST /v1/chat/completions: reply 1, 13 of 13 characters, complete\n"
    assert code == 130


@pytest.mark.parametrize(
    ("more", "code", "message"), [(["--host", "0.0.0.0"], 3, "loopback addresses only"), ([], 2, "")]
)
def test_what_cannot_be_served_is_said(tmp_path: Path, more: list[str], code: int, message: str) -> None:
    script = tmp_path / "script.yaml"
    script.write_text('model:\n  - say: "x"\n' if more else "model: 3\n", encoding="utf-8")

    done = subprocess.run(
        [*COMMAND, str(script), *more], capture_output=True, text=True, timeout=30, check=False
    )

    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
