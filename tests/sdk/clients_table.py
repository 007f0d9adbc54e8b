"""Which client libraries there are, which dialects they speak and how, and what each makes of a full reply."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mock_llm.script import Script, ScriptTurn, Stream
from mock_llm.turn import Text, Thinking, ToolCall, Turn, Usage
from tests.sdk.environments import pinned
from tests.sdk.running import Case, Program, Understood

FORMS = ("iterated", "accumulated", "whole")
ASPECTS = ("thinking", "text", "calls", "ids", "usage", "stop")

THINKING = Thinking("The user wants both files. ")
TEXT = Text("I will read “a” and list b.\n")
CALLS = (
    ToolCall("call_read", "read", '{"path": "a.txt"}'),
    ToolCall("call_list", "bash", '{"command": "ls b"}'),
)
VALUES: Mapping[str, Any] = {"read": {"path": "a.txt"}, "bash": {"command": "ls b"}}
USAGE = Usage(input_tokens=31, output_tokens=27)
FULL = Turn((THINKING, TEXT, *CALLS), USAGE, "tool")
ONE_CALL = Turn((THINKING, TEXT, CALLS[0]), USAGE, "tool")
NO_TEXT = Turn((THINKING, CALLS[0]), USAGE, "tool")


class Cell(NamedTuple):
    """One way of a library to ask in a dialect, the word it has for the stop reason, and the reply."""

    library: str
    dialect: str
    form: str
    way: str
    stop: str
    turn: Turn = FULL

    @property
    def name(self) -> str:
        return f"{self.library}: {self.dialect}, {self.form}"

    @property
    def case(self) -> Case:
        return Case(self.name, self.way, played(self.turn, Stream(deltas=12)))


class Column(NamedTuple):
    """A way of a library to stream, under the title of its column; ``extras`` are settings of its own."""

    title: str
    library: str
    way: str
    extras: Mapping[str, Any] = {}


class Lack(NamedTuple):
    """What a library does not show of a reply, by its own design."""

    library: str
    dialect: str
    forms: tuple[str, ...]
    aspects: tuple[str, ...]
    reason: str


def played(turn: Turn, stream: Stream) -> Script:
    """A script that answers every request alike."""
    return Script((ScriptTurn(turn, stream),), conversations="one", when_exhausted="repeat-last")


DIALECTS = {
    "chat": "openai-chat",
    "compatible": "openai-chat",
    "responses": "openai-responses",
    "messages": "anthropic-messages",
    "gemini": "gemini",
}


def _cells(library: str, stops: Mapping[str, str], ways: Mapping[str, str], **turns: Turn) -> Iterator[Cell]:
    """The cells of a library: for each interface the forms; ``stops`` is its word for each interface."""
    for interface, stop in stops.items():
        for form, suffix in ways.items():
            way = f"{interface}-{suffix}"
            turn = turns.get(way.replace("-", "_"), FULL)
            name = f"{library}.compatible" if interface == "compatible" else library
            yield Cell(name, DIALECTS[interface], form, way, stop, turn)


OWN = {"iterated": "raw", "accumulated": "helper", "whole": "whole"}
PLAIN = {"iterated": "streamed", "whole": "whole"}
OPENAI = {"chat": "tool_calls", "responses": "completed"}

PYTHON: Mapping[str, tuple[Program, str]] = {
    "openai": (Program("main", "use_openai"), "openai"),
    "anthropic": (Program("main", "use_anthropic"), "anthropic"),
    "google-genai": (Program("main", "use_google_genai"), "google-genai"),
    "litellm": (Program("main", "use_litellm"), "litellm"),
    "langchain-openai": (Program("main", "use_langchain_openai"), "langchain-openai"),
    "openai-agents": (Program("main", "use_openai_agents"), "openai-agents"),
    "pydantic-ai": (Program("pydantic-ai", "use_pydantic_ai"), "pydantic-ai-slim"),
    "instructor": (Program("instructor", "use_instructor"), "instructor"),
}
PYTHON_CELLS = (
    *_cells("openai", OPENAI, OWN),
    *_cells("anthropic", {"messages": "tool_use"}, OWN),
    *_cells("google-genai", {"gemini": "STOP"}, {"iterated": "raw", "whole": "whole"}),
    *_cells("litellm", {**OPENAI, "messages": "tool_calls", "gemini": "tool_calls"}, PLAIN),
    *_cells("langchain-openai", OPENAI, PLAIN),
    *_cells("openai-agents", OPENAI, PLAIN),
    *_cells(
        "pydantic-ai",
        {"chat": "tool_call", "responses": "stop", "messages": "tool_call", "gemini": "stop"},
        PLAIN,
    ),
    *_cells(
        "instructor",
        {**OPENAI, "messages": "tool_use", "gemini": "STOP"},
        PLAIN,
        chat_streamed=ONE_CALL,
        responses_streamed=ONE_CALL,
        responses_whole=ONE_CALL,
        messages_streamed=ONE_CALL,
        gemini_streamed=ONE_CALL,
        gemini_whole=NO_TEXT,
    ),
)

NPM: Mapping[str, tuple[Program, str]] = {
    "openai": (Program("npm", "use_openai"), "openai"),
    "@anthropic-ai/sdk": (Program("npm", "use_anthropic"), "@anthropic-ai/sdk"),
    "@google/genai": (Program("npm", "use_google_genai"), "@google/genai"),
    "ai": (Program("npm", "use_ai"), "ai"),
}
NPM_CELLS = (
    *_cells("openai", OPENAI, OWN),
    *_cells("@anthropic-ai/sdk", {"messages": "tool_use"}, OWN),
    *_cells("@google/genai", {"gemini": "STOP"}, {"iterated": "raw", "whole": "whole"}),
    *_cells(
        "ai", dict.fromkeys(("chat", "compatible", "responses", "messages", "gemini"), "tool-calls"), PLAIN
    ),
)

PROVIDERS = {
    ("ai", "openai-chat"): "@ai-sdk/openai",
    ("ai", "openai-responses"): "@ai-sdk/openai",
    ("ai", "anthropic-messages"): "@ai-sdk/anthropic",
    ("ai", "gemini"): "@ai-sdk/google",
    ("ai.compatible", "openai-chat"): "@ai-sdk/openai-compatible",
}

PLAIN_FORMS = ("iterated", "whole")
_NO_STOP = "its replies have no stop reason; only the events of responses tell a status"
LACKS = (
    Lack(
        "langchain-openai",
        "openai-chat",
        PLAIN_FORMS,
        ("thinking",),
        "`reasoning_content` is no part of its chat interface, and it drops it",
    ),
    Lack("openai-agents", "openai-chat", PLAIN_FORMS, ("stop",), _NO_STOP),
    Lack("openai-agents", "openai-responses", ("whole",), ("stop",), _NO_STOP),
    *(
        Lack(
            "instructor",
            dialect,
            ("iterated",),
            ("thinking", "text", "ids", "usage", "stop"),
            "streamed, it yields objects and hides the reply",
        )
        for dialect in ("openai-chat", "openai-responses", "anthropic-messages", "gemini")
    ),
    Lack(
        "ai",
        "openai-chat",
        PLAIN_FORMS,
        ("thinking",),
        "its openai provider drops `reasoning_content`; openai-compatible shows it",
    ),
)


def seen(cell: Cell, understood: Understood) -> dict[str, bool | None]:
    """Of each aspect whether the library has it right; None where it shows nothing at all."""
    heard, turn = understood.heard, cell.turn
    calls = [part for part in turn.parts if isinstance(part, ToolCall)]
    ids = [id_ for id_, _, _ in heard["calls"]]
    wanted: Mapping[str, tuple[Any, Any]] = {
        "thinking": (heard["thinking"], THINKING.text),
        "text": (heard["text"], TEXT.text if TEXT in turn.parts else ""),
        "calls": (
            [(name, value) for _, name, value in heard["calls"]],
            [(c.name, VALUES[c.name]) for c in calls],
        ),
        "usage": (heard["usage"] and tuple(heard["usage"]), (USAGE.input_tokens, USAGE.output_tokens)),
        "stop": (heard["stop"], cell.stop),
    }
    found = {name: (got == want if got or not want else None) for name, (got, want) in wanted.items()}
    # litellm appends the signature of a thought to the id of the call that proves it.
    same = [got.partition("__thought__")[0] == call.id for got, call in zip(ids, calls, strict=False)]
    return {name: (all(same) if any(ids) else None) if name == "ids" else found[name] for name in ASPECTS}


def lacking(cell: Cell) -> set[str]:
    """What the library is known not to show in this cell."""
    return {
        aspect
        for lack in LACKS
        if (lack.library, lack.dialect) == (cell.library, cell.dialect) and cell.form in lack.forms
        for aspect in lack.aspects
    }


def table(
    libraries: Mapping[str, tuple[Program, str]],
    cells: tuple[Cell, ...],
    results: Mapping[str, Mapping[str, Understood]],
) -> str:
    """The Markdown table of what every library sees, with the reasons for what it does not."""
    lines = [f"| library | version | dialect | {' | '.join(FORMS)} |", "|---|---|---|---|---|---|"]
    rows = dict.fromkeys((cell.library, cell.dialect) for cell in cells)
    for library, dialect in rows:
        program, package = libraries[library.partition(".")[0]]
        here = {c.form: c for c in cells if (c.library, c.dialect) == (library, dialect)}
        words = [
            _word(here[form], results[library.partition(".")[0]]) if form in here else "" for form in FORMS
        ]
        shown = library.replace(".", " with openai-")
        version = pinned(program.environment, package)
        if provider := PROVIDERS.get((library, dialect)):
            version += f", {provider} {pinned(program.environment, provider)}"
        lines.append(f"| {shown} | {version} | {dialect} | {' | '.join(words)} |")
    names = {cell.library for cell in cells}
    reasons = dict.fromkeys(f"- {lack.library}: {lack.reason}." for lack in LACKS if lack.library in names)
    return "\n".join([*lines, "", *reasons])


def _word(cell: Cell, results: Mapping[str, Understood]) -> str:
    aspects = seen(cell, results[cell.name])
    absent = [name for name, right in aspects.items() if not right]
    of = {FULL: "", ONE_CALL: " (of one call)", NO_TEXT: " (of one call, no text)"}[cell.turn]
    if not absent:
        return f"all{of}"
    if len(absent) > 3:
        return f"{', '.join(name for name in ASPECTS if name not in absent)}{of}"
    return f"all but {', '.join(absent)}{of}"
