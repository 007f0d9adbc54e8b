"""Parameters that count along: ``{time}`` in the parameters of a generator, in a turn with ``times``."""

from __future__ import annotations

from mock_llm.located import ListNode, Node, ScalarNode

TIME = "{time}"


def mentions_time(node: Node) -> bool:
    """Whether a text under ``node`` holds ``{time}``."""
    if isinstance(node, ScalarNode):
        return TIME in node.text
    if isinstance(node, ListNode):
        return any(map(mentions_time, node.items))
    return any(mentions_time(value) for _key, value in node.entries)


def at_time(node: Node, time: int) -> Node:
    """The node in the ``time``-th turn. A value that is only ``{time}`` becomes a whole number."""
    if not mentions_time(node):
        return node
    if isinstance(node, ScalarNode):
        text = node.text.replace(TIME, str(time))
        return node._replace(text=text, value=time if node.text == TIME else text)
    if isinstance(node, ListNode):
        return node._replace(items=tuple(at_time(item, time) for item in node.items))
    return node._replace(entries=tuple((key, at_time(value, time)) for key, value in node.entries))
