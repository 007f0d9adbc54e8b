"""What a text generator is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mock_llm.shape import Record

Parameters = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Generator:
    """A seeded maker of texts.

    Attributes:
        name: Its key in a scenario, such as ``paragraph-loop``.
        shape: Its parameters; ``seed`` is not among them.
        make: Parameters and seed to text. The same ones always give the same text; every paragraph of a
            text ends in a blank line. Raises ``ValueError`` for parameters that cannot be met together.
        doc: What the text is like, in measurable terms.
    """

    name: str
    shape: Record
    make: Callable[[Parameters, int], str]
    doc: str


def joined(paragraphs: list[str]) -> str:
    r"""Paragraphs as one text, a blank line after each, the last one too.

    >>> joined(["One.", "Two."])
    'One.\n\nTwo.\n\n'
    """
    return "".join(f"{paragraph}\n\n" for paragraph in paragraphs)
