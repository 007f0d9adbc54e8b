"""The summary in Markdown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.place import Place
from harness.reporters.markdown import render_markdown
from harness.results import Attempt, Change, RunResult, Stop

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

LATE = Change(
    "caught-later",
    "accept",
    "loop",
    "pi",
    "openai-chat",
    "caught 654 later",
    by=654,
    place=Place("s/loop.yaml", 11, 5),
)


def test_the_whole_summary(results: Any, snapshot: SnapshotAssertion) -> None:
    stop = Stop(1, "text", "collapse-repetition", "paragraph-repeat", 1046, 454, 1362, 1362)
    passing = replace(results.passing, stops=(stop,), requests=2)
    warning = replace(
        LATE, kind="slower", level="warns", text="takes 4.0 s, was under 1 s", by=None, place=None
    )
    run = replace(results.run(passing, results.control, results.failing), changes=(warning, LATE))
    assert render_markdown(run) == snapshot


def test_no_text_becomes_markup(results: Any) -> None:
    evil = replace(results.failing, scenario="<b>|x`", problem="```\n</details><script>")
    text = render_markdown(results.run(evil))
    assert "<b>" not in text
    assert "\\<b\\>\\|x\\`" in text
    body = text.split("<details>")[1]
    assert "\n````\n" in body
    assert body.count("</details>") == 2  # ours, and the one inside the fence
    assert body.rstrip().endswith("</details>")


def test_details_that_are_too_long_are_left_out_and_counted(results: Any) -> None:
    failing = [replace(results.failing, scenario=f"loop-{n}") for n in range(50)]
    text = render_markdown(RunResult(tuple(failing), "", 1.0), most_bytes=15_000)
    assert len(text.encode()) <= 15_000
    shown = text.count("<details>")
    assert 0 < shown < 50
    assert f"The details of {50 - shown} more runs are left out" in text


def test_an_accepted_gate_says_why(results: Any) -> None:
    taken = replace(LATE, level="accepted")
    run = replace(results.run(results.passing), changes=(taken,), accepted="the new threshold")
    text = render_markdown(run)
    assert "Accepted: the new threshold" in text
    assert "### Accepted\n\n- **loop** (pi, openai-chat): caught 654 later (`s/loop.yaml:11:5`)" in text
    assert "Must be repaired" not in text


def test_findings_of_one_run_stand_below_its_worst() -> None:
    kept = replace(LATE, kind="keeps-other", by=None, text="891 characters are kept")
    fails = replace(
        LATE, kind="no-longer-passes", by=None, text="no longer", place=Place("s/loop.yaml", 12, 5)
    )
    missed = replace(LATE, kind="loop-missed", scenario="other", by=None, text="is not caught")
    text = render_markdown(RunResult((), "", 1.0, (kept, LATE, fails, missed)))
    assert text.splitlines()[-4:] == [
        "- **other** (pi, openai-chat): is not caught (`s/loop.yaml:11:5`)",
        "- **loop** (pi, openai-chat): caught 654 later (`s/loop.yaml:11:5`)",
        "  - also: no longer (`s/loop.yaml:12:5`)",
        "  - also: 891 characters are kept (`s/loop.yaml:11:5`)",
    ]


def test_a_flaky_run_says_so_and_where_the_failed_attempt_is(results: Any) -> None:
    failed = Attempt("failed", "abort: not stopped", "/e/loop~1", 0.1)
    text = render_markdown(results.run(replace(results.passing, attempts=(failed,))))
    assert "\n1 run in 1.2 s.\n" in text
    assert "| ✅ passed, flaky (1 of 2 attempts) |" in text
    assert "flaky, passed in 1 of 2 attempts</summary>" in text
    assert "another attempt: failed, abort: not stopped (/e/loop~1)" in text
    passed = Attempt("passed", "", "/e/loop~1", 0.1)
    steady = render_markdown(results.run(replace(results.passing, attempts=(passed,))))
    assert "passed (2 of 2 attempts)" in steady
    assert "flaky" not in steady
