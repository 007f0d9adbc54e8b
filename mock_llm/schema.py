"""Shapes as JSON Schema, so that editors complete and check script files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

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
    Shape,
    Str,
)
from mock_llm.timed import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping

# The draft that editors understand best; nothing of a later one is needed.
DRAFT = "http://json-schema.org/draft-07/schema#"
_LEAST_SHARED = 120  # a shorter mapping is written where it is used


def json_schema(shape: Shape) -> dict[str, Any]:
    """The JSON Schema of what a shape accepts, in one piece.

    >>> json_schema(Int("Tokens.", at_least=0))
    {'type': 'integer', 'minimum': 0, 'description': 'Tokens.'}
    """
    return _Writer(None).described(shape)


def schema_document(shape: Shape, title: str) -> dict[str, Any]:
    """The same as a document: every mapping that has a name stands once, under ``definitions``."""
    definitions: dict[str, Any] = {}
    schema = _Writer(definitions).top(shape)
    return {"$schema": DRAFT, "title": title, **schema, "definitions": dict(sorted(definitions.items()))}


def script_schema() -> dict[str, Any]:
    """The JSON Schema of a script file of ``mock-llm``."""
    from mock_llm.script_shape import SCRIPT

    return schema_document(SCRIPT, "a script of mock-llm")


class _Writer:
    """Writes schemas. With ``definitions`` it puts mappings there and refers to them."""

    def __init__(self, definitions: dict[str, Any] | None) -> None:
        self._definitions = definitions

    def top(self, shape: Shape) -> dict[str, Any]:
        """The schema of the outermost mapping, which is not referred to."""
        return self._object(shape) if isinstance(shape, Record) else self.described(shape)

    def described(self, shape: Shape) -> dict[str, Any]:
        """The schema of a shape with what it says of itself."""
        schema = self._schema(shape)
        if not shape.doc or "description" in schema:
            return schema
        return {**schema, "description": shape.doc}

    def _schema(self, shape: Shape) -> dict[str, Any]:
        match shape:
            case At(timed=True):
                schema = self._shared(shape.shape, _or_time(self._object(shape.shape)))
            case At() | Checked():
                schema = self.described(shape.shape)
            case Json(described=described):
                schema = self._schema(described()) if described else {}
            case Either(shapes=shapes):
                schema = {"anyOf": [self.described(inner) for inner in shapes]}
            case ListOf():
                schema = self._list(shape)
            case Record() | OneKey():
                schema = self._shared(shape, self._object(shape))
            case MapOf(value=value):
                schema = {"type": "object", "additionalProperties": self.described(value)}
            case _:
                schema = _scalar(shape)
        return schema

    def _list(self, shape: ListOf) -> dict[str, Any]:
        item = self.described(shape.item)
        schema = {"type": "array", "items": item} | _bounds("Items", shape.at_least or None, shape.at_most)
        return {"anyOf": [item, schema]} if shape.or_single else schema

    def _object(self, shape: Shape) -> dict[str, Any]:
        if isinstance(shape, OneKey):
            options = {name: self.described(option) for name, option in shape.options.items()}
            one = {"minProperties": 1, "maxProperties": 1}
            return {"type": "object", "properties": options, "additionalProperties": False} | one
        assert isinstance(shape, Record)
        properties = {name: self.described(field.shape) for name, field in shape.fields.items()}
        required = [name for name, field in shape.fields.items() if field.required]
        schema = {"type": "object", "properties": properties, "additionalProperties": False}
        schema |= {"required": required} if required else {}
        return schema | ({"description": shape.doc} if shape.doc and self._definitions is not None else {})

    def _shared(self, shape: Shape, schema: dict[str, Any]) -> dict[str, Any]:
        """A reference to the schema of a mapping, once it is long enough to be shared."""
        if self._definitions is None or len(json.dumps(schema)) < _LEAST_SHARED:
            return schema
        assert isinstance(shape, Record | OneKey)
        name = _name(shape.name, schema, self._definitions)
        self._definitions[name] = schema
        return {"$ref": f"#/definitions/{name}"}


def _name(written: str, schema: dict[str, Any], taken: Mapping[str, Any]) -> str:
    """A name for a definition: the shape's own, with a number where that means another mapping."""
    name = re.sub(r"[^a-z0-9]+", "-", re.sub(r"^an? ", "", written.lower())).strip("-") or "mapping"
    number = 1
    while taken.get(found := name if number == 1 else f"{name}-{number}", schema) != schema:
        number += 1
    return found


def _scalar(shape: Shape) -> dict[str, Any]:
    match shape:
        case Str(allow_empty=True):
            return {"type": ["string", "number", "boolean", "null"]}
        case Str():
            return {"type": ["string", "number", "boolean"], "minLength": 1}
        case Int(at_least=low, at_most=high):
            return {"type": "integer"} | _bounds("imum", low, high)
        case Num(at_least=low, at_most=high):
            return {"type": "number"} | _bounds("imum", low, high)
        case Bool():
            return {"type": "boolean"}
        case Enum(options=options):
            return {"enum": list(options)}
    raise TypeError(f"no scalar: {shape!r}")


def _or_time(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a record whose numbers can also be ``{time}``."""

    def loose(value: dict[str, Any]) -> dict[str, Any]:
        return {"anyOf": [value, {"const": TIME}]} if value.get("type") in ("integer", "number") else value

    return schema | {"properties": {name: loose(value) for name, value in schema["properties"].items()}}


def _bounds(ending: str, low: float | None, high: float | None) -> dict[str, Any]:
    bounds = {f"min{ending}": low, f"max{ending}": high}
    return {name: value for name, value in bounds.items() if value is not None}
