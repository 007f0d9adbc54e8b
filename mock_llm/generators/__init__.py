"""Seeded texts for the mock model: loops that guards must stop and healthy texts that they must not.

The registry knows every name at once and loads a generator's module when the generator is first used, so
that a scenario pays only for the texts it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mock_llm.generators.generator import Generator
    from mock_llm.shape import Record

__all__ = ["GENERATORS", "Registry", "generate", "source_shape"]

# The module that holds each generator, in the order of the documentation.
_MODULES = {
    name: module
    for module, names in {
        "loops": "paragraph-loop paraphrase long-cycle",
        "cycles": "cycle alternating-pair line-cycle short-period",
        "drifts": "drift clause-reorder growing-prefix phrase-shuffle",
        "floods": "character-flood whitespace-flood separator-flood",
        "leaks": "control-token-leak",
        "incidents": "incident-1 incident-2",
        "escaped": "json-escaped-loop",
        "healthy": "item-list item-step prose",
        "documents": "table changelog api-docs",
        "readings": "glossary lyrics quiz",
        "data": "json-array sql-inserts svg test-log base64",
        "sources": "code diff",
    }.items()
    for name in names.split()
}


class Registry(Mapping[str, "Generator"]):
    """The generators by name. Names cost nothing; taking one loads its module.

    >>> "prose" in GENERATORS, GENERATORS["prose"].name
    (True, 'prose')
    """

    def __getitem__(self, name: str) -> Generator:
        module = import_module(f"{__name__}.{_MODULES[name]}")
        found: dict[str, Generator] = module.GENERATORS
        return found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)

    def __contains__(self, name: object) -> bool:
        return name in _MODULES


GENERATORS = Registry()


def generate(name: str, values: Mapping[str, Any]) -> str:
    r"""The text of a generator. Its own parameters and those that all share may be left out.

    Raises:
        KeyError: If there is no such generator.
        ValueError: If the parameters cannot be met together.

    >>> generate("prose", {"paragraphs": 1, "newline": "crlf"})[-4:]
    '\r\n\r\n'
    """
    from mock_llm.generators.generator import complete

    return complete(GENERATORS[name], values)


@cache
def source_shape(name: str) -> Record:
    """What a generator takes in a script: its own parameters and those that all share."""
    from mock_llm.generators.generator import SHARED
    from mock_llm.shape import Record

    shape = GENERATORS[name].shape
    return Record(shape.name, {**shape.fields, **SHARED}, shape.doc)
