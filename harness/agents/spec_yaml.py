"""Agent descriptions: YAML text to :class:`AgentSpec`, with every mistake at its place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness.agents.agent_shape import AGENT, DIALECTS, VARIABLES
from harness.agents.spec import (
    AgentSpec,
    DialectSettings,
    GuardSwitches,
    Install,
    OtherGuard,
    SideForm,
    Switch,
)
from harness.readers import READERS, reader_names
from harness.terminal.shapes import terminal_settings
from mock_llm.located import ListNode, MapNode, ScalarNode, open_source, parse_yaml, plain
from mock_llm.problems import did_you_mean, quoted
from mock_llm.reading import read
from mock_llm.template import check_names, names

if TYPE_CHECKING:
    from mock_llm.located import Node
    from mock_llm.problems import Problems, Source
    from mock_llm.shape import Located


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
        values = read(AGENT, root, problems)
        _check_templates(root, problems)
    problems.raise_any()
    assert isinstance(root, MapNode)
    return _spec(values, path, _line(root, "command", problems.source))


def _spec(values: dict[str, Any], path: str, command_line: int) -> AgentSpec:
    session = values["session"] or {"glob": "", "reader": ""}
    same = (
        "command",
        "one_shot",
        "resume",
        "version_probe",
        "model",
        "env",
        "daemons",
        "own_tmp",
        "real_folders",
        "title",
        "notes",
    )
    return AgentSpec(
        name=values["agent"],
        path=path,
        command_line=command_line,
        install=_install(values["install"]),
        dialects=_dialects(values["dialects"]),
        files=_files(values["files"]),
        session_glob=session["glob"],
        reader=session["reader"],
        sides=tuple(SideForm(**side) for side in values["sides"]),
        tools={ours: _tool(tool)["name"] for ours, tool in values["tools"].items()},
        tool_arguments={
            ours: names for ours, tool in values["tools"].items() if (names := _tool(tool)["arguments"])
        },
        final_call=_final_call(values["final_call"]),
        guard=GuardSwitches(**values["guard"] or {}),
        guards=tuple(_guard(guard) for guard in values["guards"]),
        terminal=terminal_settings(values["terminal"]) if values["terminal"] else None,
        **{name: values[name] for name in same},
    )


def _install(value: str | Located) -> Install:
    if isinstance(value, str):
        return Install(source=value)
    found = value.value
    source = "npm" if found["npm"] else "pypi"
    return Install(
        source,
        found[source],
        found["version"],
        found["size_mb"],
        found["with"],
        found["runtime"],
        found["scripts"],
    )


def _tool(value: str | dict[str, Any]) -> dict[str, Any]:
    return {"name": value, "arguments": {}} if isinstance(value, str) else value


def _final_call(found: Located | None) -> tuple[str, str] | None:
    if found is None or not isinstance(found.node, MapNode):
        return None
    ((name, arguments),) = found.node.entries
    return name.text, json.dumps(plain(arguments), ensure_ascii=False)


def _guard(found: dict[str, Any]) -> OtherGuard:
    shows = {channel: words for channel, words in (found["shows"] or {}).items() if words}
    switches = {way: _switch(found[way]) for way in ("on", "off")}
    return OtherGuard(**{**found, **switches, "shows": shows})


def _switch(found: dict[str, Any] | None) -> Switch | None:
    return None if found is None else Switch(found["args"], found["env"], _files(found["files"]))


def _files(found: dict[str, Located]) -> dict[str, str]:
    return {name: _file(content.node) for name, content in found.items()}


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
    for node in (
        root.get("command"),
        root.get("one_shot"),
        root.get("resume"),
        _inner(root, "terminal", "args"),
        root.get("env"),
        root.get("tools"),
        *paths,
        files,
        glob,
    ):
        if node is not None:
            check_names(node, known, problems)
    _check_reader(_inner(root, "session", "reader"), problems)
    _check_install(root.get("install"), problems)
    call = root.get("final_call")
    if call is not None and not (isinstance(call, MapNode) and len(call.entries) == 1):
        problems.add(call.start, call.end, "a call is one tool with its arguments", "such as {complete: {}}")
    _check_guards(root.get("guards"), known, problems)
    for place in (*paths, glob):
        if isinstance(place, ScalarNode):
            _check_place(place, known, problems)
    for arguments in ("one_shot", "resume"):
        _require(root.get(arguments), ("prompt",), problems)
    disable_rule = _inner(root, "guard", "disable_rule")
    if disable_rule is not None:
        check_names(disable_rule, ("rule", "rules"), problems)
    _require(disable_rule, ("rule", "rules"), problems)


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
    if isinstance(node, ScalarNode) and node.text and not _is_reader(node.text):
        message = f"unknown reader {quoted(node.text)}"
        hint = did_you_mean(node.text, reader_names())
        problems.add(node.start, node.end, message, hint, "docs/agents.md lists the readers, under 'session'")


def _check_install(node: Node | None, problems: Problems) -> None:
    """One registry, and nothing that only the other one has."""
    if not isinstance(node, MapNode):
        return
    registries = [key for key, _ in node.entries if key.text in {"npm", "pypi"}]
    if len(registries) != 1:
        problem = "an installation is from 'npm' or from 'pypi'"
        problems.add(node.start, node.end, problem, "name one of the two, with the package")
        return
    for key, _ in node.entries:
        if key.text in {"runtime", "scripts"} and registries[0].text == "pypi":
            problems.add(key.start, key.end, f"{quoted(key.text)} is for packages of npm")


def _check_guards(node: Node | None, known: tuple[str, ...], problems: Problems) -> None:
    """Templates of switches, and where their files are."""
    for guard in node.items if isinstance(node, ListNode) else ():
        for way in ("on", "off"):
            switch = guard.get(way) if isinstance(guard, MapNode) else None
            if switch is not None:
                check_names(switch, known, problems)
            files = switch.get("files") if isinstance(switch, MapNode) else None
            for key, _ in files.entries if isinstance(files, MapNode) else ():
                check_names(key, known, problems)
                _check_place(key, known, problems)


def _check_place(place: ScalarNode, known: tuple[str, ...], problems: Problems) -> None:
    """A place in the private folders; an unknown name in it has been told already, and may be the cause."""
    if place.text.startswith(("{home}/", "{work}/")):
        return
    if {*names(place.text)} <= {*known}:
        message = f"{quoted(place.text)} is outside the agent's private folders"
        problems.add(place.start, place.end, message, "start it with '{home}/' or '{work}/'")


def _require(node: Node | None, any_of: tuple[str, ...], problems: Problems) -> None:
    """Arguments that lack the one template they are for; the first of ``any_of`` is the usual one."""
    if node is not None and not {*any_of} & {*names(json.dumps(plain(node)))}:
        wanted = f"{{{any_of[0]}}}"
        problems.add(node.start, node.end, f"'{wanted}' is missing here", f'add "{wanted}"')


def _inner(root: MapNode, first: str, second: str) -> Node | None:
    outer = root.get(first)
    return outer.get(second) if isinstance(outer, MapNode) else None


def _is_reader(name: str) -> bool:
    """Plug-ins are looked for only when the name is none of ours."""
    return name in READERS or name in reader_names()
