"""Why the agent does not start."""

from __future__ import annotations


class StartError(Exception):
    """Something that the user named cannot be used; the message says what and why."""
