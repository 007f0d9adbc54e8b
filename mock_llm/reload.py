"""Script files on disk: found, loaded, and loaded again when they change."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from mock_llm.problems import ScriptError
from mock_llm.script_yaml import file_reader, parse_script

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mock_llm.script import Script

_MODEL_KEY = re.compile(rb"^(?:\xef\xbb\xbf)?[\"']?model[\"']?\s*:", re.MULTILINE)
_SCENARIO_KEY = re.compile(rb"^(?:\xef\xbb\xbf)?[\"']?scenario[\"']?\s*:", re.MULTILINE)
_UNSAFE = re.compile(r"[^A-Za-z0-9._~-]+")
# First segments of the clients' own paths: a script of that name would take them for itself.
_TAKEN = re.compile(r"v\d.*|models|chat|messages|responses|__.*")
_ENDINGS = frozenset((".yaml", ".yml", ".json"))

Stamp = tuple[int, int, int]


class CannotServe(Exception):
    """The files cannot be served together; the message says why and what to do."""


@dataclass(slots=True)
class ScriptFile:
    """A script or scenario file and what it read; ``changed`` compares times and sizes, it never reads."""

    path: Path
    name: str
    _stamps: dict[Path, Stamp | None] = field(default_factory=dict)

    def load(self) -> Script:
        """The script as it is on disk now, its templates still to be filled.

        Raises:
            ScriptError: With every mistake of the file.
            OSError: If the file cannot be read.
        """
        self._stamps = {self.path: stamp(self.path)}
        data = self.path.read_bytes()
        if _SCENARIO_KEY.search(data):
            from mock_llm.scenario_script import parse_scenario_script

            return parse_scenario_script(data, str(self.path), self._read)
        return parse_script(data, str(self.path), self._read)

    def changed(self) -> bool:
        """Whether the file, or one that it read, is another one than at the last :meth:`load`."""
        return any(stamp(path) != before for path, before in self._stamps.items())

    def _read(self, name: str) -> str:
        path = self.path.parent / name
        self._stamps[path] = stamp(path)
        return file_reader(self.path.parent)(name)


class Reloaded(NamedTuple):
    """A file that has changed: its new script, or the picture of what is wrong with it."""

    name: str
    path: Path
    script: Script | None
    problem: str = ""


class Watched:
    """The scripts of files and folders, loaded, and what becomes of them.

    Args:
        paths: Files and folders.

    Raises:
        CannotServe: If there is no script, or two have the same name.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = tuple(paths)
        self.files = script_files(self._paths)
        self._folders = self._folder_stamps()

    def load(self) -> dict[str, Script]:
        """The scripts by name.

        Raises:
            CannotServe: With the pictures of all mistakes of all files.
        """
        scripts: dict[str, Script] = {}
        problems: list[str] = []
        for file in self.files:
            try:
                scripts[file.name] = file.load()
            except (ScriptError, OSError) as error:
                problems.append(str(error))
        if problems:
            raise CannotServe("\n\n".join(problems))
        return scripts

    def changed(self) -> Iterator[Reloaded]:
        """Every file that has changed since it was loaded, and every new one of a folder.

        A broken one is told once and then left alone until it changes again.
        """
        for file in self.files:
            if file.changed():
                yield _again(file)
        stamps = self._folder_stamps()
        if stamps != self._folders:
            self._folders = stamps
            yield from self._added()

    def _added(self) -> Iterator[Reloaded]:
        known = {file.path for file in self.files}
        try:
            new = tuple(file for file in _named(self._paths) if file.path not in known)
        except CannotServe as error:
            yield Reloaded("", self._paths[0], None, str(error))
            return
        self.files += new
        yield from map(_again, new)

    def _folder_stamps(self) -> dict[Path, Stamp | None]:
        return {path: stamp(path) for path in self._paths if path.is_dir()}


def _again(file: ScriptFile) -> Reloaded:
    try:
        return Reloaded(file.name, file.path, file.load())
    except (ScriptError, OSError) as error:
        return Reloaded(file.name, file.path, None, str(error))


def script_files(paths: Iterable[Path]) -> tuple[ScriptFile, ...]:
    """The scripts among files and folders, each with the name that its path begins with.

    A file is taken whatever it is called; of a folder, those that end in ``.yaml``, ``.yml`` or ``.json``
    and have a ``model:``, sorted by name; scenarios too. The name of a script is its file's, without the
    ending, other characters than letters, digits and ``._~-`` as ``-``.

    Raises:
        CannotServe: If there is none, or two have the same name.
    """
    given = tuple(paths)
    files = _named(given)
    if not files:
        where = ", ".join(map(str, given))
        raise CannotServe(f"no script in {where}\n  a script is a .yaml file with 'model:' at its top")
    return files


def _named(paths: Iterable[Path]) -> tuple[ScriptFile, ...]:
    found = [file for path in paths for file in (_in_folder(path) if path.is_dir() else (path,))]
    files: dict[str, ScriptFile] = {}
    for path in found:
        name = _UNSAFE.sub("-", path.stem)
        if name in files:
            raise CannotServe(
                f"two scripts are named '{name}': {files[name].path} and {path}\n  rename one of them"
            )
        if len(found) > 1 and _TAKEN.fullmatch(name):
            raise CannotServe(
                f"'{name}' cannot be the name of one of several scripts: clients' own paths begin with it"
                f"\n  rename {path}"
            )
        files[name] = ScriptFile(path, name)
    return tuple(files.values())


def stamp(path: Path) -> Stamp | None:
    """What changes when a file is written or replaced; None when it is not there."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _in_folder(folder: Path) -> tuple[Path, ...]:
    files = sorted(path for path in folder.iterdir() if path.suffix in _ENDINGS and path.is_file())
    return tuple(path for path in files if not path.name.startswith(".") and _is_script(path.read_bytes()))


def _is_script(data: bytes) -> bool:
    if data.lstrip().startswith(b"{"):
        return b'"model"' in data
    return bool(_MODEL_KEY.search(data))
