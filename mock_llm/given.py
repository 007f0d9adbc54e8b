"""What a Python caller gives to be played, as scripts by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

from mock_llm.script import Script, ScriptTurn
from mock_llm.script_yaml import parse_script
from mock_llm.template import literal
from mock_llm.turn import Text, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_REQUESTS = 10_000


def scripts_of(given: Sequence[Any]) -> dict[str, Script]:
    """The scripts by name.

    Args:
        given: Either paths of scripts, scenarios and folders; or one script; or turns, which answer in their
            order whoever asks. A text is a turn that says it; a mapping is a turn as YAML has it.

    Raises:
        TypeError: For anything else, and for a mixture.
        CannotServe: With the pictures of all mistakes in files.
        ScriptError: With the picture of a mistake in a mapping.
    """
    if given and all(isinstance(each, PurePath) for each in given):
        from mock_llm.reload import Watched

        return Watched(cast("Sequence[Path]", given)).load()
    if len(given) == 1 and isinstance(given[0], Script):
        return {"script": given[0]}
    turns = [turn for number, each in enumerate(given, 1) for turn in _turns(each, number)]
    return {"script": Script(tuple(turns), max_requests=MOST_REQUESTS, conversations="one")}


def _turns(given: Any, number: int) -> tuple[ScriptTurn, ...]:
    place = f"turn {number}"
    if isinstance(given, str):
        return (ScriptTurn(Turn((Text(literal(given)),)), place=place),)
    if isinstance(given, Turn):
        return (ScriptTurn(given, place=place),)
    if isinstance(given, ScriptTurn):
        return (given,)
    if isinstance(given, Mapping):
        return parse_script(json.dumps({"model": [given]}, indent=1), place).turns
    raise TypeError(f"turn {number} is a {type(given).__name__}; a text, a mapping or a Turn can be played")
