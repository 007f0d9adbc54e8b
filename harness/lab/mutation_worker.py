"""Mutants in processes of their own: each is tried on the cases, and one that hangs is ended."""

from __future__ import annotations

import gc
import resource
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
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
    from harness.lab.mutation_reach import Bench

_LEAST_S = 0.25
_TIMES_SLOWER = 20  # than the case without a mutant: then it hangs
_IMPORT_S = 2.0
_STUCK = 4  # times that long, and it does not even hear that it hangs: its process is ended
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


def tried(mutants: Sequence[Mutant], bench: Bench, jobs: int) -> Iterator[Tried]:
    """Try every mutant, in any order. The cases must hold without a mutant.

    A mutant that hangs is ended after twenty times the processor time that the case takes; one that ends its
    process, or has to be ended with it, is tried once more in a process of its own, and so are those that
    were under way beside it.
    """
    left = list(mutants)
    while left:
        try:
            for result in _pooled(left, bench, jobs):
                left = [mutant for mutant in left if mutant.id != result.mutant]
                yield result
        except BrokenProcessPool:
            # One of those that were under way has ended its process: they are the first, each is tried alone.
            # Should it be none of them, the next round ends here again, with fewer left.
            for mutant in left[: jobs + 1]:
                left.remove(mutant)
                yield from _alone(mutant, bench)


def _pooled(mutants: Sequence[Mutant], bench: Bench, jobs: int) -> Iterator[Tried]:
    workers = min(jobs, len(mutants))
    with ProcessPoolExecutor(workers, get_context("spawn"), _begin, (bench,)) as pool:
        try:
            for future in as_completed([pool.submit(_try, mutant) for mutant in mutants]):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _alone(mutant: Mutant, bench: Bench) -> Iterator[Tried]:
    try:
        yield from _pooled([mutant], bench, 1)
    except BrokenProcessPool:
        yield _result(mutant, {"import": ("import",)}, "ends its process", bench.cases)


class _Tools:
    """What one process keeps: the cases, the sources and their code."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.sources = sources()
        self.codes = compiled(self.sources)
        self._measured: dict[int, CostCase] = {}

    def case(self, place: int, *, thorough: bool) -> Case:
        """The case of a place; what it may cost is measured on the guard as it is when first needed."""
        case = self.bench.cases[place]
        if not (thorough and isinstance(case, CostCase)):
            return case
        if place not in self._measured:
            with copied(self.codes) as detectors:
                self._measured[place] = case.measured(detectors)
        return self._measured[place]

    def with_change(self, mutant: Mutant) -> dict[str, CodeType]:
        """The code of every module, with what the mutant changes in it."""
        change = mutant.change
        if change is None:
            return self.codes
        file = str(FOLDER / f"{change.module}.py")
        return {**self.codes, change.module: changed_code(change, self.sources[change.module], file)}

    def limit_s(self, place: int) -> float:
        """Processor time after which a case hangs."""
        return max(_LEAST_S, _TIMES_SLOWER * self.bench.seconds[place])


_tools: _Tools | None = None


def _begin(bench: Bench) -> None:
    global _tools  # noqa: PLW0603  one for each process
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process hears of it and ends the others
    signal.signal(signal.SIGVTALRM, _hangs)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process
    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    gc.enable()
    _tools = _Tools(bench)


def _hangs(_number: int, _frame: object) -> None:
    raise Hangs


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, seconds * _STUCK)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)


def _try(mutant: Mutant) -> Tried:
    assert _tools is not None
    failed: dict[str, list[str]] = {}
    try:
        with _imported(mutant) as detectors:
            crash = _try_cases(mutant, detectors, failed)
    except (Exception, Hangs) as error:  # noqa: BLE001  whatever a mutant does while it is loaded kills it
        failed, crash = {"import": ["import"]}, _name(error)
    return _result(mutant, {group: tuple(ids) for group, ids in failed.items()}, crash, _tools.bench.cases)


@contextmanager
def _imported(mutant: Mutant) -> Iterator[Detectors]:
    assert _tools is not None
    with ExitStack() as stack:
        with _no_longer_than(_IMPORT_S):
            detectors = stack.enter_context(copied(_tools.with_change(mutant)))
        yield detectors


def _try_cases(mutant: Mutant, detectors: Detectors, failed: dict[str, list[str]]) -> str:
    """Note what fails; a mutant that crashes or hangs is not tried any further."""
    assert _tools is not None
    order = _tools.bench.order(mutant)
    for thorough in (False, True):
        for place in order:
            case = _tools.case(place, thorough=thorough)
            try:
                with _no_longer_than(_tools.limit_s(place)):
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
