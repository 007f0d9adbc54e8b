"""Healthy texts are what they say they are: JSON parses, SQL runs, code compiles, sums are right."""

from __future__ import annotations

import ast
import json
import re
import sqlite3
from base64 import b64decode
from collections import Counter
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_llm.generators import generate
from mock_llm.generators.figures import paragraphs_of
from mock_llm.generators.knowledge import CAPITALS, CHORUSES, COUPLETS, ELEMENTS, TERMS

seeds = given(seed=st.integers(0, 2**32))
some = settings(max_examples=15, deadline=None)
FRACTION = re.compile(r"\\frac\{(-?\d+)\}\{(\d+)\}")


def make(name: str, seed: int, **values: Any) -> str:
    return generate(name, {"seed": seed, **values})


@some
@seeds
def test_a_table_has_five_cells_in_every_row_and_no_row_twice(seed: int) -> None:
    head, rule, *rows = make("table", seed, rows=200).splitlines()
    assert rule == "|---|---|---|---|---|"
    assert all(row.count("|") == 6 for row in (head, *rows))
    assert len(set(rows)) == len(rows) == 200


@pytest.mark.parametrize("layout", ["lines", "indented", "compact"])
@some
@seeds
def test_a_json_array_holds_unlike_records_with_the_same_keys(seed: int, layout: str) -> None:
    text = make("json-array", seed, items=50, layout=layout)
    records = json.loads(text)
    assert len({json.dumps(record) for record in records}) == 50
    assert {tuple(record) for record in records} == {("item", "keeper", "where", "price", "sold", "tags")}
    assert (text.count("\n") == 1) == (layout == "compact")
    assert "\n\n" not in text


@some
@seeds
def test_sql_inserts_run_in_a_database(seed: int) -> None:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE objects (name, quality, keeper, place, price)")
        database.executescript(make("sql-inserts", seed, rows=100))
        rows = database.execute("SELECT * FROM objects").fetchall()
    database.close()
    assert len(set(rows)) == len(rows) == 100


@some
@seeds
def test_a_drawing_is_well_formed_and_has_no_element_twice(seed: int) -> None:
    root = ET.fromstring(make("svg", seed, elements=60))
    assert len({ET.tostring(element) for element in root}) == len(root) == 60
    assert len({element.tag for element in root}) == 6


@some
@seeds
def test_a_test_log_adds_up(seed: int) -> None:
    *lines, last = make("test-log", seed, tests=90).splitlines()
    names, endings = zip(*(line.split()[:2] for line in lines), strict=True)
    assert len(set(names)) == len(lines) == 90
    sums = {
        ending.upper(): int(count) for count, ending in re.findall(r"(\d+) (failed|passed|skipped)", last)
    }
    assert Counter(sums) == Counter(endings)
    assert [int(line.split("[")[1].rstrip("%]")) for line in lines] == [100 * n // 90 for n in range(1, 91)]


@some
@given(seed=st.integers(0, 2**32), count=st.integers(1, 5000))
def test_base64_decodes_to_so_many_bytes(seed: int, count: int) -> None:
    lines = make("base64", seed, bytes=count).splitlines()
    assert len(b64decode("".join(lines), validate=True)) == count
    assert {len(line) for line in lines[:-1]} <= {76}
    assert make("base64", seed, bytes=count, wrapped=False) == "".join(lines)


@some
@seeds
def test_a_changelog_falls_in_versions_and_days_and_tells_nothing_twice(seed: int) -> None:
    text = make("changelog", seed, releases=30)
    heads = re.findall(r"^## (\d+)\.(\d+)\.(\d+) \((\d{4}-\d\d-\d\d)\)$", text, re.MULTILINE)
    versions = [tuple(map(int, head[:3])) for head in heads]
    assert len(heads) == 30
    assert versions == sorted(set(versions), reverse=True)
    assert [head[3] for head in heads] == sorted({head[3] for head in heads}, reverse=True)
    entries = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(set(entries)) == len(entries)
    sections = [each for each in paragraphs_of(text) if each.startswith("- ")]
    assert len(sections) == 90
    assert all(1 <= len(section.splitlines()) <= 3 for section in sections)
    assert [each for each in paragraphs_of(text) if each.startswith("###")] == [
        "### Added", "### Fixed", "### Changed",
    ] * 30  # fmt: skip


@some
@seeds
def test_an_api_reference_names_every_endpoint_once(seed: int) -> None:
    paragraphs = paragraphs_of(make("api-docs", seed, endpoints=60))
    heads = paragraphs[::3]
    assert all(re.fullmatch(r"### `(GET|POST|PATCH|PUT|DELETE) /[a-z/{}]+`", head) for head in heads)
    assert len(set(heads)) == 60
    assert all(each.startswith("Returns `") for each in paragraphs[2::3])
    assert not re.search(r"\{(?!id\})", "\n".join(paragraphs))


@some
@seeds
def test_a_glossary_defines_terms_in_the_order_of_the_alphabet(seed: int) -> None:
    paragraphs = paragraphs_of(make("glossary", seed, terms=len(TERMS)))
    assert paragraphs == [f"**{term}** (noun): {TERMS[term]}." for term in sorted(TERMS)]
    assert set(paragraphs_of(make("glossary", seed, terms=20))) < set(paragraphs)


@some
@seeds
def test_a_song_has_its_chorus_after_every_verse(seed: int) -> None:
    paragraphs = paragraphs_of(make("lyrics", seed, verses=12))
    verses, choruses = paragraphs[::2], paragraphs[1::2]
    assert len(set(choruses)) == 1
    assert choruses[0] in CHORUSES
    assert sorted(line for verse in verses for line in verse.splitlines()) == sorted(
        line for couplet in COUPLETS for line in couplet.splitlines()
    )


@some
@seeds
def test_a_quiz_of_facts_marks_the_right_answer(seed: int) -> None:
    questions = paragraphs_of(make("quiz", seed, questions=66))
    facts = {f"What is the capital of {country}?": city for country, city in CAPITALS.items()}
    facts |= {f"Which element has the symbol {sign}?": name for sign, name in ELEMENTS.items()}
    asked = set()
    for number, question in enumerate(questions, 1):
        head, answers, letter = parts_of(question)
        assert head.startswith(f"{number}. ")
        head = head.removeprefix(f"{number}. ")
        assert answers["ABCD".index(letter)] == facts[head]
        assert len(set(answers)) == 4
        asked.add(head)
    assert asked == set(facts)


@some
@seeds
def test_a_quiz_of_fractions_is_worked_out_rightly(seed: int) -> None:
    questions = [parts_of(each) for each in paragraphs_of(make("quiz", seed, questions=40, kind="fractions"))]
    for head, answers, letter in questions:
        (a, b), (c, d) = FRACTION.findall(head)
        left, right = Fraction(int(a), int(b)), Fraction(int(c), int(d))
        (sign,) = re.findall(r"\} (\+|-|\\cdot|:) \\", head)
        value = {"+": left + right, "-": left - right, r"\cdot": left * right, ":": left / right}[sign]
        values = [Fraction(int(n), int(m)) for answer in answers for n, m in FRACTION.findall(answer)]
        assert [each == value for each in values] == [each == letter for each in "ABCD"]


def parts_of(question: str) -> tuple[str, list[str], str]:
    head, *answers, last = question.splitlines()
    assert [answer[:6] for answer in answers] == [f"   {letter}) " for letter in "ABCD"]
    return head, [answer[6:] for answer in answers], last.removeprefix("   Answer: ")


def test_more_facts_than_there_are_is_refused_with_a_cure() -> None:
    with pytest.raises(ValueError, match="'facts' has 66 questions, not 67; take 'fractions'"):
        make("quiz", 1, questions=67)


@some
@seeds
def test_code_compiles_and_defines_every_function_once(seed: int) -> None:
    fenced, bare = (make("code", seed, functions=60, fenced=fenced) for fenced in (True, False))
    assert fenced == f"```python\n{bare}```\n"
    functions = [node for node in ast.parse(bare).body if isinstance(node, ast.FunctionDef)]
    assert len({function.name for function in functions}) == len(functions) == 60
    assert all(ast.get_docstring(function) for function in functions)
    assert "{noun}" not in bare


@some
@seeds
def test_a_diff_has_one_hunk_for_every_file_with_right_counts(seed: int) -> None:
    parts = re.split(r"^diff --git ", make("diff", seed, files=40), flags=re.MULTILINE)[1:]
    paths = set()
    for part in parts:
        names, old, new, hunk, *lines = part.splitlines()
        path = old.removeprefix("--- a/")
        assert (names, new) == (f"a/{path} b/{path}", f"+++ b/{path}")
        assert re.fullmatch(r"@@ -(\d+),7 \+\1,7 @@", hunk)
        assert [line[0] for line in lines] == list("   -+   ")
        assert lines[3][1:] != lines[4][1:]
        paths.add(path)
    assert len(paths) == len(parts) == 40
