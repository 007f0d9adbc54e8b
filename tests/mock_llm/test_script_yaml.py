from __future__ import annotations

import json
from pathlib import Path

import pytest

from mock_llm.generators import GENERATORS
from mock_llm.invariants import ALWAYS
from mock_llm.problems import ScriptError
from mock_llm.schema import json_schema
from mock_llm.script import Script, ScriptTurn, Stream
from mock_llm.script_yaml import load_script, parse_script
from mock_llm.template import fill
from mock_llm.turn import Text, Thinking, ToolCall, Turn, Usage
from mock_llm.turn_shape import model_shape


def turns_of(model: str) -> tuple[ScriptTurn, ...]:
    return parse_script(f"model:\n{model}", "s.yaml", {"t.txt": "file {nonce}\r\n"}.__getitem__).turns


def problems_of(text: str) -> list[str]:
    with pytest.raises(ScriptError) as caught:
        parse_script(text, "s.yaml")
    return [f"{p.line}:{p.column} {p.message}" for p in caught.value.problems]


def test_the_parts_come_in_the_order_of_the_keys() -> None:
    [turn] = turns_of('- think: "hm"\n  call: {bash: {command: ls}}\n  say: "done"\n')
    assert turn.turn.parts == (
        Thinking("hm"),
        ToolCall("call_1_2", "bash", '{"command": "ls"}'),
        Text("done"),
    )
    assert turn.turn.stop == "tool"
    assert turn.place == "s.yaml:2"


def test_several_calls_keep_their_order_and_have_their_own_ids() -> None:
    [turn] = turns_of("- call: [{a: {}}, {b: {x: [1, null, true]}}]\n")
    assert turn.turn.parts == (
        ToolCall("call_1_1", "a", "{}"),
        ToolCall("call_1_2", "b", '{"x": [1, null, true]}'),
    )


def test_usage_and_stream_are_read() -> None:
    [turn] = turns_of(
        "- say: x\n  usage: {input_tokens: 10, output_tokens: 20}\n"
        "  stream: {chars_per_delta: 1, every_ms: 5, first_after_ms: 0.5, until: client-hangs-up, cap_chars: 9}\n"
    )
    assert turn.turn.usage == Usage(10, 20)
    assert turn.stream == Stream(
        chars_per_delta=1, every_ms=5, first_after_ms=0.5, until_hang_up=True, cap_chars=9
    )


def test_a_turn_is_played_several_times_with_its_count() -> None:
    turns = turns_of(
        '- say: "item {time} {nonce}"\n  call: {bash: {command: "echo {time}"}}\n  times: 3\n- say: "{time}"\n'
    )
    assert [turn.turn.parts[0] for turn in turns] == [
        Text("item 1 {nonce}"),
        Text("item 2 {nonce}"),
        Text("item 3 {nonce}"),
        Text("1"),
    ]
    calls = [part for turn in turns for part in turn.turn.parts if isinstance(part, ToolCall)]
    assert [json.loads(call.arguments) for call in calls] == [{"command": f"echo {n}"} for n in (1, 2, 3)]
    assert len({call.id for call in calls}) == 3


def test_the_text_of_a_file_is_verbatim_and_no_template() -> None:
    [turn] = turns_of("- say: {file: t.txt}\n")
    assert fill(turn.turn, {"nonce": "N"}) == Turn((Text("file {nonce}\r\n"),))


@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_a_generator_takes_its_defaults_or_says_what_is_missing(name: str) -> None:
    required = [key for key, field in GENERATORS[name].shape.fields.items() if field.required]
    if required:
        missing = [
            f"'{key}'" in "\n".join(problems_of(f"model: [say: {{{name}: {{}}}}]")) for key in required
        ]
        assert all(missing)
        return
    [first] = turns_of(f"- say: {{{name}: {{}}}}\n")
    [again] = turns_of(f"- say: {{{name}: {{seed: 1}}}}\n")
    assert first.turn.chars > 0
    assert first == again


def test_an_empty_reply_can_be_said() -> None:
    assert turns_of('- say: ""\n')[0].turn == Turn((Text(""),))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "1:1 the file is empty"),
        ("[]", "1:1 expected a script (a mapping), got a list"),
        ("lane: x", "1:1 missing key 'model' in a script"),
        ("model: []", "1:8 expected a list of at least 1, got 0"),
        ("model: {}", "1:8 expected a list, got a mapping"),
        ("model: [{}]", "1:9 a turn needs one of 'say', 'think', 'call' and 'refuse'"),
        ("model: [hello]", "1:9 expected a turn (a mapping), got 'hello'"),
        ("model: [say: {file: t.txt}]", "1:21 'file': no file 't.txt' can be read here"),
        ("model: [say: {file: 3, seed: 4}]", "1:24 expected one key in a text source, got 2: 'file', 'seed'"),
        ("model: [say: {fiel: t.txt}]", "1:15 unknown key 'fiel' in a text source"),
        ("model: [call: {a: {x: .nan}}]", "1:15 JSON has no '.inf' and no '.nan'"),
        ("model: [call: {a: {x: '{no}'}}]", "1:24 unknown variable 'no'"),
        ("model: [{say: x, stream: {until: ever}}]", "1:34 unknown value 'ever'"),
        (
            "model: [{say: x, stream: {deltas: 1, chars_per_delta: 1}}]",
            "1:26 expected one of 'deltas' and 'chars_per_delta', got both",
        ),
        ("model: [{say: x, usage: {input_tokens: 1}}]", "1:26 missing key 'output_tokens' in usage"),
    ],
)
def test_a_mistake_in_a_script_has_its_place(text: str, problem: str) -> None:
    [found] = problems_of(text)
    assert found.startswith(problem)


def test_a_script_is_loaded_with_the_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(b"text\r\n")
    (tmp_path / "s.yaml").write_text("lane: n1\nmax_requests: 3\nmodel: [say: {file: t.txt}]\n")
    turn = ScriptTurn(Turn((Text("text\r\n"),)), place=f"{tmp_path / 's.yaml'}:3")
    loaded = load_script(tmp_path / "s.yaml")
    assert loaded == Script((turn,), lane="n1", max_requests=3, invariants=ALWAYS)


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path, content: bytes | None) -> None:
    if content:
        (tmp_path / "t.txt").write_bytes(content)
    (tmp_path / "s.yaml").write_text("model: [say: {file: t.txt}]\n")
    with pytest.raises(ScriptError) as caught:
        load_script(tmp_path / "s.yaml")
    assert [(p.line, p.column) for p in caught.value.problems] == [(1, 21)]


def test_the_turn_grammar_has_a_json_schema() -> None:
    schema = json_schema(model_shape())
    assert json.loads(json.dumps(schema)) == schema
    assert set(schema["items"]["properties"]) == {
        "say",
        "think",
        "call",
        "refuse",
        "parts",
        "recorded",
        "when",
        "stop",
        "usage",
        "times",
        "stream",
        "fault",
    }
