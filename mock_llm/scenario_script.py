"""The model's side of a scenario file, to be served without the harness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock_llm.located import MapNode, open_source, parse_yaml
from mock_llm.reading import read
from mock_llm.script import Script, ScriptTurn
from mock_llm.script_shape import SCRIPT
from mock_llm.script_yaml import no_files, parse_around, parse_turns
from mock_llm.shape import INVALID, Located

if TYPE_CHECKING:
    from mock_llm.script_yaml import ReadFile


def parse_scenario_script(data: str | bytes, file: str, read_file: ReadFile = no_files) -> Script:
    """The keys of a scenario that a script has too, such as ``model``; those of the harness are left out.

    Raises:
        ScriptError: With every mistake of those keys.
    """
    problems = open_source(file, data)
    node = parse_yaml(problems)
    if isinstance(node, MapNode):
        entries = tuple((key, value) for key, value in node.entries if key.text in SCRIPT.fields)
        node = node._replace(entries=entries)
    value = read(SCRIPT, node, problems) if node else INVALID
    turns: tuple[ScriptTurn, ...] = ()
    if isinstance(value, dict) and isinstance(value["model"], Located):
        turns = parse_turns(value["model"].node, problems, read_file)
    around = parse_around(value, problems, read_file) if isinstance(value, dict) else {}
    problems.raise_any()
    assert isinstance(value, dict)
    return Script(turns, lane=value["lane"], max_requests=value["max_requests"], **around)
