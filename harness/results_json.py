"""Results as JSON: written from the model, read back into it, described by a schema; all from its types."""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from harness.problems import UserError
from harness.results import RunResult

FORMAT = "ttsr-qa results 1"
"""The value of ``format``: a reader of this version takes no other."""


class BadResults(UserError):
    """A file that holds no results of this format; the message names the first place that does not fit."""


def render_results(run: RunResult) -> str:
    """A run as one JSON document, as ``qa schema --results`` describes it."""
    return json.dumps({"format": FORMAT, **asdict(run)}, indent=1, ensure_ascii=False) + "\n"


def parse_results(text: str, file: str) -> RunResult:
    """The run of a JSON document.

    Args:
        text: What :func:`render_results` made.
        file: Its name, for messages.

    Raises:
        BadResults: If it is none.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise BadResults(f"{file}: not JSON: {error}") from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise BadResults(
            f"{file}: no results of qa: 'format' is not '{FORMAT}'\n  qa run --report json={file}"
        )
    del value["format"]
    try:
        return cast("RunResult", read(RunResult, value, ""))
    except BadResults as error:
        raise BadResults(f"{file}: {error}") from None


def read(kind: Any, value: Any, path: str) -> Any:
    """A JSON value as a type of the results model.

    Raises:
        BadResults: Naming the path, such as ``scenarios[3].duration_s``.
    """
    if is_dataclass(kind):
        return _read_record(kind, value, path)
    if get_origin(kind) is tuple:
        if not isinstance(value, list):
            raise BadResults(f"{path}: a list is wanted")
        return tuple(read(get_args(kind)[0], item, f"{path}[{at}]") for at, item in enumerate(value))
    if isinstance(kind, UnionType):
        return None if value is None else read(_present(kind), value, path)
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise BadResults(f"{path}: {value!r} is none of {', '.join(get_args(kind))}")
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    fitting = is_number if kind is float else isinstance(value, kind) and (kind is not int or is_number)
    if not fitting:
        raise BadResults(f"{path}: {_WORDS[kind]} is wanted")
    return value


def results_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`render_results`."""
    definitions: dict[str, Any] = {}
    top = _record_schema(RunResult, definitions)
    properties = {"format": {"const": FORMAT}, **top["properties"]}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "results of qa",
        **top,
        "properties": properties,
        "required": ["format", *top["required"]],
        "definitions": dict(sorted(definitions.items())),
    }


_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def _read_record(kind: Any, value: Any, path: str) -> Any:
    if not isinstance(value, dict):
        raise BadResults(f"{path or 'the document'}: an object is wanted")
    hints = _hints(kind)
    before = f"{path}." if path else ""
    if unknown := sorted(value.keys() - hints.keys()):
        raise BadResults(f"{before}{unknown[0]}: no such key")
    if missing := [name for name in _required(kind) if name not in value]:
        raise BadResults(f"{before}{missing[0]}: missing")
    return kind(**{name: read(hints[name], item, f"{before}{name}") for name, item in value.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _required(kind: Any) -> list[str]:
    return [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]


def _present(kind: UnionType) -> Any:
    (present,) = [option for option in get_args(kind) if option is not NoneType]
    return present


def _schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if is_dataclass(kind):
        name = cast("type", kind).__name__
        if name not in definitions:
            definitions[name] = _record_schema(kind, definitions)
        return {"$ref": f"#/definitions/{name}"}
    if get_origin(kind) is tuple:
        return {"type": "array", "items": _schema(get_args(kind)[0], definitions)}
    if isinstance(kind, UnionType):
        return {"anyOf": [_schema(_present(kind), definitions), {"type": "null"}]}
    if get_origin(kind) is Literal:
        return {"enum": list(get_args(kind))}
    return {"type": _NAMES[kind]}


def _record_schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    # Everything is written, whether it has a default or not; only a reader may find it missing.
    properties = {name: _schema(hint, definitions) for name, hint in _hints(kind).items()}
    description = " ".join((kind.__doc__ or "").split())
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
