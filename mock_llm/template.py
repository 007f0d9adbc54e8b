"""Names in braces, such as ``{nonce}``, and their values.

A name is letters, digits, ``_`` and ``.`` directly between braces; every other brace is literal, so JSON
needs no care, and neither does the shell's ``${HOME}``. A doubled pair, ``{{name}}``, stands for a literal
``{name}``.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from mock_llm.located import ListNode, Node, ScalarNode
from mock_llm.problems import Problems, did_you_mean
from mock_llm.turn import Part, ToolCall, Turn, content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mock_llm.script import ScriptTurn

RUN_VARIABLES = ("nonce",)
REQUEST_VARIABLES = (
    "request.last_user", "request.model", "request.tool_result", "request.nth", "request.system",
    "request.path", "request.dialect",
)  # fmt: skip

_NAME = re.compile(r"(\$?)(?<!\{)(\{++)([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)(\}++)")


def fill(turn: Turn, variables: Mapping[str, str]) -> Turn:
    """The turn with its templates filled. Every turn of a script is a template until then."""
    return turn._replace(parts=tuple(_filled(part, variables) for part in turn.parts))


def fill_turns(turns: Iterable[ScriptTurn], variables: Mapping[str, str]) -> tuple[ScriptTurn, ...]:
    """The same for all turns of a script, see :func:`fill_turn`."""
    return tuple(fill_turn(turn, variables) for turn in turns)


def fill_turn(turn: ScriptTurn, variables: Mapping[str, str]) -> ScriptTurn:
    """The same for one turn of a script. One that names values of a request stays a template for them."""
    if any("{request." in content(part) for part in turn.turn.parts):
        parts = tuple(_bound(part, variables) for part in turn.turn.parts)
        return turn._replace(turn=turn.turn._replace(parts=parts), is_template=True)
    return turn._replace(turn=fill(turn.turn, variables))


def fill_text(text: str, variables: Mapping[str, str]) -> str:
    """Names replaced by their values and doubled braces by single ones; unknown names stay.

    >>> fill_text('{nonce} {{nonce}} {other} {"a": {}} ${nonce}', {"nonce": "n1"})
    'n1 {nonce} {other} {"a": {}} ${nonce}'
    """
    return substitute(text, lambda name: variables.get(name, f"{{{name}}}"))


def substitute(text: str, value: Callable[[str], str]) -> str:
    """Each name replaced by what ``value`` makes of it, and doubled braces by single ones.

    >>> substitute("{nonce} {{nonce}} ${nonce}", str.upper)
    'NONCE {nonce} ${nonce}'
    """
    return _replaced(text, value, unescape=True)


def bind(text: str, variables: Mapping[str, str]) -> str:
    """Names replaced by their values; the result is still a template, to be filled later.

    >>> bind("{time} {nonce} {{time}}", {"time": "3"})
    '3 {nonce} {{time}}'
    """
    known = {name: literal(value) for name, value in variables.items()}
    return _replaced(text, lambda name: known.get(name, f"{{{name}}}"), unescape=False)


def literal(text: str) -> str:
    """A template that fills to exactly ``text``.

    >>> fill_text(literal("{a} {{a}}"), {"a": "1"})
    '{a} {{a}}'
    """
    if "{" not in text:
        return text
    return _NAME.sub(lambda m: m[0] if m[1] else f"{{{m[0]}}}", text)


def names(text: str) -> list[str]:
    """The names a template uses, in order."""
    return [m[3] for m in _NAME.finditer(text) if not m[1] and min(len(m[2]), len(m[4])) == 1]


def check_names(node: Node, known: Sequence[str], problems: Problems, *more_hints: str) -> None:
    """Note every name under ``node`` that is not ``known``, each at its own place."""
    for scalar in _scalars(node):
        start = scalar.start
        for name in names(scalar.text):
            found = problems.source.text.find(f"{{{name}}}", start, scalar.end)
            at = found if found >= 0 else scalar.start
            start = at + len(name) + 2 if found >= 0 else start
            if name not in known:
                end = start if found >= 0 else scalar.end
                escape = f"write '{{{{{name}}}}}' to mean the braces themselves"
                problems.add(
                    at, end, f"unknown variable '{name}'", did_you_mean(name, known), *more_hints, escape
                )


def _filled(part: Part, variables: Mapping[str, str]) -> Part:
    return _with(part, fill_text, variables)


def _bound(part: Part, variables: Mapping[str, str]) -> Part:
    return _with(part, bind, variables)


def _with(part: Part, change: Callable[[str, Mapping[str, str]], str], variables: Mapping[str, str]) -> Part:
    if not isinstance(part, ToolCall):
        return replace(part, text=change(part.text, variables))
    escaped = {name: json.dumps(value, ensure_ascii=False)[1:-1] for name, value in variables.items()}
    return part._replace(arguments=change(part.arguments, escaped))


def _replaced(text: str, value: Callable[[str], str], *, unescape: bool) -> str:
    if "{" not in text:
        return text

    def put(match: re.Match[str]) -> str:
        dollar, opened, name, closed = match.groups()
        if dollar:
            return match[0]
        if min(len(opened), len(closed)) > 1:
            return match[0][1:-1] if unescape else match[0]
        return opened[1:] + value(name) + closed[1:]

    return _NAME.sub(put, text)


def _scalars(node: Node) -> Iterator[ScalarNode]:
    if isinstance(node, ScalarNode):
        if isinstance(node.value, str):
            yield node
    elif isinstance(node, ListNode):
        for item in node.items:
            yield from _scalars(item)
    else:
        for _key, value in node.entries:
            yield from _scalars(value)
