"""Writes the tables of docs/scenarios.md and docs/agents.md from the shapes that the reader itself uses.

Run ``python tests/docs/reference.py`` after a shape has changed; tests compare the pages with the shapes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.agents.agent_shape import AGENT, VARIABLES
from harness.detectors.mechanisms import PUBLISHED
from harness.scenario_shape import CONTROL, SCENARIO
from harness.steps.arguments import STEP_SHAPES
from harness.steps.driving_arguments import DRIVING_SHAPES
from harness.steps.wording import count
from mock_llm.generators import GENERATORS, generate
from mock_llm.generators.figures import RING, Figures, figures_of
from mock_llm.generators.generator import SHARED
from mock_llm.shape import (
    At,
    Bool,
    Checked,
    Either,
    Enum,
    Field,
    Int,
    Json,
    ListOf,
    MapOf,
    Num,
    OneKey,
    Record,
    Str,
)
from mock_llm.turn_shape import turn_shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mock_llm.shape import Shape

DOCS = Path(__file__).parents[2] / "docs"
START, END = "<!-- tables: start -->\n", "<!-- tables: end -->\n"


def with_tables(page: str, name: str = "scenarios.md") -> str:
    """The text of a page with its tables renewed."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    tables = "\n".join(PAGES[name]())
    return f"{before}{START}{tables}\n{END}{after}"


def _of_agents() -> Iterator[str]:
    yield from _section("## A description", AGENT)
    for name, field in _fields(AGENT).items():
        inner = _plain(field.shape)
        inner = _plain(inner.item) if isinstance(inner, ListOf) else inner
        if _fields(inner):
            yield from _section(f"### `{name}`", inner)
    yield "\n## Templates\n\nBeside these, the names that the dialects set.\n\n| name | its value |\n|---|---|"
    yield from (f"| `{{{name}}}` | {_cell(value)} |" for name, value in VARIABLES.items())
    yield "\n## Rules of the reference agent\n\nFor `rule`, `mechanism` and `disable` in scenarios."
    yield "\n| rule | mechanism | looks at | what it detects |\n|---|---|---|---|"
    for row in PUBLISHED.mechanisms:
        detects = (getattr(row.judge or row.detector or row.turns, "__doc__", "") or "").split("\n\n")[0]
        streams = ", ".join(stream for stream in ("text", "thinking", "tool") if stream in row.streams)
        yield f"| `{row.rule}` | `{row.id}` | {streams} | {_cell(' '.join(detects.split()))} |"


def _of_scenarios() -> Iterator[str]:
    yield from _section("## A scenario", SCENARIO)
    yield from _section("## A control", CONTROL)
    yield from _section("## A turn", turn_shape())
    for name, field in _fields(turn_shape()).items():
        inner = _plain(field.shape)
        if isinstance(inner, Record):
            yield from _section(f"### `{name}`", inner)
    yield "\n## Texts\n\nIn place of a text, one of these. `file` takes the path of a text, relative to the"
    yield "scenario, verbatim. The others make their text from a seed: the same parameters, the same text."
    yield from _section("### All of them", Record("", SHARED, "Every generator also takes these."))
    for name, generator in GENERATORS.items():
        yield from _section(f"### `{name}`", generator.shape)
        yield f"\n{generator.doc}{_seedless(generator.seedless)}"
        yield f"\n{_figures(figures_of(generate(name, {})))}"
    yield "\n## Steps\n\nOne key each."
    for name, (shape, _) in STEP_SHAPES.items():
        yield from _section(f"### `{name}`", shape)
    yield "\n## Steps in a terminal\n\nTaken one after the other while the agent runs; see [terminal](terminal.md)."
    for name, (shape, _) in DRIVING_SHAPES.items():
        yield from _section(f"### `{name}`", shape)


def _figures(figures: Figures) -> str:
    period = f" It repeats every {count(figures.period, 'character')}." if figures.period else ""
    return (
        f"By default {figures.chars:,} characters; {count(figures.paragraphs, 'paragraph')}, {figures.distinct} distinct,"
        f" at most {figures.most_in_ring} equal in a ring of {RING}.{period}"
    )


def _seedless(reason: str) -> str:
    return f" Another seed gives the same text: {reason}." if reason else ""


def _section(heading: str, shape: Shape) -> Iterator[str]:
    yield f"\n{heading}\n"
    fields = _fields(shape)
    inner = shape.shapes[0] if isinstance(shape, Either) and fields else shape
    doc = inner.doc or shape.doc
    yield doc if isinstance(shape, Record) else f"{doc} Takes {_kind(shape)}."
    if fields:
        yield "\n| key | takes | what it means | without it |\n|---|---|---|---|"
    for name, field in fields.items():
        yield f"| `{name}` | {_kind(field.shape)} | {_cell(_plain(field.shape).doc)} | {_default(field)} |"


def _fields(shape: Shape) -> Mapping[str, Field]:
    plain = _plain(shape)
    if isinstance(plain, Either):
        return next((_fields(inner) for inner in plain.shapes if _fields(inner)), {})
    return plain.fields if isinstance(plain, Record) else {}


def _plain(shape: Shape) -> Shape:
    """The shape without what only the reader needs."""
    return _plain(shape.shape) if isinstance(shape, At | Checked) else shape


def _kind(shape: Shape) -> str:
    """What a value is, in a few words."""
    match _plain(shape):
        case Either(shapes=shapes):
            kind = " or ".join(dict.fromkeys(map(_kind, shapes)))
        case Enum(options=options):
            kind = " or ".join(f"`{option}`" for option in options)
        case ListOf(item=item, or_single=or_single):
            kind = f"{_kind(item)}, or a list of it" if or_single else "a list"
        case OneKey(name=name):
            kind = name
        case Int() | Num() as number:
            kind = f"a {'whole ' if isinstance(number, Int) else ''}number{_bounds(number)}"
        case Str():
            kind = "text"
        case Bool():
            kind = "`true` or `false`"
        case Record() | MapOf():
            kind = "a mapping"
        case Json(described=described):
            kind = _described(described() if described else None)
        case _:
            raise TypeError(f"no words for {shape!r}")
    return kind


def _described(shape: Shape | None) -> str:
    """What a value is that is read elsewhere."""
    if isinstance(shape, ListOf):
        kind = "turns, see below" if turn_shape() in getattr(shape.item, "shapes", ()) else "a list"
    elif isinstance(shape, Either):
        kind = f"{_kind(shape.shapes[0])} or a turn"
    else:
        kind = _kind(shape) if shape else "any value"
    return kind if kind.startswith("turns") else f"{kind}, see [scripts](scripts.md)"


def _bounds(number: Int | Num) -> str:
    low, high = number.at_least, number.at_most
    if low is None or high is None:
        return "" if low is None else f" from {low}"
    return f" from {low} to {high}"


def _default(field: Field) -> str:
    if field.required:
        return "must be there"
    if isinstance(field.default, int | float | str) and field.default != "":
        return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"
    if type(field.default) is tuple and field.default:
        return f"`[{', '.join(field.default)}]`"
    return ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


PAGES = {"scenarios.md": _of_scenarios, "agents.md": _of_agents}

if __name__ == "__main__":
    for name in PAGES:
        path = DOCS / name
        path.write_text(with_tables(path.read_text(encoding="utf-8"), name), encoding="utf-8")
