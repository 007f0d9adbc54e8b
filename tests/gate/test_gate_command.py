"""``qa gate`` in a folder of a team's own: what it writes, refuses and goes on without."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import junitparser
import pytest

from harness.gate.baseline_file import MARK, parse_gate
from harness.gate.baseline_write import write_accepted
from harness.problems import UserError
from harness.results import RunResult
from harness.results_json import parse_results
from tests.e2e.qa_command import Ended, Qa
from tests.gate import made
from tests.gate.test_many_runs import FLAKY

LOOP = """
tags: [gate]
model:
  - say: {paragraph-loop: {cycles: 8}}
  - say: "RECOVERED {nonce}"
prompt: "p {nonce}"
steps:
  - abort: {reply: 1, mechanism: paragraph-repeat}
  - exit: 0
control: {disable: [collapse-repetition], must_fail: [abort]}
"""
CALM = """
tags: [gate]
model: [{say: "hello {nonce}"}]
prompt: p
steps: [{recovery: {reply: 1, contains: "hello {nonce}"}}]
control: {model: [{say: something else}], must_fail: [recovery]}
"""


@pytest.fixture
def team(qa: Qa) -> Qa:
    """A folder with one loop and a baseline that knows it."""
    qa.scenario("loop", LOOP)
    ended = gate(qa, "--accept", "first baseline")
    assert ended.code == 0, ended.out + ended.err
    return qa


def gate(qa: Qa, *words: str, **env: str) -> Ended:
    return qa("gate", "loop", *words, **env)


def settings(qa: Qa) -> Path:
    return qa.folder / "gate.yaml"


def words_of(text: str) -> str:
    return " ".join(text.split())


def test_accepting_says_what_is_new_and_where_it_was_written(qa: Qa) -> None:
    qa.scenario("loop", LOOP)
    ended = gate(qa, "--accept", "first baseline")
    assert ended.out.splitlines()[-2:] == [
        "wrote gate.yaml: 1 entry, reason 'first baseline'",
        "gate: passed",
    ]
    assert "accepted, and in the baseline from now on:\n  1 new scenario:\n    loop\n" in ended.out
    assert "qa gate --accept" not in ended.out


def test_a_new_scenario_that_was_not_accepted_says_how(team: Qa) -> None:
    team.scenario("other", LOOP.replace("cycles: 8", "cycles: 9"))
    ended = team("gate", "loop", "other")
    assert ended.code == 0
    assert "  1 new scenario, in the baseline with: qa gate --accept 'reason':\n    other" in ended.out
    assert "wrote" not in ended.out


def test_a_control_stands_behind_its_scenario_whichever_ends_first(qa: Qa) -> None:
    slow = CALM.replace('"hello {nonce}"}]', '"hello {nonce}", stream: {first_after_ms: 900}}]')
    qa.scenario("loop", slow)
    ended = gate(qa, "--jobs", "2", "--accept", "first")
    names = [line.split("  ")[0] for line in ended.out.splitlines() if "reference, " in line]
    assert names == ["✓ loop", "✓ loop (control)"]


def test_who_stops_reading_stops_neither_the_gate_nor_its_reports(team: Qa) -> None:
    process = subprocess.Popen(
        team.command("gate", "loop", "--report", "junit=j.xml"),
        cwd=team.folder,
        env=team.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process:
        assert process.stderr.read() == ""
    assert process.returncode == 0
    assert junitparser.JUnitXml.fromfile(str(team.folder / "j.xml")).tests == 2


def test_a_reason_is_not_empty(team: Qa) -> None:
    for reason in ("", " "):
        ended = gate(team, "--accept", reason)
        assert (ended.code, "--accept needs a reason" in ended.err) == (2, True)


def test_a_scenario_under_another_name_is_gone_and_new_and_taken_at_once(team: Qa) -> None:
    old = team.folder / "scenarios" / "loop.yaml"
    old.unlink()
    team.scenario("renamed", LOOP.replace("[gate]", "[mine]"))
    settings(team).write_text(settings(team).read_text().replace("tags: [gate]", "tags: [mine]"))
    ended = team("gate")
    assert ended.code == 1
    assert (
        "loop: is in the baseline and no longer among the scenarios of the gate [reference, openai-chat]"
        in words_of(ended.out)
    )
    assert "renamed" in ended.out
    assert team("gate", "--accept", "renamed").code == 0
    assert [key[2] for key in parse_gate(settings(team).read_text(), "g").baseline] == ["renamed"]
    assert team("gate").out.endswith("gate: passed\n")


def missing_agent(qa: Qa) -> str:
    path = Path(qa.agent(""))
    text = path.read_text().replace("agent: mine", "agent: gone")
    path.write_text(text.replace('["{python}", "' + str(qa.folder / "agent.py") + '"]', "[no-such-program]"))
    return path.name


def test_an_agent_that_is_not_installed_is_a_finding_in_every_report_and_the_others_run(team: Qa) -> None:
    agent = missing_agent(team)
    text = settings(team).read_text()
    settings(team).write_text(text.replace("agents: [reference]", f"agents: [reference, {agent}]"))
    ended = gate(team, "--report", "junit=j.xml", "--report", "json=r.json", "--report", "markdown=s.md")
    assert ended.code == 3, ended.out + ended.err
    told = "agent 'gone' cannot start: no program 'no-such-program' on PATH"
    assert f"every scenario: {told} [mine.yaml]" in words_of(ended.out)
    assert "runs: 2 passed" in ended.out
    xml = junitparser.JUnitXml.fromfile(str(team.folder / "j.xml"))
    assert (xml.tests, xml.failures, xml.errors) == (3, 0, 1)
    (change,) = parse_results((team.folder / "r.json").read_text(), "r.json").changes
    assert (change.kind, change.level, change.agent, change.text) == ("could-not-run", "fails", agent, told)
    assert "(mine.yaml)" in (team.folder / "s.md").read_text()


def test_when_no_agent_is_there_nothing_was_run_and_nothing_is_accepted(team: Qa) -> None:
    before = settings(team).read_bytes()
    ended = gate(team, "--agent", missing_agent(team), "--accept", "whatever")
    assert (ended.code, settings(team).read_bytes()) == (3, before)
    assert "runs: none" in ended.out
    assert ended.err == "nothing was accepted: what must be repaired comes first\n"


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("agents: [reference]", "agents: [reference, refrence]", "gate.yaml:3:21 names it"),
        ("agents: [reference]", "agents: reference\ndialect: gemni", "gate.yaml:4:10 names it"),
    ],
)
def test_what_the_settings_name_and_there_is_not_is_told_with_its_place(
    team: Qa, old: str, new: str, place: str
) -> None:
    settings(team).write_text(settings(team).read_text().replace(old, new))
    ended = gate(team)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines()[-1] == f"  {place}"


def test_a_tag_that_no_scenario_has_makes_the_gate_no_smaller_without_a_word(team: Qa) -> None:
    settings(team).write_text(settings(team).read_text().replace("tags: [gate]", "tags: [gate, snapshto]"))
    ended = team("gate")
    assert (ended.code, ended.out) == (5, "")
    first, *_, last = ended.err.splitlines()
    assert (first, last) == ("no scenario has the tag 'snapshto'", "  gate.yaml:2:14 names it")
    assert "did you mean 'snapshot'?" in ended.err


def test_a_detector_without_a_file_is_told_before_its_changes_are_overlooked(team: Qa) -> None:
    text = settings(team).read_text().replace("detector: []", "detector:\n  - src/**\n  - src/gaurd/*.ts")
    settings(team).write_text(text)
    (team.folder / "src" / "guard").mkdir(parents=True)
    (team.folder / "src" / "guard" / "ring.ts").write_text("")
    env = {**team.env, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", *words], cwd=team.folder, env=env, check=True)
    ended = gate(team, "--changed-since", "HEAD")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "'src/gaurd/*.ts' means no file, so no change would count as one of the detector\n"
        "  gate.yaml:6:5 names it\n"
    )


def test_a_changed_agent_or_baseline_runs_everything_though_neither_is_the_detector(team: Qa) -> None:
    agent = Path(team.agent("import runpy\nrunpy.run_module('harness.refagent', run_name='__main__')\n"))
    text = settings(team).read_text().replace("agents: [reference]", "agents: [mine.yaml]")
    settings(team).write_text(text.replace("detector: []", "detector: agent.py"))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *words], cwd=team.folder, env=team.env, check=True)
    assert "runs: none" in gate(team, "--changed-since", "HEAD").out
    before = agent.read_text()
    agent.write_text(before + "# changed\n")
    ended = gate(team, "--changed-since", "HEAD")
    assert "since HEAD: mine.yaml changed, on which every run depends" in ended.out
    assert "runs: 2 passed" in ended.out
    agent.write_text(before)
    settings(team).write_text(settings(team).read_text() + "# changed\n")
    assert "since HEAD: gate.yaml changed, on which" in gate(team, "--changed-since", "HEAD").out


def test_the_first_baseline_keeps_what_it_was_made_with(qa: Qa) -> None:
    qa.scenario("loop", LOOP.replace("[gate]", "[mine]"))
    qa.agent("import runpy\nrunpy.run_module('harness.refagent', run_name='__main__')\n")
    words = ("--agent", "mine.yaml", "--tag", "mine", "--dialect", "all")
    assert qa("gate", *words, "--accept", "first").code == 0
    known = parse_gate(settings(qa).read_text(), "gate.yaml")
    assert (known.tags, known.agents, known.dialect) == (("mine",), ("mine.yaml",), "all")
    assert "runs: 8 passed\ngate: passed\n" in qa("gate").out


def test_outside_a_checkout_the_changes_cannot_be_asked_for(team: Qa) -> None:
    ended = gate(team, "--changed-since", "HEAD", GIT_CEILING_DIRECTORIES=str(team.folder.parent))
    assert (ended.code, ended.out) == (3, "")
    assert ended.err == (
        f"'--changed-since' asks git what changed, and {team.folder.resolve()} is in no git checkout\n"
        "  run it in the checkout of the detector, or leave the option out: everything is run then\n"
    )


def test_a_merge_conflict_in_the_baseline_is_told_at_its_first_line(team: Qa) -> None:
    text = (
        settings(team).read_text().replace("    openai-chat:\n", "<<<<<<< ours\n    openai-chat:\n=======\n")
    )
    settings(team).write_text(f"{text}>>>>>>> theirs\n")
    for words in ((), ("--accept", "mine")):
        ended = gate(team, *words)
        assert ended.code == 2
        assert ended.err.startswith("gate.yaml:12:1: not valid YAML: ")
        assert "a merge left this: keep one of the sides" in ended.err
    assert "<<<<<<< ours" in settings(team).read_text()


def test_a_baseline_that_changed_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "gate.yaml"
    first = RunResult((made.result(), made.control()), "", 1.0, accepted="first")
    nothing = parse_gate("", "gate.yaml")
    before = write_accepted(path, first, nothing, [])
    ours = RunResult((made.result(requests=3), made.control()), "", 1.0, accepted="ours")
    theirs = RunResult((made.result(requests=4), made.control()), "", 1.0, accepted="theirs")
    write_accepted(path, theirs, before, [])
    text = path.read_text()
    for stale in (before, nothing):
        with pytest.raises(UserError, match="has changed while the gate ran, so nothing is written"):
            write_accepted(path, ours, stale, [])
    assert path.read_text() == text
    assert [entry.reason for entry in parse_gate(text, "g").accepted] == ["first", "theirs"]


def test_settings_that_were_edited_meanwhile_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "gate.yaml"
    first = RunResult((made.result(), made.control()), "", 1.0, accepted="first")
    before = write_accepted(path, first, parse_gate("", "gate.yaml"), [])
    path.write_text(path.read_text().replace("tags: [gate]", "tags: [mine]  # ours"))
    write_accepted(path, first, before, [])
    assert "tags: [mine]  # ours\n" in path.read_text()
    assert path.read_text().count(MARK) == 1


def test_a_baseline_behind_a_link_stays_behind_it(tmp_path: Path) -> None:
    shared, link = tmp_path / "shared.yaml", tmp_path / "gate.yaml"
    shared.write_text("tags: [mine]\n")
    link.symlink_to(shared)
    run = RunResult((made.result(), made.control()), "", 1.0, accepted="first")
    write_accepted(link, run, parse_gate(shared.read_text(), "gate.yaml"), [])
    assert link.is_symlink()
    assert parse_gate(shared.read_text(), "gate.yaml").accepted[0].reason == "first"


def test_a_baseline_above_the_mark_would_be_a_second_one(tmp_path: Path) -> None:
    path = tmp_path / "gate.yaml"
    path.write_text("tags: [gate]\nbaseline: {}\n")
    run = RunResult((made.result(), made.control()), "", 1.0, accepted="first")
    with pytest.raises(UserError, match=r"gate.yaml:2:1: 'baseline' is for 'qa gate --accept' to write"):
        write_accepted(path, run, parse_gate(path.read_text(), "gate.yaml"), [])
    assert path.read_text() == "tags: [gate]\nbaseline: {}\n"


def test_an_entry_of_an_older_version_is_read_and_an_unknown_figure_is_told(team: Qa) -> None:
    text = settings(team).read_text()
    old = text.replace("        control: passed\n", "")
    assert old != text
    settings(team).write_text(old)
    ended = gate(team)
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "gate: passed"), ended.out
    settings(team).write_text(text.replace("duration: under 1 s", "duration: quick"))
    ended = gate(team)
    assert ended.code == 2
    assert "gate.yaml:17:19: unknown value " in ended.err


def test_shards_of_a_gate_find_together_what_the_whole_finds(team: Qa) -> None:
    team.scenario("calm", CALM)
    assert team("gate", "loop", "calm", "--accept", "two").code == 0
    team.scenario("loop", LOOP.replace("cycles: 8", "cycles: 1"))

    def found(report: str) -> set[tuple[str, str]]:
        run = parse_results((team.folder / report).read_text(), report)
        return {(change.kind, change.scenario) for change in run.changes}

    for number in (1, 2):
        words = ("--shard", f"{number}/2", "--report", f"json=part{number}.json")
        assert team("gate", "loop", "calm", *words).code == number - 1
    merged = team("merge", "part1.json", "part2.json", "--report", "json=merged.json")
    whole = team("gate", "loop", "calm", "--report", "json=whole.json")
    assert (merged.code, whole.code) == (1, 1)
    assert found("merged.json") == found("whole.json")
    assert ("loop-missed", "loop") in found("whole.json")
    refused = team("gate", "loop", "calm", "--shard", "1/2", "--accept", "x")
    assert (refused.code, "not with --shard" in refused.err) == (2, True)


def test_a_flaky_run_of_the_gate_warns_and_keeps_the_evidence_of_the_attempt_that_failed(team: Qa) -> None:
    agent = team.agent(FLAKY.format(mark=str(team.folder / "mark")))
    words = ("--agent", agent, "--report", "json=r.json", "--report", "junit=j.xml", "--jobs", "1")
    ended = gate(team, *words, "--retries", "1")
    assert ended.code == 0, ended.out + ended.err
    assert "1 of 2 attempts passed" in ended.out
    run = parse_results((team.folder / "r.json").read_text(), "r.json")
    assert {change.kind for change in run.changes} == {"new-scenario", "flaky"}
    (attempt,) = run.scenarios[0].attempts
    kept: Any = json.loads((Path(attempt.evidence) / "result.json").read_text())
    assert kept["verdict"] == "error"
    assert "<flakyError " in (team.folder / "j.xml").read_text()


def test_repeated_runs_of_the_gate_must_all_pass(team: Qa) -> None:
    agent = team.agent(FLAKY.format(mark=str(team.folder / "mark")))
    ended = gate(team, "--agent", agent, "--repeat", "3", "--jobs", "1")
    assert ended.code == 3
    assert "2 of 3 attempts passed" in ended.out
    assert gate(team, "--repeat", "2").code == 0


def test_reasons_for_mutants_go_to_the_agent_they_are_for(team: Qa) -> None:
    agent = Path(
        team.agent(
            'import runpy, sys\nsys.argv[0] = "agent"\nrunpy.run_module("harness.refagent", run_name="__main__")\n'
        )
    ).name
    (team.folder / "why.yaml").write_text("no such switch: there is none of that name, and this says so\n")
    text = settings(team).read_text().replace("detector: []", "detector: []\nreasons: {mine: why.yaml}")
    settings(team).write_text(text)
    ended = gate(team, "--agent", agent, "--mutants")
    assert ended.code == 1, ended.out + ended.err
    assert "'no such switch' has a reason to survive, and there is no such mutant" in words_of(ended.out)


def test_a_checkout_that_git_does_not_trust_is_told_with_the_cure(team: Qa) -> None:
    subprocess.run(["git", "init", "-q"], cwd=team.folder, check=True, env=team.env)
    ended = gate(team, "--changed-since", "HEAD", GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    assert ended.code == 3
    assert ended.err.startswith(f"git does not trust the checkout of {team.folder.resolve()}")
    assert f"git config --global --add safe.directory {team.folder.resolve()}" in ended.err
