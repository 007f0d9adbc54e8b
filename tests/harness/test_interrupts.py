"""Ctrl-C during a run: never lost, and never in the middle of cleaning up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

from harness.interrupts import Interrupts


@pytest.fixture
def interrupts() -> Iterator[Interrupts]:
    found = Interrupts()
    with found.installed():
        yield found
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def interrupt() -> None:
    """Send the signal to this process; the handler has run when this returns."""
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_raises_and_is_noted(interrupts: Interrupts) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert interrupts.seen


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_that_python_drops_is_acted_on_later(interrupts: Interrupts) -> None:
    class Thing:
        pass

    thing = Thing()
    reference = weakref.ref(thing, lambda _dead: interrupt())
    del thing
    assert reference() is None
    assert interrupts.seen, "the callback raised and Python went on"
    with pytest.raises(KeyboardInterrupt):
        interrupts.check()


def test_while_held_the_work_comes_to_its_end(interrupts: Interrupts) -> None:
    with interrupts.held():
        interrupt()
        assert interrupts.seen
    with pytest.raises(KeyboardInterrupt):
        interrupts.check()


def test_a_second_one_stops_the_work_too(interrupts: Interrupts) -> None:
    with interrupts.held():
        interrupt()
        with pytest.raises(KeyboardInterrupt):
            interrupt()


def test_the_innermost_call_is_made_instead_of_raising(interrupts: Interrupts) -> None:
    called: list[str] = []
    with (
        interrupts.calling(lambda: called.append("outer")),
        interrupts.calling(lambda: called.append("inner")),
    ):
        interrupt()
    assert called == ["inner"]


def test_an_interrupt_from_before_is_told_on_entering(interrupts: Interrupts) -> None:
    with interrupts.held():
        interrupt()
    called: list[int] = []
    with interrupts.calling(lambda: called.append(1)):
        assert called == [1]


def test_nothing_is_seen_before_it_is_installed() -> None:
    interrupts = Interrupts()
    with pytest.raises(KeyboardInterrupt):
        interrupt()
    interrupts.check()
    assert not interrupts.seen


def test_where_ctrl_c_is_ignored_it_stays_ignored() -> None:
    program = (
        "import os, signal\nfrom harness.interrupts import INTERRUPTS\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "with INTERRUPTS.installed():\n    os.kill(os.getpid(), signal.SIGINT)\n"
        "print(INTERRUPTS.seen)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
