"""``mock-llm say``."""

from __future__ import annotations

import click

from mock_llm.commands.serving import Listening, access_options, chosen_token, run


@click.command("say")
@click.argument("text")
@access_options
@click.option("--chars-per-delta", type=click.IntRange(1), help="Characters of a piece.")
@click.option("--every-ms", type=click.FloatRange(0), default=0, help="Milliseconds between pieces.")
def command(
    text: str,
    host: str,
    port: int,
    token: str | None,
    no_token: bool,  # noqa: FBT001 - options are named
    clients: tuple[str, ...],
    chars_per_delta: int | None,
    every_ms: float,
) -> None:
    """Answer every request with TEXT, until Ctrl-C."""
    from mock_llm.one_text import one_text
    from mock_llm.script import Stream
    from mock_llm.standalone import Standalone

    script = one_text(text, Stream(chars_per_delta=chars_per_delta, every_ms=every_ms))
    standalone = Standalone({"say": script}, token=chosen_token(token, no_token=no_token))
    raise SystemExit(run(standalone, Listening(host, port, clients=clients)))
