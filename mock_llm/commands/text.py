"""``mock-llm text``."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from mock_llm.commands.loading import give_up
from mock_llm.generators import GENERATORS

if TYPE_CHECKING:
    from mock_llm.problems import Problem


@click.command("text")
@click.argument("generator")
@click.argument("parameters", nargs=-1, metavar="[KEY=VALUE]...")
def command(generator: str, parameters: tuple[str, ...]) -> None:
    """Print the text that GENERATOR makes of the parameters, and nothing else.

    A value is written as in a script: 12, true, text, [a, b].
    """
    if generator not in GENERATORS:
        close = get_close_matches(generator, list(GENERATORS), n=1)
        hint = f"did you mean '{close[0]}'?" if close else "'mock-llm generators' lists them"
        give_up(f"no generator '{generator}'; {hint}")
    click.echo(_text(generator, parameters), nl=False)


def _text(generator: str, parameters: tuple[str, ...]) -> str:
    """The text, made by the reader of scripts: so the same values mean the same."""
    from mock_llm.problems import ScriptError
    from mock_llm.script_yaml import parse_script
    from mock_llm.template import fill
    from mock_llm.turn import content

    pairs = [parameter.partition("=") for parameter in parameters]
    for name, equals, _ in pairs:
        if not equals:
            give_up(f"'{name}' is no KEY=VALUE")
    lines = [f"    {json.dumps(name)}: {' '.join(value.splitlines())}" for name, _, value in pairs]
    head = ["model:", "- say:", f"   {generator}:"]
    try:
        [turn] = parse_script("\n".join([*head, *(lines or ["    {}"])]), generator).turns
    except ScriptError as error:
        asked = [generator] * len(head) + list(parameters or [generator])
        give_up("\n".join(_said(problem, asked[problem.line - 1]) for problem in error.problems))
    return "".join(content(part) for part in fill(turn.turn, {}).parts)


def _said(problem: Problem, asked: str) -> str:
    """A mistake beside the word that it is in: nobody has written the lines of this script."""
    return "\n  ".join([f"{asked}: {problem.message}", *problem.hints])
