"""Shapes: what a YAML value must look like, as data.

A shape is used twice: to read located nodes with every mistake at its place (:func:`mock_llm.reading.read`)
and to describe itself to editors (:func:`mock_llm.schema.json_schema`). Its ``doc`` says what the value means
and in which unit. (Named tuples, because they are made seven times faster than dataclasses at every start.)

>>> PARAMETERS = Record("a loop", {
...     "text": Field(Str("What comes again."), required=True),
...     "cycles": Field(Int("How often it comes.", at_least=1), default=3),
... })
>>> sorted(PARAMETERS.fields)
['cycles', 'text']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mock_llm.located import Node, ScalarNode


class Invalid:
    """Stands where a value could not be read; the reason is among the problems."""

    def __repr__(self) -> str:
        return "INVALID"


INVALID: Final = Invalid()


class Str(NamedTuple):
    """Text. A number or ``true`` without quotes is taken as it is written."""

    doc: str = ""
    allow_empty: bool = False


class Int(NamedTuple):
    """A whole number within inclusive bounds; ``usual`` is one that an example shows."""

    doc: str = ""
    at_least: int | None = None
    at_most: int | None = None
    usual: int | None = None


class Num(NamedTuple):
    """A finite number within inclusive bounds."""

    doc: str = ""
    at_least: float | None = None
    at_most: float | None = None


class Bool(NamedTuple):
    """``true`` or ``false``."""

    doc: str = ""


class Enum(NamedTuple):
    """One of a few words."""

    options: tuple[str, ...]
    doc: str = ""


class Json(NamedTuple):
    """Any value; read as the JSON value it stands for.

    ``described`` gives the shape that it has all the same, for editors: whoever needs the value reads it with
    that shape, and files that lack it load nothing for it.
    """

    doc: str = ""
    described: Callable[[], Shape] | None = None


class ListOf(NamedTuple):
    """A list, read as a tuple. With ``or_single`` a value that is no list counts as a list of one."""

    item: Shape
    doc: str = ""
    at_least: int = 0
    at_most: int | None = None
    or_single: bool = False


class MapOf(NamedTuple):
    """A mapping with free keys and alike values, read as a dict. ``example`` is for messages, as YAML."""

    value: Shape
    doc: str = ""
    example: str = ""


class Field(NamedTuple):
    """A key of a record. An absent optional key reads as ``default``, which is not checked."""

    shape: Shape
    required: bool = False
    default: Any = None


class Record(NamedTuple):
    """A mapping with known keys, read as a dict with every key. ``name`` is for messages: ``a turn``.

    The dict has the keys that are written in their order, then the defaults of the others.
    """

    name: str
    fields: Mapping[str, Field]
    doc: str = ""


class OneKey(NamedTuple):
    """A mapping with exactly one of some keys, read as :class:`Picked`."""

    name: str
    options: Mapping[str, Shape]
    doc: str = ""


class Either(NamedTuple):
    """The first of some shapes that the kind of value (text, number, list, mapping, ...) fits."""

    shapes: tuple[Shape, ...]
    doc: str = ""


class At(NamedTuple):
    """Another shape, read as :class:`Located`: the value with its node.

    With ``timed`` it is read as in the first of the turn's ``times`` (see :mod:`mock_llm.timed`).
    """

    shape: Shape
    timed: bool = False

    @property
    def doc(self) -> str:
        return self.shape.doc


class Checked(NamedTuple):
    """Another shape whose value then goes through ``convert``; its ``ValueError`` becomes a problem."""

    shape: Shape
    convert: Callable[[Any], Any]

    @property
    def doc(self) -> str:
        return self.shape.doc


Shape = Str | Int | Num | Bool | Enum | Json | ListOf | MapOf | Record | OneKey | Either | At | Checked


class Picked(NamedTuple):
    """What a :class:`OneKey` found. ``value`` may be ``INVALID``; ``key`` is a known one."""

    key: str
    value: Any
    key_node: ScalarNode


class Located(NamedTuple):
    """A value with its node."""

    value: Any
    node: Node
