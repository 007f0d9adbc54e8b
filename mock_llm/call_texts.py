"""Generated texts in the arguments of a tool call: ``call: {write: {path: a.txt, content: {cycle: {}}}}``.

A mapping with the name of a generator as its only key, and a mapping under it, stands for the text. The same
key in quotes is an ordinary key.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from mock_llm.generators import GENERATORS
from mock_llm.located import ListNode, MapNode, Node, plain
from mock_llm.template import literal
from mock_llm.turn_shape import Call

if TYPE_CHECKING:
    from collections.abc import Callable


class CallTexts(NamedTuple):
    """Puts the texts into calls.

    Attributes:
        source: The text of the file, which tells a key in quotes from one without.
        made: The text that a mapping stands for.
    """

    source: str
    made: Callable[[MapNode], str]

    def sources(self, node: Node) -> list[MapNode]:
        """The mappings in the arguments of calls that stand for texts; ``node`` is one call or several."""
        calls = node.items if isinstance(node, ListNode) else (node,)
        arguments = [value for call in calls if isinstance(call, MapNode) for _tool, value in call.entries]
        return [found for each in arguments for value in _children(each) for found in self._under(value)]

    def filled(self, call: Call, node: Node) -> Call:
        """The call with its texts; ``node`` is where it stands. JSON escapes them as any string."""
        if not isinstance(node, MapNode) or not self.sources(node):
            return call
        arguments = node.entries[0][1]
        assert isinstance(arguments, MapNode)
        value = {key.text: self._value(each) for key, each in arguments.entries}
        return Call(call.tool, json.dumps(value, ensure_ascii=False))

    def _value(self, node: Node) -> Any:
        if isinstance(node, MapNode):
            if self._is_source(node):
                return literal(self.made(node))
            return {key.text: self._value(value) for key, value in node.entries}
        return [self._value(item) for item in node.items] if isinstance(node, ListNode) else plain(node)

    def _under(self, node: Node) -> list[MapNode]:
        if isinstance(node, MapNode) and self._is_source(node):
            return [node]
        return [found for child in _children(node) for found in self._under(child)]

    def _is_source(self, node: MapNode) -> bool:
        if len(node.entries) != 1:
            return False
        key, value = node.entries[0]
        is_plain = self.source[key.start] not in "'\""
        return is_plain and key.text in GENERATORS and isinstance(value, MapNode)


def _children(node: Node) -> tuple[Node, ...]:
    if isinstance(node, ListNode):
        return node.items
    return tuple(value for _key, value in node.entries) if isinstance(node, MapNode) else ()
