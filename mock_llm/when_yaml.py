"""Matchers as YAML says them: the keys of ``when`` and of a lane's ``match``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from mock_llm.dialects import NAMES
from mock_llm.located import MapNode, Node, plain
from mock_llm.matchers import Check, How, Matcher, Part
from mock_llm.patterns import compile_pattern
from mock_llm.reading import is_invalid, read
from mock_llm.shape import At, Either, Enum, Field, Int, Json, Located, MapOf, OneKey, Picked, Record, Str
from mock_llm.template import RUN_VARIABLES, check_names

if TYPE_CHECKING:
    from mock_llm.problems import Problems

_STEP = re.compile(r"""\.([A-Za-z_][\w-]*)|\[(-?\d{1,9})\]|\[(?:'([^']*)'|"([^"]*)")\]""")


def _text(doc: str) -> At:
    """A text that must be contained, or one key that says how it is compared."""
    ways = {
        "contains": Str("Text that must be in it.", allow_empty=True),
        "equals": Str("The whole text.", allow_empty=True),
        "matches": Str("A regular expression that must be found."),
        "lacks": Str("Text that must not be in it."),
    }
    return At(Either((Str(doc, allow_empty=True), OneKey("a comparison", ways)), doc))


_FIELDS = {
    "path": Field(_text("The path of the request.")),
    "model": Field(_text("The model that is asked for.")),
    "dialect": Field(At(Enum(NAMES, "The wire format."))),
    "header": Field(At(MapOf(_text(""), "Headers by name, in any case."))),
    "system": Field(_text("The system text.")),
    "user": Field(_text("A message of the user, the last one or any before it.")),
    "last_user": Field(_text("What the user said since the model's last answer.")),
    "tool_result": Field(_text("A result of a tool since the model's last answer.")),
    "json": Field(
        At(
            MapOf(
                Json(), 'Values in the body by path, such as "$.tools[0].name": a text, a value, equals: ...'
            )
        )
    ),
}
_NTH = {"nth": Field(At(Int("The request's number in its conversation, from 1.", 1)))}

WHEN = Record("a matcher", {**_FIELDS, **_NTH}, "Answers only requests that fit all of it.")
MATCH = Record("a matcher", _FIELDS, "The requests of the lane: those that fit all of it.")


def parse_matcher(value: dict[str, Any], node: Node, problems: Problems) -> Matcher:
    """The checks of a ``WHEN`` or ``MATCH`` record in the order they are written; mistakes are noted."""
    checks: list[Check] = []
    mistakes = len(problems.found)
    for key, found in value.items():
        if not isinstance(found, Located):
            continue
        part = cast("Part", key)
        if key == "header":
            checks += _headers(found, problems)
        elif key == "json":
            checks += _json(found, problems)
        elif key in ("nth", "dialect"):
            checks.append(Check(part, "equals", found.value))
        else:
            checks += _checks(part, found, problems)
    if not checks and not is_invalid(value) and len(problems.found) == mistakes:
        problems.add(
            node.start, node.end, "a matcher needs one of its keys", f"valid here: {', '.join(value)}"
        )
    return tuple(checks)


def parse_json_path(text: str) -> tuple[str | int, ...]:
    """The steps of a path such as ``$.tools[0].name`` or ``$['odd key'][-1]``.

    Raises:
        ValueError: If it is no such path; the message shows where it stops being one.

    >>> parse_json_path("$.tools[0]['a b']")
    ('tools', 0, 'a b')
    """
    if not text.startswith("$"):
        raise ValueError(f"'{text}' is no path into a body: it starts with '$', such as '$.tools[0].name'")
    steps: list[str | int] = []
    at = 1
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            raise ValueError(f"'{text}' is no path into a body from '{text[at:]}' on: '.name' and '[0]' are")
        key, index, single, double = match.groups()
        steps.append(
            int(index) if index is not None else next(k for k in (key, single, double) if k is not None)
        )
        at = match.end()
    return tuple(steps)


def _checks(part: Part, found: Any, problems: Problems, name: str = "") -> list[Check]:
    """The check of a text; none when it has a mistake."""
    if not isinstance(found, Located) or is_invalid(found.value):
        return []
    if not isinstance(found.value, Picked):
        check_names(found.node, RUN_VARIABLES, problems)
        return [Check(part, "contains", found.value, name)]
    how, text = found.value.key, found.value.value
    if is_invalid(text):
        return []
    if how != "matches":
        check_names(found.node, RUN_VARIABLES, problems)
        return [Check(part, cast("How", how), text, name)]
    node = _value_of(found.node)
    try:
        line, column = problems.source.place(node.start)
        place = f"{problems.source.file_at(node.start)}:{line}:{column}"
        return [Check(part, "matches", text, name, compile_pattern(text), place=place)]
    except ValueError as error:
        problems.add(node.start, node.end, str(error))
        return []


def _headers(found: Located, problems: Problems) -> list[Check]:
    checks: list[Check] = []
    for name, value in found.value.items():
        checks += _checks("header", value, problems, name.lower())
    return checks


def _json(found: Located, problems: Problems) -> list[Check]:
    checks: list[Check] = []
    assert isinstance(found.node, MapNode)
    for key, node in found.node.entries:
        try:
            path = parse_json_path(key.text)
        except ValueError as error:
            problems.add(key.start, key.end, str(error))
            continue
        checks += [check._replace(path=path) for check in _json_checks(key.text, node, problems)]
    return checks


def _json_checks(name: str, node: Node, problems: Problems) -> list[Check]:
    """A text is looked for, any other value must be equal; a mapping says how ('equals' takes any value)."""
    if not isinstance(node, MapNode):
        value = plain(node)
        check_names(node, RUN_VARIABLES, problems)
        return [Check("json", "contains" if isinstance(value, str) else "equals", value, name)]
    if [key.text for key, _ in node.entries] == ["equals"]:
        check_names(node, RUN_VARIABLES, problems)
        return [Check("json", "equals", plain(node.entries[0][1]), name)]
    return _checks("json", read(_text(""), node, problems), problems, name)


def _value_of(node: Node) -> Node:
    """The value of a mapping with one key."""
    return node.entries[0][1] if isinstance(node, MapNode) else node
