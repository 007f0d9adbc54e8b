"""What the agent does when the server, the user or the system breaks its run."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.refagent.conftest import Agent, FakeModel

one_dialect = pytest.mark.parametrize("dialect", ["openai-chat"])  # where it makes no difference


@one_dialect
def test_a_cut_last_line_is_named_and_the_rest_is_used(agent: Agent, model: FakeModel) -> None:
    model.say("One.")
    agent.run("-p", "first")
    session = agent.session
    session.write_text(session.read_text() + '{"type": "mess')
    model.say("Two.")
    run = agent.run("--resume", str(session), "-p", "second")
    assert run.stdout == "Two.\n"
    assert run.stderr == f"{session}:4: this line is damaged and was left out; the rest is used\n"
    assert model.user_texts(1) == ["first", "second"]
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
    model.say("Half of", " it", " all", ending=ending, deltas_sent=2)
    run = agent.run("-p", "hi")
    assert (run.stdout, run.returncode) == ("", 1)
    assert "ended without" in run.stderr or "broke in mid-reply" in run.stderr
    reply = agent.records[-1]["message"]
    assert reply["stopReason"] == "error"
    assert reply["errorMessage"] + "\n" == run.stderr
    if ending == "close":
        assert reply["content"] == [{"type": "text", "text": "Half of it"}]


def test_ctrl_c_keeps_what_had_arrived_and_tells_nobody_off(agent: Agent, model: FakeModel) -> None:
    model.say("Half of", " it", " all", ending="hold", deltas_sent=2)
    program = agent.start("-p", "hi")
    assert model.streaming.wait(20)
    wait_for_in_flight(agent, program, " it")
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=20)
    assert (out, err, program.returncode) == ("", "interrupted by the user\n", 130)
    assert agent.shape == ["session", "user", "assistant"]
    reply = agent.records[-1]["message"]
    assert (reply["stopReason"], reply["content"]) == ("aborted", [{"type": "text", "text": "Half of it"}])
    assert not list(agent.home.glob("sessions/*.inflight"))


def test_sigkill_leaves_the_text_in_flight_and_resuming_takes_it_in(agent: Agent, model: FakeModel) -> None:
    model.say("Half of", " it", " all", ending="hold", deltas_sent=2)
    program = agent.start("-p", "hi")
    assert model.streaming.wait(20)
    wait_for_in_flight(agent, program, " it")
    program.kill()
    program.communicate()
    assert agent.shape == ["session", "user"]
    model.say("Whole.")
    run = agent.run("--resume", "last", "-p", "again")
    assert run.stdout == "Whole.\n"
    assert run.stderr.startswith("the last reply was cut off when the program died")
    assert agent.shape == ["session", "user", "assistant", "user", "assistant"]
    assert agent.records[2]["message"]["content"] == [{"type": "text", "text": "Half of it"}]
    assert "Half of" not in str(model.requests[1])
    assert not list(agent.home.glob("sessions/*.inflight"))


def wait_for_in_flight(agent: Agent, program: subprocess.Popen[str], text: str) -> None:
    """Until the agent has saved ``text``: the model has sent it, so a living agent will."""
    while not any(text in path.read_text() for path in agent.home.glob("sessions/*.inflight")):
        assert program.poll() is None


@one_dialect
def test_sigterm_ends_the_agent_with_the_shells_code(agent: Agent, model: FakeModel) -> None:
    model.say("Half of", " it", " all", ending="hold", deltas_sent=2)
    program = agent.start("-p", "hi")
    wait_for_in_flight(agent, program, " it")
    program.terminate()
    assert (program.communicate(timeout=20), program.returncode) == (("", ""), 143)
