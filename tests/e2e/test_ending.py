"""qa ends at once, and still does what is left to the end of a program: exit handlers, output, threads."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import atexit, sys
sys.argv = ["qa", *sys.argv[1:]]
from harness.entry import main
{before}
main()
"""


def run(*words: str, before: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM.format(before=before), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_exit_handlers_run_before_the_end_and_once() -> None:
    done = run("--version", before="atexit.register(lambda: print('handled'))")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1:] == ["handled"]


def test_what_was_printed_is_there_and_the_exit_code_stays() -> None:
    assert run("list").stdout.endswith("\n")
    wrong = run("run", "no-such-scenario")
    assert (wrong.returncode, "no-such-scenario" in wrong.stderr) == (2, True)


def test_a_thread_that_still_works_is_waited_for() -> None:
    waiting = (
        "import threading\n"
        "main_thread = threading.main_thread()\n"
        "def work():\n"
        "    main_thread.join()\n"
        "    print('worked')\n"
        "threading.Thread(target=work).start()\n"
    )
    assert run("--version", before=waiting).stdout.splitlines()[1:] == ["worked"]


def test_a_profiler_has_the_last_word() -> None:
    command = [sys.executable, "-m", "cProfile", "-m", "harness.entry", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "function calls" in done.stdout) == (0, True)
