"""``mock-llm record``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mock_llm.commands.loading import give_up
from mock_llm.commands.serving import EXIT_CANNOT_RUN, LOCALHOST, SIGNALED, cannot_listen, until_signal

if TYPE_CHECKING:
    from mock_llm.record_proxy import Passed, Recorder


@click.command("record")
@click.option("--upstream", required=True, metavar="URL", help="The server to record, such as https://host.")
@click.option(
    "--to",
    default=Path("recording.yaml"),
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The script to write; the exchanges go into a folder beside it.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address.")
@click.option(
    "--port", default=0, show_default="any free one", type=click.IntRange(0, 65535), help="Its port."
)
@click.option(
    "--ca-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Certificates to trust."
)
def command(upstream: str, to: Path, host: str, port: int, ca_file: Path | None) -> None:
    """Pass requests on to a server and write what is said as a script, until Ctrl-C.

    Aim the client at the printed URLs with its own key, which goes through and is not written down. What
    arrives is written at once: also what came before a client hung up, or before this command was killed.
    """
    from mock_llm.record_files import CannotRecord, Recording
    from mock_llm.record_proxy import Recorder
    from mock_llm.record_upstream import parse_upstream

    try:
        recorder = Recorder(parse_upstream(upstream, ca_file), Recording(to, upstream), _tell)
    except (CannotRecord, ValueError, OSError) as error:
        give_up(str(error))
    raise SystemExit(_run(recorder, host, port))


def _run(recorder: Recorder, host: str, port: int) -> int:
    try:
        signaled = asyncio.run(_record(recorder, host, port))
    except (OSError, ValueError) as error:
        click.echo(cannot_listen(host, port, error), err=True)
        return EXIT_CANNOT_RUN
    script = recorder.recording.script
    if script.exists():
        click.echo(f"{script} is ready: mock-llm serve {script}", err=True)
    else:
        click.echo("no request to a model came: nothing was written", err=True)
    return SIGNALED + signaled


async def _record(recorder: Recorder, host: str, port: int) -> int:
    from mock_llm.clients import base_url
    from mock_llm.dialects import NAMES

    await recorder.start(LOCALHOST.get(host, host), port)
    try:
        width = max(map(len, NAMES))
        lines = [f"{name:<{width}}  {base_url(name, recorder.base_url)}" for name in NAMES]
        end = f"writes {recorder.recording.script}; Ctrl-C stops it"
        click.echo("\n".join([*lines, "", end]))
        return await until_signal()
    finally:
        await recorder.stop()


def _tell(passed: Passed) -> None:
    click.echo(render_passed(passed))


def render_passed(passed: Passed) -> str:
    """A request that has gone through, in one line.

    >>> from mock_llm.record_proxy import Passed
    >>> render_passed(Passed(1, "POST", "/v1/messages", 200, 1234, "client-hung-up"))
    '1 POST /v1/messages: status 200, 1,234 characters, client-hung-up'
    """
    said = f"{passed.chars:,} characters" if passed.chars is not None else "not recorded"
    status = f"status {passed.status}" if passed.status else "no answer"
    problem = f"\n  {passed.problem}" if passed.problem else ""
    return f"{passed.number} {passed.method} {passed.path}: {status}, {said}, {passed.ended}{problem}"
