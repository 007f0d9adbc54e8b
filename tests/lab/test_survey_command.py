"""``qa survey`` on the embedded agent: what it measures, writes, and goes on with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from harness.agents.locate import load_agent
from harness.cli import main
from harness.lab.survey import Survey, parse_survey
from harness.lab.survey_run import column

SHORT = ["--agent", "reference", "--scenario", "loop-exact", "--out", "out"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def qa(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["survey", *arguments])


def _found(folder: Path) -> Survey:
    return parse_survey((folder / "out" / "survey.json").read_text(encoding="utf-8"))


def test_the_embedded_agent_stops_the_exact_loop_and_three_files_say_so(folder: Path) -> None:
    result = qa(*SHORT)
    assert result.exit_code == 0, result.output
    (cell,) = _found(folder).cells
    assert (cell.outcome, cell.of) == ("stopped", 4032)
    # The third copy of the first paragraph ends at 1,034; what follows was in flight.
    assert cell.at is not None
    assert 1030 <= cell.at < 2000
    assert cell.words.startswith("collapse-repetition / paragraph-repeat at 1,0")
    assert cell.sentence in result.output
    assert cell.sentence in (folder / "out" / "survey.md").read_text(encoding="utf-8")
    assert cell.sentence in (folder / "out" / "survey.html").read_text(encoding="utf-8")


def test_resume_measures_only_what_is_missing(folder: Path) -> None:
    qa(*SHORT)
    (before,) = _found(folder).cells
    result = qa(*SHORT, "--scenario", "plain-item-list", "--resume")
    assert "[1/1] reference  plain-item-list: left alone" in result.output
    assert _found(folder).cells[0] == before
    assert [cell.outcome for cell in _found(folder).shown()] == ["stopped", "left-alone"]


def test_a_new_build_of_ones_own_agent_is_measured_again(folder: Path) -> None:
    program = folder / "mine"
    described = Path(load_agent("reference").path).read_text(encoding="utf-8")
    described = described.replace("agent: reference", "agent: mine").replace("install: embedded\n", "")
    command = 'command: ["{python}", -m, harness.refagent]'
    assert command in described
    (folder / "mine.yaml").write_text(described.replace(command, 'command: [./mine, "{python}"]'))
    words = ["--agent", "./mine.yaml", "--scenario", "plain-prose", "--out", "out"]

    def build(version: str) -> None:
        answer = f'if [ "$2" = --version ]; then echo "mine {version}"; exit; fi'
        program.write_text(
            f'#!/bin/sh\n{answer}\npython=$1; shift\nexec "$python" -m harness.refagent "$@"\n'
        )
        program.chmod(0o755)

    build("1.0.1")
    assert "[1/1]" in qa(*words).output
    assert [column.version for column in _found(folder).columns] == ["1.0.1"]
    assert "[1/1]" not in qa(*words, "--resume").output
    build("1.0.2")
    assert "[1/1]" in qa(*words, "--resume").output
    assert [column.version for column in _found(folder).columns] == ["1.0.2"]


def test_an_agent_of_ones_own_that_python_runs_has_its_own_version(folder: Path) -> None:
    (folder / "mine.py").write_text("print('mine 1.0.1')\n")
    description = """
agent: mine
command: ["{python}", "{here}/mine.py"]
one_shot: ["{prompt}"]
dialects: {openai-chat: {}}
"""
    (folder / "mine.yaml").write_text(description)
    assert column("./mine.yaml").version == "1.0.1"
    assert column("reference").version == "embedded"


def test_a_cell_that_cannot_be_measured_says_why_and_the_others_are(folder: Path) -> None:
    agent = folder / "broken.yaml"
    agent.write_text(
        "agent: broken\ncommand: ['{python}', -c, 'raise SystemExit(7)']\none_shot: ['{prompt}']\n"
        "dialects: {openai-chat: {}}\n",
        encoding="utf-8",
    )
    result = qa("--agent", "broken.yaml", *SHORT, "--jobs", "2")
    assert result.exit_code == 3, result.output
    by_agent = {cell.agent: cell for cell in _found(folder).cells}
    assert "ended with exit code 7 and never asked the model" in by_agent["broken.yaml"].problem
    assert by_agent["reference"].outcome == "stopped"


def test_a_loop_of_calls_is_not_measured_on_an_agent_without_that_tool(folder: Path) -> None:
    agent = folder / "bare.yaml"
    agent.write_text(
        "agent: bare\ncommand: ['{python}', -c, 'raise SystemExit(7)']\none_shot: ['{prompt}']\n"
        "dialects: {openai-chat: {}}\n",
        encoding="utf-8",
    )
    result = qa("--agent", "bare.yaml", "--scenario", "loop-tool-calls", "--out", "out")
    assert result.exit_code == 0, result.output
    assert _found(folder).cells == ()
    assert "loop-tool-calls  not measured" in result.output
    why = (
        "bare.yaml: 1 scenario is not measured, as the description has no bash under 'tools': loop-tool-calls"
    )
    assert why in result.output


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--agent", "nobody"], 2, "unknown agent"),
        (["--agent", "reference:model"], 2, "unknown agent"),
        (["--agent", "reference", "--scenario", "no-such-loop"], 2, "no scenario"),
        (["--agent", "reference", "--scenario", "healthy-terminal"], 5, "no loop or healthy scenario"),
    ],
)
def test_a_wrong_selection_is_said(arguments: list[str], code: int, words: str) -> None:
    result = qa(*arguments)
    assert result.exit_code == code, result.output
    assert words in result.output


def test_a_file_that_is_no_survey_is_never_gone_on_with(folder: Path) -> None:
    (folder / "out").mkdir()
    file = folder / "out" / "survey.json"
    file.write_text(json.dumps({"format": 9}), encoding="utf-8")
    result = qa(*SHORT, "--resume")
    assert result.exit_code == 2
    assert "its format is 9" in result.output
    assert json.loads(file.read_text(encoding="utf-8")) == {"format": 9}
