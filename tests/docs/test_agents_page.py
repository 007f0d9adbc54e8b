"""docs/agents.md says what the reader of descriptions does, and its examples are run."""

from __future__ import annotations

import re
import runpy
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.agents.agent_shape import AGENT, DIALECTS
from harness.agents.spec_yaml import parse_agent
from harness.readers import READERS, read
from mock_llm.shape import At, Checked, Either, ListOf, Record, Shape
from tests.e2e.qa_command import Qa

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "agents.md"
LOOP = """model:
  - say: "A heron stood in the reeds.\\n\\nThe tide turned.\\n\\nThe tide turned.\\n\\nThe tide turned.\\n\\nThe tide turned."
    stream: {chars_per_delta: 8, every_ms: 40}
  - say: "RECOVERED {nonce}"
prompt: "Analyse briefly, then answer RECOVERED {nonce}."
steps:
"""
WITH_SESSION = """
  - abort: {rule: repeated-paragraph, mechanism: third-copy, fired_at: 83}
  - truncation: {kept_chars: 29}
  - interrupt: {rule: repeated-paragraph}
  - recovery: {contains: "RECOVERED {nonce}"}
  - output: {contains: "stopped: the answer repeats itself"}
  - requests: 2
  - exit: 0
control: {disable: [repeated-paragraph], must_fail: [abort, truncation, interrupt, recovery, output, requests]}
"""
WITHOUT_SESSION = """
  - abort: {within_chars: 110}
  - recovery: {contains: "RECOVERED {nonce}"}
  - requests: 2
  - exit: 0
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def described(qa: Qa, example: str) -> str:
    """The example beside the small agent that it describes; its path for ``--agent``."""
    shutil.copy(HERE / "small_agent.py", qa.folder / "small-agent")
    (qa.folder / "small-agent").chmod(0o755)
    (qa.folder / "my-agent.yaml").write_text(example)
    return "./my-agent.yaml"


@pytest.fixture
def qa(tmp_path: Path) -> Qa:
    return Qa(tmp_path)


def test_the_tables_are_those_of_the_shapes() -> None:
    page = PAGE.read_text(encoding="utf-8")
    renewed = runpy.run_path(str(HERE / "reference.py"))["with_tables"](page, "agents.md")
    assert page == renewed, "run 'python tests/docs/reference.py' and read what changed"


def test_every_session_reader_is_in_the_table_of_readers() -> None:
    rows = re.findall(
        r"^\| (`.*?) \|", PAGE.read_text(encoding="utf-8").partition("## Sessions")[2], re.MULTILINE
    )
    table = [name for row in rows[: rows.index("`mini-json`") + 1] for name in re.findall(r"`(.+?)`", row)]
    assert sorted(table) == sorted(READERS)


def _keys(shape: Shape) -> Iterator[tuple[str, Shape]]:
    match shape:
        case At(shape=inner) | Checked(shape=inner) | ListOf(item=inner):
            yield from _keys(inner)
        case Either(shapes=shapes):
            for inner in shapes:
                yield from _keys(inner)
        case Record(fields=fields):
            for key, field in fields.items():
                yield key, field.shape
                yield from _keys(field.shape)


def test_every_key_stands_in_an_example() -> None:
    examples = "".join(blocks("yaml"))
    keys = {key for key, _ in _keys(AGENT)} - set(DIALECTS)
    assert len(keys) > 25
    assert [key for key in sorted(keys) if not re.search(rf"\b{key}:", examples)] == []


@pytest.mark.parametrize("dialect", ["openai-chat", "anthropic-messages"])
def test_the_full_example_runs_and_its_control_fails_where_it_must(qa: Qa, dialect: str) -> None:
    agent = described(qa, blocks("yaml")[1])
    qa.scenario("tide", LOOP + WITH_SESSION)
    ended = qa("run", "tide", "--agent", agent, "--dialect", dialect, "--controls")
    assert (ended.code, ended.err) == (0, ""), ended.out + ended.err
    run = f"tide@small-agent-{dialect}"
    assert ended.observed(run, "abort").startswith("third-copy fired at 83 of 99 characters (session; ")
    assert ended.observed(run, "truncation") == "29 characters kept, 38 persisted with the marker"
    assert ended.results()[f"tide-control@small-agent-{dialect}"]["verdict"] == "passed"


def test_the_short_example_is_judged_by_the_wire(qa: Qa) -> None:
    agent = described(qa, blocks("yaml")[0])
    qa.scenario("tide", LOOP + WITHOUT_SESSION)
    ended = qa("run", "tide", "--agent", agent)
    assert ended.code == 0, ended.out + ended.err
    assert "session: this agent keeps none" in ended.observed("tide@bare-agent-openai-chat", "abort")


def test_the_session_of_the_page_is_understood() -> None:
    (session,) = blocks("json")
    transcript = read("pi-jsonl", session)
    assert [message.role for message in transcript.messages] == ["user", "assistant", "user", "assistant"]
    (record,) = transcript.rules
    assert (record.rule, record.mechanism, record.fired_at, record.message) == (
        "repeated-paragraph",
        "third-copy",
        90,
        1,
    )


def test_what_an_installation_looks_like_is_in_the_example() -> None:
    example = blocks("yaml")[1]
    (npm,) = re.findall(r"# or (\{npm: .*?\})\n", example)
    spec = parse_agent(example.replace("install: own", f"install: {npm}"), "my-agent.yaml")
    assert (spec.install.source, spec.install.package, spec.install.size_mb) == ("npm", "@scope/package", 40)
