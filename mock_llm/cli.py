"""The command ``mock-llm``: a scripted model for any client, without the harness."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mock_llm.journal import Exchange, JournalEvent
    from mock_llm.script import Script

EXIT_USAGE = 2
EXIT_CANNOT_RUN = 3
EXIT_INTERRUPTED = 130


@click.group()
@click.version_option(package_name="ttsr-qa", prog_name="mock-llm")
def main() -> None:
    """Play a scripted model over HTTP, on loopback only."""


@main.command()
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address.")
@click.option("--port", default=0, show_default="any free one", type=click.IntRange(0, 65535))
def serve(script: Path, host: str, port: int) -> None:
    """Answer requests with the turns of SCRIPT, until Ctrl-C.

    One line is printed for each request when it ends.
    """
    import asyncio  # here, so that --help is instant

    loaded = _loaded(script)
    try:
        asyncio.run(_serve(loaded, host, port))
    except KeyboardInterrupt:
        raise SystemExit(EXIT_INTERRUPTED) from None
    except (OSError, ValueError) as error:
        click.echo(f"cannot listen on {host} port {port}: {error}", err=True)
        raise SystemExit(EXIT_CANNOT_RUN) from None


def _loaded(path: Path) -> Script:
    from dataclasses import replace

    from mock_llm.problems import ScriptError
    from mock_llm.script_yaml import load_script
    from mock_llm.template import fill_turns

    try:
        script = load_script(path)
    except (ScriptError, OSError) as error:
        click.echo(str(error), err=True)
        raise SystemExit(EXIT_USAGE) from None
    return replace(script, turns=fill_turns(script.turns, {"nonce": script.lane}))


async def _serve(script: Script, host: str, port: int) -> None:
    import asyncio  # here, so that --help is instant

    from mock_llm.server import MockServer

    server = MockServer(script)
    server.journal.listeners.append(_report)
    await server.start(host=host, port=port)
    try:
        click.echo(f"openai-chat         {server.base_url}/v1")
        click.echo(f"anthropic-messages  {server.base_url}")
        await asyncio.get_running_loop().create_future()
    finally:
        await server.stop()


def _report(event: JournalEvent) -> None:
    if event.kind == "ended":
        click.echo(render_exchange(event.exchange))


def render_exchange(exchange: Exchange) -> str:
    """An exchange that has ended, in one line; a refused one with its reason below."""
    line = f"{exchange.number} {exchange.method} {exchange.path}"
    if exchange.problem:
        return f"{line}: refused\n{exchange.problem}"
    if exchange.turn is None:
        return f"{line}: {exchange.ended}"
    answer = f"reply {exchange.reply}" if exchange.reply else "side request"
    counted = f"{exchange.chars_sent} of {exchange.chars_total} characters"
    return f"{line}: {answer}, {counted}, {exchange.ended}"
