"""Shapes as JSON Schema, so that editors complete and check script files."""

from __future__ import annotations

from typing import Any

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


def json_schema(shape: Shape) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what a shape accepts.

    >>> json_schema(Int("Tokens.", at_least=0))
    {'type': 'integer', 'minimum': 0, 'description': 'Tokens.'}
    """
    schema = _schema(shape)
    return schema | {"description": shape.doc} if shape.doc and "description" not in schema else schema


def _schema(shape: Shape) -> dict[str, Any]:
    match shape:
        case At() | Checked():
            schema = _wrapped_schema(shape)
        case Str(allow_empty=allow_empty):
            schema = {"type": ["string", "number", "boolean"]} | ({} if allow_empty else {"minLength": 1})
        case Int(at_least=low, at_most=high):
            schema = {"type": "integer"} | _bounds("imum", low, high)
        case Num(at_least=low, at_most=high):
            schema = {"type": "number"} | _bounds("imum", low, high)
        case Bool():
            schema = {"type": "boolean"}
        case Enum(options=options):
            schema = {"enum": list(options)}
        case Json():
            schema = {}
        case Either(shapes=shapes):
            schema = {"anyOf": [json_schema(inner) for inner in shapes]}
        case ListOf():
            schema = _list_schema(shape)
        case _:
            schema = _object_schema(shape)
    return schema


def _wrapped_schema(shape: At | Checked) -> dict[str, Any]:
    schema = json_schema(shape.shape)
    return _or_time(schema) if isinstance(shape, At) and shape.timed else schema


def _or_time(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a record whose numbers can also be ``{time}``."""

    def loose(value: dict[str, Any]) -> dict[str, Any]:
        return {"anyOf": [value, {"const": TIME}]} if value.get("type") in ("integer", "number") else value

    return schema | {"properties": {name: loose(value) for name, value in schema["properties"].items()}}


def _list_schema(shape: ListOf) -> dict[str, Any]:
    item = json_schema(shape.item)
    schema = {"type": "array", "items": item} | _bounds("Items", shape.at_least or None, shape.at_most)
    return {"anyOf": [item, schema]} if shape.or_single else schema


def _object_schema(shape: MapOf | OneKey | Record) -> dict[str, Any]:
    if isinstance(shape, MapOf):
        return {"type": "object", "additionalProperties": json_schema(shape.value)}
    if isinstance(shape, OneKey):
        options = {name: json_schema(option) for name, option in shape.options.items()}
        one = {"minProperties": 1, "maxProperties": 1}
        return {"type": "object", "properties": options, "additionalProperties": False} | one
    properties = {name: json_schema(field.shape) for name, field in shape.fields.items()}
    required = [name for name, field in shape.fields.items() if field.required]
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def _bounds(ending: str, low: float | None, high: float | None) -> dict[str, Any]:
    bounds = {f"min{ending}": low, f"max{ending}": high}
    return {name: value for name, value in bounds.items() if value is not None}
