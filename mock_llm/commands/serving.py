"""What ``serve`` and ``say`` share: the server until Ctrl-C, what is printed meanwhile, and how it exits."""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import signal
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mock_llm.clients import NAMES as CLIENT_NAMES
from mock_llm.clients import base_url, by_client, curl, lines_for, render_clients
from mock_llm.dialects import NAMES
from mock_llm.redaction import redacted_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mock_llm.journal import Exchange, JournalEvent
    from mock_llm.standalone import Standalone

EXIT_PROBLEMS = 1
EXIT_USAGE = 2
EXIT_CANNOT_RUN = 3
SIGNALED = 128
LOOK_S = 0.3
LOCALHOST = {"localhost": "127.0.0.1"}


class Listening(NamedTuple):
    """Where to listen and what to print."""

    host: str
    port: int
    strict: bool = False
    clients: Sequence[str] = ()


def access_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every serving command has: where it listens, who may ask, what it prints."""
    options = (
        click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address."),
        click.option(
            "--port", default=0, show_default="any free one", type=click.IntRange(0, 65535), help="Its port."
        ),
        click.option(
            "--token",
            envvar="MOCK_LLM_TOKEN",
            show_envvar=True,
            help="Answer only requests that carry it as their key.  [default: a new one each time]",
        ),
        click.option("--no-token", is_flag=True, help="Answer every program of this machine."),
        click.option(
            "--client",
            "clients",
            multiple=True,
            type=click.Choice(CLIENT_NAMES),
            help="Print only the lines for this one.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def chosen_token(token: str | None, *, no_token: bool) -> str:
    """The token of this run; empty for none."""
    return "" if no_token else token or f"mock-{secrets.token_hex(8)}"


def run(standalone: Standalone, listening: Listening) -> int:
    """Serve until SIGINT or SIGTERM; the exit code.

    That is 128 and the signal's number; with ``strict`` 1 after problems and 0 without any.
    """
    try:
        signaled = asyncio.run(_serve(standalone, listening))
    except (OSError, ValueError) as error:
        click.echo(cannot_listen(listening.host, listening.port, error), err=True)
        return EXIT_CANNOT_RUN
    problems = standalone.server.journal.problems
    click.echo(render_summary(standalone), err=True)
    if listening.strict:
        return EXIT_PROBLEMS if problems else 0
    return SIGNALED + signaled


def cannot_listen(host: str, port: int, error: OSError | ValueError) -> str:
    """Why nothing can listen there, and what to do."""
    number = error.errno if isinstance(error, OSError) else None
    why = os.strerror(number).lower() if number and number > 0 else str(error)
    cure = {
        errno.EADDRINUSE: f"leave '--port' out for a free one; 'ss -ltnp sport = :{port}' shows who has it",
        errno.EACCES: "ports below 1024 are the system's own: leave '--port' out for a free one",
        errno.EADDRNOTAVAIL: "no network interface of this machine has that address: leave '--host' out",
    }.get(number or 0)
    return f"cannot listen on {host} port {port}: {why}" + (f"\n  {cure}" if cure else "")


async def _serve(standalone: Standalone, listening: Listening) -> int:
    server = standalone.server
    server.journal.listeners.append(_report)
    await server.start(host=LOCALHOST.get(listening.host, listening.host), port=listening.port)
    looking = asyncio.ensure_future(_look(standalone))
    try:
        click.echo(_banner(standalone, listening))
        return await until_signal()
    finally:
        looking.cancel()
        await server.stop()


async def _look(standalone: Standalone) -> None:
    """See changed files also while nobody asks, so that a mistake is shown when it is saved."""
    while True:
        await asyncio.sleep(LOOK_S)
        standalone.look()


async def until_signal() -> int:
    """Wait for SIGINT or SIGTERM; its number."""
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, _stop, stopped, number)
    return await stopped


def _stop(stopped: asyncio.Future[int], number: int) -> None:
    if not stopped.done():
        stopped.set_result(number)


def _banner(standalone: Standalone, listening: Listening) -> str:
    names, url, key = standalone.scripts.names, standalone.server.base_url, standalone.token
    first = f"{url}/{names[0]}" if len(names) > 1 else url
    if listening.clients:
        return "\n".join(lines_for(by_client(name), first, key) for name in listening.clients)
    rows = [(dialect, base_url(dialect, first)) for dialect in NAMES]
    if len(names) > 1:
        rows.append(("other scripts", " ".join(f"/{name}" for name in names[1:])))
    rows.append(("journal", f"{url}/__journal"))
    if key:
        rows.append(("key", key))
    width = max(len(name) for name, _ in rows)
    return "\n".join(
        [
            *(f"{name:<{width}}  {value}" for name, value in rows),
            "",
            render_clients(first, NAMES, key),
            "",
            "try it:",
            f"  {curl(first, key, standalone.scripts.lane(names[0]) or 'Hello')}",
            "",
            "Ctrl-C stops it",
        ]
    )


def _report(event: JournalEvent) -> None:
    if event.kind == "ended":
        click.echo(render_exchange(event.exchange))


def render_exchange(exchange: Exchange) -> str:
    """An exchange that has ended, in one line; what is wrong with it, or unusual, stands below."""
    line = f"{exchange.number} {exchange.method} {redacted_path(exchange.path)}"
    if exchange.problem:
        return f"{line}: refused\n{exchange.problem}"
    if exchange.turn is None:
        return f"{line}: {exchange.ended}"
    answer = f"reply {exchange.reply}" if exchange.reply else "side request"
    counted = f"{exchange.chars_sent} of {exchange.chars_total} characters"
    below = [f"  {exchange.note}"] if exchange.note and exchange.turn.place else []
    return "\n".join([f"{line}: {answer}, {counted}, {exchange.ended}", *below, *exchange.violations])


def render_summary(standalone: Standalone) -> str:
    """What was served, in one line, with the turns that nobody asked for below."""
    journal, unused = standalone.server.journal, standalone.scripts.unused
    replies = sum(1 for exchange in journal.exchanges if exchange.reply is not None)
    counts = (
        (len(journal.exchanges), "request", "requests"),
        (replies, "reply", "replies"),
        (len(journal.problems), "problem", "problems"),
        (len(unused), "turn unused", "turns unused"),
    )
    line = ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts)
    places = [f"  unused: {turn.place}" for turn in unused if turn.place][:8]
    return "\n".join([line, *places])
