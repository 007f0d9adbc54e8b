"""Agent descriptions: what the shipped ones say, and how mistakes are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents.agent_shape import DIALECTS
from harness.agents.locate import agent_names, load_agent
from harness.agents.spec import AgentSpec
from harness.agents.spec_yaml import parse_agent
from harness.problems import UserError
from mock_llm.problems import Problem, ScriptError
from mock_llm.template import fill_text

GOLDEN = Path(__file__).parents[1] / "golden" / "agents"
BROKEN = sorted(GOLDEN.glob("*.yaml"))

MINIMAL = """
agent: demo
command: [demo, --plain]
one_shot: [ask, "{prompt}"]
install: {npm: "@demo/cli", version: 1.10}
dialects:
  anthropic-messages: {}
  openai-chat: {}
session: {glob: "{home}/.demo/*.jsonl", reader: pi-jsonl}
"""


def values_for(spec: AgentSpec, dialect: str) -> dict[str, str]:
    settings = spec.dialect(dialect)
    assert settings is not None
    common = {
        "base_url": "http://127.0.0.1:4000",
        "key": "k",
        "home": "/h",
        "model": spec.model,
        "prompt": "P",
    }
    return {**common, **settings.variables}


def test_the_embedded_agent_and_pi_are_shipped() -> None:
    assert {"pi", "reference"} <= set(agent_names())


@pytest.mark.parametrize("name", agent_names())
def test_a_shipped_description_is_named_after_its_file(name: str) -> None:
    assert load_agent(name).name == name


@pytest.mark.parametrize(
    ("dialect", "api", "url"),
    [
        ("openai-chat", "openai-completions", "http://127.0.0.1:4000/v1"),
        ("anthropic-messages", "anthropic-messages", "http://127.0.0.1:4000"),
    ],
)
def test_pi_gets_its_own_name_of_the_dialect_and_the_base_url_that_it_wants(
    dialect: str, api: str, url: str
) -> None:
    pi = load_agent("pi")
    written = json.loads(fill_text(pi.files["{home}/.pi/agent/models.json"], values_for(pi, dialect)))
    provider = written["providers"]["mock"]
    assert (provider["api"], provider["baseUrl"]) == (api, url)
    assert provider["models"][0]["id"] == pi.model


@pytest.mark.parametrize(
    ("dialect", "url", "kind", "wire"),
    [
        ("openai-chat", "http://127.0.0.1:4000/v1", "openai", "completions"),
        ("openai-responses", "http://127.0.0.1:4000/v1", "openai", "responses"),
        ("anthropic-messages", "http://127.0.0.1:4000", "anthropic", "completions"),
    ],
)
def test_copilot_is_told_its_dialect_by_the_environment(dialect: str, url: str, kind: str, wire: str) -> None:
    spec = load_agent("copilot")
    environment = {name: fill_text(text, values_for(spec, dialect)) for name, text in spec.env.items()}
    found = [environment[f"COPILOT_PROVIDER_{name}"] for name in ("BASE_URL", "TYPE", "WIRE_API")]
    assert found == [url, kind, wire]


def test_the_reference_agent_is_aimed_by_its_environment() -> None:
    spec = load_agent("reference")
    values = values_for(spec, "openai-chat")
    environment = {name: fill_text(text, values) for name, text in spec.env.items()}
    assert environment["TTSR_REFAGENT_BASE_URL"] == "http://127.0.0.1:4000/v1"
    assert spec.session_glob.startswith(spec.env["TTSR_REFAGENT_HOME"])


def test_only_the_reference_agent_says_it_has_a_guard() -> None:
    assert "collapse-repetition" in load_agent("reference").guard.rules
    assert load_agent("pi").guard.rules == ()


def test_a_short_description_is_filled_with_defaults() -> None:
    spec = parse_agent(MINIMAL, "demo.yaml")
    assert spec.version_probe == ("--version",)
    assert spec.model == "mock-model"
    assert spec.guard.rules == ()
    assert spec.install.version == "1.10", "a version is text, not the number 1.1"
    assert spec.command_line == 3


def test_the_first_dialect_of_the_file_is_the_default() -> None:
    spec = parse_agent(MINIMAL, "demo.yaml")
    assert [dialect.name for dialect in spec.dialects] == ["anthropic-messages", "openai-chat"]
    assert spec.dialects[0].name != DIALECTS[0], "the order is the file's, not ours"


def test_side_requests_and_text_files_are_read() -> None:
    more = 'sides:\n  - {name: title, contains: "write a title"}\nfiles:\n  "{work}/a.txt": "plain {model}"\n'
    spec = parse_agent(MINIMAL + more, "demo.yaml")
    assert [(side.name, side.contains, side.say) for side in spec.sides] == [("title", "write a title", "ok")]
    assert spec.files == {"{work}/a.txt": "plain {model}"}


@pytest.mark.parametrize("broken", BROKEN, ids=[path.stem for path in BROKEN])
def test_every_mistake_of_a_description_is_shown_at_its_place(broken: Path) -> None:
    with pytest.raises(ScriptError) as error:
        parse_agent(broken.read_bytes(), broken.name)
    assert f"{error.value}\n" == broken.with_suffix(".txt").read_text(encoding="utf-8")


def test_a_broken_description_is_the_users_to_mend() -> None:
    with pytest.raises(UserError, match=r"misspelled-keys\.yaml:2:1") as error:
        load_agent(str(GOLDEN / "misspelled-keys.yaml"))
    assert error.value.exit_code == 2


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_text_gives_a_description_or_its_mistakes(text: str | bytes) -> None:
    with pytest.raises(ScriptError):
        parse_agent(text, "any.yaml")


@given(st.data())
def test_a_damaged_description_never_breaks_the_reader(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(MINIMAL) - 1))
    length = data.draw(st.integers(0, 12))
    middle = data.draw(st.text(alphabet="{}[]:,\n -'\"a1", max_size=6))
    spec: AgentSpec | None = None
    mistakes: tuple[Problem, ...] = ()
    try:
        spec = parse_agent(MINIMAL[:start] + middle + MINIMAL[start + length :], "damaged.yaml")
    except ScriptError as error:
        mistakes = error.problems
    assert (spec is None) == bool(mistakes)
