"""``mock-llm serve``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mock_llm.commands.loading import fast as fast_script
from mock_llm.commands.loading import give_up, load_all, reloading
from mock_llm.commands.serving import Listening, access_options, chosen_token, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from mock_llm.script import Script


@click.command("serve")
@click.argument("scripts", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@access_options
@click.option("--no-reload", is_flag=True, help="Go on with the scripts as they are now.")
@click.option("--fast", is_flag=True, help="Send everything at once, whatever the scripts say of its pace.")
@click.option(
    "--journal",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Append JSON lines to a file; what is too large for it goes to files in FILE.large.",
)
@click.option("--nonce", metavar="TEXT", help="What {nonce} stands for in a script that has no 'lane'.")
@click.option("--strict", is_flag=True, help="Exit with 1 when a request was refused, with 0 when none was.")
def command(
    scripts: tuple[Path, ...],
    host: str,
    port: int,
    token: str | None,
    no_token: bool,  # noqa: FBT001 - options are named
    clients: tuple[str, ...],
    no_reload: bool,  # noqa: FBT001
    fast: bool,  # noqa: FBT001
    journal: Path | None,
    nonce: str | None,
    strict: bool,  # noqa: FBT001
) -> None:
    """Answer requests with the turns of SCRIPTS (scripts, scenarios, folders of them), until Ctrl-C.

    One script answers at every path. Of several, each has its name (that of its file) before the path,
    as in /NAME/v1; at a path without a name the script answers whose 'lane' a user message carries.
    A script that changes is loaded again; with a mistake in it, the mistake is shown and the old one goes on.
    One line is printed for each request when it ends, and a summary at the end.
    """
    from mock_llm.standalone import NONCE, Standalone

    paced: Callable[[Script], Script] = fast_script if fast else _as_it_is
    watched, loaded = load_all(scripts)
    standalone = Standalone(
        {name: paced(script) for name, script in loaded.items()},
        nonce=NONCE if nonce is None else nonce,
        token=chosen_token(token, no_token=no_token),
        journal=_opened(journal) if journal else None,
        spill=journal.with_name(f"{journal.name}.large") if journal else None,
        changed=tuple if no_reload else reloading(watched, paced),
        tell=lambda text: click.echo(text, err=True),
    )
    raise SystemExit(run(standalone, Listening(host, port, strict, clients)))


def _as_it_is(script: Script) -> Script:
    return script


def _opened(path: Path) -> TextIO:
    try:
        return path.open("a", encoding="utf-8")
    except OSError as error:
        give_up(f"cannot write '{path}': {error.strerror}")
