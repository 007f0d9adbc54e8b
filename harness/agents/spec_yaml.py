"""Agent descriptions: YAML text to :class:`AgentSpec`, with every mistake at its place."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from harness.agents.spec import AgentSpec, DialectSettings, GuardSwitches, Install, SideForm
from harness.readers import READERS
from mock_llm.located import MapNode, ScalarNode, open_source, parse_yaml, plain
from mock_llm.problems import did_you_mean, quoted
from mock_llm.reading import read
from mock_llm.shape import At, Checked, Either, Enum, Field, Int, Json, ListOf, MapOf, Record, Str
from mock_llm.template import check_names, names

if TYPE_CHECKING:
    from mock_llm.located import Node
    from mock_llm.problems import Problems, Source
    from mock_llm.shape import Located

DIALECTS = ("openai-chat", "anthropic-messages", "openai-responses", "gemini")

VARIABLES = (
    "port",
    "base_url",
    "key",
    "home",
    "work",
    "prompt",
    "model",
    "dialect",
    "nonce",
    "python",
    "here",
)
"""What every template may name, beside the variables of the dialects."""

_NAME = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")


def _name(text: str) -> str:
    """A name that can stand in a folder name and in an option."""
    if not _NAME.fullmatch(text):
        raise ValueError(f"{quoted(text)} is no name: small letters and digits, '-' or '.' between them")
    return text


_WORDS = ListOf(Str(allow_empty=True))
_PROGRAM = ListOf(Str(), "The program, then its fixed arguments.", at_least=1)
_SETTINGS = MapOf(Str(allow_empty=True), "Values for templates in this dialect.")

_NPM = Record(
    "an installation",
    {
        "npm": Field(Str("The package."), required=True),
        "version": Field(Checked(Str("The pinned version."), _name), required=True),
        "size_mb": Field(Int("Room that it takes, in MB.", at_least=0), default=0),
    },
)

_SESSION = Record(
    "the session",
    {
        "glob": Field(Str("Where the session file appears."), required=True),
        "reader": Field(Str("Id of the reader that understands it."), required=True),
    },
)

_GUARD = Record(
    "the guard",
    {
        "rules": Field(ListOf(Str(), "Ids of the rules it can report.", at_least=1), required=True),
        "off": Field(_WORDS, default=()),
        "disable_rule": Field(_WORDS, default=()),
        "interrupt_marker": Field(Str("Text in the request that tells the model."), default=""),
        "truncation_marker": Field(Str("Text behind what was kept of a reply."), default=""),
        "output_marker": Field(Str("What the agent prints when it has stopped a reply."), default=""),
    },
)

_SIDE = Record(
    "a side request",
    {
        "name": Field(Str("What it is for."), required=True),
        "contains": Field(Str("Text that gives it away."), required=True),
        "say": Field(Str("The answer."), default="ok"),
    },
)

_AGENT = Record(
    "an agent description",
    {
        "agent": Field(Checked(Str("The name on the command line."), _name), required=True),
        "title": Field(Str("A few words for lists."), default=""),
        "command": Field(_PROGRAM, required=True),
        "one_shot": Field(ListOf(Str(), "Arguments of a run with one prompt."), required=True),
        "version_probe": Field(_WORDS, default=("--version",)),
        "install": Field(
            Either((Enum(("own", "embedded")), _NPM), "How to get it; `own`: the program is the user's."),
            default="own",
        ),
        "model": Field(Str("The model's name."), default="mock-model"),
        "dialects": Field(At(Record("the dialects", {d: Field(_SETTINGS) for d in DIALECTS})), required=True),
        "env": Field(MapOf(Str(allow_empty=True)), default={}),
        "files": Field(
            MapOf(At(Json()), "Seeded files: text, or a mapping to be written as JSON."), default={}
        ),
        "session": Field(_SESSION),
        "sides": Field(ListOf(_SIDE), default=()),
        "guard": Field(_GUARD),
        "tools": Field(MapOf(Str()), default={}),
        "real_folders": Field(ListOf(Str()), default=()),
        "notes": Field(ListOf(Str()), default=()),
    },
)


def parse_agent(text: str | bytes, path: str) -> AgentSpec:
    """Read a description.

    Args:
        text: The YAML text, or the bytes of the file.
        path: The file's name, for messages only.

    Raises:
        ScriptError: All mistakes of the text, each with its place.
    """
    problems = open_source(path, text)
    root = parse_yaml(problems)
    problems.raise_any()
    if root is None:
        problems.add(0, 0, "the file is empty", "an agent description starts with 'agent: NAME'")
    else:
        values = read(_AGENT, root, problems)
        _check_templates(root, problems)
    problems.raise_any()
    assert isinstance(root, MapNode)
    return _spec(values, path, _line(root, "command", problems.source))


def _spec(values: dict[str, Any], path: str, command_line: int) -> AgentSpec:
    session = values["session"] or {"glob": "", "reader": ""}
    same = ("command", "one_shot", "version_probe", "model", "env", "tools", "real_folders", "title", "notes")
    return AgentSpec(
        name=values["agent"],
        path=path,
        command_line=command_line,
        install=_install(values["install"]),
        dialects=_dialects(values["dialects"]),
        files={name: _file(content.node) for name, content in values["files"].items()},
        session_glob=session["glob"],
        reader=session["reader"],
        sides=tuple(SideForm(**side) for side in values["sides"]),
        guard=GuardSwitches(**values["guard"] or {}),
        **{name: values[name] for name in same},
    )


def _install(value: str | dict[str, Any]) -> Install:
    if isinstance(value, str):
        return Install(source=value)
    return Install("npm", value["npm"], value["version"], value["size_mb"])


def _dialects(found: Located) -> tuple[DialectSettings, ...]:
    """In the order of the file: the first one is the default."""
    assert isinstance(found.node, MapNode)
    return tuple(DialectSettings(key.text, found.value[key.text]) for key, _ in found.node.entries)


def _file(node: Node) -> str:
    return node.text if isinstance(node, ScalarNode) else json.dumps(plain(node), ensure_ascii=False) + "\n"


def _line(root: MapNode, name: str, source: Source) -> int:
    return next(source.place(key.start)[0] for key, _ in root.entries if key.text == name)


def _check_templates(root: Node, problems: Problems) -> None:
    """Names that nothing fills, and the few that must be there."""
    if not isinstance(root, MapNode):
        return
    files = root.get("files")
    paths = [key for key, _ in files.entries] if isinstance(files, MapNode) else []
    glob = _inner(root, "session", "glob")
    known = (*VARIABLES, *_dialect_variables(root, problems))
    for node in (root.get("command"), root.get("one_shot"), root.get("env"), *paths, files, glob):
        if node is not None:
            check_names(node, known, problems)
    _check_reader(_inner(root, "session", "reader"), problems)
    for place in (*paths, glob):
        if isinstance(place, ScalarNode) and not place.text.startswith(("{home}/", "{work}/")):
            message = f"{quoted(place.text)} is outside the agent's private folders"
            problems.add(place.start, place.end, message, "start it with '{home}/' or '{work}/'")
    _require(root.get("one_shot"), "prompt", problems)
    disable_rule = _inner(root, "guard", "disable_rule")
    if disable_rule is not None:
        check_names(disable_rule, ("rule",), problems)
    _require(disable_rule, "rule", problems)


def _dialect_variables(root: MapNode, problems: Problems) -> tuple[str, ...]:
    """The variables of the dialects; each dialect sets all of them, or a template would have a gap."""
    dialects = root.get("dialects")
    if not isinstance(dialects, MapNode):
        return ()
    if not dialects.entries:
        hint = did_you_mean("", DIALECTS)
        problems.add(dialects.start, dialects.end, "an agent speaks at least one dialect", hint)
    spoken = [(key, value) for key, value in dialects.entries if isinstance(value, MapNode)]
    variables = tuple(dict.fromkeys(key.text for _, settings in spoken for key, _ in settings.entries))
    for dialect, settings in spoken:
        missing = ", ".join(quoted(name) for name in variables if settings.get(name) is None)
        if missing:
            message = f"{quoted(dialect.text)} does not set {missing}"
            problems.add(dialect.start, dialect.end, message, "another dialect does: set it in each")
    return variables


def _check_reader(node: Node | None, problems: Problems) -> None:
    if isinstance(node, ScalarNode) and node.text and node.text not in READERS:
        message = f"unknown reader {quoted(node.text)}"
        hints = dict.fromkeys((did_you_mean(node.text, tuple(READERS)), f"readers: {', '.join(READERS)}"))
        problems.add(node.start, node.end, message, *hints)


def _require(node: Node | None, name: str, problems: Problems) -> None:
    """Arguments that lack the one template they are for."""
    if node is not None and name not in names(json.dumps(plain(node))):
        wanted = f"{{{name}}}"
        problems.add(node.start, node.end, f"'{wanted}' is missing here", f'add "{wanted}"')


def _inner(root: MapNode, first: str, second: str) -> Node | None:
    outer = root.get(first)
    return outer.get(second) if isinstance(outer, MapNode) else None
