"""The command ``mock-llm``, run as a program."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from harness.agents.locate import cache_folder, installed_program, load_agent
from mock_llm.cli import COMMANDS, main
from mock_llm.generators import GENERATORS
from tests.mock_llm.command import Running, ask, control, run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "greeting.yaml"
    path.write_text('model:\n  - say: "Good morning, {nonce}."\n', encoding="utf-8")
    return path


def test_serve_says_where_answers_by_the_script_and_stops_on_ctrl_c(script: Path) -> None:
    with Running("serve", str(script), "--token", "secret-7") as serving:
        url = serving.url()
        said = ask(url, key="secret-7")
        ended = serving.until(r"^1 POST")
        code = serving.end(signal.SIGINT)

    assert serving.lines[:6] == [
        f"openai-chat         {url}/v1",
        f"openai-responses    {url}/v1",
        f"anthropic-messages  {url}",
        f"gemini              {url}",
        f"journal             {url}/__journal",
        "key                 secret-7",
    ]
    assert said == "Good morning, nonce."
    assert ended.string == "1 POST /v1/chat/completions: reply 1, 20 of 20 characters, complete\n"
    assert serving.lines[-1] == "1 request, 1 reply, 0 problems, 0 turns unused"
    assert code == 130


def test_a_port_that_is_taken_is_named_with_a_cure(script: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for words in (["serve", str(script)], ["record", "--upstream", "http://127.0.0.1:9"]):
            done = run(*words, "--port", str(port), cwd=script.parent)
            assert done.returncode == 3
            assert done.stderr == (
                f"cannot listen on 127.0.0.1 port {port}: address already in use\n"
                f"  leave '--port' out for a free one; 'ss -ltnp sport = :{port}' shows who has it\n"
            )


def test_the_curl_line_works_as_it_is_printed(script: Path) -> None:
    with Running("serve", str(script)) as serving:
        curl = serving.until(r"^  (curl .*)$")[1]
        done = subprocess.run(curl, shell=True, capture_output=True, text=True, timeout=30, check=True)

    assert '"Good morning, nonce."' in done.stdout
    assert done.stdout.endswith("data: [DONE]\n\n")


def test_the_environment_lines_work_as_they_are_printed(script: Path) -> None:
    client = (
        "import os, httpx\n"
        "r = httpx.post(os.environ['{0}_BASE_URL'] + '{1}', headers={{'{2}': '{3}' + os.environ['{4}']}}, json={5})\n"
        "print(r.text)\n"
    )
    clients = {
        "openai": client.format(
            "OPENAI", "/chat/completions", "authorization", "Bearer ", "OPENAI_API_KEY",
            {"model": "m", "messages": [{"role": "user", "content": "a"}]},
        ),
        "anthropic": client.format(
            "ANTHROPIC", "/v1/messages", "x-api-key", "", "ANTHROPIC_API_KEY",
            {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "b"}]},
        ),
        "google-genai": client.format(
            "GOOGLE_GEMINI", "/v1beta/models/m:generateContent", "x-goog-api-key", "", "GEMINI_API_KEY",
            {"contents": [{"role": "user", "parts": [{"text": "c"}]}]},
        ),
    }  # fmt: skip
    with Running("serve", str(script)) as serving:
        serving.url()
        for name, program in clients.items():
            [line] = [line for line in serving.lines if line.startswith(name + " ")]
            shell = f'{line.removeprefix(name).strip()}; python3 -c "$PROGRAM"'
            done = subprocess.run(
                ["bash", "-c", shell.replace("python3", sys.executable)],
                env={"PROGRAM": program, "PATH": "/usr/bin:/bin"},
                capture_output=True,
                text=True,
                timeout=30,
                check=True,
            )
            assert "Good morning, nonce." in done.stdout, name


@pytest.mark.parametrize("name", ["codex", "pi"])
def test_the_lines_of_one_client_stand_alone(script: Path, name: str) -> None:
    with Running("serve", str(script), "--client", name, "--token", "secret-7") as serving:
        serving.until("secret-7")
        serving.end()

    assert not any(line.startswith("openai-chat") for line in serving.lines)


@pytest.mark.real_agent
def test_the_lines_of_pi_are_answered_by_the_real_pi(script: Path) -> None:
    pi = load_agent("pi")
    program = installed_program(pi, cache_folder())
    if program is None:
        assert not os.environ.get("CI"), "pi is not installed: run 'qa agents install pi' first"
        pytest.skip("pi is not installed here: 'qa agents install pi'")
    folder = str(script.parent)
    with Running("serve", str(script), "--client", "pi") as serving:
        serving.until("^HOME=")
        done = subprocess.run(
            ["bash", "-ec", "\n".join(serving.lines)],
            env={"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": folder, "TMPDIR": folder},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )

    assert done.stdout.strip() == "Good morning, nonce."


def test_without_the_token_nothing_is_answered_and_nothing_told(script: Path) -> None:
    with Running("serve", str(script)) as serving:
        url = serving.url()
        for wrong in ("", "sk-other-key"):
            with pytest.raises(urllib.error.HTTPError) as caught:
                ask(url, key=wrong)
            assert caught.value.code == 401
            caught.value.close()
            with pytest.raises(urllib.error.HTTPError) as caught:
                control(url, "/__journal", key=wrong)
            assert caught.value.code == 401
            caught.value.close()
        serving.end()

    assert not any("sk-other-key" in line for line in serving.lines)


def test_no_token_lets_every_program_of_this_machine_ask(script: Path) -> None:
    with Running("serve", str(script), "--no-token", "--nonce", "N-7", "--host", "localhost") as serving:
        url = serving.url()

        assert ask(url.replace("127.0.0.1", "localhost")) == "Good morning, N-7."
        assert control(url.replace("127.0.0.1", "localhost"), "/__health")["ok"]


def test_several_scripts_are_told_apart_by_the_path_and_a_scenario_is_one_of_them(
    script: Path,
) -> None:
    scenario = ROOT / "scenarios" / "healthy-item-list.yaml"
    (script.parent / "notes.yaml").write_text("just: notes\n", encoding="utf-8")

    with Running("serve", str(script.parent), str(scenario), "--no-token") as serving:
        url = serving.url()
        assert serving.lines[4] == "other scripts       /healthy-item-list"
        assert ask(f"{url}/greeting") == "Good morning, nonce."
        assert len(ask(f"{url}/healthy-item-list")) > 500
        with pytest.raises(urllib.error.HTTPError) as caught:
            ask(url)
        message = json.load(caught.value)["error"]["message"]
        caught.value.close()

    assert "put a script's name before the path: /greeting, /healthy-item-list" in message


def test_the_journal_file_has_a_line_when_a_request_begins_and_one_when_it_ends(
    script: Path, tmp_path: Path
) -> None:
    journal = tmp_path / "journal.jsonl"
    with Running("serve", str(script), "--token", "secret-7", "--journal", str(journal)) as serving:
        url = serving.url()
        ask(url, "my key is secret-7", key="secret-7")
        serving.until(r"^1 POST")
        lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]

    assert [line["event"] for line in lines] == ["request", "ended"]
    assert lines[0]["headers"]["authorization"] == "[redacted]"
    assert lines[0]["last_user_text"] == "my key is [redacted]"
    assert lines[1]["text_sent"] == "Good morning, nonce."


def test_strict_makes_a_refused_request_the_exit_code(script: Path) -> None:
    codes = []
    for asked in (1, 2):
        with Running("serve", str(script), "--no-token", "--strict") as serving:
            url = serving.url()
            ask(url)
            if asked == 2:
                with pytest.raises(urllib.error.HTTPError) as caught:
                    ask(url)
                caught.value.close()
            codes.append(serving.end(signal.SIGTERM))

    assert codes == [0, 1]


def test_fast_leaves_out_every_wait(tmp_path: Path) -> None:
    slow = tmp_path / "slow.yaml"
    slow.write_text("model:\n  - say: abc\n    stream: {first_after_ms: 3600000}\n", encoding="utf-8")
    with Running("serve", str(slow), "--no-token", "--fast") as serving:
        assert ask(serving.url()) == "abc"


def test_say_answers_every_request_with_the_text() -> None:
    with Running("say", "It is {nonce} o'clock.", "--no-token") as serving:
        url = serving.url()
        assert [ask(url, text) for text in ("a", "b", "a")] == ["It is {nonce} o'clock."] * 3


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["serve", "good.yaml", "--host", "0.0.0.0"], 3, "loopback addresses only"),
        (["serve", "bad.yaml"], 2, "bad.yaml:2:5: unknown key 'saay' in a turn"),
        (["serve", "good.yaml", "bad.yaml"], 2, "did you mean 'say'?"),
        (["check", "bad.yaml"], 2, "bad.yaml:2:5: unknown key 'saay' in a turn"),
        (["serve", "empty"], 2, "no script in empty"),
        (["serve", "good.yaml", "folder"], 2, "two scripts are named 'good'"),
        (["serve", "good.yaml", "--journal", "nowhere/j"], 2, "cannot write 'nowhere/j'"),
        (["serve", "none.yaml"], 2, "'none.yaml' does not exist"),
        (["text", "pros"], 2, "no generator 'pros'; did you mean 'prose'?"),
        (["text", "prose", "paragraphs"], 2, "'paragraphs' is no KEY=VALUE"),
        (
            ["text", "prose", "paragraphs=0"],
            2,
            "paragraphs=0: expected a whole number from 1 to 1000, got 0\n",
        ),
        (
            ["text", "prose", "seed=2", "paragraf=1"],
            2,
            "paragraf=1: unknown key 'paragraf' in prose\n  did you",
        ),
        (["record", "--upstream", "localhost"], 2, "'localhost' is no URL of a server"),
        (["record", "--upstream", "http://h", "--to", "good.yaml"], 2, "'good.yaml' is there already"),
        (["record", "--upstream", "http://h", "--host", "0.0.0.0"], 3, "loopback addresses only"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    (tmp_path / "good.yaml").write_text('model:\n  - say: "x"\n', encoding="utf-8")
    (tmp_path / "bad.yaml").write_text('model:\n  - saay: "x"\n', encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "good.yaml").write_text('model:\n  - say: "y"\n', encoding="utf-8")

    done = run(*arguments, cwd=tmp_path)

    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_check_shows_every_turn_in_a_line_for_each_part(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(
        "lanes:\n  title:\n    match: {system: {contains: title}}\n    model: [{say: A title.}]\n"
        "model:\n  - think: Hm.\n    say: Let me see.\n    call: {read: {path: a}}\n  - say: {prose: {paragraphs: 1}}\n",
        encoding="utf-8",
    )

    lines = run("check", "s.yaml", cwd=tmp_path).stdout.splitlines()

    assert lines[:4] == [
        "s.yaml: 2 turns",
        "    1  think  Hm. (3 characters)",
        "       say    Let me see. (11 characters)",
        '       call   read {"path": "a"}',
    ]
    assert lines[4].startswith("    2  say    ")
    assert lines[5:] == ["  lane 'title'", "    1  say    A title. (8 characters)"]


def test_text_prints_the_text_of_a_generator_and_nothing_else() -> None:
    from mock_llm.generators import generate

    done = run("text", "paragraph-loop", "paragraphs=2", "cycles=3", "seed=4")

    assert done.stdout == generate("paragraph-loop", {"paragraphs": 2, "cycles": 3, "seed": 4})
    assert done.stderr == ""


def test_generators_and_the_schema_are_listed_whole() -> None:
    listed = CliRunner().invoke(main, ["generators"]).output.splitlines()
    schema = json.loads(CliRunner().invoke(main, ["schema"]).output)

    assert [line for line in listed if not line.startswith(" ")] == list(GENERATORS)
    assert listed[listed.index("prose") + 1] == f"  {GENERATORS['prose'].shape.doc}"
    assert "  parameters: paragraphs seed lead newline" in listed
    assert {"model", "lane", "conversations"} <= set(schema["properties"])


def test_every_command_is_listed_and_explains_itself() -> None:
    shown = CliRunner().invoke(main, ["--help"]).output
    for name in COMMANDS:
        assert f"\n  {name} " in shown
        done = CliRunner().invoke(main, [name, "--help"])
        assert done.exit_code == 0
        assert done.output.startswith(f"Usage: main {name} ")
    assert isinstance(main, click.Group)
    assert CliRunner().invoke(main, ["serv"]).exit_code == 2
