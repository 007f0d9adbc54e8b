"""The ``qa`` command. Each subcommand is loaded only when it is used."""

from __future__ import annotations

import errno
import gc
import os
import sys
from importlib import import_module

import click

from mock_llm.early_interrupt import raises_again

# Loading makes much and drops nothing: looking for garbage meanwhile only costs time.
gc.disable()

_COMMANDS = {
    "run": ("harness.commands.run", "run", "Run scenarios against an agent CLI."),
    "gate": ("harness.commands.gate", "gate", "Compare the gate's scenarios with what is known of them."),
    "merge": ("harness.commands.merge", "merge", "Put the reports of many machines together."),
    "watch": ("harness.commands.watch", "watch", "Run again what a change touches, until Ctrl-C."),
    "review": ("harness.commands.review", "review", "Accept or reject what differs from the snapshots."),
    "list": ("harness.commands.listing", "list_scenarios", "Show every scenario with its tags and summary."),
    "show": ("harness.commands.show", "show", "Show the text a scenario streams and where the guard fires."),
    "screenshot": ("harness.commands.screenshot", "screenshot", "Draw the screen of a run at any moment."),
    "schema": ("harness.commands.schema", "schema", "Print the JSON Schema of scenario files, for editors."),
    "replay": ("harness.commands.replay", "replay", "Run a guard over captured text; show where it fires."),
    "calibrate": ("harness.commands.calibrate", "calibrate", "Say how often a guard fires over real texts."),
    "mutate": ("harness.commands.mutate", "mutate", "Break the guard in small ways; see if a test notices."),
    "survey": ("harness.commands.survey", "survey", "Say where each agent stops each loop."),
    "doctor": ("harness.commands.doctor", "doctor", "Check that an agent still does what is described."),
    "agents": ("harness.commands.agents", "agents", "Show the known agent CLIs; install one."),
}

_NOBODY_TAKES_IT = (errno.ENOSPC, errno.EIO)
_FILE_IS_CLOSED = {errno.EACCES: 2, errno.EPERM: 2, errno.EROFS: 2, errno.ENOSPC: 3, errno.EDQUOT: 3}
"""Exit codes for a named file that the system does not let this user read or write."""


def _open_standard_files() -> None:
    """Put something in the place of a closed standard file.

    The first files that are opened would take its number, and what is meant for it would reach them.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115  stays open to the end
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115  the same
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115  the same


_open_standard_files()


def _look_around() -> None:
    """Commands look for files from the working folder on.

    Raises:
        UserError: If that folder has been removed.
    """
    from harness.problems import UserError

    try:
        os.getcwd()  # noqa: PTH109 - pathlib is not loaded yet
    except OSError:
        raise UserError("the working folder is not there any more; change into another one") from None


class _Lazy(click.Group):
    """A group that knows its commands' names and one-line helps without loading them."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module, attribute, _help = _COMMANDS[name]
        command: click.Command = getattr(import_module(module), attribute)
        raises_again()
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; a mistake of the user is one picture, a bug of ours says that it is one."""
        from harness.problems import UserError

        try:
            _look_around()
            return super().invoke(ctx)
        except UserError as error:
            click.echo(str(error), err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            # The second Ctrl-C of a run, or that of another command: click by itself would exit with 1.
            click.echo("interrupted", err=True)
            ctx.exit(130)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, the exit code must tell it from a failed run
            if isinstance(error, OSError) and error.errno in _NOBODY_TAKES_IT and error.filename is None:
                sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  stays open to the end
                click.echo(f"the output cannot be written: {error.strerror}", err=True)
                ctx.exit(3)
            if isinstance(error, OSError) and error.filename and error.errno in _FILE_IS_CLOSED:
                click.echo(f"cannot use {os.fsdecode(error.filename)}: {error.strerror}", err=True)
                ctx.exit(_FILE_IS_CLOSED[error.errno])
            import traceback

            click.echo(f"a bug in qa:\n{traceback.format_exc()}", err=True)
            ctx.exit(4)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_module, _name, text) in _COMMANDS.items()])


@click.group(cls=_Lazy)
@click.version_option(package_name="ttsr-qa")
def main() -> None:
    """Prove, end to end, that an agent CLI survives a model that misbehaves.

    Exit codes: 0 all passed, 1 an expectation failed, 2 wrong command line or file, 3 could not run,
    4 a bug in qa, 5 nothing selected, 130 interrupted.
    """


if __name__ == "__main__":
    sys.exit(main())
