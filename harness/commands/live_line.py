"""One line on a terminal that says what is under way, and is taken away again."""

from __future__ import annotations

import shutil
import sys

import click

_CLEARED = "\r\x1b[2K"


class LiveLine:
    """A line of stderr, renewed in place; where that is no terminal, nothing."""

    def __init__(self) -> None:
        self._is_live = sys.stderr.isatty()
        self._is_shown = False

    def tell(self, text: str) -> None:
        """Show this instead; an empty text takes the line away."""
        if not self._is_live or not (text or self._is_shown):
            return
        width = shutil.get_terminal_size().columns - 1
        click.echo(f"{_CLEARED}{text[:width]}", nl=False, err=True)
        self._is_shown = bool(text)
