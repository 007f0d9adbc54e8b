"""What holds for every test."""

from __future__ import annotations

import signal

# A shell that puts a program into the background lets it ignore these, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
for _number in (signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
    signal.signal(_number, signal.SIG_DFL)
