"""``qa screenshot``: the screen of a run at any moment, from its recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.problems import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.terminal.screen import Picture

_MOST = 8  # runs that are named


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--at", "at_s", type=click.FloatRange(min=0), help="Seconds since the start; without it, the end."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("screen.svg"),
    show_default=True,
    help="The picture: .svg, .png or .txt.",
)
def screenshot(run: Path, at_s: float | None, output: Path) -> None:
    """Draw the screen of a run, from its folder or its terminal.cast.

    RUN is .qa/runs/0001/SCENARIO@AGENT-DIALECT, or .qa/runs/0001 where one run was made.

    A PNG needs Pillow: pip install 'ttsr-qa[png]'.
    """
    from harness.terminal.cast import CastError, parse_cast
    from harness.terminal.replay import picture_at

    path = _recording(run)
    try:
        cast = parse_cast(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except CastError as error:
        raise UserError(f"{path}: {error}") from None
    draw = _drawing(output.suffix)
    try:
        output.write_bytes(draw(picture_at(cast, at_s)))
    except OSError as error:
        raise UserError(f"cannot write {output}: {error.strerror}") from None
    click.echo(f"{output}")


def _recording(run: Path) -> Path:
    """The recording that is meant by a file, a run's folder, or the folder of all runs of a command."""
    path = run / "terminal.cast" if run.is_dir() else run
    inner = [] if path.exists() or not run.is_dir() else sorted(run.glob("*/terminal.cast"))
    if len(inner) > 1:
        names = "\n".join(f"  {cast.parent}" for cast in inner[:_MOST])
        more = f"\n  and {len(inner) - _MOST} more" if len(inner) > _MOST else ""
        raise UserError(f"{run} holds {len(inner)} runs; name one\n{names}{more}")
    return inner[0] if inner else path


def _drawing(suffix: str) -> Callable[[Picture], bytes]:
    if suffix == ".svg":
        from harness.terminal.svg import render_svg

        return lambda picture: render_svg(picture).encode()
    if suffix == ".txt":
        return lambda picture: ("\n".join(picture.rows).rstrip("\n") + "\n").encode()
    if suffix != ".png":
        raise UserError(f"no picture can be drawn as '{suffix}'; valid here: .svg, .png, .txt")
    try:
        from harness.terminal.png import render_png
    except ModuleNotFoundError:
        raise UserError("a PNG needs Pillow\n  pip install 'ttsr-qa[png]', or ask for a .svg") from None
    return render_png
