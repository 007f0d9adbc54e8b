"""Mistakes of the user: shown without a traceback."""

from __future__ import annotations


class UserError(Exception):
    """Something the user can put right; the text says where and how.

    ``exit_code`` is 2 for a wrong command line or file and 3 for something that cannot run here.
    """

    exit_code = 2


class CannotRun(UserError):
    """Something is missing or cannot be started here."""

    exit_code = 3
