"""What a guard costs on a text, as cases: the calls that it makes and the memory that it keeps.

Both are counted, not timed, so they are the same on every machine.
"""

from __future__ import annotations

import gc
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.lab.mutation_contract import Settings

if TYPE_CHECKING:
    from harness.lab.mutants import Mutant
    from harness.lab.mutation_copy import Detectors

_DELTAS = (1, 20)  # characters
_SHORT = 6_000  # characters of a text that is read one by one too
_SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)


class CostCase(NamedTuple):
    """A text on which nothing fires, and how much a guard may do and keep for it.

    Attributes:
        group: Its column.
        id: Its name.
        text: What is read, in one bite and in small deltas.
        calls: Calls that all of it may take; None when they were not measured yet.
        kept: Bytes that a guard may keep.
    """

    group: str
    id: str
    text: str
    calls: int | None = None
    kept: int = 400_000
    settings: Settings = Settings()

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """None fires."""
        return ()

    def measured(self, detectors: Detectors) -> CostCase:
        """The case with the calls of the guard as it is."""
        self._cost(detectors, None)  # fills what is made once and kept, such as compiled expressions
        return self._replace(calls=self._cost(detectors, None)[0])

    def holds(self, detectors: Detectors, mutant: Mutant | None, *, thorough: bool) -> bool:
        """Whether a guard stays within both. A mutant of the profile has other costs by right."""
        if not thorough or (mutant and mutant.change is None):
            return True
        # The first time may have to fill what is made once and kept; it only ever costs more by that.
        return self._is_within(*self._cost(detectors, mutant)) or self._is_within(
            *self._cost(detectors, mutant)
        )

    def _is_within(self, calls: int, kept: int) -> bool:
        return kept <= self.kept and (self.calls is None or calls <= self.calls)

    def _cost(self, detectors: Detectors, mutant: Mutant | None) -> tuple[int, int]:
        profile = self.settings.profile(detectors, mutant)
        scanner, guard = detectors.Scanner(profile=profile), detectors.Guard(profile=profile)
        forms = [chars for chars in _DELTAS if chars > 1 or len(self.text) <= _SHORT]
        calls = 0

        def count(_frame: object, event: str, _argument: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            scanner.scan(self.text)
            for block, chars in enumerate(forms):
                for at in range(0, len(self.text), chars):
                    guard.feed(block, "text", self.text[at : at + chars])
        finally:
            sys.setprofile(None)
        return calls, _size(guard)


def _size(root: Any) -> int:
    """Bytes of everything that is reached from an object, but for code."""
    seen: set[int] = set()
    found, left = 0, [root]
    while left:
        thing = left.pop()
        if id(thing) in seen or isinstance(thing, _SHARED):
            continue
        seen.add(id(thing))
        found += sys.getsizeof(thing)
        left += gc.get_referents(thing)
    return found
