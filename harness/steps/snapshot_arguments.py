"""The arguments of the ``snapshot`` step, and how YAML says them."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple, get_args

from mock_llm.patterns import compile_pattern
from mock_llm.shape import Checked, Either, Enum, Field, ListOf, MapOf, Record, Str

Artifact = Literal["transcript", "requests", "screen", "timeline"]
ARTIFACTS: tuple[Artifact, ...] = get_args(Artifact)
MASKS = ("nonce", "key", "port", "home", "work", "sandbox", "user-home", "time", "id", "version", "today")
_NAME = re.compile(r"[a-z][a-z0-9-]*")


class Snapshot(NamedTuple):
    """What a run looked like is compared with files beside the scenario.

    Attributes:
        of: What is compared.
        masks: Masks that must have replaced something.
        patterns: Further masks: a name and a regular expression each; they must replace something too.
    """

    of: tuple[Artifact, ...]
    masks: tuple[str, ...] = ()
    patterns: tuple[tuple[str, str], ...] = ()


def _pattern(text: str) -> str:
    compile_pattern(text)
    if compile_pattern(f"(?P<kept>x)|(?P<hit>{text})").match("") is not None:
        raise ValueError("this regular expression finds empty text everywhere")
    return text


def snapshot(value: dict[str, Any] | tuple[Artifact, ...]) -> Snapshot:
    """The arguments of the value read.

    Raises:
        ValueError: If a thing is named twice, or a mask's name is taken or no name.
    """
    if not isinstance(value, dict):
        value = {"of": value, "masks": (), "patterns": {}}
    if len(set(value["of"])) < len(value["of"]):
        raise ValueError("'snapshot' names the same thing twice")
    for name in value["patterns"]:
        if name in MASKS:
            raise ValueError(f"there is a mask '{name}' already: give the pattern another name")
        if not _NAME.fullmatch(name):
            raise ValueError(f"'{name}' is no name of a mask: lower-case letters, digits and '-'")
    return Snapshot(value["of"], value["masks"], tuple(value["patterns"].items()))


_OF = ListOf(Enum(ARTIFACTS), "What is compared.", at_least=1)
_RECORD = Record(
    "a 'snapshot' step",
    {
        "of": Field(_OF, required=True),
        "masks": Field(ListOf(Enum(MASKS), "Masks that must have replaced something."), default=()),
        "patterns": Field(
            MapOf(
                Checked(Str("A regular expression."), _pattern),
                "Further masks by name, each a regular expression; they must replace something.",
                "ticket: 'T-[0-9]+'",
            ),
            default={},
        ),
    },
    "The run looks as it did when it was last reviewed; see [review](review.md).",
)
SNAPSHOT = Either((_RECORD, _OF))
