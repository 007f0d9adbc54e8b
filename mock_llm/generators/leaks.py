"""Tokens of a chat template that leak into the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mock_llm.generators.generator import Generator, Parameters, by_name
from mock_llm.generators.sentences import Prose, dice_of
from mock_llm.shape import Enum, Field, Int, Record, Str

if TYPE_CHECKING:
    from collections.abc import Callable

# The three forms and their longest names, as the published rule has them.
_TOKEN = re.compile(r"<\|[A-Za-z][A-Za-z0-9_]{0,31}\|>|</?[A-Za-z][A-Za-z0-9_]{0,15}>|\[[A-Z0-9_]{2,16}\]")
_GAPS = {"none": "", "space": " ", "newline": "\n"}
_AROUND: dict[str, Callable[[str, str], str]] = {
    "start": lambda _before, run: run,
    "preamble": lambda _before, run: f"Thinking\n\n{run}",
    "prose": lambda before, run: f"{before} {run}",
    "fence": lambda before, run: f"{before}\n\n```text\n{run}\n```\n",
    "inline-code": lambda before, run: f"{before} `{run}`",
    "block-quote": lambda before, run: f"{before}\n\n> {run}\n",
    "indented": lambda before, run: f"{before}\n\n    {run}\n",
    "quotation": lambda before, run: f'{before} "{run}"',
    "talk": lambda before, run: f"{before} The tokenizer turns this literal into one id: {run}",
}
_LINES = frozenset({"indented", "block-quote"})


def control_token_leak(parameters: Parameters, seed: int) -> str:
    """The same token several times in a row, inside ordinary text."""
    token, context = parameters["token"], parameters["context"]
    if not _TOKEN.fullmatch(token):
        raise ValueError(f"'{token}' has none of the forms <|name|>, <name>, </name> and [NAME]")
    gap = _GAPS[parameters["gap"]]
    if gap == "\n" and context in _LINES:
        gap = "\n> " if context == "block-quote" else "\n    "
    prose = Prose(dice_of(seed))
    before, after = prose.sentence(), prose.sentence()
    run = gap.join([token] * parameters["count"])
    return (
        f"{_AROUND[context](before, run)}\n\n{after}\n"
        if parameters["after"]
        else _AROUND[context](before, run)
    )


GENERATORS = by_name(
    Generator(
        "control-token-leak",
        Record(
            "a control-token leak",
            {
                "token": Field(Str("The token: <|name|>, <name>, </name> or [NAME]."), default="<|im_end|>"),
                "count": Field(Int("How often it comes in a row.", 1, 10_000), default=8),
                "gap": Field(Enum(tuple(_GAPS), "What stands between two."), default="none"),
                "context": Field(
                    Enum(
                        tuple(_AROUND),
                        "Where: at the very start, after a bare 'Thinking', after a sentence, in fenced code,"
                        " in inline code, in a block quote, indented by four, after a quotation mark, or"
                        " after talk about tokens.",
                    ),
                    default="prose",
                ),
                "after": Field(Int("Sentences after it.", 0, 1), default=1),
            },
            "A token of a chat template, several times in a row inside ordinary text.",
        ),
        control_token_leak,
        "The token stands exactly 'count' times, in one run; no other word of the text talks about tokens,"
        " but in the context 'talk'. In block quotes every line is quoted, so the marks stand between.",
    ),
)
