"""Do a little work between the imports of a large package, so that nobody waits for its loading."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Meanwhile:
    """Call ``work`` each time a module is about to be loaded, between ``start`` and ``stop``.

    ``work`` must be short, and whatever it imports should be loaded before.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._is_working = False

    def start(self) -> None:
        """Begin."""
        sys.meta_path.insert(0, self)

    def stop(self) -> None:
        """End; may be called twice."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, _name: str, _path: object = None, _target: object = None) -> None:
        """The import system asks for a module: work, and let the others find it."""
        if self._is_working:
            return
        self._is_working = True
        try:
            self._work()
        finally:
            self._is_working = False
