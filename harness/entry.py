"""Where the ``qa`` program begins and ends."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress

from mock_llm.early_interrupt import ends_quietly


def main() -> None:
    """Load the command and run it."""
    ends_quietly()
    from harness.cli import main as command

    try:
        command()
    except SystemExit as ended:
        if isinstance(ended.code, int):
            with suppress(OSError):  # the usual end says what is wrong with the output
                _end_now(ended.code)
        raise


def _end_now(code: int) -> None:
    """End without taking apart all that was loaded, which takes as long as some runs' checks.

    Raises:
        OSError: If the output cannot be written.
    """
    import threading

    if threading.active_count() > 1 or sys.getprofile() or sys.gettrace():
        return  # the usual end waits for them, and lets who looks on have the last word
    atexit._run_exitfuncs()  # noqa: SLF001 - the usual end does this too, and there is no other name for it
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
