"""The agent as a program against a server on loopback, in both dialects."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.refagent.conftest import Agent, FakeModel

MARKER = "[output interrupted by stream rule]"


def shape(records: list[dict[str, Any]]) -> list[str]:
    """One word a record: its type, or what makes it special."""
    return [
        record.get("customType") or record.get("message", {}).get("role") or record["type"]
        for record in records
    ]


def user_texts(request: dict[str, Any]) -> list[str]:
    texts = []
    for message in request["messages"]:
        if message["role"] == "user":
            content = message["content"]
            texts.append(content if isinstance(content, str) else "".join(b.get("text", "") for b in content))
    return texts


def test_a_prompt_prints_only_the_answer(agent: Agent, model: FakeModel) -> None:
    model.say("Hel", "lo", thinking=("hm",))
    run = agent.run("-p", "greet me")
    assert (run.stdout, run.stderr, run.returncode) == ("Hello\n", "", 0)
    assert user_texts(model.requests[0]) == ["greet me"]
    assert shape(agent.records) == ["session", "user", "assistant"]
    reply = agent.records[-1]["message"]
    assert reply["stopReason"] == "stop"
    assert reply["usage"] == {"input": 7, "output": 9}
    assert [block["type"] for block in reply["content"]] == ["thinking", "text"]
    assert not list(agent.home.glob("sessions/*.inflight"))


def test_the_request_says_who_asks_in_the_dialects_own_way(agent: Agent, model: FakeModel) -> None:
    model.say("yes")
    agent.run("-p", "hi", "--model", "m-1")
    request, headers = model.requests[0], model.headers[0]
    assert request["model"] == "m-1"
    assert request["stream"] is True
    if model.dialect == "openai-chat":
        assert request["path"] == "/v1/chat/completions"
        assert headers["authorization"] == "Bearer made-up"
        assert [tool["function"]["name"] for tool in request["tools"]] == ["read", "write", "bash"]
    else:
        assert request["path"] == "/v1/messages"
        assert headers["x-api-key"] == "made-up"
        assert headers["anthropic-version"]
        assert [tool["name"] for tool in request["tools"]] == ["read", "write", "bash"]


def test_a_loop_is_cut_recorded_and_corrected_once(
    agent: Agent, model: FakeModel, loop_deltas: list[str]
) -> None:
    model.say("Fine so far.\n\n", *loop_deltas, "never shown", ending="hold", events=9)
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
    assert shape(records)[:3] == ["session", "user", "rule-activation"]
    assert shape(records)[3:] == ["discarded-output", "assistant", "ttsr-injection", "assistant"]
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
    prompt, interrupt = user_texts(model.requests[1])
    assert prompt == "do it"
    assert interrupt.startswith('<system-interrupt reason="rule_violation" rule="collapse-repetition">')
    assert interrupt.endswith("</system-interrupt>")
    assert all(message["role"] != "assistant" for message in model.requests[1]["messages"])
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
    assert shape(agent.records)[-3:] == ["rule-activation", "discarded-output", "assistant"]


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
    assert "[exit code 3]" in str(model.requests[1]["messages"][-1])
    assert shape(agent.records)[1:6] == ["user", "assistant", "toolResult", "toolResult", "assistant"]


def test_the_conversation_goes_on_where_it_was_left(
    agent: Agent, model: FakeModel, loop_deltas: list[str]
) -> None:
    model.say(*loop_deltas)
    model.say("RECOVERED")
    agent.run("-p", "first")
    model.say("Again.")
    run = agent.run("--resume", "last", "-p", "second")
    assert (run.stdout, run.stderr) == ("Again.\n", "")
    texts = user_texts(model.requests[2])
    assert (texts[0], texts[2], len(texts)) == ("first", "second", 3)
    assert texts[1].startswith("<system-interrupt")
    assert "RECOVERED" in str(model.requests[2]["messages"])
    records = agent.records
    chain = [(record["parentId"], record["id"]) for record in records[1:]]
    assert chain[0][0] is None
    assert [parent for parent, _ in chain[1:]] == [own for _, own in chain[:-1]]


def test_a_cut_last_line_is_named_and_the_rest_is_used(agent: Agent, model: FakeModel) -> None:
    model.say("One.")
    agent.run("-p", "first")
    session = agent.session
    session.write_text(session.read_text() + '{"type": "mess')
    model.say("Two.")
    run = agent.run("--resume", str(session), "-p", "second")
    assert run.stdout == "Two.\n"
    assert run.stderr == f"{session}:4: this line is damaged and was left out; the rest is used\n"
    assert user_texts(model.requests[1]) == ["first", "second"]
    assert session.read_text().splitlines()[3] == '{"type": "mess'


def test_refusals_that_pass_are_tried_again(agent: Agent, model: FakeModel) -> None:
    model.refuse(503, "Bad Gateway", retry_after="0.01")
    model.refuse(429, '{"error": {"message": "slow down"}}', retry_after_ms="10")
    model.say("Here.")
    run = agent.run("-p", "hi")
    assert (run.stdout, run.returncode) == ("Here.\n", 0)
    assert run.stderr.splitlines() == [
        "the server answered 503: Bad Gateway; trying again in 0.01 s",
        "the server answered 429: slow down; trying again in 0.01 s",
    ]
    assert [headers["x-stainless-retry-count"] for headers in model.headers] == ["0", "1", "2"]


@pytest.mark.parametrize("status", [400, 401, 404])
def test_refusals_that_stay_are_told_at_once(agent: Agent, model: FakeModel, status: int) -> None:
    model.refuse(status, '{"type": "error", "error": {"type": "x", "message": "no such model"}}')
    run = agent.run("-p", "hi")
    assert (run.stdout, run.returncode) == ("", 1)
    assert run.stderr == f"the server answered {status}: no such model\n"
    assert len(model.requests) == 1


def test_retries_are_bounded(agent: Agent, model: FakeModel) -> None:
    for _ in range(4):
        model.refuse(500, "oops", retry_after_ms="1")
    run = agent.run("-p", "hi", TTSR_REFAGENT_MAX_RETRIES="1")
    assert (len(model.requests), run.returncode) == (2, 1)


@pytest.mark.parametrize("ending", ["close", "reset"])
def test_a_stream_that_breaks_off_is_an_error_and_its_text_is_kept(
    agent: Agent, model: FakeModel, ending: str
) -> None:
    events = 3 if model.dialect == "openai-chat" else 4
    model.say("Half of", " it", " all", ending=ending, events=events)
    run = agent.run("-p", "hi")
    assert (run.stdout, run.returncode) == ("", 1)
    assert "ended without" in run.stderr or "broke in mid-reply" in run.stderr
    reply = agent.records[-1]["message"]
    assert reply["stopReason"] == "error"
    assert reply["errorMessage"] + "\n" == run.stderr
    if ending == "close":
        assert reply["content"] == [{"type": "text", "text": "Half of it"}]


def test_ctrl_c_keeps_what_had_arrived_and_tells_nobody_off(agent: Agent, model: FakeModel) -> None:
    events = 3 if model.dialect == "openai-chat" else 4
    model.say("Half of", " it", " all", ending="hold", events=events)
    program = agent.start("-p", "hi")
    assert model.streaming.wait(20)
    wait_for_in_flight(agent, program, " it")
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=20)
    assert (out, err, program.returncode) == ("", "interrupted by the user\n", 130)
    assert shape(agent.records) == ["session", "user", "assistant"]
    reply = agent.records[-1]["message"]
    assert (reply["stopReason"], reply["content"]) == ("aborted", [{"type": "text", "text": "Half of it"}])
    assert not list(agent.home.glob("sessions/*.inflight"))


def test_sigkill_leaves_the_text_in_flight_and_resuming_takes_it_in(agent: Agent, model: FakeModel) -> None:
    events = 3 if model.dialect == "openai-chat" else 4
    model.say("Half of", " it", " all", ending="hold", events=events)
    program = agent.start("-p", "hi")
    assert model.streaming.wait(20)
    wait_for_in_flight(agent, program, " it")
    program.kill()
    program.communicate()
    assert shape(agent.records) == ["session", "user"]
    model.say("Whole.")
    run = agent.run("--resume", "last", "-p", "again")
    assert run.stdout == "Whole.\n"
    assert run.stderr.startswith("the last reply was cut off when the program died")
    assert shape(agent.records) == ["session", "user", "assistant", "user", "assistant"]
    assert agent.records[2]["message"]["content"] == [{"type": "text", "text": "Half of it"}]
    assert "Half of" not in str(model.requests[1])
    assert not list(agent.home.glob("sessions/*.inflight"))


def wait_for_in_flight(agent: Agent, program: subprocess.Popen[str], text: str) -> None:
    """Until the agent has saved ``text``: the model has sent it, so a living agent will."""
    while not any(text in path.read_text() for path in agent.home.glob("sessions/*.inflight")):
        assert program.poll() is None


def test_a_command_that_makes_no_sense_says_so_and_ends_with_2(agent: Agent) -> None:
    for arguments, complaint in [
        (("--disable-rule", "colapse", "-p", "x"), "unknown rule 'colapse'; there are collapse-repetition"),
        (("--dialect", "smoke-signals", "-p", "x"), "unknown dialect 'smoke-signals'; there are"),
        (("--base-url", "ftp://x", "-p", "x"), "the base URL 'ftp://x' does not begin with"),
        (("--base-url", "http://", "-p", "x"), "the base URL 'http://' names no host"),
        (("--resume", "last", "-p", "x"), "no session to resume in"),
        (("--resume", "/nowhere.jsonl", "-p", "x"), "cannot read session /nowhere.jsonl"),
        ((), "no prompt: pass -p PROMPT, or run it on a terminal"),
        (("-p", " "), "the prompt is empty"),
    ]:
        run = agent.run(*arguments)
        assert (run.stdout, run.returncode) == ("", 2)
        assert complaint in run.stderr
        assert "Traceback" not in run.stderr


def test_the_prompt_can_come_from_standard_input(agent: Agent, model: FakeModel) -> None:
    model.say("yes")
    program = agent.start("-p", "-", stdin=subprocess.PIPE)
    out, _ = program.communicate("asked through a pipe", timeout=20)
    assert (out, program.returncode) == ("yes\n", 0)
    assert user_texts(model.requests[0]) == ["asked through a pipe"]


def test_sigterm_ends_the_agent_with_the_shells_code(agent: Agent, model: FakeModel) -> None:
    model.say("Half of", " it", " all", ending="hold", events=3 if model.dialect == "openai-chat" else 4)
    program = agent.start("-p", "hi")
    wait_for_in_flight(agent, program, " it")
    program.terminate()
    assert (program.communicate(timeout=20), program.returncode) == (("", ""), 143)


def test_a_whole_reply_is_asked_for_and_guarded_like_a_stream(
    agent: Agent, model: FakeModel, loop_deltas: list[str]
) -> None:
    model.say_whole("".join(loop_deltas))
    model.say_whole("RECOVERED")
    run = agent.run("-p", "hi", "--no-stream")
    assert (run.stdout, run.returncode) == ("RECOVERED\n", 0)
    assert [request["stream"] for request in model.requests] == [False, False]


def test_version_and_help_need_no_server(agent: Agent) -> None:
    assert agent.run("--version").stdout.startswith("ttsr-refagent 0.")
    assert "--resume FILE|last" in agent.run("--help").stdout


def test_a_start_imports_nothing_that_is_slow_and_not_needed(agent: Agent, model: FakeModel) -> None:
    model.say("yes")
    run = agent.run("-p", "hi", PYTHONPROFILEIMPORTTIME="1")
    imported = {line.rsplit("|", 1)[-1].strip() for line in run.stderr.splitlines()}
    assert "httpx" in imported
    assert not imported & {"asyncio", "click", "rich", "readline", "harness.refagent.terminal", "mock_llm"}


def test_a_session_file_is_never_overwritten(agent: Agent, model: FakeModel) -> None:
    model.say("One.")
    agent.run("-p", "first", "--session", "s.jsonl")
    before = (agent.cwd / "s.jsonl").read_bytes()
    run = agent.run("-p", "second", "--session", "s.jsonl")
    assert run.returncode == 2
    assert "continue it with --resume" in run.stderr
    assert (agent.cwd / "s.jsonl").read_bytes() == before
