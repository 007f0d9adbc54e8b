"""The private world of one run: its own HOME, working folder and environment."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from harness.containment import real_home
from harness.containment.processes import TOKEN_VARIABLE
from harness.redact import Masks, secrets_of

if TYPE_CHECKING:
    from collections.abc import Mapping

ALLOWED_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SHELL", "USER", "LOGNAME", "SYSTEMROOT")
"""All that an agent sees of the user's environment: no key, no proxy, no settings of another agent."""


PREFIX = "ttsr-qa-"
"""How the name of every private folder begins."""


class Sandbox(NamedTuple):
    """The folders of one run, below one root that is removed afterwards."""

    root: Path
    home: Path
    work: Path
    token: str

    @property
    def key(self) -> str:
        """The key that the agent is given."""
        return f"sk-qa-{self.token}"

    @property
    def own_tmp(self) -> Path:
        """What is /tmp to an agent that has one of its own."""
        return self.root / "own-tmp"

    def create(self) -> None:
        """Make the folders, readable by the user alone.

        Raises:
            OSError: If they cannot be made.
        """
        self.root.mkdir(mode=0o700)
        for folder in (self.home, self.work, self.root / "tmp", self.own_tmp):
            folder.mkdir()

    def remove(self) -> None:
        """Delete everything: see :func:`remove_tree`."""
        remove_tree(str(self.root))


def new_sandbox(token: str) -> Sandbox:
    """The folders of a run, not made yet: who cleans up has to know their names before they are there.

    Raises:
        OSError: If there is no folder for temporary files.
    """
    return sandbox_at(Path(tempfile.gettempdir()).resolve() / f"{PREFIX}{token}")


def sandbox_at(root: Path) -> Sandbox:
    """The folders of the run whose root this is."""
    return Sandbox(root, root / "home", root / "work", root.name.removeprefix(PREFIX))


def masks_of(box: Sandbox) -> Masks:
    """What must not be kept of a run: the user's secrets, its own key, and where its folders were."""
    own = {str(box.home): "[HOME]", str(box.work): "[WORK]", str(box.root): "[SANDBOX]", box.key: "[KEY]"}
    users = dict.fromkeys(real_home.homes(), "[USER-HOME]")
    return Masks({**users, **secrets_of(os.environ), **own})


def remove_tree(folder: str) -> None:
    """Delete a folder whatever an agent has made of it: with closed folders in it, or nested too deeply."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        import subprocess

        for command in (["chmod", "-R", "u+rwx", folder], ["rm", "-rf", folder]):
            with suppress(OSError):
                subprocess.run(command, check=False, capture_output=True)  # noqa: S603 - fixed words and our path


def environment(sandbox: Sandbox, outer: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """The environment of the agent: the allowed part of ``outer``, private folders, then its ``own``."""
    allowed = {name: outer[name] for name in ALLOWED_VARIABLES if name in outer}
    home = sandbox.home
    private = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "TMPDIR": str(sandbox.root / "tmp"),
        "TERM": "xterm-256color",
        TOKEN_VARIABLE: sandbox.token,
    }
    return {"LANG": "C.UTF-8", **allowed, **private, **own}


def seed(sandbox: Sandbox, files: Mapping[Path, str]) -> None:
    """Write the agent's and the scenario's files. A path outside the sandbox is an error.

    Raises:
        ValueError: If a file would be written outside the sandbox.
    """
    for path, text in files.items():
        target = path.resolve()
        if not target.is_relative_to(sandbox.root):
            raise ValueError(f"'{path}' is outside the private folders of the run")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
