"""The client libraries at their pinned versions, each set of them in an environment of its own.

``python -m tests.sdk.environments`` builds what is missing. An environment stands below the cache folder of
this project under a name made of its pins, so a second run finds it and other pins get another one.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from harness.agents.locate import cache_folder

HERE = Path(__file__).parent
NPM = HERE / "npm"
PYTHON_ENVIRONMENTS = ("main", "pydantic-ai", "instructor")
LEAST_NODE = 20
TIMEOUT_S = 600
SHOWN_LINES = 15


class CannotBuild(Exception):
    """An environment could not be built; the text says why and what to do."""


def python_of(name: str, tell: Callable[[str], None] = print) -> Path:
    """The interpreter of an environment, which is built if it is missing.

    Args:
        name: One of :data:`PYTHON_ENVIRONMENTS`.
        tell: Hears what is built and how long it took.

    Raises:
        CannotBuild: If pip failed or took too long.
    """
    pins = requirements(name)
    key = f"{sys.version_info.major}.{sys.version_info.minor}\n{pins.read_text(encoding='utf-8')}"

    def fill(folder: Path) -> None:
        python = folder / "bin" / "python"
        _run([sys.executable, "-m", "venv", "--without-pip", str(folder)], folder)
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-qq", "--no-input"]
        _run([*pip, "--no-compile", "--disable-pip-version-check", "--no-deps", "-r", str(pins)], folder)

    count = len(pins.read_text(encoding="utf-8").splitlines()) - 1
    return _built(f"python-{name}", key, f"{count} packages", fill, tell) / "bin" / "python"


def npm_folder(tell: Callable[[str], None] = print) -> Path:
    """The folder whose ``node_modules`` holds the npm clients; it is built if it is missing.

    Raises:
        CannotBuild: If Node.js or npm is missing or too old, or npm failed or took too long.
    """
    node, npm = node_program(), shutil.which("npm")
    if node is None or npm is None:
        raise CannotBuild(f"the npm clients need Node.js {LEAST_NODE} or newer, with npm, on PATH")
    lock = (NPM / "package-lock.json").read_text(encoding="utf-8")

    def fill(folder: Path) -> None:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(NPM / name, folder)
        _run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder)

    count = len(json.loads(lock)["packages"]) - 1
    return _built("npm", lock, f"{count} packages", fill, tell)


def node_program() -> str | None:
    """The ``node`` on PATH if it is new enough."""
    node = shutil.which("node")
    if node is None:
        return None
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    found = re.match(r"v(\d+)\.", done.stdout)
    return node if found and int(found[1]) >= LEAST_NODE else None


def requirements(name: str) -> Path:
    """The file with the pins of a Python environment."""
    return HERE / "requirements" / f"{name}.txt"


def pinned(name: str, package: str) -> str:
    """The version at which an environment has a package; ``npm`` is the one of the npm clients."""
    if name == "npm":
        dependencies = json.loads((NPM / "package.json").read_text(encoding="utf-8"))["dependencies"]
        return str(dependencies[package])
    lines = requirements(name).read_text(encoding="utf-8").splitlines()
    return next(line.partition("==")[2] for line in lines if line.startswith(f"{package}=="))


def _built(name: str, key: str, what: str, fill: Callable[[Path], None], tell: Callable[[str], None]) -> Path:
    """The folder of an environment. It appears whole or not at all; a second builder waits for the first."""
    parent = cache_folder() / "sdk"
    parent.mkdir(parents=True, exist_ok=True)
    folder = parent / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    with (parent / f".{name}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder
        for leftover in parent.glob(f".{name}.*.part"):
            shutil.rmtree(leftover, ignore_errors=True)
        tell(f"building the clients' environment '{name}' ({what}, once) ...")
        started_s = time.monotonic()
        fresh = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=".part", dir=parent))
        try:
            fill(fresh)
            fresh.rename(folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        tell(f"built '{name}' in {time.monotonic() - started_s:.0f} s")
    return folder


def _run(command: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise CannotBuild(f"not finished within {TIMEOUT_S} s: {' '.join(command)}") from None
    if done.returncode:
        lines = [line for line in done.stdout.splitlines() if not line.startswith("WARNING")]
        shown = "\n".join(f"  | {line}" for line in lines[-SHOWN_LINES:])
        raise CannotBuild(f"exit code {done.returncode}: {' '.join(command)}\n{shown}")


def main() -> int:
    """Build what is missing: every Python environment, and the npm clients where Node.js is there."""
    try:
        for name in PYTHON_ENVIRONMENTS:
            python_of(name)
        if os.environ.get("CI") or node_program():
            npm_folder()
    except CannotBuild as error:
        sys.stderr.write(f"{error}\n")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
