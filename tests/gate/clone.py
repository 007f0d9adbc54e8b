"""A clone of the tree with a Python of its own, so that the guard in it can be broken and nothing else is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


class Clone:
    """The tree as it is now, committed in a folder of its own.

    Its Python finds the clone first and then the packages that are installed; the links that make the original
    editable are not followed, since they stand in a ``.pth`` file of a folder that is only named in another.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        self.folder.mkdir()
        for name in ("harness", "mock_llm", "scenarios"):
            shutil.copytree(ROOT / name, self.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "gate.yaml", self.folder)
        (self.folder / ".gitignore").write_text("__pycache__/\n.qa/\nreports/\n")
        self._make_python(folder / "python")
        home = folder / "home"
        home.mkdir()
        keep = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.env = {**keep, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "CI": "1"}
        self.git("init", "-q")
        self.commit("as it is")

    def qa(self, *words: str, **env: str) -> Ended:
        command = [str(self.python), "-m", "harness.cli", *words]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=240,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def git(self, *words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=self.folder, env=self.env, check=True, capture_output=True)

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def edit(self, file: str, old: str, new: str) -> None:
        """Change the one place in a file that reads so."""
        path = self.folder / file
        text = path.read_text()
        assert text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}"
        path.write_text(text.replace(old, new))

    def _make_python(self, folder: Path) -> None:
        (folder / "bin").mkdir(parents=True)
        self.python = folder / "bin" / "python"
        self.python.symlink_to(Path(sys.executable).resolve())
        base = Path(sys.executable).resolve().parent
        (folder / "pyvenv.cfg").write_text(f"home = {base}\ninclude-system-site-packages = false\n")
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        site = folder / "lib" / version / "site-packages"
        site.mkdir(parents=True)
        (site / "clone.pth").write_text(f"{self.folder}\n{sysconfig.get_paths()['purelib']}\n")
