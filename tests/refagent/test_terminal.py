"""The agent on a pseudo-terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pexpect
import pytest

from harness.refagent.display import TerminalDisplay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.refagent.conftest import Agent, FakeModel


one_dialect = pytest.mark.parametrize("dialect", ["openai-chat"])  # where it makes no difference


@pytest.fixture
def screen(agent: Agent) -> Iterator[pexpect.spawn[str]]:
    """The agent at its prompt."""
    child = pexpect.spawn(
        agent.command[0],
        agent.command[1:],
        cwd=str(agent.cwd),
        env=agent.environment,
        encoding="utf-8",
        timeout=20,
    )
    child.delaybeforesend = None
    child.expect_exact("> ")
    yield child
    child.close(force=True)


def left_with(child: pexpect.spawn[str]) -> int | None:
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def test_a_conversation_streams_and_ctrl_d_leaves(
    agent: Agent, model: FakeModel, screen: pexpect.spawn[str]
) -> None:
    model.say("Hello", " you.")
    model.say("Still", " here.")
    screen.sendline("hi")
    screen.expect_exact("Hello you.\r\n")
    screen.expect_exact("> ")
    screen.sendline("and now")
    screen.expect_exact("Still here.")
    screen.expect_exact("> ")
    screen.sendline("/session")
    screen.expect_exact(str(agent.session))
    screen.expect_exact("> ")
    screen.sendeof()
    assert left_with(screen) == 0
    assert "Hello you." in str(model.messages(1))


@one_dialect
def test_exit_leaves(screen: pexpect.spawn[str]) -> None:
    screen.sendline("/exit")
    assert left_with(screen) == 0


@one_dialect
def test_ctrl_c_twice_at_the_prompt_leaves(screen: pexpect.spawn[str]) -> None:
    screen.sendintr()
    screen.expect_exact("press Ctrl-C again to leave")
    screen.expect_exact("> ")
    screen.sendintr()
    assert left_with(screen) == 0


def test_ctrl_c_stops_a_reply_and_the_next_prompt_works(
    agent: Agent, model: FakeModel, screen: pexpect.spawn[str]
) -> None:
    model.say("Half of", " it", " all", ending="hold", deltas_sent=2)
    model.say("Whole.")
    screen.sendline("hi")
    screen.expect_exact("Half of it")
    screen.sendintr()
    screen.expect_exact("! interrupted by the user")
    screen.expect_exact("> ")
    screen.sendline("again")
    screen.expect_exact("Whole.")
    screen.expect_exact("> ")
    screen.sendeof()
    assert left_with(screen) == 0
    stops = [r["message"]["stopReason"] for r in agent.records if "stopReason" in r.get("message", {})]
    assert stops == ["aborted", "stop"]
    assert "system-interrupt" not in str(model.requests[1])


@one_dialect
def test_a_loop_is_announced_and_a_second_one_returns_to_the_prompt(
    model: FakeModel, screen: pexpect.spawn[str], loop_deltas: list[str]
) -> None:
    for _ in range(2):
        model.say(*loop_deltas)
    screen.sendline("hi")
    screen.expect_exact("! stream rule collapse-repetition: output interrupted at")
    screen.expect_exact("! stream rule collapse-repetition: the corrected reply looped again")
    screen.expect_exact("> ")
    screen.sendeof()
    assert left_with(screen) == 0
    assert len(model.requests) == 2


class Out:
    """Collects what a display writes."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return len(text)

    def flush(self) -> None:
        pass


def test_the_model_cannot_steer_the_terminal() -> None:
    out = Out()
    TerminalDisplay(out, colours=False).show("text", "a\x1b]0;owned\x07b\x9b2J\n")  # type: ignore[arg-type]
    assert out.text == "a\u241b]0;owned\u2407b\ufffd2J\n"


def test_thinking_is_dimmed_and_every_kind_starts_on_its_own_line() -> None:
    out = Out()
    display = TerminalDisplay(out, colours=True)  # type: ignore[arg-type]
    display.show("thinking", "hm")
    display.show("text", "yes")
    display.notify("note")
    display.end_reply()
    assert out.text == "\x1b[2mhm\x1b[0m\nyes\n! note\n"


# A signal comes after the prompt and before the system call that waits for a key: nothing interrupts that call.
HASTY = """
import ctypes, readline, signal, sys, threading
from pathlib import Path
main, is_prompted = threading.get_native_id(), threading.Event()
def come():
    is_prompted.wait()
    while "poll_schedule" not in Path(f"/proc/self/task/{main}/wchan").read_text():
        pass
    ctypes.pythonapi.PyErr_SetInterruptEx(signal.SIGTERM)  # what the handler in C does
readline.set_pre_input_hook(is_prompted.set)
threading.Thread(target=come, daemon=True).start()
from harness.refagent.__main__ import main as agent
sys.exit(agent())
"""


@one_dialect
def test_a_signal_that_interrupts_no_system_call_is_heard_all_the_same(agent: Agent) -> None:
    words = agent.command[agent.command.index("harness.refagent") + 1 :]
    child = pexpect.spawn(
        agent.command[0],
        ["-c", HASTY, *words],
        cwd=str(agent.cwd),
        env=agent.environment,
        encoding="utf-8",
        timeout=20,
    )
    child.delaybeforesend = None
    child.expect_exact("> ")
    assert left_with(child) == 128 + 15
