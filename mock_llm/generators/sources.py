"""Source text: code and a diff. Healthy, though function resembles function."""

from __future__ import annotations

from mock_llm.generators.generator import Generator, Parameters, by_name
from mock_llm.generators.sentences import Decks, dice_of, different
from mock_llm.generators.software import BANKS
from mock_llm.shape import Bool, Field, Int, Record

_BODIES = (
    "    return [each for each in {noun}s if each.{field} is not None]",
    "    found = sorted({noun}s, key=lambda each: each.{field})\n    return found[:limit]",
    "    for each in {noun}s:\n        if each.{field} > limit:\n            yield each",
    '    with open(path, encoding="utf-8") as source:\n        return {noun}_from(source.read())',
    '    if not {noun}s:\n        raise ValueError("no {noun} has a {field}")\n    return {noun}s[0]',
    "    total = sum(each.{field} for each in {noun}s)\n    return total / max(len({noun}s), 1)",
    "    groups = {}\n    for each in {noun}s:\n        groups[each.{field}] = each\n    return groups",
    "    try:\n        return {noun}s[limit].{field}\n    except IndexError:\n        return None",
    "    seen = set()\n    while {noun}s:\n        seen.add({noun}s.pop().{field})\n    return seen",
    "    return {each.{field}: each for each in {noun}s[:limit]}",
)
_TOLD = (
    "{verb} every {noun} by its {field}, {purpose}",
    "what is needed to {verb} a {noun}, {purpose}",
    "the {field} decides, {purpose}",
    "{purpose}, a {noun} keeps its {field}",
)
_CONTEXTS = (
    "from app.{package} import {noun}s",
    "    {noun} = load_{noun}({field})",
    "    return {noun}.{field}",
    "    if {noun}.{field} is None:",
    "    assert {noun}.{field} == expected",
    "    log.info('{verb} {noun}')",
    "class {noun}View:",
    "    def {verb}(self, {noun}):",
    "        self.{field} = {noun}.{field}",
)
_EDITS = (
    ("from {package}.{noun} import {verb}", "from app.{package}.{noun} import {verb}"),
    ("    {verb}_{noun}({field})", "    {verb}_{noun}({field}, strict=True)"),
    ("    {field} = {noun}['{field}']", "    {field} = {noun}.get('{field}')"),
    ("    # {purpose}", "    # {purpose}; see {package}"),
)


def code(parameters: Parameters, seed: int) -> str:
    """A Python module."""
    dice = dice_of(seed)
    decks = Decks(dice)
    names = different(lambda: decks.fill("{verb}_{noun}s_by_{field}", BANKS), parameters["functions"])
    functions = []
    for name in names:
        verb, _, rest = name.partition("_")
        noun, _, field = rest.partition("s_by_")
        told = decks.draw("told", _TOLD)
        words = {
            "verb": (verb,),
            "noun": (noun,),
            "field": (field,),
            "purpose": (decks.fill("{purpose}", BANKS),),
        }
        text = Decks(dice).fill(told, words)
        body = (
            Decks(dice).fill(decks.draw("body", _BODIES).replace("{each", "{{each"), words).replace("{{", "{")
        )
        head = f"def {name}({noun}s, limit=None, path=None):"
        functions.append(f'{head}\n    """{text[0].upper()}{text[1:]}."""\n{body}\n')
    module = "\n\n".join(functions)
    return f"```python\n{module}```\n" if parameters.get("fenced", True) else module


def diff(parameters: Parameters, seed: int) -> str:
    """A unified diff over many files."""
    dice = dice_of(seed)
    decks = Decks(dice)
    paths = different(lambda: decks.fill("src/{package}/{noun}_{verb}.py", BANKS), parameters["files"])
    return "".join(_file(path, decks, dice.randint(1, 400)) for path in paths)


def _file(path: str, decks: Decks, line: int) -> str:
    """The part of one file: a hunk of seven lines of which one is changed."""
    words = {name: (decks.fill(f"{{{name}}}", BANKS),) for name in BANKS}
    old, new = _EDITS[line % len(_EDITS)]
    context = [decks.fill(decks.draw("context", _CONTEXTS), BANKS) for _ in range(6)]
    alone = Decks(decks.dice)
    lines = [
        *(f" {each}" for each in context[:3]),
        f"-{alone.fill(old, words)}",
        f"+{alone.fill(new, words)}",
    ]
    lines += [f" {each}" for each in context[3:]]
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{line},7 +{line},7 @@\n"
    return head + "".join(f"{each}\n" for each in lines)


GENERATORS = by_name(
    Generator(
        "code",
        Record(
            "code",
            {
                "functions": Field(Int("How many functions.", 1, 8000), default=20),
                "fenced": Field(Bool("Within a Markdown fence, or bare."), default=True),
            },
            "A Python module of small functions.",
        ),
        code,
        "Python that compiles: 'functions' functions, no two with the same name, each with a docstring and"
        " one of ten bodies; two blank lines between them.",
    ),
    Generator(
        "diff",
        Record(
            "a diff",
            {"files": Field(Int("How many files.", 1, 8000), default=16)},
            "A unified diff, a small change in each of many files.",
        ),
        diff,
        "'files' files, no two with the same path, one hunk each: three lines of context before and after one"
        " line that is replaced; no blank line.",
    ),
)
