"""YAML text into nodes that remember where they stand.

Scalars follow the core schema of YAML 1.2: ``NO`` and ``on`` are text, ``22:22`` is text, ``012`` is twelve.
Duplicate keys, several documents, tags and self-containing anchors are mistakes. Depth and the number of
values (aliases counted as often as they are used) are bounded, so no text exhausts the stack or the memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, cast

import yaml

from mock_llm.problems import Problems, Source, quoted
from mock_llm.yaml_hints import syntax_place

MAX_DEPTH = 40
MAX_VALUES = 100_000

_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# All that YAML 1.2 does not call printable; said the other way around it takes ten times as long to compile.
_UNPRINTABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")
}
_QUOTES = ("'", '"')
_TAG_HINT = "take it out, or put the text in quotes if '!' belongs to it"
_PLAIN_TAGS = {None, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}


class ScalarNode(NamedTuple):
    """A scalar at ``source.text[start:end]``: its text, and its value by the core schema."""

    start: int
    end: int
    text: str
    value: str | int | float | bool | None


class ListNode(NamedTuple):
    """A list; ``size`` counts all values in it."""

    start: int
    end: int
    items: tuple[Node, ...]
    size: int = 1


class MapNode(NamedTuple):
    """A mapping, its entries in the order they are written; no key comes twice."""

    start: int
    end: int
    entries: tuple[tuple[ScalarNode, Node], ...]
    size: int = 1

    def get(self, name: str) -> Node | None:
        """The value of a key, or None."""
        return next((value for key, value in self.entries if key.text == name), None)


Node = ScalarNode | ListNode | MapNode


def parse_yaml(problems: Problems) -> Node | None:
    """Read ``problems.source``. Mistakes go to ``problems``; None when nothing can be made of the text."""
    source = problems.source
    bad = _UNPRINTABLE.search(source.text)
    if bad:
        problems.add(bad.start(), bad.end(), f"character U+{ord(bad.group()):04X} is not allowed in YAML")
        return None
    composer = _Composer(problems)
    try:
        return composer.compose()
    except yaml.MarkedYAMLError as error:
        start, end, hint = syntax_place(source, error, composer.long_quote)
        problems.add(start, end, f"not valid YAML: {error.problem or error.context}", hint)
    except _Stop:
        pass
    return None


def open_source(file: str, data: str | bytes) -> Problems:
    """The text of a file, without a byte order mark, ready to collect problems.

    Bytes that are not UTF-8 are replaced and the first of them is a problem.
    """
    if isinstance(data, str):
        return Problems(Source(file, data.removeprefix("\ufeff")))
    text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    problems = Problems(Source(file, text))
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        offset = len(data[: error.start].decode("utf-8").removeprefix("\ufeff"))
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        problems.add(offset, offset + 1, message, "save the file as UTF-8")
    return problems


def plain(node: Node) -> Any:
    """The JSON value of a node."""
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, ListNode):
        return [plain(item) for item in node.items]
    return {key.text: plain(value) for key, value in node.entries}


def shifted(node: Node, by: int) -> Node:
    """The node in a text that has ``by`` more characters before it."""
    start, end = node.start + by, node.end + by
    if isinstance(node, ScalarNode):
        return ScalarNode(start, end, node.text, node.value)
    if isinstance(node, ListNode):
        return ListNode(start, end, tuple(shifted(item, by) for item in node.items), node.size)
    entries = ((shifted(key, by), shifted(value, by)) for key, value in node.entries)
    return MapNode(start, end, cast("Any", tuple(entries)), node.size)


def described(node: Node) -> str:
    """What a node is, for messages: ``'many'``, ``12``, ``nothing``, ``a list``."""
    if isinstance(node, ListNode):
        return "a list"
    if isinstance(node, MapNode):
        return "a mapping"
    if node.value is None:
        return "nothing"
    return quoted(node.text) if isinstance(node.value, str) else node.text[:40]


def scalar_value(text: str) -> str | int | float | bool | None:
    """The value of a plain scalar by the core schema of YAML 1.2.

    >>> [scalar_value(text) for text in ("NO", "on", "22:22", "012", "0o12", "1e3", "", "true")]
    ['NO', 'on', '22:22', 12, 10, 1000.0, None, True]
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    try:
        if _INT.fullmatch(text):
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        return (
            float(text.replace(".", "", 1) if text[-1] in "fFnN" else text)
            if _FLOAT.fullmatch(text)
            else text
        )
    except ValueError:  # more digits than Python turns into a number
        return text


class _Stop(Exception):
    """Reading cannot go on; the reason has been noted."""


@dataclass(slots=True)
class _Open:
    """A collection that has not ended yet."""

    start: int
    is_map: bool
    anchor: str | None
    children: list[Node] = field(default_factory=list)


class _Composer:
    """Events into nodes with a stack of our own, so that depth is bounded by us."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._root: Node | None = None
        self._values = 0
        self.long_quote: tuple[int, int] | None = None  # the last quoted text that goes over several lines

    def compose(self) -> Node | None:
        parser = _Parser(self._problems.source.text)
        try:
            while parser.check_event():
                self._take(parser.get_event())
        finally:
            parser.dispose()
        return self._root

    def _take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._check_tag(event)
            is_text = not event.implicit[0] or event.tag is not None
            value = event.value if is_text else scalar_value(event.value)
            start, end = _span(event)
            if event.style in _QUOTES and "\n" in self._problems.source.text[start:end]:
                self.long_quote = start, end
            self._put(ScalarNode(start, end, event.value, value), event.anchor)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._check_tag(event)
            self._open(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close(_span(event)[1])
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, yaml.DocumentStartEvent) and self._root is not None:
            self._stop(
                event, "a second document starts here", "a file holds one document: take this '---' out"
            )

    def _open(self, event: Any) -> None:
        if len(self._stack) >= MAX_DEPTH:
            self._stop(event, f"values are nested more than {MAX_DEPTH} deep")
        self._stack.append(
            _Open(event.start_mark.index, isinstance(event, yaml.MappingStartEvent), event.anchor)
        )

    def _close(self, end: int) -> None:
        done = self._stack.pop()
        size = 1 + sum(_size(child) for child in done.children)
        if done.is_map:
            self._put(MapNode(done.start, end, self._entries(done.children), size), done.anchor)
        else:
            self._put(ListNode(done.start, end, tuple(done.children), size), done.anchor)

    def _put(self, node: Node, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if self._stack:
            self._stack[-1].children.append(node)
        else:
            self._root = node

    def _alias(self, event: Any) -> None:
        node = self._anchors.get(event.anchor)
        if node is None:
            hint = "an anchor '&name' stands before its alias and never contains it"
            quotes = "put the text in quotes if '*' belongs to it"
            self._stop(event, f"alias '*{event.anchor}' has no anchor", hint, quotes)
        self._values += _size(node)
        if self._values > MAX_VALUES:
            self._stop(event, f"aliases expand to more than {MAX_VALUES} values")
        self._put(node, None)

    def _entries(self, children: list[Node]) -> tuple[tuple[ScalarNode, Node], ...]:
        seen: dict[str, ScalarNode] = {}
        entries = []
        for key, value in zip(children[::2], children[1::2], strict=True):
            if not isinstance(key, ScalarNode):
                self._problems.add(key.start, key.end, f"a key is text, got {described(key)}")
            elif key.text in seen:
                line, column = self._problems.source.place(seen[key.text].start)
                hint = f"first used at {line}:{column}"
                self._problems.add(key.start, key.end, f"duplicate key {quoted(key.text)}", hint)
            else:
                seen[key.text] = key
                entries.append((key, value))
        return tuple(entries)

    def _check_tag(self, event: Any) -> None:
        if event.tag not in _PLAIN_TAGS:
            self._problems.add(*_span(event), f"tag {quoted(event.tag)} is not supported", _TAG_HINT)

    def _stop(self, event: Any, message: str, *hints: str) -> NoReturn:
        self._problems.add(*_span(event), message, *hints)
        raise _Stop


def _span(event: Any) -> tuple[int, int]:
    return event.start_mark.index, event.end_mark.index


def _size(node: Node) -> int:
    return 1 if isinstance(node, ScalarNode) else node.size
