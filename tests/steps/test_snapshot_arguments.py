from __future__ import annotations

import pytest

from harness.evidence import Evidence
from harness.place import Place
from harness.scenario import Step
from harness.scenario_yaml import ScenarioError, parse_scenario
from harness.steps.checks import check
from harness.steps.snapshot_arguments import Snapshot
from harness.steps.verdicts import Passed

HEAD = 'scenario: a\nsummary: s\nmodel: [{say: "x"}]\nprompt: p\nsteps:\n  - snapshot: '


def read(step: str) -> Snapshot:
    (found,) = parse_scenario(f"{HEAD}{step}\n", "a.yaml").steps
    assert isinstance(found.args, Snapshot)
    return found.args


def test_a_list_names_what_is_compared_and_a_mapping_the_masks_too() -> None:
    assert read("[screen, timeline]") == Snapshot(("screen", "timeline"))
    step = read("{of: [requests], masks: [nonce, id], patterns: {ticket: 'T-[0-9]+'}}")
    assert step == Snapshot(("requests",), ("nonce", "id"), (("ticket", "T-[0-9]+"),))


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("[screen, screen]", "a.yaml:6:15: 'snapshot' names the same thing twice"),
        ("[scren]", "did you mean 'screen'?"),
        ("[]", "a.yaml:6:15: "),
        ("{of: [screen], patterns: {id: x}}", "there is a mask 'id' already"),
        ("{of: [screen], patterns: {My Id: x}}", "'My Id' is no name of a mask"),
        ("{of: [screen], patterns: {a: '('}}", "not a regular expression: "),
        ("{of: [screen], patterns: {a: 'x*'}}", "finds empty text everywhere"),
        ("{of: [screen], patterns: {a: '(?P<kept>x)'}}", "not a regular expression: "),
    ],
)
def test_a_mistake_is_shown_where_it_is(step: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(step)
    assert message in str(caught.value)


def test_the_verdict_is_that_of_the_comparison() -> None:
    args = Snapshot(("screen",))
    evidence = Evidence(finished=True, snapshots={args: Passed("screen matched")})
    step = Step("snapshot", "snapshot", args, Place("a.yaml", 1, 1))
    assert check(step, evidence) == Passed("screen matched")
