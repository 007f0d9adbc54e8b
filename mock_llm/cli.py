"""The command ``mock-llm``: a scripted model for any client, without the harness."""

from __future__ import annotations

from importlib import import_module

import click

from mock_llm.early_interrupt import INTERRUPTED, raises_again

# Each is a file of mock_llm/commands and is imported when it is called, so that --help is instant.
COMMANDS = {
    "serve": "Answer requests with the turns of scripts.",
    "say": "Answer every request with one text.",
    "check": "Load scripts, and show their turns or what is wrong.",
    "record": "Pass requests on to a real server and write what it says as a script.",
    "schema": "Print the JSON Schema of scripts, for editors.",
    "text": "Print the text of a generator.",
    "generators": "List the text generators.",
}


class _Lazy(click.Group):
    """A group whose commands are imported one by one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"mock_llm.commands.{cmd_name}").command
        raises_again()
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; Ctrl-C before it serves, or in one that does not, ends it as any other."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy)
@click.version_option(package_name="ttsr-qa", prog_name="mock-llm")
def main() -> None:
    """Play a scripted model over HTTP, on loopback only."""
