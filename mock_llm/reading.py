"""The reader of shapes: located nodes into values, with every mistake at its place and with its cure."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from mock_llm.located import ListNode, MapNode, Node, ScalarNode, described, plain
from mock_llm.problems import Problems, closest, did_you_mean, quoted
from mock_llm.shape import (
    INVALID,
    At,
    Bool,
    Checked,
    Either,
    Enum,
    Int,
    Invalid,
    Json,
    ListOf,
    Located,
    MapOf,
    Num,
    OneKey,
    Picked,
    Record,
    Shape,
    Str,
)
from mock_llm.timed import at_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def read(shape: Shape, node: Node, problems: Problems) -> Any:
    """The value of ``node``; what does not fit the shape is noted and reads as ``INVALID``.

    All mistakes are noted, not the first one only. A list or a record is itself valid when only some of
    its values are ``INVALID``, so that what stands beside a mistake can still be checked.
    """
    return _READERS[type(shape)](shape, node, problems)


def fits(shape: Shape, node: Node) -> bool:
    """Whether the kind of the node (not its value) suits the shape."""
    match shape:
        case At(inner) | Checked(inner):
            fitting = fits(inner, node)
        case Either(shapes):
            fitting = any(fits(inner, node) for inner in shapes)
        case ListOf(item=item, or_single=or_single):
            fitting = isinstance(node, ListNode) or (or_single and fits(item, node))
        case Record() | MapOf() | OneKey():
            fitting = isinstance(node, MapNode)
        case Json():
            fitting = True
        case Bool():
            fitting = isinstance(node, ScalarNode) and isinstance(node.value, bool)
        case Int() | Num():
            fitting = _number(node) is not None
        case _:
            fitting = isinstance(node, ScalarNode)
    return fitting


def expected(shape: Shape) -> str:
    """What a shape wants, for messages: ``a whole number``."""
    match shape:
        case At(inner) | Checked(inner):
            return expected(inner)
        case Either(shapes):
            return " or ".join(dict.fromkeys(map(expected, shapes)))
        case ListOf(item=item, or_single=True):
            return f"{expected(item)} or a list"
        case Record(name=name) | OneKey(name=name):
            return f"{name} (a mapping)"
    return _EXPECTED[type(shape)]


_EXPECTED: Mapping[type, str] = {
    Str: "text",
    Int: "a whole number",
    Num: "a number",
    Bool: "true or false",
    Enum: "a word",
    Json: "a value",
    ListOf: "a list",
    MapOf: "a mapping",
}


def _mismatch(shape: Shape, node: Node, problems: Problems) -> Invalid:
    from mock_llm.examples import cure  # only mistakes need one

    message = f"expected {expected(shape)}, got {described(node)}"
    problems.add(node.start, node.end, message, cure(shape, node, problems.source.text))
    return INVALID


def _read_str(shape: Str, node: Node, problems: Problems) -> str | Invalid:
    if not isinstance(node, ScalarNode) or (node.value is None and not shape.allow_empty):
        return _mismatch(shape, node, problems)
    if not node.text and not shape.allow_empty:
        problems.add(node.start, node.end, "expected text, got an empty one")
        return INVALID
    return node.text


def _number(node: Node) -> int | float | None:
    value = node.value if isinstance(node, ScalarNode) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _read_number(shape: Int | Num, node: Node, problems: Problems) -> int | float | Invalid:
    value = _number(node)
    if value is None or not (isinstance(value, int) or (isinstance(shape, Num) and isfinite(value))):
        return _mismatch(shape, node, problems)
    low, high = shape.at_least, shape.at_most
    if (low is None or value >= low) and (high is None or value <= high):
        return value
    wanted = f"from {low} to {high}" if low is not None and high is not None else ""
    wanted = wanted or (f"of at least {low}" if low is not None else f"of at most {high}")
    problems.add(node.start, node.end, f"expected {expected(shape)} {wanted}, got {described(node)}")
    return INVALID


def _read_bool(shape: Bool, node: Node, problems: Problems) -> bool | Invalid:
    if isinstance(node, ScalarNode) and isinstance(node.value, bool):
        return node.value
    return _mismatch(shape, node, problems)


def _read_enum(shape: Enum, node: Node, problems: Problems) -> str | Invalid:
    if not isinstance(node, ScalarNode):
        return _mismatch(shape, node, problems)
    if node.text in shape.options:
        return node.text
    problems.add(
        node.start, node.end, f"unknown value {quoted(node.text)}", did_you_mean(node.text, shape.options)
    )
    return INVALID


def _read_list(shape: ListOf, node: Node, problems: Problems) -> tuple[Any, ...] | Invalid:
    if not isinstance(node, ListNode):
        if not shape.or_single or not fits(shape.item, node):
            return _mismatch(shape, node, problems)
        return (read(shape.item, node, problems),)
    count = len(node.items)
    if count < shape.at_least or (shape.at_most is not None and count > shape.at_most):
        bound = f"at least {shape.at_least}" if count < shape.at_least else f"at most {shape.at_most}"
        problems.add(node.start, node.end, f"expected a list of {bound}, got {count}")
        return INVALID
    return tuple(read(shape.item, item, problems) for item in node.items)


def _read_map(shape: MapOf, node: Node, problems: Problems) -> dict[str, Any] | Invalid:
    if not isinstance(node, MapNode):
        return _mismatch(shape, node, problems)
    return {key.text: read(shape.value, value, problems) for key, value in node.entries}


def _read_record(shape: Record, node: Node, problems: Problems) -> dict[str, Any] | Invalid:
    if not isinstance(node, MapNode):
        return _mismatch(shape, node, problems)
    values: dict[str, Any] = {}
    misspelt: set[str] = set()
    for key, value in node.entries:
        if key.text in shape.fields:
            values[key.text] = read(shape.fields[key.text].shape, value, problems)
        else:
            values[key.text] = INVALID  # it may be a known key misspelt: nothing is said of what seems absent
            misspelt.add(closest(key.text, tuple(shape.fields)))
            _unknown(key, shape.name, tuple(shape.fields), problems)
    for name, f in shape.fields.items():
        if name not in values:
            values[name] = INVALID if f.required else f.default
            if f.required and name not in misspelt:
                _missing(node, name, shape, problems)
    return values


def _read_one_key(shape: OneKey, node: Node, problems: Problems) -> Picked | Invalid:
    if not isinstance(node, MapNode):
        return _mismatch(shape, node, problems)
    if len(node.entries) != 1:
        start, end = _head(node, 1)
        names = f": {', '.join(quoted(key.text) for key, _ in node.entries)}" if node.entries else ""
        hint = "write each as an item of its own" if node.entries else did_you_mean("", tuple(shape.options))
        problems.add(start, end, f"expected one key in {shape.name}, got {len(node.entries)}{names}", hint)
        return INVALID
    key, value = node.entries[0]
    if key.text not in shape.options:
        is_name = isinstance(value, ScalarNode) and value.value is None
        written = problems.source.text[node.start : node.end]
        text = f"to mean text, put it in quotes: '{written}'" if is_name and written[:1] == "{" else ""
        _unknown(key, shape.name, tuple(shape.options), problems, text)
        return INVALID
    return Picked(key.text, read(shape.options[key.text], value, problems), key)


def _read_either(shape: Either, node: Node, problems: Problems) -> Any:
    fitting = next((inner for inner in shape.shapes if fits(inner, node)), None)
    return read(fitting, node, problems) if fitting else _mismatch(shape, node, problems)


def _read_at(shape: At, node: Node, problems: Problems) -> Located | Invalid:
    value = read(shape.shape, at_time(node, 1) if shape.timed else node, problems)
    return value if isinstance(value, Invalid) else Located(value, node)


def _read_checked(shape: Checked, node: Node, problems: Problems) -> Any:
    value = read(shape.shape, node, problems)
    if is_invalid(value):
        return INVALID
    try:
        return shape.convert(value)
    except ValueError as error:
        problems.add(node.start, node.end, str(error))
        return INVALID


def is_invalid(value: Any) -> bool:
    """Whether a value, or one inside it, is ``INVALID``."""
    if isinstance(value, dict):
        return any(map(is_invalid, value.values()))
    return isinstance(value, Invalid) or (isinstance(value, tuple) and any(map(is_invalid, value)))


def _unknown(
    key: ScalarNode, where: str, options: tuple[str, ...], problems: Problems, first_hint: str = ""
) -> None:
    hint = did_you_mean(key.text, options)
    problems.add(key.start, key.end, f"unknown key {quoted(key.text)} in {where}", first_hint, hint)


def _missing(node: MapNode, name: str, shape: Record, problems: Problems) -> None:
    start, end = _head(node)
    hint = f"add '{name}': {shape.fields[name].shape.doc}".rstrip(": ")
    problems.add(start, end, f"missing key '{name}' in {shape.name}", hint)


def _head(node: MapNode, entry: int = 0) -> tuple[int, int]:
    """What a message about a mapping underlines: one key of it, or all of an empty mapping."""
    if not node.entries:
        return node.start, node.end
    key = node.entries[min(entry, len(node.entries) - 1)][0]
    return key.start, key.end


_READERS: Mapping[type, Callable[[Any, Node, Problems], Any]] = {
    Str: _read_str,
    Int: _read_number,
    Num: _read_number,
    Bool: _read_bool,
    Enum: _read_enum,
    Json: lambda _shape, node, _problems: plain(node),
    ListOf: _read_list,
    MapOf: _read_map,
    Record: _read_record,
    OneKey: _read_one_key,
    Either: _read_either,
    At: _read_at,
    Checked: _read_checked,
}
