"""Arguments of a tool call as JSON, in which a string runs in circles."""

from __future__ import annotations

import json

from mock_llm.generators.cycles import cycle
from mock_llm.generators.generator import Generator, Parameters, by_name
from mock_llm.generators.writers import SCRIPT
from mock_llm.shape import Bool, Enum, Field, Int, Record


def json_escaped_loop(parameters: Parameters, seed: int) -> str:
    """The JSON text of tool arguments in which a line, a paragraph or an entry comes again and again."""
    repeats, is_array = parameters["repeats"], parameters["form"] == "array"
    units = "line" if is_array else parameters["units"]
    once = cycle({**parameters, "units": units, "repeats": 1, "chars": None}, seed)
    if is_array:
        text = json.dumps({"items": once.splitlines() * repeats}, ensure_ascii=False)
    else:
        text = json.dumps({"path": "notes/plan.md", "content": once * repeats}, ensure_ascii=False)
    for _ in range(parameters["depth"] - 1):
        text = json.dumps({"arguments": text}, ensure_ascii=False)
    if parameters["closed"]:
        return text
    return text[: -len('"]}' if is_array else '"}')] if parameters["depth"] == 1 else text[: -len('"}')]


GENERATORS = by_name(
    Generator(
        "json-escaped-loop",
        Record(
            "a JSON-escaped loop",
            {
                "form": Field(
                    Enum(("string", "array"), "What loops: one string, or its entries."), default="string"
                ),
                "units": Field(Enum(("line", "paragraph"), "What a string consists of."), default="line"),
                "period": Field(Int("Units of one cycle.", 1, 200), default=2),
                "repeats": Field(Int("How often the cycle comes.", 1, 100_000), default=12),
                "depth": Field(Int("Times it is escaped; 2 is JSON inside JSON.", 1, 3), default=1),
                "closed": Field(
                    Bool("Whether the JSON ends, or breaks off before its last quote."), default=True
                ),
                "script": SCRIPT,
            },
            "The arguments of a tool call as text, in which one string loops. In a call take 'cycle' instead:"
            " arguments are escaped anyway.",
        ),
        json_escaped_loop,
        "One line without a line break: JSON that 'depth' times decoded gives 'period' distinct units in"
        " turn, 'repeats' times each. Not closed, it lacks the last quote and the brackets after it.",
    ),
)
