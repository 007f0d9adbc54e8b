"""The ``qa`` command. Each subcommand is loaded only when it is used."""

from __future__ import annotations

import gc
import sys
from importlib import import_module

import click

# Loading makes much and drops nothing: looking for garbage meanwhile only costs time.
gc.disable()

_COMMANDS = {
    "run": ("harness.commands.run", "run", "Run scenarios against an agent CLI."),
    "list": ("harness.commands.listing", "list_scenarios", "Show every scenario with its tags and summary."),
    "show": ("harness.commands.show", "show", "Show the text a scenario streams and where the guard fires."),
    "schema": ("harness.commands.schema", "schema", "Print the JSON Schema of scenario files, for editors."),
    "agents": ("harness.commands.agents", "agents", "Show the known agent CLIs; install one."),
}


class _Lazy(click.Group):
    """A group that knows its commands' names and one-line helps without loading them."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module, attribute, _help = _COMMANDS[name]
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; a mistake of the user is one picture, a bug of ours says that it is one."""
        from harness.problems import UserError

        try:
            return super().invoke(ctx)
        except UserError as error:
            click.echo(str(error), err=True)
            ctx.exit(error.exit_code)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception:  # noqa: BLE001  whatever it is, the exit code must tell it from a failed run
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
