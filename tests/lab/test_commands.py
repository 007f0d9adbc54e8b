"""``qa replay`` and ``qa calibrate`` at the command line: what they print, and their exit codes."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from harness.cli import main
from harness.commands.calibrate import calibrate
from harness.lab.calibrate_text import tally_data
from harness.lab.tally import Fire, Tally

QA = Path(sys.executable).with_name("qa")
PAGE = (Path(__file__).parents[2] / "docs" / "calibrate.md").read_text(encoding="utf-8")
PARAGRAPH = "Now I will look at the configuration once more and then decide what to change.\n\n"
LIMIT_S = 60


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "calm.txt").write_text("All is well.\n", encoding="utf-8")
    (tmp_path / "loop.txt").write_text(PARAGRAPH * 4, encoding="utf-8")
    return tmp_path


def qa(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, arguments, input=stdin)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["replay", "loop.txt"], 0),
        (["replay", "calm.txt", "loop.txt", "--fail-on-finding"], 1),
        (["replay", "calm.txt", "--fail-on-finding"], 0),
        (["replay", "loop.txt", "--fail-on-finding", "--disable", "collapse-repetition"], 0),
        (["replay", "nowhere.txt"], 2),
        (["replay", "."], 2),
        (["replay", "loop.txt", "--fail-on-difference"], 2),
        (["replay", "loop.txt", "--detector", "no-such-program"], 3),
        (["replay", "loop.txt", "--detector", "false"], 3),
        (["replay", "loop.txt", "--detector", ""], 2),
        (["calibrate", "."], 0),
        (["calibrate", ".", "--fail-on-finding"], 1),
        (["calibrate", "calm.txt", "--fail-on-finding"], 0),
        (["calibrate", "nowhere"], 2),
        (["calibrate", ".", "--where", "a=b"], 2),
        (["calibrate", ".", "--text-path", "a", "--where", "b"], 2),
        (["calibrate", ".", "--text-path", "a", "--reader", "text"], 2),
        (["calibrate", "loop.txt", "--text-path", "a"], 5),
    ],
)
def test_the_exit_code_says_how_it_went(arguments: list[str], code: int) -> None:
    assert qa(*arguments).exit_code == code


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["replay", "."], "cannot read '.': Is a directory\n  name the files in it, or scan it whole: qa calibrate\n"),
        (["replay", "calm.txt", "--reader", "pi-json"], "no reader 'pi-json'\n  did you mean 'pi-jsonl'?\n"),
        (["replay", "calm.txt", "--disable", "paragraf-repeat"], "no rule or mechanism 'paragraf-repeat'\n  did you mean 'paragraph-repeat'?\n"),
        (["replay", "calm.txt", "--guard-profile", "loop.yaml"], "cannot read the guard profile 'loop.yaml': No such file or directory\n"),
        (["calibrate", "here", "calm.txt", "there"], "there is no store 'here'\nthere is no store 'there'\n"),
        (["calibrate", "calm.txt", "--text-path", "a..b"], "--text-path 'a..b', character 3: a key is missing\n  a path looks like message.content[].text\n"),
        (["calibrate", "calm.txt", "--disable", "collapse-repetition", "--disable", "control-token-leak", "--disable", "repetitive-turns"], "the guard 'published' has no mechanism left; disable fewer\n"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_with_its_cure(arguments: list[str], said: str) -> None:
    result = qa(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)


def test_mistakes_of_a_profile_are_shown_in_place(folder: Path) -> None:
    (folder / "mine.yaml").write_text(
        "profile: mine\nmechanisms: {line-cycel: {off: true}}\n", encoding="utf-8"
    )
    result = qa("replay", "calm.txt", "--guard-profile", "mine.yaml")
    assert result.exit_code == 2
    assert result.stderr.startswith("mine.yaml:2:14: ")
    assert "did you mean 'line-cycle'?" in result.stderr


def test_another_profile_can_be_given(folder: Path) -> None:
    (folder / "mine.yaml").write_text(
        "profile: mine\nmechanisms: {paragraph-repeat: {min_repeats: 2}}\n", encoding="utf-8"
    )
    data = json.loads(qa("replay", "loop.txt", "--guard-profile", "mine.yaml", "--json").stdout)
    assert data["guard"] == "mine"
    assert data["files"][0]["replies"][0]["finding"]["fired_at"] == 2 * len(PARAGRAPH)


def test_a_replay_as_json_has_what_was_asked_for() -> None:
    data = json.loads(
        qa("replay", "-", "calm.txt", "--json", "--kept", "--explain", stdin=PARAGRAPH * 3).stdout
    )
    fired, silent = (file["replies"][0] for file in data["files"])
    assert (data["fired"], data["files"][0]["file"]) == (1, "standard input")
    assert (fired["part"], fired["kept"]) == (0, PARAGRAPH)
    assert (fired["finding"]["mechanism"], fired["finding"]["line"]) == ("paragraph-repeat", 6)
    assert [one["role"] for one in fired["why"]["paragraphs"]] == ["first", "copy", "copy"]
    assert (silent["finding"], silent["part"]) == (None, None)
    assert {near["mechanism"] for near in silent["nearest"]} == {
        "paragraph-repeat",
        "near-duplicate-paragraphs",
    }


def test_a_replay_prints_where_why_and_what_is_kept() -> None:
    printed = qa("replay", "loop.txt", "--kept", "--explain").stdout
    assert "paragraph-repeat (collapse-repetition) fires after 240 of 320 characters, line 6:1\n" in printed
    assert f"    --- kept\n{PARAGRAPH}\n    --- dropped from here on\n" in printed
    assert "thresholds   paragraph-repeat: window 64, min_repeats 3" in printed
    assert printed.count("    copy ") == 2


def test_text_of_another_kind_is_judged_as_that_kind() -> None:
    assert "stays silent" in qa("replay", "loop.txt", "--stream", "tool").stdout


def test_escape_codes_of_a_capture_never_reach_the_terminal(folder: Path) -> None:
    (folder / "evil.txt").write_text(
        "\x1b]0;title\x07" + PARAGRAPH.replace("look", "l\x07ook") * 4, encoding="utf-8"
    )
    for arguments in (["evil.txt"], ["evil.txt", "--reader", "text", "--kept", "--explain"]):
        printed = qa("replay", *arguments).stdout
        assert "fires after" in printed
        assert "\x1b" not in printed
        assert "\x07" not in printed


def test_differences_count_only_where_that_is_asked_for(folder: Path) -> None:
    (folder / "mute.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'hello': print(json.dumps({**message, 'name': 'mute'}), flush=True)\n"
        "    if message['type'] == 'finish': print(json.dumps({**message, 'type': 'done'}), flush=True)\n",
        encoding="utf-8",
    )
    command = ["replay", "calm.txt", "loop.txt", "--detector", f"{sys.executable} mute.py"]
    result = qa(*command)
    assert result.exit_code == 0
    assert "mute says the same of 1 reply\n" in result.stdout
    assert "mute says something else of 1 reply\n" in result.stdout
    assert qa(*command, "--fail-on-difference").exit_code == 1


def test_escape_codes_of_a_detector_never_reach_the_terminal(folder: Path) -> None:
    (folder / "evil.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    evil = {'name': 'n\\x1b[1m\\x07', 'type': 'finding', 'mechanism': 'm\\x1b[1m\\x07'}\n"
        "    if message['type'] == 'hello': print(json.dumps({**message, **evil, 'type': 'hello'}), flush=True)\n"
        "    if message['type'] == 'finish': print(json.dumps(evil), json.dumps({**message, 'type': 'done'}), sep='\\n', flush=True)\n",
        encoding="utf-8",
    )
    printed = qa("replay", "loop.txt", "--detector", f"{sys.executable} evil.py").stdout
    assert r"m\x1b[1m\x07" in printed
    assert r"n\x1b[1m\x07 says something else of 1 reply" in printed
    assert not {"\x1b", "\x07"} & set(printed)


def test_a_store_of_text_is_counted_and_each_fire_is_listed() -> None:
    lines = qa("calibrate", ".").stdout.splitlines()
    assert lines[0] == "2 parts, 0.3 kB: fires once"
    assert lines[4] == "./loop.txt:3"
    assert lines[5].startswith("  paragraph-repeat (collapse-repetition) fires in the text after 240 of 320")


def test_no_text_at_a_path_is_answered_with_where_there_is_some(folder: Path) -> None:
    (folder / "a.jsonl").write_text('{"message": {"content": "hello"}}\n', encoding="utf-8")
    result = qa("calibrate", "a.jsonl", "--text-path", "content")
    assert result.exit_code == 5
    assert result.stderr == (
        "no record has text at the given path\n  the first record has text at: message.content\n"
    )


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ('[{"text": "hello"}]\n', "no record could be read\n  each is a JSON object on a line of its own"),
        ('{"text": "hello", "role": "user"}\n', "no record has what --where asks for"),
        ("", ""),
    ],
)
def test_no_record_to_scan_is_answered_with_why(folder: Path, records: str, said: str) -> None:
    (folder / "a.jsonl").write_text(records, encoding="utf-8")
    result = qa("calibrate", "a.jsonl", "--text-path", "text", "--where", "role=assistant")
    assert (result.exit_code, result.stderr[: len(said)]) == (5, said)
    assert bool(result.stderr) == bool(said)


def test_a_store_without_text_is_not_called_silent(folder: Path) -> None:
    (folder / "a.jsonl").write_text('{"message": {"content": "hello"}}\n', encoding="utf-8")
    result = qa("calibrate", "a.jsonl")
    assert result.exit_code == 5
    assert result.stdout.splitlines()[0] == "0 parts: there was nothing to scan"
    assert result.stdout.splitlines()[-2:] == [
        "1 file left out",
        "  a.jsonl: no session reader finds a reply in it",
    ]
    assert result.stderr.startswith(
        "no text was found; of JSON records, --text-path says where they have text"
    )


def test_records_come_from_standard_input_too() -> None:
    lines = "".join(
        json.dumps({"role": role, "text": PARAGRAPH * 3}) + "\n" for role in ("user", "assistant")
    )
    data = json.loads(
        qa("calibrate", "-", "--text-path", "text", "--where", "role=assistant", "--json", stdin=lines).stdout
    )
    assert (data["parts"], data["fired"], data["fires"][0]["file"], data["fires"][0]["line"]) == (
        1,
        1,
        "standard input",
        2,
    )


def test_ctrl_c_prints_what_was_counted_so_far(folder: Path) -> None:
    """The store ends in a pipe to which nothing is written; the progress line on the terminal says when it waits."""
    (folder / "records.jsonl").write_text(json.dumps({"text": PARAGRAPH * 3}) + "\n", encoding="utf-8")
    os.mkfifo("more")
    terminal, end = pty.openpty()
    command = [str(QA), "calibrate", "records.jsonl", "more", "--text-path", "text", "--jobs", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=end, text=True) as process:
        os.close(end)
        with Path("more").open("wb") as more:  # open for reading by now: all before it was counted or is held
            more.write(json.dumps({"text": "calm " * 300_000}).encode() + b"\n")
            more.flush()
            shown = b""
            while b"1 part," not in shown:
                shown += os.read(terminal, 4096)
            process.send_signal(signal.SIGINT)
            out = process.communicate(timeout=LIMIT_S)[0]
    os.close(terminal)
    # Whether the second record was counted too by then is open; that the first one was, the terminal has shown.
    assert out.splitlines()[0] in {"1 part, 0.2 kB: fires once", "2 parts, 1.5 MB: fires twice"}
    assert process.returncode == 130


def test_there_is_no_progress_line_without_a_terminal() -> None:
    assert qa("calibrate", ".").stderr == ""


def test_every_option_and_every_key_is_on_the_page() -> None:
    options = [
        o for parameter in calibrate.params if isinstance(parameter, click.Option) for o in parameter.opts
    ]
    keys: list[Any] = [*tally_data(Tally(), "published", 0.0, interrupted=False), *Fire._fields]
    assert [option for option in options if f"`{option}" not in PAGE] == []
    assert [key for key in keys if f"`{key}`" not in PAGE] == []
