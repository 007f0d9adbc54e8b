"""What a text generator is, and what all of them share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mock_llm.shape import Enum, Field, Int, Record

Parameters = Mapping[str, Any]


class Generator(NamedTuple):
    """A seeded maker of texts.

    Attributes:
        name: Its key in a scenario, such as ``paragraph-loop``.
        shape: Its own parameters; those of :data:`SHARED` are not among them.
        make: Parameters and seed to text. The same ones always give the same text, in time linear in the
            text. Raises ``ValueError`` for parameters that cannot be met together.
        doc: What the text is like, in measurable terms; a test holds it.
        seedless: Why another seed gives the same text by default; empty where it gives another one.
    """

    name: str
    shape: Record
    make: Callable[[Parameters, int], str]
    doc: str
    seedless: str = ""


SHARED: Mapping[str, Field] = {
    "seed": Field(Int("Another seed, another text of the same shape.", 0), default=1),
    "lead": Field(Int("Paragraphs of ordinary prose before the text.", 0, 1000), default=0),
    "newline": Field(Enum(("lf", "crlf"), "How lines end."), default="lf"),
}


def by_name(*generators: Generator) -> Mapping[str, Generator]:
    """A module's part of the registry."""
    return {generator.name: generator for generator in generators}


def complete(generator: Generator, values: Parameters) -> str:
    """The text with what all generators share: seed, prose before it and line ends."""
    fields = {**generator.shape.fields, **SHARED}
    given = {name: field.default for name, field in fields.items()} | dict(values)
    text = generator.make(given, given["seed"])
    if given["lead"]:
        from mock_llm.generators.healthy import prose

        text = prose({"paragraphs": given["lead"]}, given["seed"]) + text
    return text.replace("\n", "\r\n") if given["newline"] == "crlf" else text


def joined(paragraphs: list[str]) -> str:
    r"""Paragraphs as one text, a blank line after each, the last one too.

    >>> joined(["One.", "Two."])
    'One.\n\nTwo.\n\n'
    """
    return "".join(f"{paragraph}\n\n" for paragraph in paragraphs)
