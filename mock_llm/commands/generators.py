"""``mock-llm generators``."""

from __future__ import annotations

import click

from mock_llm.generators import GENERATORS


@click.command("generators")
def command() -> None:
    """List the text generators with what their texts are like."""
    click.echo(render_generators())


def render_generators() -> str:
    """A paragraph for each generator: its name, what its text is like, its own parameters."""
    paragraphs = []
    for name in GENERATORS:
        generator = GENERATORS[name]
        parameters = " ".join(generator.shape.fields)
        paragraphs.append(f"{name}\n  {generator.doc}\n  parameters: {parameters or 'none'}")
    return "\n".join(paragraphs)
