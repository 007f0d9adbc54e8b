from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.place import Place
from harness.problems import UserError
from harness.scenario import Scenario
from harness.scenario_yaml import ScenarioError, load_scenario, load_scenarios, parse_scenario
from harness.steps.arguments import (
    STEP_SHAPES,
    Abort,
    Exit,
    Interrupt,
    Output,
    Recovery,
    Request,
    Requests,
    Silent,
    Truncation,
)

GOOD = """\
scenario: loop
summary: a loop is stopped
tags: [ttsr, text]
model:
  - say: "over and over"
    stream: {deltas: 60}
  - say: "RECOVERED {nonce}"
prompt: "Answer RECOVERED {nonce}."
steps:
  - abort: {reply: 1, rule: collapse-repetition, mechanism: paragraph-repeat, within_chars: 1900, fired_at: 7}
  - truncation: {reply: 1, kept_chars: 492, persisted_chars: 527, marker: false, stream: thinking}
  - interrupt: {request: 2, rule: collapse-repetition, contains: stop}
  - recovery: {contains: "RECOVERED {nonce}", reply: 2}
  - silent: {reply: 2}
  - silent: all
  - request: {number: 2, contains: [a, b], lacks: "{reply_1.dropped}", matches: "a+"}
  - requests: 2
  - output: {lacks: x}
  - exit: 0
files: {a/b.txt: "text {literal}"}
timeout_s: 12.5
max_requests: 7
control: {disable: [collapse-repetition], must_fail: [abort, silent#2]}
then: ["And now, {nonce}?"]
"""


def parse(text: str | bytes) -> Scenario:
    return parse_scenario(text, "scenarios/loop.yaml")


def problems_of(text: str | bytes) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        parse(text)
    return [f"{p.line}:{p.column} {p.message}" for p in caught.value.problems]


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_every_step_kind_is_read() -> None:
    assert [step.args for step in parse(GOOD).steps] == [
        Abort(1, "collapse-repetition", "paragraph-repeat", 1900, 7),
        Truncation(1, 492, 527, marker=False, stream="thinking"),
        Interrupt(2, "collapse-repetition", "stop"),
        Recovery("RECOVERED {nonce}", 2),
        Silent(2),
        Silent(),
        Request(2, ("a", "b"), ("{reply_1.dropped}",), "a+"),
        Requests(2),
        Output(lacks=("x",)),
        Exit(0),
    ]


def test_optional_arguments_have_defaults() -> None:
    text = (
        GOOD[: GOOD.index("steps:")]
        + "steps: [{abort: {}}, {truncation: {}}, {interrupt: {}}, {silent: {}}]\n"
    )
    assert [step.args for step in parse(text).steps] == [Abort(), Truncation(), Interrupt(), Silent()]


def test_steps_have_labels_and_places() -> None:
    steps = parse(GOOD).steps
    assert [step.label for step in steps][4:6] == ["silent", "silent#2"]
    assert steps[0].place == Place("scenarios/loop.yaml", 10, 5)


def test_the_rest_of_the_file_is_read() -> None:
    scenario = parse(GOOD)
    assert (scenario.name, scenario.path, scenario.tags) == ("loop", "scenarios/loop.yaml", ("ttsr", "text"))
    assert (scenario.timeout_s, scenario.max_requests, scenario.mode) == (12.5, 7, "one-shot")
    assert scenario.files == {"a/b.txt": "text {literal}"}
    assert len(scenario.model) == 2
    assert scenario.control is not None
    assert scenario.control.must_fail == ("abort", "silent#2")
    assert scenario.control.disable == ("collapse-repetition",)
    assert scenario.then == ("And now, {nonce}?",)
    assert scenario.warnings == ()


def test_a_file_of_the_working_folder_can_come_from_a_file_or_a_generator() -> None:
    text = changed('"text {literal}"', "{file: x.txt}, c.md: {paraphrase: {paragraphs: 2}}")
    files = parse_scenario(text, "scenarios/loop.yaml", {"x.txt": "from x {nonce}"}.__getitem__).files
    assert files["a/b.txt"] == "from x {nonce}"
    assert files["c.md"].count("\n\n") == 2
    assert problems_of(changed('"text {literal}"', "[]")) == [
        "20:18 expected text or a text source (a mapping), got a list"
    ]


def test_a_control_can_play_other_turns() -> None:
    control = parse(changed("disable: [collapse-repetition]", "model: [say: other]")).control
    assert control is not None
    assert (len(control.model), control.disable) == (1, ())


@pytest.mark.parametrize(
    ("prompt", "read"),
    [("a {nonce} b", "a {nonce} b"), ("a", "a (ref {nonce})"), ("a {{nonce}}", "a {{nonce}} (ref {nonce})")],
)
def test_a_prompt_always_carries_the_nonce(prompt: str, read: str) -> None:
    assert parse(changed("Answer RECOVERED {nonce}.", prompt)).prompt == read


def test_a_loop_without_a_control_is_a_warning() -> None:
    scenario = parse(GOOD[: GOOD.index("control:")])
    assert [w.split(": ")[0] for w in scenario.warnings] == ["scenarios/loop.yaml:3:7"]
    assert parse(GOOD[: GOOD.index("control:")].replace("[ttsr, text]", "[text]")).warnings == ()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "reply: 1, kept_chars: 492",
            "kept_chars: -1",
            "11:30 expected a whole number of at least 0, got -1",
        ),
        (
            "interrupt: {request: 2,",
            "interrupt: {request: 3,",
            "12:26 there is no request 3: the model plays 2 turns",
        ),
        ("requests: 2", "requests: 3", "17:15 there is no request 3: the model plays 2 turns"),
        ("{lacks: x}", "{}", "18:13 'output' needs one of 'contains', 'lacks' and 'matches'"),
        ('"a+"', '"a{99999999999}"', "16:81 not a regular expression: the repetition number is too large"),
        ("exit: 0", "exit: 256", "19:11 expected a whole number from -64 to 255, got 256"),
        ("a/b.txt", "../b.txt", "20:9 '../b.txt' is not a relative path inside the working folder"),
        ("a/b.txt", "/b.txt", "20:9 '/b.txt' is not a relative path inside the working folder"),
        ("{reply_1.dropped}", "{reply_1.droped}", "16:52 unknown variable 'reply_1.droped'"),
        ("timeout_s: 12.5", "timeout_s: 0", "21:12 expected a number from 0.1 to 3600, got 0"),
        ("timeout_s: 12.5", "mode: oneshot", "21:7 unknown value 'oneshot'"),
        (
            "must_fail: [abort, silent#2]",
            "model: [say: x], must_fail: [abort]",
            "23:10 a control needs one of 'disable' and 'model', and not both",
        ),
        ("must_fail: [abort, silent#2]", "must_fail: []", "23:54 expected a list of at least 1, got 0"),
        ('["And now, {nonce}?"]', "And now?", "24:7 expected a list, got 'And now?'"),
        ("And now, {nonce}?", "{reply_1.text}", "24:9 unknown variable 'reply_1.text'"),
        (", must_fail: [abort, silent#2]", "", "23:11 missing key 'must_fail' in a control"),
    ],
)
def test_a_mistake_has_its_place(old: str, new: str, problem: str) -> None:
    assert problems_of(changed(old, new)) == [problem]


def test_what_only_follows_from_a_mistake_is_not_reported() -> None:
    assert problems_of(changed("- abort:", "- abortt:")) == ["10:5 unknown key 'abortt' in a step"]
    assert problems_of(changed('  - say: "over and over"', "  - say: x\n    times: x")) == [
        "6:12 expected a whole number, got 'x'"
    ]


def test_a_mistake_in_the_turns_of_a_control_is_reported() -> None:
    assert problems_of(changed("disable: [collapse-repetition]", "model: [sya: x]")) == [
        "23:19 unknown key 'sya' in a turn"
    ]


def test_bytes_of_any_encoding_give_a_scenario_error() -> None:
    assert problems_of(GOOD.replace("a loop", "ein Ärger").encode("latin-1")) == [
        "2:14 byte 0xc4 is not UTF-8"
    ]
    assert parse(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()).steps[0].place.line == 10


def outcome(text: str | bytes) -> Scenario | ScenarioError:
    try:
        return parse(text)
    except ScenarioError as error:
        return error


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_bytes_give_a_scenario_or_a_scenario_error(data: str | bytes) -> None:
    assert str(outcome(data)).startswith("scenarios/loop.yaml:")


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path, *(below for key, each in entries for below in _paths(each, (*path, key)))]


TREE = yaml.safe_load(GOOD)
PATHS = _paths(TREE)[1:]
VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        -1,
        0,
        3,
        10**30,
        0.5,
        float("nan"),
        "",
        "x",
        "{nonce",
        "{reply_9.text}",
        "(",
        [],
        {},
        [[]],
        {"a": 1},
    ]
)


def _mutated(path: tuple[Any, ...], action: str, value: Any) -> Any:
    tree = yaml.safe_load(GOOD)
    parent = tree
    for key in path[:-1]:
        parent = parent[key]
    if action == "drop":
        del parent[path[-1]]
    elif action == "rename" and isinstance(parent, dict):
        parent[f"{path[-1]}x"] = parent.pop(path[-1])
    else:
        parent[path[-1]] = value
    return tree


@given(
    path=st.sampled_from(PATHS),
    action=st.sampled_from(["drop", "rename", "replace"]),
    value=VALUES,
    flow=st.booleans(),
)
def test_any_change_of_a_scenario_gives_a_scenario_or_a_scenario_error(
    path: tuple[Any, ...], action: str, value: Any, *, flow: bool
) -> None:
    text = yaml.safe_dump(_mutated(path, action, value), default_flow_style=flow, allow_unicode=True)
    read = outcome(text)
    if isinstance(read, ScenarioError):
        assert read.problems
        assert all(0 < p.line <= text.count("\n") + 1 for p in read.problems)
    else:
        assert read.steps
        assert all(step.args is not None for step in read.steps)


@given(st.integers(0, len(GOOD)), st.integers(0, 30), st.text(alphabet="{}[]:,-'\"\n\t #&*x漢🙂", max_size=5))
def test_any_edit_of_the_text_gives_a_scenario_or_a_scenario_error(start: int, length: int, put: str) -> None:
    assert str(outcome(GOOD[:start] + put + GOOD[start + length :]))


def test_a_scenario_is_loaded_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "said.txt").write_text("from a file")
    path = tmp_path / "loop.yaml"
    path.write_text(changed('"over and over"', "{file: said.txt}"))
    assert load_scenario(path).model[0].turn.chars == len("from a file")


def test_a_missing_file_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read .*none\.yaml: No such file or directory"):
        load_scenario(tmp_path / "none.yaml")


def test_the_path_is_shown_as_people_write_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loop.yaml").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    assert load_scenario(tmp_path / "loop.yaml").path == "loop.yaml"


def test_the_mistakes_of_all_files_are_reported(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("loop.yaml", "a.yaml", "b.yaml")]
    for path, text in zip(paths, (GOOD, "", "[]"), strict=True):
        path.write_text(text)
    assert list(load_scenarios(paths[:1])) == paths[:1]
    with pytest.raises(UserError) as caught:
        load_scenarios(paths)
    assert caught.value.exit_code == 2
    assert "a.yaml:1:1: the file is empty" in str(caught.value)
    assert "b.yaml:1:1: expected a scenario" in str(caught.value)


def test_every_kind_has_a_shape_with_documented_fields() -> None:
    kinds = {
        "abort",
        "truncation",
        "interrupt",
        "recovery",
        "silent",
        "request",
        "requests",
        "output",
        "exit",
        "snapshot",
    }
    assert set(STEP_SHAPES) == kinds


def test_loading_a_scenario_imports_nothing_heavy() -> None:
    heavy = {"asyncio", "click", "httpx", "h11", "pytest", "difflib", "subprocess", "socket", "ssl"}
    code = f"import sys, harness.scenario_yaml; print(sorted({heavy!r} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
