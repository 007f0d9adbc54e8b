"""Makes ``harness/terminal/ghostty_types.py`` from the installed pyghostty:

python -m tests.terminal.make_ghostty_types
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from harness.terminal.ghostty_library import made_from

TARGET = Path(__file__).parents[2] / "harness/terminal/ghostty_types.py"

# In a process of its own: pyghostty must load as it does by itself.
MAKE = """
import sys, cffi
declared = []
plain = cffi.FFI.cdef
def cdef(self, text, *rest, **options):
    declared.append(text)
    plain(self, text, *rest, **options)
cffi.FFI.cdef = cdef
import pyghostty
maker = cffi.FFI()
for text in declared:
    plain(maker, text)
maker.set_source("harness.terminal.ghostty_types", None)
maker.emit_python_code(sys.argv[1])
"""


def package() -> Path:
    """Where pyghostty is installed."""
    spec = find_spec("pyghostty")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def made() -> str:
    """The whole file."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "made.py"
        subprocess.run([sys.executable, "-c", MAKE, str(path)], check=True, stdout=subprocess.DEVNULL)
        body = path.read_text().partition("\n")[2]
    ast.parse(body)
    head = '"""The types of the Ghostty library; made by tests/terminal/make_ghostty_types.py."""\n'
    return f'{head}{body}\nMADE_FROM = "{made_from(package())}"\n'


if __name__ == "__main__":
    TARGET.write_text(made())
