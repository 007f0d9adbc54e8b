"""Scenario files: YAML text to :class:`Scenario`, with every mistake at its place."""

from __future__ import annotations

import os.path
import posixpath
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from harness.place import Place
from harness.problems import UserError
from harness.scenario import Control, Scenario, Step
from harness.scenario_shape import ALL_STEPS, SCENARIO
from harness.steps.driving_arguments import DRIVING_SHAPES
from mock_llm.located import ListNode, MapNode, Node, open_source, parse_yaml
from mock_llm.problems import Problems, ScriptError, did_you_mean, quoted
from mock_llm.reading import is_invalid, read
from mock_llm.script_yaml import ReadFile, file_reader, made_text, no_files, parse_around, parse_turns
from mock_llm.shape import Invalid, Located, Picked
from mock_llm.template import check_names, names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


class ScenarioError(ScriptError, UserError):
    """A scenario file that cannot be used, with all its mistakes."""


_FIELDS = ("text", "last_paragraph", "first_paragraph", "dropped")


def parse_scenario(data: str | bytes, path: str, read_file: ReadFile = no_files) -> Scenario:
    """The scenario of a file's text.

    Args:
        data: The text, or the bytes of the file.
        path: Where it stands; its stem must be the scenario's name.
        read_file: Gives the text of a ``file:``; its ``OSError`` or ``ValueError`` becomes a problem.

    Raises:
        ScenarioError: With every mistake of the file. Nothing else is raised on any bytes.
    """
    problems = open_source(path, data)
    node = parse_yaml(problems)
    if node is None and not problems.found:
        problems.add(
            0, 0, "the file is empty", "start with 'scenario: NAME', then summary, model, prompt, steps"
        )
    value = read(SCENARIO, node, problems) if node else None
    if not isinstance(value, dict):
        problems.raise_any(ScenarioError)
    assert isinstance(value, dict)
    scenario = _Reader(problems, value, read_file).scenario(path)
    problems.raise_any(ScenarioError)
    return scenario


def load_scenario(path: Path) -> Scenario:
    """:func:`parse_scenario` of a file; its ``file:`` texts are relative to it.

    Raises:
        ScenarioError: With every mistake of the file.
        UserError: If the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    return parse_scenario(data, _shown(path), file_reader(path.parent))


def load_scenarios(paths: Iterable[Path]) -> dict[Path, Scenario]:
    """All scenarios, by path and in order.

    Raises:
        UserError: With the mistakes of all files.
    """
    loaded: dict[Path, Scenario] = {}
    mistakes: list[str] = []
    for path in paths:
        try:
            loaded[path] = load_scenario(path)
        except UserError as error:
            mistakes.append(str(error))
    if mistakes:
        raise UserError("\n\n".join(mistakes))
    return loaded


def _shown(path: Path) -> str:
    """The path as people write it: relative when that is shorter."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative


class _Reader:
    """Makes a scenario of its checked values, and checks what several of them say together."""

    def __init__(self, problems: Problems, value: dict[str, Any], read_file: ReadFile) -> None:
        self._problems = problems
        self._value = value
        self._read_file = read_file
        self._turns = (
            parse_turns(value["model"].node, problems, read_file) if _is_read(value["model"]) else ()
        )
        self._around = parse_around(value, problems, read_file)
        ends = self._around.get("when_exhausted", "error") == "error"
        self._replies = len(self._turns) if ends or not self._turns else _most(value["max_requests"])

    def scenario(self, path: str) -> Scenario:
        """The scenario; of no use when a problem was noted."""
        value = self._value
        steps = self._steps()
        return Scenario(
            name=self._name(path),
            summary=value["summary"],
            path=path,
            model=self._turns,
            prompt=self._prompt(),
            then=self._then(),
            steps=tuple(steps),
            tags=value["tags"].value if _is_read(value["tags"]) else (),
            control=self._control([step.label for step in steps]),
            mode=self._mode(),
            files=self._files(),
            timeout_s=value["timeout_s"],
            max_requests=value["max_requests"],
            warnings=tuple(self._warnings()),
            **self._around,
        )

    def _name(self, path: str) -> str:
        if not _is_read(self._value["scenario"]):
            return ""
        name, node = self._value["scenario"]
        stem = posixpath.splitext(posixpath.basename(path))[0]
        if name != stem:
            self._note(
                node,
                f"scenario {quoted(name)} stands in a file named {quoted(stem)}",
                "use one name for both",
            )
        return str(name)

    def _prompt(self) -> str:
        """The prompt; a nonce is appended if it has none, since the lane is recognised by it."""
        if not _is_read(self._value["prompt"]):
            return ""
        prompt, node = self._value["prompt"]
        check_names(node, ("nonce",), self._problems)
        return prompt if "nonce" in names(prompt) else f"{prompt} (ref {{nonce}})"

    def _then(self) -> tuple[str, ...]:
        found = self._then_prompts()
        for _, node in found:
            check_names(node, ("nonce",), self._problems)
        return tuple(prompt for prompt, _ in found)

    def _then_prompts(self) -> list[Located]:
        value = self._value["then"]
        return [] if isinstance(value, Invalid) else [prompt for prompt in value if _is_read(prompt)]

    def _steps(self) -> list[Step]:
        if not _is_read(self._value["steps"]):
            return []
        picked, node = self._value["steps"]
        assert isinstance(node, ListNode)
        counts: dict[str, int] = {}
        return [self._step(pick, counts) for pick in picked if isinstance(pick, Picked)]

    def _mode(self) -> Literal["one-shot", "terminal"]:
        """How the agent is run; the steps and the further runs have to fit."""
        found = self._value["mode"]
        mode: Literal["one-shot", "terminal"] = found.value if _is_read(found) else "one-shot"
        picks = self._value["steps"].value if _is_read(self._value["steps"]) else ()
        driving = [pick for pick in picks if isinstance(pick, Picked) and pick.key in DRIVING_SHAPES]
        if mode == "one-shot" and not isinstance(found, Invalid) and driving:
            message = f"{quoted(driving[0].key)} in a one-shot run"
            self._note(driving[0].key_node, message, "such steps drive a terminal: set 'mode: terminal'")
        if mode == "terminal":
            if picks and not any(pick.key == "type" for pick in driving):
                message = "nothing types the prompt: in a terminal a 'type' step does"
                self._note(found.node, message, "begin the steps with 'type: \"{prompt}\"'")
            for prompt in self._then_prompts():
                self._note(prompt.node, "'then' in a terminal: type the next prompt with a 'type' step")
        return mode

    def _step(self, pick: Picked, counts: dict[str, int]) -> Step:
        counts[pick.key] = count = counts.get(pick.key, 0) + 1
        label = pick.key if count == 1 else f"{pick.key}#{count}"
        args = None
        if _is_read(pick.value):
            args = self._arguments(pick.key, pick.value.value, pick.value.node)
        return Step(pick.key, label, args, self._place(pick.key_node))

    def _arguments(self, kind: str, value: Any, node: Node) -> Any:
        turns, replies = len(self._turns), self._replies
        if turns:
            known = ["nonce", "prompt", *chain.from_iterable(map(_reply_names, range(1, replies + 1)))]
            check_names(node, known, self._problems, f"the model plays {_turns(turns)}")
        if is_invalid(value):
            return None
        try:
            args = ALL_STEPS[kind][1](value)
        except ValueError as error:
            self._note(node, str(error))
            return None
        for field in ("reply", "request", "number") if turns else ():
            number = getattr(args, field, None)
            if number is not None and number > replies:
                written = node.get(field) if isinstance(node, MapNode) else None
                noun = "reply" if field == "reply" else "request"
                self._note(written or node, f"there is no {noun} {number}: the model plays {_turns(turns)}")
        return args

    def _control(self, labels: Sequence[str]) -> Control | None:
        if not _is_read(self._value["control"]):
            return None
        value, node = self._value["control"]
        if not is_invalid(value) and (value["model"] is None) == (not value["disable"]):
            self._note(node, "a control needs one of 'disable' and 'model', and not both")
        turns = (
            parse_turns(value["model"].node, self._problems, self._read_file)
            if _is_read(value["model"])
            else ()
        )
        must_fail = (
            [] if isinstance(value["must_fail"], Invalid) else [n for n in value["must_fail"] if _is_read(n)]
        )
        for name, name_node in must_fail if self._labels_are_known() else ():
            if name not in labels:
                hint = did_you_mean(name, labels)
                self._note(name_node, f"'must_fail' names {quoted(name)}, which is no step here", hint)
        return Control(tuple(name for name, _ in must_fail), value["disable"], turns, self._place(node))

    def _labels_are_known(self) -> bool:
        """Whether every step has a valid kind: otherwise a missing label is no mistake of its own."""
        steps = self._value["steps"]
        return _is_read(steps) and not any(isinstance(pick, Invalid) for pick in steps.value)

    def _files(self) -> dict[str, str]:
        if not _is_read(self._value["files"]):
            return {}
        value, node = self._value["files"]
        assert isinstance(node, MapNode)
        for key, _ in node.entries:
            path = posixpath.normpath(key.text)
            if path.startswith(("/", "..")) or path == "." or "\0" in path:
                self._note(key, f"{quoted(key.text)} is not a relative path inside the working folder")
        return {path: self._file(part) for path, part in value.items()}

    def _file(self, part: Located | Picked | Invalid) -> str:
        if isinstance(part, Picked):
            return made_text(part, self._problems, self._read_file)
        return part.value if isinstance(part, Located) else ""

    def _warnings(self) -> Iterator[str]:
        tags = self._value["tags"]
        if _is_read(tags) and "ttsr" in tags.value and self._value["control"] is None:
            place = self._place(tags.node)
            yield f"{place}: no 'control' in a scenario tagged 'ttsr': nothing shows that its checks can fail"

    def _note(self, node: Node, message: str, *hints: str) -> None:
        self._problems.add(node.start, node.end, message, *hints)

    def _place(self, node: Node) -> Place:
        source = self._problems.source
        return Place(source.file_at(node.start), *source.place(node.start))


def _is_read(value: Any) -> bool:
    """Whether a located value is there."""
    return isinstance(value, Located)


def _most(requests: Any) -> int:
    """How many replies there can be when a script goes on after its last turn."""
    return requests if isinstance(requests, int) else 1


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"


def _reply_names(number: int) -> Iterator[str]:
    for stream in ("", "text.", "thinking.", "tool."):
        yield from (f"reply_{number}.{stream}{field}" for field in _FIELDS)
