"""``gate.yaml``: the settings that a team writes, below them the baseline that ``qa gate --accept`` wrote."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.gate.comparison import CLASSES_S, Key, Known
from harness.problems import UserError
from harness.reporters.layout import where_of
from harness.results import Stop
from mock_llm.located import open_source, parse_yaml
from mock_llm.problems import ScriptError
from mock_llm.reading import read
from mock_llm.shape import Enum, Field, Int, ListOf, MapOf, Record, Shape, Str

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.results import Change

MARK = "# --- below this line 'qa gate --accept REASON' writes; what it wrote is not changed by hand ---"
"""Everything above this line is the team's and is never written."""


class GateFileError(ScriptError, UserError):
    """A ``gate.yaml`` that cannot be used, with all its mistakes."""


class Acceptance(NamedTuple):
    """Differences that were taken, the day, and why."""

    date: str
    reason: str
    changes: tuple[str, ...] = ()


class GateFile(NamedTuple):
    """What a ``gate.yaml`` says.

    Attributes:
        tags: Scenarios with one of these tags are the gate's.
        agents: The agents it is run with.
        dialect: A dialect of every agent, ``all``, or empty for the first of each.
        detector: Globs of the files that are the detector, relative to the folder of the file.
        later_chars: A loop may be caught so many characters later with a warning only.
        reasons: By an agent's name the file that says why mutants of its guard may survive, relative to the
            folder of this one.
        baseline: What is known.
        accepted: What was taken, the oldest first.
    """

    tags: tuple[str, ...] = ("gate",)
    agents: tuple[str, ...] = ("reference",)
    dialect: str = ""
    detector: tuple[str, ...] = ()
    later_chars: int = 0
    reasons: Mapping[str, str] = {}
    baseline: Mapping[Key, Known] = {}
    accepted: tuple[Acceptance, ...] = ()


_STOP = Record(
    "a stop",
    {
        "reply": Field(Int("Which reply.", at_least=1), required=True),
        "stream": Field(Enum(("text", "thinking", "tool")), required=True),
        "rule": Field(Str(), default=""),
        "mechanism": Field(Str(), default=""),
        "fired_at": Field(Int("Characters read.", at_least=0)),
        "kept_chars": Field(Int("Characters kept.", at_least=0)),
        "text_chars": Field(Int("Characters of the whole stream.", at_least=0), default=0),
    },
)

_VERDICT = Enum(("passed", "failed", "error", "skipped"))

_KNOWN = Record(
    "an entry of the baseline",
    {
        "verdict": Field(_VERDICT, required=True),
        "control": Field(_VERDICT, default=""),
        "requests": Field(Int(at_least=0), required=True),
        "duration": Field(Enum(tuple(CLASSES_S)), required=True),
        "stops": Field(ListOf(_STOP), default=()),
    },
)

GATE: Shape = Record(
    "a gate",
    {
        "tags": Field(ListOf(Str(), "Scenarios with one of these tags are run.", at_least=1, or_single=True)),
        "agents": Field(ListOf(Str(), "Names or files of agents.", at_least=1, or_single=True)),
        "dialect": Field(Str("A dialect of the agents, or 'all'."), default=""),
        "detector": Field(ListOf(Str(), "Globs of the detector's files.", or_single=True), default=()),
        "tolerate": Field(
            Record(
                "a tolerance", {"later_chars": Field(Int("So much later only warns.", at_least=0), default=0)}
            )
        ),
        "reasons": Field(
            MapOf(
                Str("A file, as 'qa mutate --reasons' takes it."), "Why mutants survive, by the agent's name."
            ),
            default={},
        ),
        "accepted": Field(
            ListOf(
                Record(
                    "an acceptance",
                    {
                        "date": Field(Str("The day."), required=True),
                        "reason": Field(Str("Why."), required=True),
                        "changes": Field(ListOf(Str()), default=()),
                    },
                )
            ),
            default=(),
        ),
        "baseline": Field(MapOf(MapOf(MapOf(_KNOWN))), default={}),
    },
    "What a gate runs, which files are the detector, and what is known.",
)


def parse_gate(data: str | bytes, file: str) -> GateFile:
    """What the text of a ``gate.yaml`` says.

    Raises:
        GateFileError: With every mistake at its place.
    """
    problems = open_source(file, data)
    node = parse_yaml(problems)
    if node is None and not problems.found:
        return GateFile()
    value = read(GATE, node, problems) if node else None
    problems.raise_any(GateFileError)
    assert isinstance(value, dict)
    tolerate = value["tolerate"] or {}
    settings = GateFile(
        dialect=value["dialect"],
        detector=value["detector"],
        later_chars=tolerate.get("later_chars", 0),
        reasons=value["reasons"],
        baseline=_baseline(value["baseline"]),
        accepted=tuple(Acceptance(**entry) for entry in value["accepted"]),
    )
    given = {name: value[name] for name in ("tags", "agents") if value[name] is not None}
    return settings._replace(**given)


def render_gate(before: str, baseline: Mapping[Key, Known], accepted: Sequence[Acceptance]) -> str:
    """The text with another baseline; what stands above :data:`MARK` stays as it is.

    Lines end as the first one does: a checkout may have turned all of them into those of Windows.
    """
    head = before.partition(MARK)[0]
    lines = [MARK, "accepted:" if accepted else "accepted: []"]
    for entry in accepted:
        lines += [f"  - date: {entry.date}", f"    reason: {_quoted(entry.reason)}"]
        if entry.changes:
            lines += ["    changes:", *(f"      - {_quoted(change)}" for change in entry.changes)]
    lines += [*_rendered(baseline), ""]
    end = "\r\n" if "\r\n" in head.partition("\n")[0] + "\n" else "\n"
    return (head if not head or head.endswith("\n") else head + end) + end.join(lines)


def new_head(settings: GateFile) -> str:
    """The team's part of a file that was not there: what the first gate was run with."""
    lines = [
        "# What 'qa gate' runs and which files are the detector; see docs/gate.md.",
        f"tags: [{', '.join(map(_word, settings.tags))}]",
        f"agents: [{', '.join(map(_word, settings.agents))}]",
        *([f"dialect: {settings.dialect}"] if settings.dialect else []),
        "detector: []",
    ]
    return "\n".join([*lines, "", ""])


def change_line(change: Change) -> str:
    """A finding as an acceptance keeps it."""
    control = " (control)" if change.control else ""
    return f"{change.scenario}{control} on {where_of(change)}: {change.text}"


def _baseline(value: dict[str, Any]) -> dict[Key, Known]:
    return {
        (agent, dialect, scenario): Known(
            **{**entry, "stops": tuple(Stop(**stop) for stop in entry["stops"])}
        )
        for agent, dialects in value.items()
        for dialect, scenarios in dialects.items()
        for scenario, entry in scenarios.items()
    }


def _rendered(baseline: Mapping[Key, Known]) -> Iterator[str]:
    yield "baseline:" if baseline else "baseline: {}"
    last_agent = last_dialect = ""
    for (agent, dialect, scenario), entry in sorted(baseline.items()):
        if agent != last_agent:
            yield f"  {_word(agent)}:"
            last_dialect = ""
        if dialect != last_dialect:
            yield f"    {_word(dialect)}:"
        last_agent, last_dialect = agent, dialect
        control = f", control: {entry.control}" if entry.control else ""
        facts = f"verdict: {entry.verdict}{control}, requests: {entry.requests}, duration: {entry.duration}"
        if not entry.stops:
            yield f"      {_word(scenario)}: {{{facts}}}"
            continue
        yield f"      {_word(scenario)}:"
        yield from (f"        {fact}" for fact in facts.split(", "))
        yield "        stops:"
        yield from (f"          - {{{_stop(stop)}}}" for stop in entry.stops)


def _stop(stop: Stop) -> str:
    # What was sent before the hang-up came through is a matter of timing.
    facts = {name: value for name, value in asdict(stop).items() if name != "sent_chars"}
    return ", ".join(
        f"{name}: {_word(value) if isinstance(value, str) else value}"
        for name, value in facts.items()
        if value not in ("", None)
    )


def _word(text: str) -> str:
    """A text as a key or value in YAML: bare where that can only mean a text."""
    return text if re.fullmatch(r"[A-Za-z][\w-]*", text) and text.lower() not in _WORDS else _quoted(text)


_WORDS = ("null", "true", "false")


def _quoted(text: str) -> str:
    """A text in double quotes, all of it ASCII, so that nothing invisible gets into the file."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(char: str) -> str:
    code = ord(char)
    if 0x20 <= code < 0x7F:
        return f"\\{char}" if char in '"\\' else char
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
