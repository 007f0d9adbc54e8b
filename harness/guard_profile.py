"""Guard profiles: YAML text to :class:`Profile`, with every mistake at its place.

A profile starts from the published one and says what is different; what it does not name stays as it is::

    profile: stricter
    mechanisms:
      paragraph-repeat: {min_repeats: 2}
      line-cycle:
        min_chars: {value: 256, source: our own logs}
      short-period: {off: true}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.detectors.mechanisms import PUBLISHED, Profile
from mock_llm.located import MapNode, open_source, parse_yaml
from mock_llm.reading import is_invalid, read
from mock_llm.shape import Bool, Either, Enum, Field, Int, ListOf, Num, Record, Str

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.detectors.mechanisms import Mechanism, Number
    from mock_llm.located import Node, ScalarNode
    from mock_llm.problems import Problems
    from mock_llm.shape import Shape

_MOST = 1_000_000
_SOURCE = Str("Where the number comes from.")


def _number(default: Number) -> Shape:
    if isinstance(default, bool):
        return Bool()
    return Int(at_least=0, at_most=_MOST) if isinstance(default, int) else Num(at_least=0, at_most=1)


def _threshold(default: Number) -> Shape:
    number = _number(default)
    fields = {"value": Field(number, required=True), "source": Field(_SOURCE, default="")}
    return Either((number, Record("a threshold", fields)))


def _mechanism(row: Mechanism) -> Record:
    fields = {
        "off": Field(Bool("Whether the mechanism is taken out."), default=False),
        "streams": Field(ListOf(Enum(row.possible_streams), "The streams that it looks at.", at_least=1)),
        **{name: Field(_threshold(value)) for name, value in row.thresholds.items()},
    }
    return Record(f"the mechanism '{row.id}'", fields)


_MECHANISMS = {row.id: Field(_mechanism(row), default={}) for row in PUBLISHED.mechanisms}
_PROFILE = Record(
    "a guard profile",
    {
        "profile": Field(Str("Its name."), required=True),
        "mechanisms": Field(Record("the mechanisms", _MECHANISMS), default={}),
    },
)


def parse_profile(text: str | bytes, path: str) -> Profile:
    """Read a profile.

    Args:
        text: The YAML text, or the bytes of the file.
        path: The file's name, for messages only.

    Raises:
        ScriptError: All mistakes of the text, each with its place.
    """
    problems = open_source(path, text)
    root = parse_yaml(problems)
    problems.raise_any()
    if root is None:
        problems.add(0, 0, "the file is empty", "a guard profile starts with 'profile: NAME'")
        problems.raise_any()
    assert root is not None
    values = read(_PROFILE, root, problems)
    profile = PUBLISHED
    if isinstance(root, MapNode):
        for key, _ in _entries(root.get("mechanisms")):
            profile = _changed(profile, key, values["mechanisms"].get(key.text), problems)
    problems.raise_any()
    return Profile(values["profile"], profile.mechanisms)


def _entries(node: Node | None) -> tuple[tuple[ScalarNode, Node], ...]:
    return node.entries if isinstance(node, MapNode) else ()


def _changed(profile: Profile, key: ScalarNode, values: Any, problems: Problems) -> Profile:
    """The profile with what is said of one mechanism; numbers that do not go together are noted."""
    if values is None or is_invalid(values):
        return profile
    if values["off"]:
        return profile.without(key.text)
    numbers = {name: _value(said) for name, said in values.items() if name not in {"off", "streams"}}
    try:
        profile = profile.tuned(
            key.text, **{n: number for n, number in numbers.items() if number is not None}
        )
    except ValueError as error:
        problems.add(key.start, key.end, f"'{key.text}': {error}")
        return profile
    if values["streams"] is None:
        return profile
    rows = [
        row._replace(streams=frozenset(values["streams"])) if row.id == key.text else row
        for row in profile.mechanisms
    ]
    return Profile(profile.name, tuple(rows))


def _value(said: Number | Mapping[str, Any] | None) -> Number | None:
    return said["value"] if isinstance(said, dict) else said  # type: ignore[return-value]
