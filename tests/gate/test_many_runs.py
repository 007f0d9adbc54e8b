"""Several runs at a time, made again, repeated, in shards: evidence and results stay right."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from harness.results_json import parse_results
from tests.dying import dies
from tests.e2e.qa_command import Qa

PASSING = "model:\n  - say: 'hello {nonce}'\nprompt: 'p {nonce}'\nsteps:\n  - exit: 0\n"
FAILING = "model:\n  - say: 'hello {nonce}'\nprompt: 'p {nonce}'\nsteps:\n  - exit: 7\n"
HELD = (
    "model:\n  - say: 'hello {nonce}'\n    stream: {first_after_ms: 60000}\n"
    "prompt: 'p {nonce}'\nsteps:\n  - exit: 0\n"
)

# The reference agent, which fails unless a file says that it has failed before.
FLAKY = """
import pathlib, runpy, sys
mark = pathlib.Path({mark!r})
if "-p" in sys.argv and not mark.exists():
    mark.write_text("")
    sys.argv += ["--no-such-option"]
sys.argv[0] = "agent"
runpy.run_module("harness.refagent", run_name="__main__")
"""


def test_runs_at_the_same_time_keep_their_evidence_and_their_order(qa: Qa) -> None:
    names = [f"s{n}" for n in range(5)]
    for name in names:
        qa.scenario(name, FAILING if name == "s3" else PASSING)
    report = qa.folder / "r.json"
    ended = qa("run", "scenarios", "-j", "2", "--report", f"json={report}")
    assert ended.code == 1, ended.out + ended.err
    run = parse_results(report.read_text(), "r.json")
    assert [(r.scenario, r.verdict) for r in run.scenarios] == [
        (name, "failed" if name == "s3" else "passed") for name in names
    ]
    for result in run.scenarios:
        kept = json.loads((Path(result.evidence) / "result.json").read_text())
        assert (kept["scenario"], kept["verdict"]) == (result.scenario, result.verdict)
        assert (Path(result.evidence) / "events.jsonl").stat().st_size > 0
    assert len({Path(result.evidence).parent for result in run.scenarios}) == 1
    assert ended.out.splitlines()[-1] == "scenarios: 4 passed, 1 failed"


def test_one_that_fails_stops_the_rest_when_asked(qa: Qa) -> None:
    for name in ("a", "b", "c", "d", "e", "f"):
        qa.scenario(name, FAILING)
    ended = qa("run", "scenarios", "-j", "2", "-x")
    assert ended.code == 1
    assert 1 <= len(ended.results()) <= 3


def test_a_run_that_passes_when_made_again_is_reported_as_flaky_with_both_evidences(qa: Qa) -> None:
    qa.scenario("a", PASSING)
    agent = qa.agent(FLAKY.format(mark=str(qa.folder / "mark")))
    report = qa.folder / "r.json"
    ended = qa(
        "run", "a", "--agent", agent, "--retries", "2", "--report", f"json={report}", "--report", "github"
    )
    assert ended.code == 0, ended.out + ended.err
    (result,) = parse_results(report.read_text(), "r.json").scenarios
    assert (result.verdict, result.is_flaky, len(result.attempts)) == ("passed", True, 1)
    first = json.loads((Path(result.attempts[0].evidence) / "result.json").read_text())
    assert first["verdict"] == "error"
    assert result.attempts[0].evidence != result.evidence
    assert "::warning file=scenarios/a.yaml" in ended.out
    assert "flaky: passed 1 of 2 attempts" in ended.out


def test_without_retries_it_is_not_made_again(qa: Qa) -> None:
    qa.scenario("a", PASSING)
    agent = qa.agent(FLAKY.format(mark=str(qa.folder / "mark")))
    assert qa("run", "a", "--agent", agent).code == 3


def test_repeated_runs_must_all_pass_and_tell_the_rate(qa: Qa) -> None:
    qa.scenario("a", PASSING)
    agent = qa.agent(FLAKY.format(mark=str(qa.folder / "mark")))
    report = qa.folder / "r.json"
    ended = qa("run", "a", "--agent", agent, "--repeat", "3", "--report", f"json={report}")
    assert ended.code == 3, ended.out + ended.err
    (result,) = parse_results(report.read_text(), "r.json").scenarios
    assert (result.verdict, result.passes) == ("error", (2, 3))
    assert len(ended.results()) == 3


def test_repeat_and_retries_exclude_each_other(qa: Qa) -> None:
    ended = qa("run", "healthy-prose", "--repeat", "2", "--retries", "1")
    assert ended.code == 2
    assert "exclude each other" in ended.err


def _waiting(process: subprocess.Popen[str], runs: Path, count: int) -> list[int]:
    """The processes that make runs, once so many runs have asked their model."""
    deadline = time.monotonic() + 30
    while len(list(runs.glob("*/*/requests/001.json"))) < count:
        assert process.poll() is None
        assert time.monotonic() < deadline
        select_nothing()
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(pid) for pid in children]


def select_nothing() -> None:
    """Give the processor away; what is waited for is looked at again."""
    os.sched_yield()


def _start(qa: Qa, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        qa.command(*words),
        cwd=qa.folder,
        env=qa.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads the process table of Linux")
def test_a_process_that_is_killed_makes_its_run_an_error_and_another_goes_on(qa: Qa) -> None:
    qa.scenario("a", HELD)
    qa.scenario("b", PASSING)
    process = _start(qa, "run", "a", "b", "-j", "2")
    runs = qa.folder / ".qa" / "runs"
    _waiting(process, runs, 2)
    b_is_done = runs / "0001" / "b@reference-openai-chat" / "result.json"
    while not b_is_done.exists():
        assert process.poll() is None
        select_nothing()
    (worker,) = _waiting(process, runs, 2)[:1]
    os.kill(worker, signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3, out + err
    assert "the process that made this run ended by signal 9" in out
    assert out.splitlines()[-1] == "scenarios: 1 passed, 0 failed, 1 error"


@pytest.mark.parametrize(
    ("command", "last"),
    [
        (["run"], "interrupted: 2 of 2 runs not made"),
        (["gate", "--accept", "first"], "gate: interrupted, 2 of 2 runs not made"),
    ],
)
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads the process table of Linux")
def test_ctrl_c_ends_every_run_and_keeps_what_they_have_seen(qa: Qa, command: list[str], last: str) -> None:
    qa.scenario("a", HELD)
    qa.scenario("b", HELD)
    process = _start(qa, *command, "a", "b", "-j", "2", "--report", "json=part.json")
    runs = qa.folder / ".qa" / "runs"
    workers = _waiting(process, runs, 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert out.splitlines()[-1] == last
    for name in ("a", "b"):
        kept = json.loads((runs / "0001" / f"{name}@reference-openai-chat" / "result.json").read_text())
        assert (kept["verdict"], kept["problem"]) == ("error", "interrupted by the user")
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]
    told = json.loads((qa.folder / "part.json").read_text())["scenarios"]
    assert [(r["scenario"], r["verdict"], r["problem"]) for r in told] == [
        ("a", "error", "not made: qa was interrupted"),
        ("b", "error", "not made: qa was interrupted"),
    ]
    assert qa("merge", "part.json").code == 3


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads the process table of Linux")
def test_when_qa_is_killed_its_processes_end_and_the_evidence_says_so(qa: Qa) -> None:
    qa.scenario("a", HELD)
    qa.scenario("b", HELD)
    process = _start(qa, "run", "a", "b", "-j", "2")
    runs = qa.folder / ".qa" / "runs"
    workers = _waiting(process, runs, 2)
    process.kill()
    process.communicate(timeout=60)
    results = [runs / "0001" / f"{name}@reference-openai-chat" / "result.json" for name in ("a", "b")]
    deadline = time.monotonic() + 30
    while not all(file.exists() and file.read_text().endswith("\n") for file in results):
        assert time.monotonic() < deadline
        select_nothing()
    for file in results:
        assert "qa was killed while this run was under way" in json.loads(file.read_text())["problem"]
    assert all(dies(pid) for pid in workers)


def test_shards_make_the_whole_and_a_missing_one_is_told(qa: Qa) -> None:
    for name in ("a", "b", "c"):
        qa.scenario(name, FAILING if name == "b" else PASSING)
    for number in (1, 2):
        qa("run", "scenarios", "--shard", f"{number}/2", "--report", f"json=part{number}.json")
    merged = qa("merge", "part2.json", "part1.json", "--report", "json=all.json")
    assert merged.code == 1, merged.out + merged.err
    assert merged.out.startswith("✗ b  ")
    assert merged.out.endswith("scenarios: 2 passed, 1 failed\n")
    assert "gate" not in merged.out
    run = parse_results((qa.folder / "all.json").read_text(), "all.json")
    assert [(r.scenario, r.verdict) for r in run.scenarios] == [
        ("a", "passed"),
        ("b", "failed"),
        ("c", "passed"),
    ]
    missing = qa("merge", "part1.json")
    assert missing.code == 2
    assert "shard 2/2 is missing" in missing.err


def test_an_empty_shard_is_no_mistake(qa: Qa) -> None:
    qa.scenario("a", PASSING)
    ended = qa("run", "scenarios", "--shard", "2/2", "--report", "json=part2.json")
    assert (ended.code, ended.out) == (0, "shard 2/2 has no scenario\n")
    assert parse_results((qa.folder / "part2.json").read_text(), "part2.json").shard == "2/2"


@pytest.mark.parametrize("shard", ["0/2", "3/2", "x", "1/0", "-1/2"])
def test_a_shard_that_is_none_is_refused(qa: Qa, shard: str) -> None:
    ended = qa("run", "healthy-prose", "--shard", shard)
    assert ended.code == 2
    assert f"'{shard}' is not I/N with I from 1 to N" in ended.err


def test_a_gate_without_a_baseline_says_how_to_make_one(qa: Qa) -> None:
    ended = qa("gate")
    assert ended.code == 2
    assert (
        ended.err
        == "there is no baseline gate.yaml\n  make the first one: qa gate --accept 'first baseline'\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--report", "jnuit=a.xml"), "no report 'jnuit': did you mean 'junit'?"),
        (("--report", "junit"), "'--report junit' needs a file: --report junit=FILE"),
        (("--report", "json="), "'--report json=' names no file"),
        (("--report", "markdown"), "$GITHUB_STEP_SUMMARY, which is not set"),
        (("--report", "json=/proc/none/r.json"), "cannot write /proc/none/r.json"),
    ],
)
def test_a_report_that_cannot_be_written_is_told_before_anything_runs(
    qa: Qa, words: tuple[str, ...], message: str
) -> None:
    ended = qa("run", "healthy-prose", *words)
    assert ended.code == 2
    assert message in ended.err
    assert not ended.runs.exists()


def test_junit_of_a_run_is_ours_also_one_run_at_a_time(qa: Qa) -> None:
    qa.scenario("a", FAILING)
    assert qa("run", "a", "--junit", "j.xml").code == 1
    text = (qa.folder / "j.xml").read_text()
    assert '<testsuite name="a" package="reference.openai-chat" file="scenarios/a.yaml" tests="1"' in text
    assert '<failure type="expectation" message="exit: exit 0">' in text


def test_the_summary_goes_where_github_says_and_paths_are_those_of_the_repository(qa: Qa) -> None:
    inner = qa.folder / "inner"
    inner.mkdir()
    qa.scenario("a", FAILING)
    (qa.folder / "scenarios").rename(inner / "scenarios")
    summary = qa.folder / "summary.md"
    summary.write_text("before\n")
    qa.folder = inner
    ended = qa(
        "run", "a", "--report", "markdown", "--report", "github",
        GITHUB_STEP_SUMMARY=str(summary), GITHUB_WORKSPACE=str(inner.parent),
    )  # fmt: skip
    assert ended.code == 1
    assert summary.read_text().startswith("before\n## qa: 1 failed")
    assert "::error file=inner/scenarios/a.yaml,line=7,col=5," in ended.out
