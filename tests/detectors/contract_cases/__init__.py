"""The guard's own contract at its limits, as data: read by the tests and by ``qa mutate``.

Each case sits on a limit of a rule, so that one step to either side is another verdict. The figures follow from the
published rules: they are worked out from lengths and counts, not copied from what a guard said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    blocks,
    characters,
    costs,
    leak,
    lines,
    near_duplicate,
    paragraph_repeat,
    paragraph_shortcuts,
    turns,
)

if TYPE_CHECKING:
    from harness.lab.mutation_contract import Case

_TOPICS = (
    characters,
    lines,
    paragraph_repeat,
    paragraph_shortcuts,
    near_duplicate,
    leak,
    turns,
    blocks,
    costs,
)
CASES: list[Case] = [case for topic in _TOPICS for case in topic.TOPIC.cases]
