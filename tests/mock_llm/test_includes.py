"""Lists that take items of other files, and where a mistake in one of them is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.scenario_yaml import load_scenario
from mock_llm.includes import MOST_FILES
from mock_llm.invariants import ALWAYS, Invariant
from mock_llm.problems import ScriptError
from mock_llm.script_yaml import load_script, parse_script
from mock_llm.turn import Text


def reading(files: dict[str, str]) -> Callable[[str], str]:
    def read(path: str) -> str:
        if path not in files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return files[path]

    return read


def texts_of(script: str, files: dict[str, str]) -> list[str]:
    turns = parse_script(script, "dir/s.yaml", reading(files)).turns
    return [part.text for turn in turns for part in turn.turn.parts if isinstance(part, Text)]


def picture_of(script: str, files: dict[str, str]) -> str:
    with pytest.raises(ScriptError) as caught:
        parse_script(script, "dir/s.yaml", reading(files))
    return str(caught.value)


def test_items_of_other_files_stand_in_the_place_of_the_include() -> None:
    files = {"a.yaml": "- say: two\n- say: three\n", "b.yaml": "model: [say: five]\nlane: unused\n"}
    script = "model:\n  - say: one\n  - include: a.yaml\n  - say: four\n  - include: b.yaml\n"
    assert texts_of(script, files) == ["one", "two", "three", "four", "five"]


def test_paths_in_an_included_file_are_relative_to_it() -> None:
    files = {
        "parts/a.yaml": "- say: {file: text.txt}\n- include: ../b.yaml\n- include: deep/c.yaml\n",
        "parts/text.txt": "from the file",
        "b.yaml": "- say: b\n",
        "parts/deep/c.yaml": "- say: {file: ../text.txt}\n",
        "parts/deep/../text.txt": "from the file again",
    }
    assert texts_of("model: [include: parts/a.yaml]", files) == ["from the file", "b", "from the file again"]


def test_a_turn_knows_the_file_and_the_line_that_it_stands_in() -> None:
    files = {"parts/a.yaml": "\n- say: two\n"}
    script = parse_script("model:\n  - say: one\n  - include: parts/a.yaml\n", "dir/s.yaml", reading(files))
    assert [turn.place for turn in script.turns] == ["dir/s.yaml:2", "dir/parts/a.yaml:2"]


def test_one_file_may_be_included_twice() -> None:
    assert texts_of(
        "model: [include: a.yaml, include: a.yaml]".replace("include: a.yaml, ", "{include: a.yaml}, "),
        {"a.yaml": "- say: a\n"},
    ) == ["a", "a"]


def test_invariants_can_be_included() -> None:
    script = parse_script(
        "model: [say: x]\ninvariants:\n  - no_replay\n  - include: rules.yaml\n",
        "s.yaml",
        reading({"rules.yaml": "- lacks: secret\n"}),
    )
    assert script.invariants == (
        *ALWAYS,
        Invariant("no_replay", place="s.yaml:3"),
        Invariant("lacks", "secret", place="rules.yaml:1"),
    )


def test_a_mistake_is_shown_in_its_file_with_the_places_that_include_it() -> None:
    files = {"parts/a.yaml": "- include: b.yaml\n", "parts/b.yaml": "- say: fine\n- saay: x\n"}
    assert picture_of("model:\n  - include: parts/a.yaml\n", files) == (
        "dir/parts/b.yaml:2:3: unknown key 'saay' in a turn\n"
        "  2 | - saay: x\n"
        "    |   ^^^^ did you mean 'say'?\n"
        "  included by dir/parts/a.yaml:1:12\n"
        "  included by dir/s.yaml:2:14"
    )


def test_broken_yaml_is_shown_in_its_file_too() -> None:
    assert picture_of("model: [include: a.yaml]", {"a.yaml": "- say: a: b\n"}) == (
        "dir/a.yaml:1:9: not valid YAML: mapping values are not allowed in this context\n"
        "  1 | - say: a: b\n"
        "    |         ^ put the whole text in quotes: ': ' inside it would begin a mapping\n"
        "  included by dir/s.yaml:1:18"
    )


def test_mistakes_of_several_files_are_told_at_once_each_by_its_own_lines() -> None:
    with pytest.raises(ScriptError) as caught:
        parse_script(
            "model:\n  - include: a.yaml\n  - saay: x\n", "s.yaml", reading({"a.yaml": "- thnk: x\n"})
        )
    assert [(p.file, p.line) for p in caught.value.problems] == [("s.yaml", 3), ("a.yaml", 1)]


def test_an_unknown_name_in_an_included_text_has_its_place() -> None:
    assert picture_of("model: [include: a.yaml]", {"a.yaml": '- say: x\n- say: "{nonse}"\n'}).startswith(
        "dir/a.yaml:2:9: unknown variable 'nonse'\n"
    )


@pytest.mark.parametrize(
    ("files", "chain"),
    [
        ({"s.yaml": "model: [include: s.yaml]"}, "dir/s.yaml -> dir/s.yaml"),
        (
            {"s.yaml": "model: [include: x/a.yaml]", "x/a.yaml": "- include: ../s.yaml"},
            "dir/s.yaml -> dir/x/a.yaml -> dir/s.yaml",
        ),
        (
            {
                "s.yaml": "model: [include: a.yaml]",
                "a.yaml": "- include: ./b.yaml",
                "b.yaml": "- include: a.yaml",
            },
            "dir/s.yaml -> dir/a.yaml -> dir/b.yaml -> dir/a.yaml",
        ),
    ],
)
def test_a_file_that_includes_itself_is_a_mistake_that_names_the_way(
    files: dict[str, str], chain: str
) -> None:
    assert f"includes itself: {chain}\n" in picture_of(files["s.yaml"], files)


@pytest.mark.parametrize(
    ("item", "file", "message"),
    [
        ("include: no.yaml", "", "1:18: cannot read 'no.yaml': No such file or directory"),
        ("include: a.yaml", "", "1:18: 'a.yaml' is empty"),
        ("include: a.yaml", "prompt: x", "1:18: 'a.yaml' has no list of 'model'"),
        ("include: a.yaml", "model: {say: x}", "1:18: 'a.yaml' is no list of 'model'"),
        ("include: [a]", "", "1:18: expected text, got a list"),
        ("{include: a.yaml, say: x}", "", "1:27: unknown key 'say' in an include"),
    ],
)
def test_an_include_that_cannot_be_used_is_one_mistake_where_it_stands(
    item: str, file: str, message: str
) -> None:
    picture = picture_of(f"model: [{item}]", {"a.yaml": file})
    assert picture.startswith(f"dir/s.yaml:{message}\n")
    assert "\n\n" not in picture


def test_a_file_that_is_no_text_is_a_mistake_where_it_is_included(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"- say: \xff\n")
    (tmp_path / "s.yaml").write_text("model: [include: a.yaml]\n")
    with pytest.raises(ScriptError) as caught:
        load_script(tmp_path / "s.yaml")
    [found] = caught.value.problems
    assert (found.line, found.column) == (1, 18)
    assert found.message.startswith("'include': 'utf-8' codec can't decode byte 0xff")


def test_files_are_bounded() -> None:
    doubled = {f"{n}.yaml": f"- include: {n + 1}.yaml\n- include: {n + 1}.yaml\n" for n in range(30)}
    assert f"more than {MOST_FILES} files are included" in picture_of("model: [include: 0.yaml]", doubled)


def test_a_script_and_a_scenario_include_files_beside_them(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.yaml").write_text("- say: {file: a.txt}\n")
    (tmp_path / "parts" / "a.txt").write_text("hello")
    (tmp_path / "s.yaml").write_text("model: [include: parts/a.yaml]\n")
    (tmp_path / "c.yaml").write_text(
        "scenario: c\nsummary: x\nmodel: [include: parts/a.yaml]\nprompt: x\nsteps: [recovery: {contains: hello}]\n"
    )
    for turn in (*load_script(tmp_path / "s.yaml").turns, *load_scenario(tmp_path / "c.yaml").model):
        assert turn.turn.parts == (Text("hello"),)
