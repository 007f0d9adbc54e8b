"""Options of commands that make many runs: several at a time, a part, more than once; and their reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from harness.attempts import Again
    from harness.scenario import Scenario

_Command = TypeVar("_Command", bound="Callable[..., Any]")


class Shard(NamedTuple):
    """Part ``number`` of ``total``, from 1: each scenario is in exactly one."""

    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    def of(self, scenarios: Mapping[Path, Scenario]) -> dict[Path, Scenario]:
        """The scenarios of this part: every so many in the order of their names, wherever they are."""
        by_name = sorted(scenarios.items(), key=lambda item: item[1].name)
        return dict(by_name[self.number - 1 :: self.total])


class _ShardType(click.ParamType):  # type: ignore[type-arg]  # it is generic in newer versions only
    name = "I/N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Shard:
        if isinstance(value, Shard):
            return value
        number, _, total = str(value).partition("/")
        is_written = number.isascii() and number.isdigit() and total.isascii() and total.isdigit()
        if not is_written or not 1 <= int(number) <= int(total):
            self.fail(f"'{value}' is not I/N with I from 1 to N, such as 2/3", param, ctx)
        return Shard(int(number), int(total))


_OPTIONS = (
    click.option(
        "--jobs",
        "-j",
        type=click.IntRange(min=1),
        metavar="N",
        help="So many runs at a time.  [default: 1; of the gate, one for each processor]",
    ),
    click.option("--shard", type=_ShardType(), help="Part I of N; 'qa merge' puts the parts together."),
    click.option(
        "--retries",
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Make what fails again, at most so often; it stays in the report.",
    ),
    click.option(
        "--repeat",
        type=click.IntRange(min=1),
        default=1,
        metavar="N",
        help="Make each run N times; all must pass.",
    ),
    click.option(
        "--report",
        "reports",
        multiple=True,
        metavar="KIND=FILE",
        help="junit, json, markdown or github (may be repeated).",
    ),
)


def options_of_many_runs(command: _Command) -> _Command:
    """Add the options; the command takes ``jobs``, ``shard``, ``retries``, ``repeat`` and ``reports``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def again_of(retries: int, repeat: int) -> Again:
    """What the two options mean together.

    Raises:
        click.UsageError: If both are given.
    """
    from harness.attempts import Again

    if retries and repeat > 1:
        raise click.UsageError("--retries and --repeat exclude each other")
    return Again(retries, repeat)
