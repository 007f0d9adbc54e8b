"""The turns of a script as YAML says them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from dataclasses import replace
from errno import EFBIG, EINVAL
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, Any, NamedTuple

from mock_llm.call_texts import CallTexts
from mock_llm.generators import generate, source_shape
from mock_llm.includes import expanded, has_includes
from mock_llm.located import ListNode, MapNode, Node, open_source, parse_yaml
from mock_llm.problems import Problems, quoted
from mock_llm.reading import is_invalid, read
from mock_llm.script import Script, ScriptTurn
from mock_llm.script_shape import SCRIPT
from mock_llm.shape import INVALID, Invalid, Located, OneKey, Picked
from mock_llm.template import REQUEST_VARIABLES, bind, check_names, literal
from mock_llm.timed import at_time, mentions_time
from mock_llm.turn import Part, Refusal, Text, Thinking, ToolCall, Turn, Usage
from mock_llm.turn_shape import Call, TextSources, model_shape, part_shapes

if TYPE_CHECKING:
    from pathlib import Path

    from mock_llm.matchers import Matcher

ReadFile = Callable[[str], str]
MOST_FILE_BYTES = 64 * 1024 * 1024

VARIABLES = ("nonce", "time", *REQUEST_VARIABLES)

_Said = Text | Thinking | Refusal | Call
_TEXTS: Mapping[str, type[Text | Thinking | Refusal]] = {"say": Text, "think": Thinking, "refuse": Refusal}


def no_files(path: str) -> str:
    """A ``read_file`` for text that came from no folder."""
    raise ValueError(f"no file {quoted(path)} can be read here")


def file_reader(folder: Path) -> ReadFile:
    """A ``read_file`` for paths relative to a folder; texts come verbatim, as UTF-8.

    What is no plain file (a device or a pipe may never end) and what is over :data:`MOST_FILE_BYTES` is an
    ``OSError``.
    """

    def read(path: str) -> str:
        file = folder / path
        status = file.stat()
        if not (S_ISREG(status.st_mode) or S_ISDIR(status.st_mode)):
            raise OSError(EINVAL, "it is no plain file")
        if status.st_size > MOST_FILE_BYTES:
            raise OSError(EFBIG, f"it has {status.st_size} bytes; the limit is {MOST_FILE_BYTES} bytes")
        return file.read_bytes().decode("utf-8")

    return read


def parse_turns(node: Node, problems: Problems, read_file: ReadFile = no_files) -> tuple[ScriptTurn, ...]:
    """The turns of a ``model:`` list, ``times`` played out.

    Their strings are templates (see :mod:`mock_llm.template`) with ``{time}`` already bound; texts of files
    and generators are protected. A turn with a mistake is noted in ``problems`` and is an empty turn in the
    result, so that replies can still be counted; the result is empty when they cannot.

    Args:
        node: The list.
        problems: Takes the mistakes.
        read_file: Gives the text of a ``file:``; its ``OSError`` or ``ValueError`` becomes a problem.
    """
    if has_includes(node):
        whole = expanded(node, "model", problems, read_file)
        if whole is None:
            return ()
        node = whole
    values = read(model_shape(), node, problems)
    if isinstance(values, Invalid) or not isinstance(node, ListNode):
        return ()
    turns: list[ScriptTurn] = []
    for value, item in zip(values, node.items, strict=True):
        beside = _beside(problems.source.folder_at(item.start), read_file)
        turns += _TurnReader(item, problems, beside).turns(value, len(turns) + 1)
    countable = not any(isinstance(value, dict) and is_invalid(value["times"]) for value in values)
    return tuple(turns) if countable else ()


def parse_script(data: str | bytes, file: str, read_file: ReadFile = no_files) -> Script:
    """A script file: its turns, its lanes and what every request keeps to.

    Raises:
        ScriptError: With every mistake of the file.
    """
    problems = open_source(file, data)
    node = parse_yaml(problems)
    if node is None and not problems.found:
        problems.add(0, 0, "the file is empty", "start with 'model:' and a list of turns")
    value = read(SCRIPT, node, problems) if node else INVALID
    turns: tuple[ScriptTurn, ...] = ()
    if isinstance(value, dict) and isinstance(value["model"], Located):
        turns = parse_turns(value["model"].node, problems, read_file)
    around = parse_around(value, problems, read_file) if isinstance(value, dict) else {}
    problems.raise_any()
    assert isinstance(value, dict)
    return Script(turns, lane=value["lane"], max_requests=value["max_requests"], **around)


def parse_around(value: Mapping[str, Any], problems: Problems, read_file: ReadFile) -> dict[str, Any]:
    """What surrounds the turns of a script: its ``lanes``, ``invariants`` and ``when_exhausted``.

    Returns:
        The fields of :class:`mock_llm.script.Script` by name.
    """
    if all(value[key] is None for key in ("lanes", "invariants", "when_exhausted")):
        from mock_llm.invariants import ALWAYS

        kept = value.get("conversations")
        return {"invariants": ALWAYS} | ({"conversations": kept} if isinstance(kept, str) else {})
    from mock_llm.lanes_yaml import LaneReader  # few scripts have any

    reader = LaneReader(problems, read_file, parse_turns)
    around = reader.shared(value)
    if isinstance(value["lanes"], Located):
        around["lanes"] = reader.lanes(value["lanes"].node)
    return around


def _beside(folder: str, read_file: ReadFile) -> ReadFile:
    """A ``read_file`` for the paths of an included file."""
    return (lambda path: read_file(posixpath.join(folder, path))) if folder else read_file


def load_script(path: Path) -> Script:
    """:func:`parse_script` of a file; its ``file:`` texts are relative to it.

    Raises:
        ScriptError: With every mistake of the file.
        OSError: If the file itself cannot be read.
    """
    return parse_script(path.read_bytes(), str(path), file_reader(path.parent))


def made_text(part: Picked, problems: Problems, read_file: ReadFile, time: int = 1) -> str:
    """The text of a file or a generator, as ``text_shape`` reads it; empty when a mistake was noted.

    ``time`` is put in the place of ``{time}`` in the parameters of a generator.
    """
    if isinstance(part.value, Invalid) or is_invalid(part.value.value):
        return ""
    value, node = part.value
    if time > 1 and part.key != "file":
        value = read(source_shape(part.key), at_time(node, time), problems)
        if is_invalid(value):
            return ""
    try:
        text: str = read_file(value) if part.key == "file" else generate(part.key, value)
    except OSError as error:
        problems.add(node.start, node.end, f"cannot read {quoted(value)}: {error.strerror}")
    except ValueError as error:
        problems.add(node.start, node.end, f"'{part.key}': {error}")
    else:
        return text
    return ""


class _TurnReader(NamedTuple):
    """Makes the script turns of one item of the list."""

    node: Node
    problems: Problems
    read_file: ReadFile

    def turns(self, value: dict[str, Any] | Invalid, first: int) -> list[ScriptTurn]:
        """One turn for each time the item is played, numbered from ``first``; empty when it has a mistake."""
        source = self.problems.source
        place = f"{source.file_at(self.node.start)}:{source.place(self.node.start)[0]}"
        if isinstance(value, Invalid):
            return [ScriptTurn(Turn(()), place=place)]
        if value["recorded"] is not None:
            from mock_llm.recorded_yaml import recorded_turn  # few scripts are recordings

            recorded = recorded_turn(value, self.node, place, self.problems, self.read_file)
            return [recorded._replace(when=self._when(value["when"]))]
        times = 1 if isinstance(value["times"], Invalid) else value["times"]
        when = self._when(value["when"])
        said = self._said(value, 1)
        if said is None or is_invalid(value):
            return [ScriptTurn(Turn(()), place=place)] * times
        turns = []
        for time in range(1, times + 1):
            if time > 1 and self._counts_along(value):
                said = self._said(value, time) or said
            turn = _turn(said, value["usage"], first + time - 1, time, value["stop"])
            turns.append(ScriptTurn(turn, value["stream"]._replace(fault=value["fault"]), place, when))
        return turns

    def _when(self, found: Located | Invalid | None) -> Matcher:
        if not isinstance(found, Located):
            return ()
        from mock_llm.when_yaml import WHEN, parse_matcher  # few scripts have matchers

        value = read(WHEN, found.node, self.problems)
        return parse_matcher(value, found.node, self.problems) if isinstance(value, dict) else ()

    def _counts_along(self, value: dict[str, Any]) -> bool:
        """Whether generators make another text each time; after a mistake nothing more is made."""
        parts = self._parts(value)
        nodes = [part.value.node for _, part in parts if isinstance(part, Picked) and part.key != "file"]
        for key, part in parts:
            if key == "call":
                nodes += self._call_texts(1).sources(part.node)
        return not self.problems.found and any(map(mentions_time, nodes))

    def _call_texts(self, time: int) -> CallTexts:
        """Makes the texts in the arguments of calls."""

        def made(node: MapNode) -> str:
            part = read(OneKey("a text source", TextSources()), node, self.problems)
            return made_text(part, self.problems, self.read_file, time)

        return CallTexts(self.problems.source.text, made)

    def _parts(self, value: dict[str, Any]) -> list[tuple[str, Any]]:
        """The parts in the order they are written, each with its key."""
        listed = value["parts"]
        if isinstance(listed, tuple):
            return [(part.key, part.value) for part in listed if isinstance(part, Picked)]
        return [(key, part) for key, part in value.items() if key in part_shapes() and part is not None]

    def _said(self, value: dict[str, Any], time: int) -> list[_Said] | None:
        """What the parts say; None when there is none."""
        said: list[_Said] = []
        for key, part in self._parts(value):
            if isinstance(part, Invalid):
                continue
            if key in _TEXTS:
                said.append(_TEXTS[key](self._text(part, time)))
                continue
            check_names(part.node, VARIABLES, self.problems)
            nodes = part.node.items if isinstance(part.node, ListNode) else (part.node,)
            texts, calls = self._call_texts(time), zip(part.value, nodes, strict=True)
            said += [texts.filled(call, node) for call, node in calls if isinstance(call, Call)]
        if said or is_invalid(value):
            return said
        self.problems.add(
            self.node.start,
            self.node.start,
            "a turn needs one of 'say', 'think', 'call' and 'refuse'",
            "such as '- say: Hello.'",
        )
        return None

    def _text(self, part: Located | Picked, time: int) -> str:
        """The template of a text."""
        if isinstance(part, Picked):
            return literal(made_text(part, self.problems, self.read_file, time))
        check_names(part.node, VARIABLES, self.problems)
        return str(part.value)


def _turn(said: list[_Said], usage: Usage | None, number: int, time: int, stop: str | None) -> Turn:
    parts: list[Part] = []
    now = {"time": str(time)}
    for part in said:
        if isinstance(part, Call):
            parts.append(ToolCall(f"call_{number}_{len(parts) + 1}", part.tool, bind(part.arguments, now)))
        else:
            parts.append(replace(part, text=bind(part.text, now)))
    calls = any(isinstance(part, Call) for part in said)
    return Turn(tuple(parts), usage, stop or ("tool" if calls else "stop"))
