"""docs/review.md names what a snapshot step takes, what the review's keys do, and its options."""

from __future__ import annotations

import re
from pathlib import Path

from harness.commands.review import review
from harness.scenario_yaml import parse_scenario
from harness.snapshots.deciding import Deciding
from harness.steps.snapshot_arguments import ARTIFACTS, MASKS

PAGE = (Path(__file__).parents[2] / "docs" / "review.md").read_text(encoding="utf-8")
AROUND = 'scenario: a\nsummary: s\nmodel:\n  - say: "x"\nprompt: p\n'


def test_it_names_everything_that_can_be_compared_and_every_mask() -> None:
    assert re.findall(r"^\| `([a-z]+)` \|", PAGE, re.MULTILINE)[: len(ARTIFACTS)] == list(ARTIFACTS)
    for mask in MASKS:
        assert f"[{mask.upper()}]" in PAGE or f"[{mask.upper()}-1]" in PAGE


def test_its_steps_can_be_read() -> None:
    for example in re.findall(r"```yaml\n(steps:.*?)```", PAGE, re.DOTALL):
        (step,) = parse_scenario(AROUND + example, "scenarios/a.yaml").steps
        assert step.kind == "snapshot"


def test_its_keys_and_options_are_those_of_the_command() -> None:
    for key in re.findall(r"`([a-zA-Z])`", PAGE.partition("| key |")[2].partition("The diff")[0]):
        deciding = Deciding(2)
        deciding.press("s")
        assert deciding.press(key)[0].kind != "help", key
    options = {option for parameter in review.params for option in parameter.opts}
    assert set(re.findall(r"qa review (--\w+)", PAGE)) == options
