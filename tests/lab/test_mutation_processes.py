"""Mutants that end their process, or never come back, are found out, and the others are tried all the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from itertools import repeat
from typing import NamedTuple

import pytest

from harness.lab.mutants import Mutant
from harness.lab.mutation_copy import Detectors
from harness.lab.mutation_reach import bench
from harness.lab.mutation_worker import Tried, tried


def mutant(name: str) -> Mutant:
    return Mutant(name, "threshold", "none", number=("min_ascii", 255))


class Trap(NamedTuple):
    """A case that does something bad to the process in which one mutant is tried, and fails for another."""

    id: str
    bad: str
    act: Callable[[], object]
    wrong: str = "wrong"
    group: str = "contract"
    mechanisms: tuple[str, ...] = ()

    def holds(self, _detectors: Detectors, mutant: Mutant | None, *, thorough: bool) -> bool:
        name = mutant.id if mutant else ""
        if name == self.bad:
            self.act()
        return thorough or name != self.wrong


def is_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leaves() -> None:
    os._exit(0)


def loops() -> None:
    while True:
        pass


def loops_and_catches_everything() -> None:
    while True:
        with suppress(BaseException):
            loops()


def loops_where_no_signal_is_handled() -> None:
    reduce(max, repeat(0))


def fills_the_memory() -> None:
    found = [b""]
    while True:
        found.append(bytes(1 << 28))


def outcomes(names: list[str], trap: Trap, jobs: int) -> dict[str, Tried]:
    found = list(tried([mutant(name) for name in names], bench([trap]), jobs))
    assert sorted(result.mutant for result in found) == sorted(names)
    return {result.mutant: result for result in found}


@pytest.mark.parametrize(
    ("act", "jobs"), [(is_killed, 1), (leaves, 2)], ids=["by a signal", "by its own exit"]
)
def test_a_mutant_that_ends_its_process_is_killed_and_each_other_gets_its_own_verdict(
    act: Callable[[], object], jobs: int
) -> None:
    names = ["a", "wrong", "b", "bad", "c", "d", "e"]
    found = outcomes(names, Trap("trap", "bad", act), jobs)
    assert [name for name in names if found[name].is_killed] == ["wrong", "bad"]
    assert found["bad"] == Tried("bad", {"import": ("import",)}, "ends its process")
    assert found["wrong"] == Tried("wrong", {"contract": ("trap",)})


def test_several_that_end_their_process_are_each_found_out() -> None:
    traps = [Trap(f"trap {n}", f"bad {n}", leaves) for n in range(2)]
    names = ["bad 0", "a", "b", "c", "d", "e", "bad 1", "f"]
    found = {result.mutant: result.crash for result in tried([*map(mutant, names)], bench(traps), 2)}
    assert {name for name, crash in found.items() if crash} == {"bad 0", "bad 1"}
    assert len(found) == len(names)


@pytest.mark.parametrize(
    ("act", "crash"),
    [
        (loops, "hangs"),
        (loops_and_catches_everything, "ends its process"),
        (loops_where_no_signal_is_handled, "ends its process"),
        (fills_the_memory, "MemoryError"),
    ],
)
def test_a_mutant_that_never_comes_back_has_a_bound(act: Callable[[], object], crash: str) -> None:
    found = outcomes(["a", "bad"], Trap("trap", "bad", act), 1)
    assert (found["a"].is_killed, found["a"].crash) == (False, "")
    assert (found["bad"].is_killed, found["bad"].crash) == (True, crash)
