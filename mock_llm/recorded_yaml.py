"""A turn of a script that is a recorded exchange: ``recorded: FILE``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mock_llm.problems import quoted
from mock_llm.reading import is_invalid
from mock_llm.recorded import read_recorded
from mock_llm.script import ScriptTurn, Stream
from mock_llm.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mock_llm.located import Node
    from mock_llm.problems import Problems
    from mock_llm.shape import Located

_BESIDE = ("recorded", "stream", "fault", "when", "times")


def recorded_turn(
    value: Mapping[str, Any], node: Node, place: str, problems: Problems, read_file: Callable[[str], str]
) -> ScriptTurn:
    """The turn of a recording, with what stands beside it in the script.

    A ``stream`` beside it replaces the recorded cut and pace, except for ``until`` and gates, which are
    added to them; a ``fault`` replaces that of the recording.

    Args:
        value: The keys of the turn as they were read.
        node: The turn.
        place: ``file:line`` for messages.
        problems: Takes the mistakes; the turn is then an empty one.
        read_file: Gives the text of a recording.
    """
    empty = ScriptTurn(Turn(()), place=place)
    found: Located = value["recorded"]
    if any(is_invalid(value[key]) for key in ("recorded", "stream", "fault")):
        return empty
    beside = next((key for key, each in value.items() if each is not None and key not in _BESIDE), None)
    if beside or value["times"] != 1:
        message = f"'{beside or 'times'}' says nothing of a recorded turn"
        problems.add(node.start, node.start, message, "remove it, or remove 'recorded'")
        return empty
    texts: list[str] = []
    for path in found.value:
        try:
            texts.append(_untorn(read_file, path))
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            problems.add(found.node.start, found.node.end, f"cannot read {quoted(path)}: {why}")
            return empty
    try:
        turn, recorded = read_recorded(texts)
    except ValueError as error:
        problems.add(found.node.start, found.node.end, f"{quoted(found.value[-1])}: {error}")
        return empty
    stream = _beside(recorded, value["stream"])
    return ScriptTurn(turn, stream._replace(fault=value["fault"] or stream.fault), place)


def _untorn(read_file: Callable[[str], str], path: str) -> str:
    """The text of a recording whose last character may have been torn when the recorder was killed."""
    try:
        return read_file(path)
    except UnicodeDecodeError as error:
        if error.end != len(error.object) or error.reason != "unexpected end of data":
            raise
        return error.object[: error.start].decode("utf-8")


def _beside(recorded: Stream, written: Stream) -> Stream:
    """The stream of a recorded turn: what is written in the script wins over the recording."""
    if written == Stream():
        return recorded
    is_paced_anew = written.deltas or written.chars_per_delta or written.every_ms
    return written._replace(
        recorded=() if is_paced_anew else recorded.recorded,
        first_after_ms=written.first_after_ms or (0 if is_paced_anew else recorded.first_after_ms),
        fault=recorded.fault,
    )
