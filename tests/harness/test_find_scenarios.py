from __future__ import annotations

from pathlib import Path

import pytest

from harness import find_scenarios
from harness.find_scenarios import UnknownScenarioError, all_scenarios, find, shipped_folder
from harness.problems import UserError


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with scenarios of its own, and a package with shipped ones."""
    package, project = tmp_path / "package", tmp_path / "project"
    for path in (
        "package/shipped_scenarios/both",
        "package/shipped_scenarios/shipped",
        "project/scenarios/both",
        "project/scenarios/own",
        "project/more/deep/other",
        "project/loose",
    ):
        file = tmp_path / f"{path}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"scenario: {file.stem}\n")
    monkeypatch.setattr(find_scenarios, "_PACKAGE", package)
    return project


def test_the_folder_of_the_user_wins_over_the_shipped_one(root: Path) -> None:
    assert find(["both"], root) == [root / "scenarios/both.yaml"]
    assert find(["shipped"], root) == [root.parent / "package/shipped_scenarios/shipped.yaml"]


def test_a_path_wins_over_a_name(root: Path) -> None:
    (root / "both").mkdir()
    (root / "both/x.yaml").write_text("scenario: x\n")
    assert find(["both"], root) == [root / "both/x.yaml"]


def test_a_file_or_a_folder_can_be_given(root: Path) -> None:
    assert find(["loose.yaml"], root) == [root / "loose.yaml"]
    assert find([str(root / "loose.yaml")], Path("/")) == [root / "loose.yaml"]
    assert find(["more"], root) == [root / "more/deep/other.yaml"]


def test_each_file_comes_once_in_the_order_of_the_names(root: Path) -> None:
    found = find(["own", "scenarios", "own"], root)
    assert [path.stem for path in found] == ["own", "both"]


def test_all_are_listed_by_name_each_once(root: Path) -> None:
    assert [path.relative_to(root.parent) for path in all_scenarios(root)] == [
        Path("project/scenarios/both.yaml"),
        Path("project/scenarios/own.yaml"),
        Path("package/shipped_scenarios/shipped.yaml"),
    ]


def test_an_unknown_name_lists_the_closest(root: Path) -> None:
    with pytest.raises(UnknownScenarioError) as caught:
        find(["shiped"], root)
    assert str(caught.value).splitlines() == [
        "no scenario 'shiped'",
        "  did you mean 'shipped'?",
        "  looked in ./scenarios and among the shipped ones; 'qa list' shows all",
    ]
    assert caught.value.exit_code == 2


def test_a_name_like_no_other_lists_what_there_is(root: Path) -> None:
    with pytest.raises(UnknownScenarioError, match="valid here: both, own, shipped"):
        find(["zzz"], root)


@pytest.mark.parametrize("name", ["", "../own", "a/b", "a\0b", "x" * 5000])
def test_a_name_that_no_file_can_have_is_unknown(root: Path, name: str) -> None:
    with pytest.raises(UserError):
        find([name], root)


def test_a_path_that_is_not_there_is_not_taken_for_a_name(root: Path) -> None:
    with pytest.raises(UserError, match=r"no such file or folder: bad/nope\.yaml"):
        find(["bad/nope.yaml"], root)


def test_a_file_that_lies_right_here_is_pointed_at(root: Path) -> None:
    with pytest.raises(UnknownScenarioError, match=r"'own\.yaml' is right here: qa run own\.yaml"):
        find(["own"], _inside(root))


def _inside(root: Path) -> Path:
    inside = root / "elsewhere"
    inside.mkdir()
    (inside / "own.yaml").write_text("scenario: own\n")
    return inside


def test_a_yaml_file_that_is_no_scenario_is_left_out(root: Path) -> None:
    (root / "scenarios/compose.yaml").write_text("services: {}\n")
    assert "compose" not in [path.stem for path in all_scenarios(root)]


def test_a_folder_without_scenarios_is_an_error(root: Path) -> None:
    (root / "void").mkdir()
    with pytest.raises(UserError, match=r"no scenario file \(\*.yaml\) in void"):
        find(["void"], root)


def test_one_name_is_found_without_reading_a_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "glob", None)
    monkeypatch.setattr(Path, "rglob", None)
    monkeypatch.setattr(Path, "iterdir", None)
    assert find(["shipped"], root)[0].stem == "shipped"


def test_in_the_repository_the_shipped_scenarios_stand_beside_the_package() -> None:
    assert shipped_folder() == Path(find_scenarios.__file__).parent.parent / "scenarios"
