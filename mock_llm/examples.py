"""What the right shape looks like, for the message about a wrong one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock_llm.located import MapNode, Node, ScalarNode
from mock_llm.shape import (
    At,
    Bool,
    Checked,
    Either,
    Enum,
    Int,
    Json,
    ListOf,
    MapOf,
    Num,
    OneKey,
    Record,
    Str,
)

if TYPE_CHECKING:
    from mock_llm.shape import Shape

_DEEP = 3
_TRUTH = {"true": ("yes", "on", "y"), "false": ("no", "off", "n")}
_LONGEST = 60  # a longer example teaches nothing
_SHORT = 30  # a value that is longer is not repeated in its cure


def cure(shape: Shape, node: Node, source: str) -> str:
    """How the value has to be written; empty where the message already says it all."""
    inner = _plain(shape)
    if isinstance(inner, Str) and isinstance(node, MapNode):
        written = source[node.start : node.end]
        is_name = written.startswith("{") and len(node.entries) == 1 and not _has_value(node)
        return f"""a text that begins with "{{" is written in quotes: '{written}\'""" if is_name else ""
    if isinstance(node, ScalarNode) and (hint := _slip(inner, node)):
        return hint
    is_word = isinstance(node, ScalarNode) and 0 < len(node.text) <= _SHORT
    if is_word and isinstance(inner, ListOf) and isinstance(_plain(inner.item), Str | Enum):
        return f"write it as a list: [{source[node.start : node.end]}]"
    if not isinstance(inner, Record | OneKey | ListOf | MapOf | Either):
        return ""
    shown = example(inner)
    return f"such as {shown}" if shown[:1] in ("{", "[") and len(shown) <= _LONGEST else ""


def _slip(shape: Shape, node: ScalarNode) -> str:
    """The cure of a key without its colon, and of a word that meant true or false before YAML 1.2."""
    if isinstance(shape, Bool):
        return next((f"write {meant}" for meant, words in _TRUTH.items() if node.text.lower() in words), "")
    keys = shape.options if isinstance(shape, OneKey) else shape.fields if isinstance(shape, Record) else {}
    word = node.text.split(maxsplit=1)[0] if node.text.strip() else ""
    return f"a colon is missing: write '{word}: ...'" if word in keys else ""


def example(shape: Shape, depth: int = 0) -> str:
    """A small value of a shape, as YAML on one line.

    >>> from mock_llm.shape import Field
    >>> example(Record("a pet", {"name": Field(Str(), required=True), "legs": Field(Int())}))
    '{name: some text}'
    """
    match _plain(shape):
        case Json(described=described):
            shown = example(described(), depth) if described else "some value"
        case Either(shapes=shapes):
            shown = example(_telling(shapes), depth)
        case ListOf(item=item, or_single=or_single):
            shown = example(item, depth) if or_single else f"[{example(item, depth + 1)}]"
        case MapOf(value=value, example=written):
            shown = written or f"{{a-name: {example(value, depth + 1)}}}"
        case OneKey(options=keys):
            name = next(iter(keys))
            shown = f"{{{name}: {_nested(keys[name], depth)}}}"
        case Record() as record:
            shown = _record(record, depth)
        case scalar:
            shown = _scalar(scalar)
    return shown


def _scalar(shape: Shape) -> str:
    match shape:
        case Int(usual=int(usual)):
            return str(usual)
        case Int(at_least=low) | Num(at_least=low):
            return f"{max(low or 1, 1):g}"
        case Bool():
            return "true"
        case Enum(options=options):
            return options[0]
    return "some text"


def _record(shape: Record, depth: int) -> str:
    """The keys that must be there, or the first one."""
    names = [name for name, field in shape.fields.items() if field.required]
    names = names or list(shape.fields)[:1]
    pairs = (f"{name}: {_nested(shape.fields[name].shape, depth)}" for name in names)
    return "{" + ", ".join(pairs) + "}"


def _nested(shape: Shape, depth: int) -> str:
    return example(shape, depth + 1) if depth < _DEEP else "..."


def _telling(shapes: tuple[Shape, ...]) -> Shape:
    """The simplest of several."""
    return min(shapes, key=lambda shape: isinstance(_plain(shape), Record | OneKey | MapOf | ListOf))


def _has_value(node: MapNode) -> bool:
    value = node.entries[0][1]
    return not isinstance(value, ScalarNode) or value.value is not None


def _plain(shape: Shape) -> Shape:
    return _plain(shape.shape) if isinstance(shape, At | Checked) else shape
