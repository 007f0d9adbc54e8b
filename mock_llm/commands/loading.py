"""Scripts loaded for a command; what is wrong with them is printed and ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import click

from mock_llm.reload import CannotServe, Watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from mock_llm.reload import Reloaded
    from mock_llm.script import Script, ScriptTurn

EXIT_USAGE = 2


def load_all(paths: Iterable[Path]) -> tuple[Watched, Mapping[str, Script]]:
    """The files and their scripts by name. All mistakes of all files are printed before it gives up.

    Raises:
        SystemExit: With 2, if any file cannot be used.
    """
    try:
        watched = Watched(paths)
        return watched, watched.load()
    except CannotServe as error:
        give_up(str(error))


def reloading(watched: Watched, change: Callable[[Script], Script]) -> Callable[[], Iterator[Reloaded]]:
    """What a server asks now and then: the files that have changed, each script through ``change``."""

    def changed() -> Iterator[Reloaded]:
        for new in watched.changed():
            yield new if new.script is None else new._replace(script=change(new.script))

    return changed


def fast(script: Script) -> Script:
    """The script with nothing to wait for but its gates and faults."""

    def unpaced(turn: ScriptTurn) -> ScriptTurn:
        stream = turn.stream._replace(first_after_ms=0, every_ms=0, recorded=())
        return turn._replace(stream=stream)

    lanes = tuple(lane._replace(turns=tuple(map(unpaced, lane.turns))) for lane in script.lanes)
    return script._replace(turns=tuple(map(unpaced, script.turns)), lanes=lanes)


def give_up(message: str) -> NoReturn:
    """Print the message and end with 2."""
    click.echo(message, err=True)
    raise SystemExit(EXIT_USAGE)
