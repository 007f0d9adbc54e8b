"""Mutants in processes of their own: each is tried on the cases, and one that hangs is ended."""

from __future__ import annotations

import gc
import resource
import signal
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING, NamedTuple

from harness.lab.mutation_code import changed_code
from harness.lab.mutation_copy import FOLDER, compiled, copied, sources
from harness.lab.mutation_cost import CostCase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType

    from harness.lab.mutants import Mutant
    from harness.lab.mutation_contract import Case
    from harness.lab.mutation_copy import Detectors

_LEAST_S = 0.5
_TIMES_SLOWER = 20  # than the slowest case without a mutant: then it hangs
_MEMORY = 2 << 30  # bytes


class Tried(NamedTuple):
    """What became of a mutant.

    Attributes:
        mutant: Its id.
        failed: By group, the cases that do not hold. Only a mechanism that is taken out is tried on all
            of them; any other mutant up to the first.
        crash: What it raised, or that it hangs, if it does.
        others: Cases among the failed ones that are no positive test of the mutant's group.
        missed: Positive tests of its group that hold all the same.
    """

    mutant: str
    failed: dict[str, tuple[str, ...]]
    crash: str = ""
    others: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()

    @property
    def is_killed(self) -> bool:
        """Whether any case tells it from the guard."""
        return any(self.failed.values())


class Hangs(BaseException):
    """A case takes more processor time than any should."""


def tried(mutants: Sequence[Mutant], cases: Sequence[Case], jobs: int) -> Iterator[Tried]:
    """Try every mutant, in any order. The cases must hold without a mutant."""
    left = list(mutants)
    while left:
        try:
            for result in _pooled(left, cases, jobs):
                left = [mutant for mutant in left if mutant.id != result.mutant]
                yield result
        except BrokenProcessPool:
            # One of those that were under way has ended its process: they are the first, each is tried alone.
            for mutant in left[: 2 * jobs + 1]:
                left.remove(mutant)
                yield from _alone(mutant, cases)


def _pooled(mutants: Sequence[Mutant], cases: Sequence[Case], jobs: int) -> Iterator[Tried]:
    with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (tuple(cases),)) as pool:
        try:
            for future in as_completed([pool.submit(_try, mutant) for mutant in mutants]):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _alone(mutant: Mutant, cases: Sequence[Case]) -> Iterator[Tried]:
    try:
        yield from _pooled([mutant], cases, 1)
    except BrokenProcessPool:
        yield _result(mutant, {"import": ("import",)}, "ends its process", cases)


def failing(cases: Sequence[Case]) -> tuple[str, ...]:
    """The cases that do not hold for the guard as it is."""
    with copied(compiled(sources())) as detectors:
        return tuple(
            f"{case.group}/{case.id}"
            for case in cases
            if not (
                case.holds(detectors, None, thorough=False) and case.holds(detectors, None, thorough=True)
            )
        )


class _Bench:
    """What one process keeps: the cases, the sources, their code, and how long a case may take."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.sources = sources()
        self.codes = compiled(self.sources)
        self.limit_s = _LEAST_S
        slowest = 0.0
        with copied(self.codes) as detectors:
            self.cases = tuple(
                case.measured(detectors) if isinstance(case, CostCase) else case for case in cases
            )
            for case in self.cases:
                for thorough in (False, True):
                    began = time.process_time()
                    case.holds(detectors, None, thorough=thorough)
                    slowest = max(slowest, time.process_time() - began)
        self.limit_s = max(_LEAST_S, _TIMES_SLOWER * slowest)

    def with_change(self, mutant: Mutant) -> dict[str, CodeType]:
        change = mutant.change
        if change is None:
            return self.codes
        file = str(FOLDER / f"{change.module}.py")
        return {**self.codes, change.module: changed_code(change, self.sources[change.module], file)}


_bench: _Bench | None = None


def _begin(cases: tuple[Case, ...]) -> None:
    global _bench  # noqa: PLW0603  one for each process
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process hears of it and ends the others
    signal.signal(signal.SIGVTALRM, _hangs)
    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    gc.enable()
    _bench = _Bench(cases)


def _hangs(_number: int, _frame: object) -> None:
    raise Hangs


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _try(mutant: Mutant) -> Tried:
    assert _bench is not None
    failed: dict[str, list[str]] = {}
    try:
        with _no_longer_than(_bench.limit_s * 4), copied(_bench.with_change(mutant)) as detectors:
            crash = _try_cases(mutant, detectors, failed)
    except (Exception, Hangs) as error:  # noqa: BLE001  whatever a mutant does while it is loaded kills it
        failed, crash = {"import": ["import"]}, _name(error)
    return _result(mutant, {group: tuple(ids) for group, ids in failed.items()}, crash, _bench.cases)


def _try_cases(mutant: Mutant, detectors: Detectors, failed: dict[str, list[str]]) -> str:
    """Note what fails; a mutant that crashes or hangs is not tried any further."""
    assert _bench is not None
    for thorough in (False, True):
        for case in _bench.cases:
            try:
                with _no_longer_than(_bench.limit_s):
                    holds = case.holds(detectors, mutant, thorough=thorough)
            except (Exception, Hangs) as error:  # noqa: BLE001  whatever it raises, it is found out
                failed.setdefault(case.group, []).append(case.id)
                return _name(error)
            if not holds:
                failed.setdefault(case.group, []).append(case.id)
                if mutant.kind != "wiring":
                    return ""
        if failed:
            break
    return ""


def _name(error: BaseException) -> str:
    return "hangs" if isinstance(error, Hangs) else type(error).__name__


def _result(mutant: Mutant, failed: dict[str, tuple[str, ...]], crash: str, cases: Sequence[Case]) -> Tried:
    if mutant.kind != "wiring":
        return Tried(mutant.id, failed, crash)
    found = {(group, one) for group, ids in failed.items() for one in ids}
    positive = {(case.group, case.id) for case in cases if mutant.group in case.mechanisms}
    return Tried(
        mutant.id,
        failed,
        crash,
        tuple(sorted("/".join(pair) for pair in found - positive)),
        tuple(sorted("/".join(pair) for pair in positive - found)),
    )
