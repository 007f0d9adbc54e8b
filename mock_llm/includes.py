"""Lists that take items of other files: ``- include: turns.yaml`` in ``model`` or ``invariants``.

An included file holds a list of the same items, or a script that has the list under the same key; nothing
else of it is taken. Its items stand in the place of the include. What is wrong in it is shown there, with
the places that include it.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from mock_llm.located import ListNode, MapNode, Node, ScalarNode, open_source, parse_yaml, shifted
from mock_llm.problems import quoted
from mock_llm.reading import read
from mock_llm.shape import Field, Invalid, Record, Str

if TYPE_CHECKING:
    from collections.abc import Callable

    from mock_llm.problems import Problem, Problems

    ReadFile = Callable[[str], str]

INCLUDE = Record(
    "an include",
    {"include": Field(Str("Path of a file, relative to this one, that holds more items."), required=True)},
    "Items of another file, in this place.",
)
MOST_FILES = 100


def has_includes(node: Node) -> bool:
    """Whether a list has an item that includes a file."""
    return isinstance(node, ListNode) and any(map(_is_include, node.items))


def expanded(node: Node, key: str, problems: Problems, read_file: ReadFile) -> Node | None:
    """The list with the items of the files that it includes; None when one of them cannot be used.

    Args:
        node: The list.
        key: What the list stands under, here and in a script that is included.
        problems: Takes the mistakes; the texts of the files are added to its source.
        read_file: Gives the text of a file; its ``OSError`` or ``ValueError`` becomes a problem.
    """
    if not isinstance(node, ListNode) or not has_includes(node):
        return node
    items: list[Node] = []
    is_whole = True
    for item in node.items:
        included = _included(item, key, problems, read_file) if _is_include(item) else (item,)
        is_whole = is_whole and included is not None
        items += included or ()
    return ListNode(node.start, node.end, tuple(items), node.size) if is_whole else None


def _is_include(item: Node) -> bool:
    return isinstance(item, MapNode) and item.get("include") is not None


def _included(item: Node, key: str, problems: Problems, read_file: ReadFile) -> tuple[Node, ...] | None:
    value = read(INCLUDE, item, problems)
    if isinstance(value, Invalid) or any(isinstance(each, Invalid) for each in value.values()):
        return None
    assert isinstance(item, MapNode)
    path_node = item.get("include")
    assert isinstance(path_node, ScalarNode)
    node = _load(value["include"], path_node, problems, read_file)
    if node is None:
        return None
    found = node.get(key) if isinstance(node, MapNode) else node
    if not isinstance(found, ListNode):
        what = "has no list" if isinstance(found, ScalarNode) or found is None else "is no list"
        message = f"{quoted(value['include'])} {what} of '{key}'"
        problems.add(path_node.start, path_node.end, message, f"it holds a list, or has '{key}:' at its top")
        return None
    whole = expanded(found, key, problems, read_file)
    return whole.items if isinstance(whole, ListNode) else None


def _load(path: str, at: ScalarNode, problems: Problems, read_file: ReadFile) -> Node | None:
    """The top node of a file, its text added to the source; None with the reason noted."""
    source = problems.source
    relative = posixpath.normpath(posixpath.join(source.folder_at(at.start), path))
    file = posixpath.normpath(posixpath.join(posixpath.dirname(source.file), relative))
    above = source.files_above(at.start)
    if file in map(posixpath.normpath, above):
        chain = " -> ".join((*reversed(above), file))
        problems.add(at.start, at.end, f"{quoted(path)} includes itself: {chain}", "take one include out")
        return None
    if source.files > MOST_FILES:
        problems.add(at.start, at.end, f"more than {MOST_FILES} files are included")
        return None
    try:
        text = read_file(relative)
    except OSError as error:
        problems.add(at.start, at.end, f"cannot read {quoted(path)}: {error.strerror}")
        return None
    except ValueError as error:
        problems.add(at.start, at.end, f"'include': {error}")
        return None
    inner = open_source(file, text)
    node = parse_yaml(inner)
    base = source.append(file, inner.source.text, posixpath.dirname(relative), at.start)
    problems.found += [_with_includers(found, problems, base) for found in inner.found]
    if node is None and not inner.found:
        problems.add(at.start, at.end, f"{quoted(path)} is empty")
    return None if inner.found or node is None else shifted(node, base)


def _with_includers(found: Problem, problems: Problems, base: int) -> Problem:

    places = (f"included by {place}" for place in problems.source.includers(base))
    return found._replace(hints=(*found.hints, *places), text=problems.source.text_at(base))
