"""The agent as a program against a server on loopback, in every dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.refagent.conftest import Agent, FakeModel

MARKER = "[output interrupted by stream rule]"


def test_a_prompt_prints_only_the_answer(agent: Agent, model: FakeModel) -> None:
    model.say("Hel", "lo", thinking=("hm",))
    run = agent.run("-p", "greet me")
    assert (run.stdout, run.stderr, run.returncode) == ("Hello\n", "", 0)
    assert model.user_texts(0) == ["greet me"]
    assert agent.shape == ["session", "user", "assistant"]
    reply = agent.records[-1]["message"]
    assert reply["stopReason"] == "stop"
    assert reply["usage"] == {"input": 7, "output": 9}
    assert [block["type"] for block in reply["content"]] == ["thinking", "text"]
    assert not list(agent.home.glob("sessions/*.inflight"))


def test_the_request_says_who_asks_in_the_dialects_own_way(agent: Agent, model: FakeModel) -> None:
    model.say("yes")
    agent.run("-p", "hi", "--model", "m-1")
    request, headers = model.requests[0], model.headers[0]
    tools: Any = request["tools"]
    assert model.was_streamed(0)
    if model.dialect == "gemini":
        assert request["path"] == "/v1beta/models/m-1:streamGenerateContent?alt=sse"
        assert headers["x-goog-api-key"] == "made-up"
        tools = tools[0]["functionDeclarations"]
    else:
        assert request["model"] == "m-1"
    if model.dialect.startswith("openai-"):
        assert headers["authorization"] == "Bearer made-up"
    if model.dialect == "openai-chat":
        assert request["path"] == "/v1/chat/completions"
        tools = [tool["function"] for tool in tools]
    elif model.dialect == "openai-responses":
        assert (request["path"], request["store"]) == ("/v1/responses", False)
    elif model.dialect == "anthropic-messages":
        assert (request["path"], headers["x-api-key"]) == ("/v1/messages", "made-up")
        assert headers["anthropic-version"]
    assert [tool["name"] for tool in tools] == ["read", "write", "bash"]


def test_a_loop_is_cut_recorded_and_corrected_once(
    agent: Agent, model: FakeModel, loop_deltas: list[str]
) -> None:
    model.say("Fine so far.\n\n", *loop_deltas, "never shown", ending="hold", deltas_sent=7)
    model.say("RECOVERED")
    run = agent.run("-p", "do it")
    kept = "Fine so far.\n\n" + "".join(loop_deltas[:2])
    fired_at = len("Fine so far.\n\n" + "".join(loop_deltas[:5]))
    assert run.stdout == "RECOVERED\n"
    assert run.stderr == (
        f"stream rule collapse-repetition: output interrupted at {fired_at} characters, kept {len(kept)}\n"
    )
    assert run.returncode == 0
    records = agent.records
    assert agent.shape[:3] == ["session", "user", "rule-activation"]
    assert agent.shape[3:] == ["discarded-output", "assistant", "ttsr-injection", "assistant"]
    assert records[2]["data"]["mechanism"] == "paragraph-repeat"
    assert records[2]["data"]["garbage_start"] == len(kept)
    assert records[2]["data"]["fired_at"] == fired_at
    content = records[4]["message"]["content"]
    assert [block["text"] for block in content] == [kept, MARKER]
    assert records[4]["message"]["stopReason"] == "aborted"
    assert kept + records[3]["data"]["text"] == "Fine so far.\n\n" + "".join(loop_deltas[:5])


def test_the_request_after_a_loop_carries_the_interrupt_and_nothing_of_the_reply(
    agent: Agent, model: FakeModel, loop_deltas: list[str]
) -> None:
    model.say(*loop_deltas)
    model.say("RECOVERED")
    agent.run("-p", "do it")
    prompt, interrupt = model.user_texts(1)
    assert prompt == "do it"
    assert interrupt.startswith('<system-interrupt reason="rule_violation" rule="collapse-repetition">')
    assert interrupt.endswith("</system-interrupt>")
    assert all(message["role"] not in ("assistant", "model") for message in model.messages(1))
    assert loop_deltas[0].strip() not in str(model.requests[1])


def test_a_corrected_reply_that_loops_again_ends_the_run(
    agent: Agent, model: FakeModel, loop_deltas: list[str]
) -> None:
    model.say(*loop_deltas)
    model.say(*loop_deltas)
    run = agent.run("-p", "do it")
    assert (run.stdout, run.returncode) == ("", 1)
    assert run.stderr.splitlines()[-1] == "stream rule collapse-repetition: the corrected reply looped again"
    assert len(model.requests) == 2
    assert agent.shape[-3:] == ["rule-activation", "discarded-output", "assistant"]


@pytest.mark.parametrize(
    "switch", [("--guard", "off"), ("--disable-rule", "collapse-repetition")], ids=["guard", "rule"]
)
def test_without_the_guard_a_loop_is_an_answer(
    agent: Agent, model: FakeModel, loop_deltas: list[str], switch: tuple[str, str]
) -> None:
    model.say(*loop_deltas)
    run = agent.run("-p", "do it", *switch)
    assert run.stdout == "".join(loop_deltas) + "\n"
    assert (len(model.requests), run.returncode) == (1, 0)


def test_a_loop_in_the_thinking_keeps_the_thinking_before_it(
    agent: Agent, model: FakeModel, loop_deltas: list[str]
) -> None:
    model.say("never reached", thinking=tuple(loop_deltas))
    model.say("RECOVERED")
    assert agent.run("-p", "do it").stdout == "RECOVERED\n"
    content = next(r for r in agent.records if r.get("message", {}).get("stopReason") == "aborted")["message"]
    kept = {"type": "thinking", "thinking": "".join(loop_deltas[:2])}
    assert content["content"] == [kept, {"type": "text", "text": MARKER}]


def test_tools_run_and_their_results_go_back(agent: Agent, model: FakeModel) -> None:
    model.say(
        "Let me see.",
        calls=(
            ("write", {"path": "a/b.txt", "content": "ä\n"}),
            ("bash", {"command": "cat a/b.txt; exit 3"}),
        ),
    )
    model.say("", calls=(("read", {"path": "a/b.txt"}),))
    model.say("Done.")
    run = agent.run("-p", "write a file")
    assert (run.stdout, run.stderr, run.returncode) == ("Done.\n", "", 0)
    assert (agent.cwd / "a/b.txt").read_text() == "ä\n"
    results = [r["message"] for r in agent.records if r.get("message", {}).get("role") == "toolResult"]
    assert [result["content"][0]["text"] for result in results][1:] == ["ä\n[exit code 3]", "ä\n"]
    assert [result["isError"] for result in results] == [False, False, False]
    assert "[exit code 3]" in str(model.messages(1)[-1])
    assert agent.shape[1:6] == ["user", "assistant", "toolResult", "toolResult", "assistant"]


def test_the_conversation_goes_on_where_it_was_left(
    agent: Agent, model: FakeModel, loop_deltas: list[str]
) -> None:
    model.say(*loop_deltas)
    model.say("RECOVERED")
    agent.run("-p", "first")
    model.say("Again.")
    run = agent.run("--resume", "last", "-p", "second")
    assert (run.stdout, run.stderr) == ("Again.\n", "")
    texts = model.user_texts(2)
    assert (texts[0], texts[2], len(texts)) == ("first", "second", 3)
    assert texts[1].startswith("<system-interrupt")
    assert "RECOVERED" in str(model.messages(2))
    records = agent.records
    chain = [(record["parentId"], record["id"]) for record in records[1:]]
    assert chain[0][0] is None
    assert [parent for parent, _ in chain[1:]] == [own for _, own in chain[:-1]]


def test_a_whole_reply_is_asked_for_and_guarded_like_a_stream(
    agent: Agent, model: FakeModel, loop_deltas: list[str]
) -> None:
    model.say_whole("".join(loop_deltas))
    model.say_whole("RECOVERED")
    run = agent.run("-p", "hi", "--no-stream")
    assert (run.stdout, run.returncode) == ("RECOVERED\n", 0)
    assert [model.was_streamed(request) for request in (0, 1)] == [False, False]
