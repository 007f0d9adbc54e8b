"""Every kind of broken scenario file, with the exact text that a user sees.

Each ``tests/golden/errors/NAME.yaml`` has its picture in ``NAME.txt``. To rewrite the pictures after an
intended change, run with ``QA_REWRITE_PICTURES=1`` and read the difference; it is refused where ``CI`` is set.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.scenario_yaml import ScenarioError, parse_scenario
from mock_llm.script_yaml import file_reader

FOLDER = Path(__file__).parent.parent / "golden" / "errors"
CASES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
REWRITE = bool(os.environ.get("QA_REWRITE_PICTURES"))


def picture_of(name: str) -> str:
    data = (FOLDER / f"{name}.yaml").read_bytes()
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(data, f"scenarios/{name}.yaml", file_reader(FOLDER))
    return f"{caught.value}\n"


@pytest.mark.parametrize("name", CASES)
def test_a_broken_scenario_gives_its_picture(name: str) -> None:
    expected = FOLDER / f"{name}.txt"
    picture = picture_of(name)
    if REWRITE:
        assert not os.environ.get("CI"), "pictures are rewritten by people, not by CI"
        expected.write_text(picture, encoding="utf-8")
    assert picture == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_a_picture_shows_each_place_once_and_in_line_order(name: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_scenario((FOLDER / f"{name}.yaml").read_bytes(), f"{name}.yaml", file_reader(FOLDER))
    places = [(problem.line, problem.column) for problem in caught.value.problems]
    assert places == sorted(set(places))


def test_every_picture_belongs_to_a_file() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == CASES
