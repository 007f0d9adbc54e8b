"""Generators that count along with the turn, and generated texts in the arguments of tool calls."""

from __future__ import annotations

import json

import pytest

from mock_llm.generators import generate
from mock_llm.problems import ScriptError
from mock_llm.schema import json_schema
from mock_llm.script_shape import SCRIPT
from mock_llm.script_yaml import parse_script
from mock_llm.template import fill
from mock_llm.turn import Text, Thinking, ToolCall, Turn
from mock_llm.turn_shape import text_shape


def turns_of(yaml: str) -> list[Turn]:
    return [fill(turn.turn, {"nonce": "N"}) for turn in parse_script(f"model:\n{yaml}", "s.yaml").turns]


def problems_of(yaml: str) -> list[str]:
    with pytest.raises(ScriptError) as caught:
        parse_script(f"model:\n{yaml}", "s.yaml")
    return [f"{problem.line}:{problem.column} {problem.message}" for problem in caught.value.problems]


def arguments_of(yaml: str) -> object:
    [turn] = turns_of(yaml)
    [call] = (part for part in turn.parts if isinstance(part, ToolCall))
    return json.loads(call.arguments)


def test_a_generator_takes_the_time_of_the_turn_as_a_number() -> None:
    turns = turns_of('- say: {item-step: {number: "{time}"}}\n  think: same\n  times: 3\n')
    assert [turn.parts for turn in turns] == [
        (Text(generate("item-step", {"number": number})), Thinking("same")) for number in (1, 2, 3)
    ]


def test_text_parameters_count_along_too() -> None:
    turns = turns_of(
        '- say: {paraphrase: {paragraphs: 1, openers: ["Run {time}:"], endings: [go]}}\n  times: 2\n'
    )
    assert [turn.parts[0] for turn in turns] == [Text("Run 1: go\n\n"), Text("Run 2: go\n\n")]


def test_a_time_out_of_bounds_is_one_problem_at_the_parameter() -> None:
    yaml = '- say: {paragraph-loop: {paragraphs: "{time}", cycles: 1}}\n  times: 62\n'
    assert problems_of(yaml) == ["2:38 expected a whole number from 1 to 60, got 61"]


def test_a_word_that_is_not_the_time_is_no_number() -> None:
    assert problems_of('- say: {item-step: {number: "{nonce}"}}\n') == [
        "2:29 expected a whole number, got '{nonce}'"
    ]


def test_the_schema_lets_numbers_of_generators_be_the_time() -> None:
    source = json_schema(text_shape())["anyOf"][1]["properties"]["item-step"]["properties"]
    assert source["number"]["anyOf"][1] == {"const": "{time}"}
    assert source["number"]["anyOf"][0]["type"] == "integer"
    assert "anyOf" not in source["newline"]


def test_a_string_of_the_arguments_can_be_generated() -> None:
    text = generate("paragraph-loop", {"cycles": 4})
    yaml = "- call: {write: {path: a.md, content: {paragraph-loop: {cycles: 4}}}}\n"
    assert arguments_of(yaml) == {"path": "a.md", "content": text}
    [turn] = turns_of(yaml)
    assert isinstance(turn.parts[0], ToolCall)
    assert json.dumps(text, ensure_ascii=False) in turn.parts[0].arguments
    assert "\n" not in turn.parts[0].arguments


def test_a_generated_string_can_lie_deep_in_any_of_several_calls() -> None:
    [turn] = turns_of(
        "- call:\n  - bash: {command: ls}\n  - edit: {edits: [{old: a, new: {item-step: {number: 2}}}, 3]}\n"
    )
    first, second = (json.loads(part.arguments) for part in turn.parts if isinstance(part, ToolCall))
    assert first == {"command": "ls"}
    assert second == {"edits": [{"old": "a", "new": generate("item-step", {"number": 2})}, 3]}


def test_generated_strings_count_along() -> None:
    turns = turns_of('- call: {write: {content: {item-step: {number: "{time}"}}}}\n  times: 2\n')
    contents = [
        json.loads(part.arguments)["content"]
        for turn in turns
        for part in turn.parts
        if isinstance(part, ToolCall)
    ]
    assert contents == [generate("item-step", {"number": number}) for number in (1, 2)]


def test_braces_of_a_generated_string_are_no_names() -> None:
    yaml = "- call: {write: {content: {paraphrase: {paragraphs: 1, openers: ['a'], endings: ['{time}{{x}}']}}}}\n"
    assert arguments_of(yaml) == {"content": "a 1{{x}}\n\n"}


@pytest.mark.parametrize(
    "arguments",
    [
        '{"prose": {paragraphs: 1}}',
        "{prose: yes}",
        "{prose: {paragraphs: 1}, path: x}",
        "{other: {paragraphs: 1}}",
    ],
)
def test_a_quoted_key_a_value_without_keys_and_a_second_key_make_plain_json(arguments: str) -> None:
    value = arguments_of(f"- call: {{a: {{x: {arguments}}}}}\n")
    assert value == {"x": parse_plain(arguments)}


def parse_plain(yaml: str) -> object:
    import yaml as pyyaml

    return pyyaml.load(yaml.replace("yes", "'yes'"), pyyaml.SafeLoader)


def test_the_arguments_as_a_whole_are_never_a_text() -> None:
    assert arguments_of("- call: {a: {prose: {paragraphs: 1}}}\n") == {"prose": {"paragraphs": 1}}


def test_mistakes_in_a_generated_string_are_shown_at_their_place() -> None:
    assert problems_of("- call: {a: {x: {prose: {paragrafs: 1}}}}\n") == [
        "2:26 unknown key 'paragrafs' in prose"
    ]
    assert problems_of("- call: {a: {x: {paraphrase: {paragraphs: 99}}}}\n") == [
        (
            "2:30 'paraphrase': 99 paragraphs need as many endings, but there are 18; "
            "take at most 18, or give 'endings' of your own"
        )
    ]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "{clause-reorder: {clauses: 3, repeats: 7}}",
            "2:25 'clause-reorder': 3 clauses have 6 orders, not 7; take more 'clauses'",
        ),
        ("{quiz: {questions: 67}}", "2:15 'quiz': 'facts' has 66 questions, not 67; take 'fractions'"),
        (
            "{character-flood: {character: ab}}",
            "2:26 'character-flood': 'character' is one code point, but this has 2; take 'separator-flood'",
        ),
        (
            "{control-token-leak: {token: end}}",
            "2:29 'control-token-leak': 'end' has none of the forms <|name|>, <name>, </name> and [NAME]",
        ),
        ("{cycle: {script: greek}}", "2:25 unknown value 'greek'"),
        ("{glossary: {terms: 49}}", "2:27 expected a whole number from 1 to 48, got 49"),
    ],
)
def test_what_a_generator_cannot_make_is_told_at_its_place_with_a_cure(source: str, message: str) -> None:
    [problem] = problems_of(f"- say: {source}\n")
    assert problem == message


def test_the_script_shape_still_describes_itself() -> None:
    assert json_schema(SCRIPT)["type"] == "object"
