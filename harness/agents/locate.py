"""Find an agent's description and its program on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from harness.problems import CannotRun, UserError
from mock_llm.problems import ScriptError, did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.agents.spec import AgentSpec

Source = Literal["mapping", "installed", "path", "embedded"]

DESCRIPTIONS = Path(__file__).parent


class UnknownAgentError(UserError):
    """No description has this name: the command line is wrong."""

    def __init__(self, name: str, known: tuple[str, ...], here: str = "") -> None:
        super().__init__(name, known, here)
        self.name = name
        self.known = known
        self.here = here

    def __str__(self) -> str:
        lines = [
            f"unknown agent {quoted(self.name)}",
            did_you_mean(self.name, self.known),
            f"{quoted(self.here)} is right here: --agent {self.here}" if self.here else "",
            "a path that ends in .yaml names a description of your own; 'qa agents' lists the shipped ones",
        ]
        return "\n  ".join(filter(None, lines))


class AgentMissingError(CannotRun):
    """The description is there, its program is not: the scenario could not run."""

    def __init__(self, spec: AgentSpec, looked_for: str, place: str, cure: str = "") -> None:
        super().__init__(spec.name, looked_for, place, cure)
        self.spec = spec
        self.looked_for = looked_for
        self.place = place
        self.cure = cure

    def __str__(self) -> str:
        name = self.spec.name
        where = f"{self.spec.path}:{self.spec.command_line}" if self.spec.command_line else self.spec.path
        lines = [
            f"agent '{name}' cannot start: no program '{self.looked_for}' {self.place}",
            f"  {where} sets command: [{', '.join(self.spec.command)}]",
            f"  {self._cure()}",
        ]
        return "\n".join(lines)

    def _cure(self) -> str:
        name, install = self.spec.name, self.spec.install
        mapping = f"pass --agent-bin {name}=/path/to/{Path(self.spec.command[0]).name}"
        if not install.is_ours:
            words = self.looked_for.split()
            split = f"write its arguments as words of their own: [{', '.join(words)}]"
            beside = "a path in 'command' is seen from the folder of the description; correct it, or "
            aimed = f"{beside if self.place.startswith('at ') else ''}{mapping}"
            return self.cure or (split if len(words) > 1 else aimed)
        size = f", about {install.size_mb} MB" if install.size_mb else ""
        package = f"{install.source} {install.pinned}{size}"
        return f"install it (qa agents install {name}: {package}), or {mapping}"


class Program(NamedTuple):
    """What to execute: ``argv`` is the program and the description's fixed arguments.

    ``file`` is the agent's own program, where an interpreter of its own stands before it in ``argv``.
    """

    argv: tuple[str, ...]
    source: Source
    file: str = ""


def agent_names() -> tuple[str, ...]:
    """The names of all shipped descriptions, sorted."""
    return tuple(sorted(path.stem for path in DESCRIPTIONS.glob("*.yaml")))


def load_agent(name_or_path: str) -> AgentSpec:
    """Read a description: that of a shipped name, or the file of a path that ends in ``.yaml``.

    Raises:
        UnknownAgentError: No such name.
        UserError: No such file, or the description has mistakes, each with its place.
    """
    from harness.agents.spec_yaml import parse_agent

    shipped = name_or_path in agent_names()
    path = DESCRIPTIONS / f"{name_or_path}.yaml" if shipped else _own(name_or_path)
    try:
        return parse_agent(path.read_bytes(), display_path(path))
    except ScriptError as error:
        raise UserError(str(error)) from error
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None


def _own(name: str) -> Path:
    """The file of a description of the user's own."""
    path = Path(name)
    if path.suffix != ".yaml" and "/" not in name:
        here = f"{name}.yaml"
        raise UnknownAgentError(name, agent_names(), here if os.path.isfile(here) else "")  # noqa: PTH113 - any text
    if not os.path.isfile(path):  # noqa: PTH113 - the same
        raise UserError(f"no such file: {name}\n  'qa agents' lists the shipped descriptions")
    if path.suffix != ".yaml":
        raise UserError(f"{name} does not end in .yaml, so it is no description of an agent")
    return path


def display_path(path: Path) -> str:
    """A path as a person would type it: relative below the working folder, else as it is."""
    absolute = path.absolute()
    return str(absolute.relative_to(Path.cwd())) if absolute.is_relative_to(Path.cwd()) else str(path)


def cache_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Where qa keeps agents: ``TTSR_QA_CACHE``, else ``ttsr-qa`` below the user's cache folder."""
    environ = os.environ if environ is None else environ
    if own := environ.get("TTSR_QA_CACHE"):
        return Path(own)
    xdg = environ.get("XDG_CACHE_HOME", "")
    # The XDG specification says that a relative value is to be ignored.
    home = environ.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - Path.home() fails without one
    if not home.startswith("/"):
        home = "/nonexistent"  # the name of the home that a user of a system does not have
    caches = Path(xdg) if xdg.startswith("/") else Path(home) / ".cache"
    return caches / "ttsr-qa"


def prefix_folder(spec: AgentSpec, cache: Path) -> Path:
    """The private prefix of the pinned version."""
    return cache / "agents" / f"{spec.name}-{spec.install.version}"


def program_path(spec: AgentSpec) -> Path:
    """Where the program is, seen from the prefix."""
    return _programs(spec) / spec.command[0]


def runtime_path(spec: AgentSpec) -> Path | None:
    """Where the interpreter that starts the program is, seen from the prefix; None for the program itself."""
    runtime = spec.install.runtime
    return _programs(spec) / runtime.rpartition("@")[0] if runtime else None


def _programs(spec: AgentSpec) -> Path:
    return Path("node_modules", ".bin") if spec.install.source == "npm" else Path("bin")


def installed_program(spec: AgentSpec, cache: Path) -> Path | None:
    """The program in the private prefix, or None when the pinned version is not installed."""
    if not spec.install.is_ours:
        return None
    program = prefix_folder(spec, cache) / program_path(spec)
    return program if os.access(program, os.X_OK) else None


def find_program(
    spec: AgentSpec, bins: Mapping[str, str] | None = None, environ: Mapping[str, str] | None = None
) -> Program:
    """What to execute for an agent: ``--agent-bin`` wins, then the private prefix, then PATH.

    A command with a slash is a path, relative to the folder of its description.

    Args:
        spec: The description.
        bins: The ``--agent-bin`` mapping, agent name to program.
        environ: The user's environment, for PATH and the cache; ``os.environ`` by default.

    Raises:
        AgentMissingError: No such program; the text says how to get it.
    """
    environ = os.environ if environ is None else environ
    first, rest = spec.command[0], spec.command[1:]
    if given := (bins or {}).get(spec.name):
        found = shutil.which(os.path.expanduser(given), path=environ.get("PATH"))  # noqa: PTH111 - also a bare name
        if found is None:
            raise AgentMissingError(spec, given, "(from --agent-bin)")
        return Program((str(Path(found).absolute()), *rest), "mapping")
    if first == "{python}":
        return Program((sys.executable, *rest), "embedded")
    if "/" in first:
        return Program((_beside(spec), *rest), "path")
    if installed := installed_program(spec, cache_folder(environ)):
        runtime = runtime_path(spec)
        starter = [str(prefix_folder(spec, cache_folder(environ)) / runtime)] if runtime else []
        return Program((*starter, str(installed), *rest), "installed", str(installed))
    if found := shutil.which(first, path=environ.get("PATH")):
        return Program((str(Path(found).absolute()), *rest), "path")
    raise AgentMissingError(spec, first, "on PATH")


def _beside(spec: AgentSpec) -> str:
    """The program of a command that is a path, seen from the description's own folder."""
    path = Path(os.path.normpath(Path(spec.path).parent.absolute() / os.path.expanduser(spec.command[0])))  # noqa: PTH111
    if not path.is_file():
        raise AgentMissingError(spec, spec.command[0], f"at {path}")
    if not os.access(path, os.X_OK):
        raise AgentMissingError(spec, spec.command[0], f"that can be executed at {path}", f"chmod +x {path}")
    with path.open("rb") as file:
        head = file.read(64)
    if head and b"\0" not in head and not head.startswith(b"#!"):
        cure = "start its first line with #! and the interpreter, such as #!/usr/bin/env python3"
        raise AgentMissingError(spec, spec.command[0], f"with a first line '#!' at {path}", cure)
    return str(path)


def package_version(program: Path, package: str) -> str | None:
    """The version of the package that a program belongs to, read from its ``package.json`` or ``METADATA``.

    Starts nothing: an npm program is a link into its package's folder, or into that of a package beside it
    which has the program for one platform; one of PyPI lies in the ``bin`` of its environment.
    """
    import json

    if found := environment_version(program.parent.parent, package):
        return found
    above = program.resolve().parents
    beside = [folder / package for folder in above if folder.name == "node_modules"]
    for folder in (*above, *beside):
        try:
            manifest = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(manifest, dict) and manifest.get("name") == package:
            return str(manifest.get("version"))
    return None


def environment_version(environment: Path, package: str) -> str | None:
    """The version of a Python package in a virtual environment, or None."""
    wanted = _normal(package)
    for metadata in sorted(environment.glob("lib/python*/site-packages/*.dist-info/METADATA")):
        if _normal(metadata.parent.name.partition("-")[0]) != wanted:
            continue
        lines = metadata.read_text(encoding="utf-8", errors="replace").splitlines()
        return next((line.removeprefix("Version: ") for line in lines if line.startswith("Version: ")), None)
    return None


def _normal(package: str) -> str:
    """A package's name as PyPI compares it."""
    return package.lower().replace("_", "-").replace(".", "-")
