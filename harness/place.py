"""A place in a file, as messages and reports name it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        """``file:line:column``, as editors and terminals understand it."""
        return f"{self.file}:{self.line}:{self.column}"
