from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mock_llm import located
from mock_llm.located import MAX_DEPTH, MapNode, Node, ScalarNode, open_source, parse_yaml, plain
from mock_llm.problems import Problem, ScriptError


def read(data: str | bytes) -> tuple[Node | None, list[Problem]]:
    problems = open_source("a.yaml", data)
    return parse_yaml(problems), problems.found


def value_of(text: str) -> object:
    node, found = read(text)
    assert node is not None
    assert not found
    return plain(node)


def only_problem(data: str | bytes) -> Problem:
    _, found = read(data)
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NO", "NO"),
        ("on", "on"),
        ("yes", "yes"),
        ("22:22", "22:22"),
        ("012", 12),
        ("0o12", 10),
        ("0xff", 255),
        ("1_000", "1_000"),
        ("+3", 3),
        ("-0.5", -0.5),
        ("1e3", 1000.0),
        (".inf", float("inf")),
        ("-.INF", float("-inf")),
        ("2026-09-03", "2026-09-03"),
        ("~", None),
        ("Null", None),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("! 12", "12"),
        ("<<", "<<"),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_a_scalar_means_what_yaml_1_2_says(text: str, value: object) -> None:
    assert value_of(f"[{text}]") == [value]


def test_a_number_that_is_none_stays_a_float() -> None:
    assert str(value_of("[.nan]")) == "[nan]"


def test_keys_stay_text() -> None:
    assert value_of("{1: a, true: b, ~: c}") == {"1": "a", "true": "b", "~": "c"}


def test_block_texts_and_anchors_are_read() -> None:
    assert value_of("a: &x |\n  one\n  two\nb: *x\nc: >-\n  three\n  four\n") == {
        "a": "one\ntwo\n",
        "b": "one\ntwo\n",
        "c": "three four",
    }


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_lines_are_counted_by_any_line_break(line_break: str) -> None:
    problem = only_problem(line_break.join(["a: 1", "b: 2", "a: 3", ""]))
    assert (problem.line, problem.column, problem.hints) == (3, 1, ("first used at 1:1",))


def test_a_unicode_line_separator_is_no_new_line_for_an_editor() -> None:
    assert only_problem("a: 'x\u2028y\x85z'\nb: 1\nb: 2\n").line == 3


def test_columns_count_code_points() -> None:
    problem = only_problem("{a: 🙂漢é, a: 2}")
    assert (problem.column, problem.end_column) == (10, 11)


@pytest.mark.parametrize("data", ["\ufeffa: 1\na: 2\n", b"\xef\xbb\xbfa: 1\na: 2\n"])
def test_a_byte_order_mark_is_not_counted(data: str | bytes) -> None:
    assert only_problem(data).hints == ("first used at 1:1",)


def test_bytes_that_are_not_utf8_are_shown_where_they_are() -> None:
    _, found = read(b"\xef\xbb\xbfa: 1\nb: \xc3\xa9\xff\n")
    assert (found[0].line, found[0].column, found[0].message) == (2, 5, "byte 0xff is not UTF-8")


@pytest.mark.parametrize("char", ["\0", "\x1b", "\x7f", "\ud800", "\uffff"])
def test_a_character_outside_yaml_is_a_problem(char: str) -> None:
    problem = only_problem(f"a: 1\nb: {char}")
    assert (problem.line, problem.column) == (2, 4)
    assert problem.message == f"character U+{ord(char):04X} is not allowed in YAML"


def test_every_duplicate_key_is_reported() -> None:
    _, found = read("a: {x: 1, x: 2}\nb: {y: 1, y: 2, y: 3}\n")
    assert [p.message for p in found] == ["duplicate key 'x'", "duplicate key 'y'", "duplicate key 'y'"]


def test_a_key_that_is_a_list_is_a_problem() -> None:
    assert only_problem("? [a]\n: b\n").message == "a key is text, got a list"


def test_a_second_document_is_a_problem() -> None:
    assert only_problem("a\n---\nb\n").message == "a second document starts here"


def test_a_tag_is_a_problem() -> None:
    assert only_problem("a: !!python/name:os.system x\n").message == (
        "tag 'tag:yaml.org,2002:python/name:os.system' is not supported"
    )


def test_an_anchor_cannot_contain_itself() -> None:
    assert only_problem("a: &x [1, *x]\n").message == "alias '*x' has no anchor"


def test_aliases_are_bounded() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    assert only_problem("\n".join(lines)).message == "aliases expand to more than 100000 values"


@pytest.mark.parametrize("piece", ["[", "{a: ", "- ", "? "])
def test_depth_is_bounded(piece: str) -> None:
    assert only_problem(piece * 100_000).message in {
        f"values are nested more than {MAX_DEPTH} deep",
        "not valid YAML: exceeded maximum nesting depth",  # the parser itself looked too far ahead
    }


def test_an_empty_text_is_nothing_and_no_problem() -> None:
    assert read("# only this\n") == (None, [])


def test_the_parser_in_python_gives_the_same_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: [1, 🙂, 'x y']\r\nb: |\r\n  one\r\n  two\r\n"
    fast, _ = read(text)
    monkeypatch.setattr(located, "_Parser", yaml.SafeLoader)
    slow, _ = read(text)
    assert isinstance(fast, MapNode)
    assert isinstance(slow, MapNode)
    assert plain(fast) == plain(slow)
    assert [k.start for k, _ in fast.entries] == [k.start for k, _ in slow.entries]


@given(st.binary() | st.text(alphabet="ab:-[]{}&*!|>'\"#%@?,\n\t \r\ufeff\x85é🙂~0.", max_size=60))
def test_any_text_gives_nodes_or_problems(data: str | bytes) -> None:
    node, found = read(data)
    text = open_source("a.yaml", data).source.text
    assert str(ScriptError(found, text)) or not found
    lines = text.count("\n") + text.count("\r") + 1
    assert all(1 <= p.line <= lines and p.column >= 1 and p.end_column > p.column for p in found)
    if isinstance(node, ScalarNode):
        assert 0 <= node.start <= node.end <= len(text)


@given(
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x7f", min_codepoint=32), max_size=30)
)
def test_the_place_of_a_quoted_value_is_exact(content: str) -> None:
    quoted = "'" + content.replace("'", "''") + "'"
    node, found = read(f"key: [1, {quoted}]")
    if found:
        return
    assert isinstance(node, MapNode)
    item = node.entries[0][1].items[1]  # type: ignore[union-attr]
    assert (item.start, item.end) == (9, 9 + len(quoted))
