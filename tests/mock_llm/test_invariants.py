"""What every request has to keep to, in each wire format, and the evidence when one does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mock_llm.dialects import by_name
from mock_llm.fates import Fate
from mock_llm.invariants import ALWAYS, Invariant, Past, broken
from mock_llm.request import ModelRequest
from mock_llm.responder import Play, Responder
from mock_llm.script import Script, ScriptTurn
from mock_llm.turn import Text, Turn

PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
}
LINKS = ALWAYS[0]


def body(dialect: str, calls: list[str], results: list[str], *, after: bool = False) -> dict[str, Any]:
    """A user asks, the model calls, results come, and perhaps the model speaks again."""
    if dialect == "gemini":
        made = [{"functionCall": {"name": name, "args": {}}} for name in calls]
        answers = [{"functionResponse": {"name": name, "response": {}}} for name in results]
        contents = [{"role": "user", "parts": [{"text": "go"}]}, {"role": "model", "parts": made}]
        contents += [{"role": "user", "parts": answers}] if answers else []
        contents += [{"role": "model", "parts": [{"text": "so"}]}] if after else []
        return {"contents": contents}
    if dialect == "openai-responses":
        items: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
        items += [{"type": "function_call", "call_id": c, "name": c, "arguments": "{}"} for c in calls]
        items += [{"type": "function_call_output", "call_id": r, "output": "x"} for r in results]
        items += [{"role": "assistant", "content": "so"}] if after else []
        return {"model": "m", "input": items}
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    if dialect == "anthropic-messages":
        uses = [{"type": "tool_use", "id": c, "name": c, "input": {}} for c in calls]
        blocks = [{"type": "tool_result", "tool_use_id": r, "content": "x"} for r in results]
        messages += [{"role": "assistant", "content": uses}]
        messages += [{"role": "user", "content": blocks}] if blocks else []
    else:
        functions = [{"id": c, "type": "function", "function": {"name": c, "arguments": "{}"}} for c in calls]
        messages += [{"role": "assistant", "content": None, "tool_calls": functions}]
        messages += [{"role": "tool", "tool_call_id": r, "content": "x"} for r in results]
    messages += [{"role": "assistant", "content": "so"}] if after else []
    return {"model": "m", "max_tokens": 9, "messages": messages}


def parsed(dialect: str, value: dict[str, Any]) -> ModelRequest:
    return by_name(dialect).parse_request(json.dumps(value).encode(), PATHS[dialect], {})


def chat(*messages: tuple[str, str], **more: Any) -> ModelRequest:
    said = [{"role": role, "content": text} for role, text in messages]
    return parsed("openai-chat", {"model": "m", "messages": said, **more})


@pytest.mark.parametrize("dialect", PATHS)
@pytest.mark.parametrize(
    ("calls", "results", "after", "evidence"),
    [
        (["a"], ["a"], False, ""),
        (["a", "b"], ["a", "b"], False, ""),
        (["a", "b"], ["a", "b"], True, ""),
        (["a", "b"], ["a"], False, "no result answers the call 'b"),
        (["a"], [], True, "no result answers the call 'a"),
        (["a"], ["a", "z"], False, "the result 'z"),
    ],
)
def test_each_result_answers_a_call_and_each_call_has_its_result(
    dialect: str,
    calls: list[str],
    results: list[str],
    after: bool,  # noqa: FBT001
    evidence: str,
) -> None:
    found = broken(LINKS, parsed(dialect, body(dialect, calls, results, after=after)))
    assert found.startswith(evidence) if evidence else not found


def test_results_may_come_in_any_order_and_a_stored_response_is_left_alone() -> None:
    assert not broken(LINKS, parsed("openai-chat", body("openai-chat", ["a", "b"], ["b", "a"])))
    stored = {
        "model": "m",
        "previous_response_id": "r",
        "input": [{"type": "function_call_output", "call_id": "a", "output": "x"}],
    }
    assert not broken(LINKS, parsed("openai-responses", stored))


ALTERNATE = Invariant("roles_alternate")


@pytest.mark.parametrize(
    ("roles", "evidence"),
    [
        ("u", ""),
        ("uau", ""),
        ("uatu", ""),
        ("uattau", ""),
        ("uu", "message 2 of 2 is from 'user' and follows one from 'user'"),
        ("au", "message 1 of 2 is from 'assistant' and comes first"),
        ("uaa", "message 3 of 3 is from 'assistant' and follows one from 'assistant'"),
    ],
)
def test_roles_alternate(roles: str, evidence: str) -> None:
    names = {"u": "user", "a": "assistant", "t": "tool"}
    assert broken(ALTERNATE, chat(*((names[role], "x") for role in roles))) == evidence


def test_an_invariant_of_some_dialects_holds_in_these_only() -> None:
    twice = chat(("user", "x"), ("user", "y"))
    assert broken(ALTERNATE._replace(dialects=("openai-chat", "gemini")), twice)
    assert not broken(ALTERNATE._replace(dialects=("gemini",)), twice)


def test_a_changed_system_text_is_shown_from_its_first_difference() -> None:
    before, now = (
        chat(("system", "You are brief."), ("user", "x")),
        chat(("system", "You are bright."), ("user", "x")),
    )
    rule = Invariant("system_unchanged")
    assert (
        broken(rule, now, Past(before))
        == "from character 12 on, the system text is ...'ght.', and was ...'ef.'"
    )
    assert not broken(rule, now, Past(now))
    assert not broken(rule, now)


def tools(*names: str, about: str = "") -> ModelRequest:
    listed = [{"type": "function", "function": {"name": name, "description": about}} for name in names]
    return chat(("user", "x"), tools=listed)


@pytest.mark.parametrize(
    ("now", "evidence"),
    [
        (tools("a", "b"), ""),
        (tools("a", "c"), "of the tools, 'c' is new, 'b' is gone"),
        (tools("b", "a"), "of the tools, their order changed"),
        (tools("a", "b", about="x"), "of the tools, the definition of 'a', 'b' changed"),
    ],
)
def test_changed_tools_are_named(now: ModelRequest, evidence: str) -> None:
    assert broken(Invariant("tools_unchanged"), now, Past(tools("a", "b"))) == evidence


def test_forbidden_text_is_found_wherever_it_stands() -> None:
    rule = Invariant("lacks", "sk-1")
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "b", "arguments": '{"k": "sk-1"}'}}
        ],
    }
    with_call = parsed("openai-chat", {"model": "m", "messages": [{"role": "user", "content": "x"}, call]})
    assert (
        broken(rule, chat(("system", "key sk-1"), ("user", "x")))
        == "the system text contains it at character 5: 'key sk-1'"
    )
    assert broken(rule, with_call).startswith("a tool call of message 2 of 2, from 'assistant', contains it")
    assert not broken(rule, chat(("user", "x")))
    thought = {"role": "assistant", "content": "ok", "reasoning_content": "sk-1"}
    with_thought = parsed(
        "openai-chat", {"model": "m", "messages": [{"role": "user", "content": "x"}, thought]}
    )
    assert broken(rule, with_thought).startswith(
        "the thinking of message 2 of 2, from 'assistant', contains it"
    )


def test_wanted_text_may_stand_anywhere() -> None:
    rule = Invariant("contains", "task")
    assert not broken(rule, chat(("user", "x"), ("assistant", "the task")))
    assert broken(rule, chat(("user", "x"))) == "no text of it contains 'task'; looked in 1"


def test_messages_are_counted() -> None:
    rule = Invariant("max_messages", number=1)
    assert not broken(rule, chat(("user", "x")))
    assert broken(rule, chat(("user", "x"), ("user", "y"))) == "it has 2 messages, more than 1"


CUT = "It goes on and on and on and on"
REPLAY = Invariant("no_replay")


@pytest.mark.parametrize(
    ("kept", "fates", "is_broken"),
    [
        (CUT, (Fate(cut=CUT),), True),
        (CUT + " and more", (Fate(cut=CUT),), True),
        (CUT[:12] + " [interrupted]", (Fate(cut=CUT),), False),
        (CUT, (Fate(whole=CUT),), False),
        (CUT, (Fate(cut=CUT), Fate(whole=CUT + ".")), False),
        ("It", (Fate(cut="It"),), False),
        (CUT, (), False),
    ],
)
def test_a_reply_that_was_cut_off_is_not_sent_back_in_full(
    kept: str,
    fates: tuple[Fate, ...],
    is_broken: bool,  # noqa: FBT001
) -> None:
    request = chat(("user", "go"), ("assistant", kept), ("user", "again"))
    evidence = broken(REPLAY, request, Past(None, fates))
    assert bool(evidence) is is_broken
    if is_broken:
        assert evidence.startswith("message 2 of 3, from 'assistant', replays all 31 characters of a reply")


def test_a_breach_is_told_once_and_the_request_is_answered() -> None:
    turns = tuple(ScriptTurn(Turn((Text(text),))) for text in ("one", "two"))
    rule = Invariant("max_messages", number=1, place="s.yaml:7")
    responder = Responder(Script(turns, invariants=(rule,)))
    responder.answer(chat(("user", "x")))
    second = {"model": "m", "messages": [{"role": "user", "content": "x"}, {"role": "user", "content": "y"}]}

    first_time = responder.answer(parsed("openai-chat", second), 2)
    retried = by_name("openai-chat").parse_request(
        json.dumps(second).encode(), PATHS["openai-chat"], {"x-stainless-retry-count": "1"}
    )
    again = responder.answer(retried, 3)

    assert isinstance(first_time, Play)
    assert isinstance(again, Play)
    assert first_time.turn == again.turn == turns[1]
    assert first_time.violations == (
        (
            "request 2 breaks the invariant 'max_messages' (s.yaml:7)\n"
            "  POST /v1/chat/completions, 2 messages, last user text 'y'\n"
            "  it has 2 messages, more than 1"
        ),
    )
    assert again.violations == ()
