"""What a request must be like: every part that is looked at, and every way of comparing it."""

from __future__ import annotations

from typing import Any

import pytest

from mock_llm.located import open_source, parse_yaml
from mock_llm.matchers import Check, Matcher, explain, last_user, matches, named, tool_results, wanted
from mock_llm.reading import read
from mock_llm.request import ModelRequest
from mock_llm.when_yaml import WHEN, parse_json_path, parse_matcher

CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "list files"}]
RESULTS = [
    *ASKED,
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
    {"role": "tool", "tool_call_id": "c1", "content": "b.txt"},
]


def matcher(yaml: str) -> Matcher:
    problems = open_source("s.yaml", yaml)
    node = parse_yaml(problems)
    assert node is not None
    found = parse_matcher(read(WHEN, node, problems), node, problems)
    assert not problems.found
    return found


def problems_of(yaml: str) -> list[str]:
    problems = open_source("s.yaml", yaml)
    node = parse_yaml(problems)
    assert node is not None
    value = read(WHEN, node, problems)
    if isinstance(value, dict):
        parse_matcher(value, node, problems)
    return [f"{p.line}:{p.column} {p.message}" for p in problems.found]


@pytest.fixture
def request_of(asking: Any) -> Any:
    def make(messages: list[dict[str, Any]]) -> ModelRequest:
        more = {"temperature": 0.5, "n": 1, "tools": [{"type": "function", "function": {"name": "bash"}}]}
        request: ModelRequest = asking.request(messages=messages, **more)
        return request._replace(headers={"x-app": "pi"})

    return make


@pytest.mark.parametrize(
    ("yaml", "fits"),
    [
        ("path: chat/completions", True),
        ("path: {equals: /v1/messages}", False),
        ("model: mock", True),
        ("model: {equals: mock}", False),
        ("model: {matches: '^mock-\\w+$'}", True),
        ("model: {lacks: mock}", False),
        ("dialect: openai-chat", True),
        ("dialect: gemini", False),
        ("header: {X-App: pi}", True),
        ("header: {x-app: {equals: p}}", False),
        ("header: {x-other: ''}", False),
        ("header: {x-other: {lacks: beta}}", True),
        ("system: brief", True),
        ("system: {lacks: brief}", False),
        ("user: files", True),
        ("last_user: {equals: list files}", True),
        ("last_user: {matches: '^files'}", False),
        ("tool_result: a.txt", False),
        ("tool_result: {lacks: a.txt}", True),
        ("json: {$.temperature: 0.5}", True),
        ("json: {$.n: 1.0}", True),
        ("json: {$.n: true}", False),
        ("json: {$.n: '1'}", True),
        ("json: {'$.tools[0].function.name': {equals: bash}}", True),
        ("json: {'$.tools[-1].function': {equals: {name: bash}}}", True),
        ("json: {'$.tools[1]': {lacks: bash}}", True),
        ("json: {'$.tools[1]': bash}", False),
        ("nth: 3", True),
        ("nth: 2", False),
        ("{model: mock, system: long}", False),
        ("{model: mock, system: brief}", True),
    ],
)
def test_a_matcher_fits_or_does_not(request_of: Any, yaml: str, fits: bool) -> None:  # noqa: FBT001
    request, checks = request_of(ASKED), matcher(yaml)
    assert matches(checks, request, 3) is fits
    assert all(fit.fits for fit in explain(checks, request, 3)) is fits


@pytest.mark.parametrize(
    ("yaml", "fits"),
    [
        ("last_user: files", False),
        ("last_user: {lacks: files}", True),
        ("user: files", True),
        ("tool_result: a.txt", True),
        ("tool_result: {equals: b.txt}", True),
        ("tool_result: {lacks: b.txt}", False),
        ("tool_result: c.txt", False),
    ],
)
def test_a_request_with_results_of_tools_has_no_last_user(
    request_of: Any,
    yaml: str,
    fits: bool,  # noqa: FBT001
) -> None:
    request = request_of(RESULTS)
    assert matches(matcher(yaml), request, 1) is fits
    assert last_user(request) is None
    assert tool_results(request) == ["a.txt", "b.txt"]


def test_what_was_there_is_told_check_by_check(request_of: Any) -> None:
    checks = matcher("{model: gpt, header: {x-b: y}, tool_result: z, nth: 1, json: {'$.tools[0].type': x}}")
    told = [
        f"{named(fit.check)} {wanted(fit.check)}, got {fit.got}"
        for fit in explain(checks, request_of(ASKED), 2)
    ]
    assert told == [
        "the model to contain 'gpt', got 'mock-model'",
        "header 'x-b' to contain 'y', got no such header",
        "a tool result to contain 'z', got none since the model's last answer",
        "its number in the conversation to be 1, got 2",
        "'$.tools[0].type' to contain 'x', got 'function'",
    ]


def test_long_values_are_shortened_and_patterns_shown_as_such(request_of: Any) -> None:
    [fit] = explain(
        matcher("last_user: {matches: '^z'}"), request_of([{"role": "user", "content": "x" * 500}]), 1
    )
    assert (wanted(fit.check), fit.got) == ("to match /^z/", f"'{'x' * 55}...'")


@pytest.mark.parametrize(
    ("yaml", "problems"),
    [
        ("{}", ["1:1 a matcher needs one of its keys"]),
        ("modle: x", ["1:1 unknown key 'modle' in a matcher"]),
        ("model: {contain: x}", ["1:9 unknown key 'contain' in a comparison"]),
        (
            "model: {matches: '('}",
            ["1:18 not a regular expression: missing ), unterminated subpattern at position 0"],
        ),
        ("dialect: openai", ["1:10 unknown value 'openai'"]),
        ("nth: 0", ["1:6 expected a whole number of at least 1, got 0"]),
        ("system: '{nonse}'", ["1:10 unknown variable 'nonse'"]),
        (
            "json: {tools: 1}",
            ["1:8 'tools' is no path into a body: it starts with '$', such as '$.tools[0].name'"],
        ),
        ("json: {$.a!: 1}", ["1:8 '$.a!' is no path into a body from '!' on: '.name' and '[0]' are"]),
    ],
)
def test_a_mistake_in_a_matcher_has_its_place(yaml: str, problems: list[str]) -> None:
    assert problems_of(yaml) == problems


def test_a_pattern_that_could_run_for_ever_is_refused() -> None:
    [problem] = problems_of("last_user: {matches: '(a+)+$'}")
    assert problem.startswith("1:22 '(a+)+' repeats what repeats already")


@pytest.mark.parametrize(
    ("path", "steps"),
    [("$", ()), ("$.a.b", ("a", "b")), ("$.a[0][-1]", ("a", 0, -1)), ("$['a b'][\"c\"]", ("a b", "c"))],
)
def test_a_path_has_steps(path: str, steps: tuple[str | int, ...]) -> None:
    assert parse_json_path(path) == steps


def test_a_check_of_nothing_fits_everything(asking: Any) -> None:
    assert matches((), asking.request(), 1)
    assert matches((Check("model", "contains", ""),), asking.request(), 1)


def test_a_path_through_something_that_has_no_keys_finds_nothing(request_of: Any) -> None:
    request = request_of(ASKED)
    assert not matches(matcher('json: {"$.model.name": x}'), request, 1)
    assert not matches(matcher('json: {"$.tools[7]": x}'), request, 1)


@pytest.mark.parametrize(
    ("yaml", "problem"),
    [
        ("header: {x-app: [a]}", "1:17 expected text or a comparison (a mapping), got a list"),
        ("model: {contains: [a]}", "1:19 expected text, got a list"),
        (
            'json: {"$.a": {matches: "("}}',
            "1:25 not a regular expression: missing ), unterminated subpattern at position 0",
        ),
    ],
)
def test_a_wrong_value_in_a_matcher_is_one_mistake(yaml: str, problem: str) -> None:
    assert problems_of(yaml) == [problem]
