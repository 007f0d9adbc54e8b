"""What an agent description looks like in YAML, as shapes."""

from __future__ import annotations

import re

from harness.terminal.shapes import TERMINAL
from mock_llm.problems import quoted
from mock_llm.shape import At, Bool, Checked, Either, Enum, Field, Int, Json, ListOf, MapOf, Record, Str

DIALECTS = ("openai-chat", "anthropic-messages", "openai-responses", "gemini")

VARIABLES = {
    "port": "Port of the mock model on 127.0.0.1.",
    "base_url": "Its origin, such as `http://127.0.0.1:4711`, without a path.",
    "key": "A made-up API key, new in each run.",
    "home": "The private home folder.",
    "work": "The working folder, in which the agent is started.",
    "prompt": "The scenario's prompt.",
    "model": "The value of the key `model`.",
    "dialect": "The dialect of this run.",
    "nonce": "The word that tells this run's requests from others.",
    "python": "The Python that runs `qa`.",
    "here": "The folder of the description.",
}
"""What every template may name, beside the variables of the dialects."""

_NAME = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")


def _name(text: str) -> str:
    """A name that can stand in a folder name and in an option."""
    if not _NAME.fullmatch(text):
        raise ValueError(f"{quoted(text)} is no name: small letters and digits, '-' or '.' between them")
    return text


def _own_folder(text: str) -> str:
    """A folder of the user's own: any other place would be watched in vain."""
    if not text.startswith(("~/", "/")):
        raise ValueError(f"{quoted(text)} is no folder of the user's own: start it with '~/' or '/'")
    return text


def _words(doc: str) -> ListOf:
    return ListOf(Str(allow_empty=True), doc)


def _pinned(text: str) -> str:
    """A further package with its version, as the installer wants it."""
    if not re.fullmatch(r"@?[^@=\s]+(?:@|==)[0-9][^@=\s]*", text):
        raise ValueError(f"{quoted(text)} is not pinned: write 'name@1.2.3' for npm, 'name==1.2.3' for PyPI")
    return text


_SIZE = Field(Int("Room that it takes, in MB.", at_least=0), default=0)
_VERSION = Field(Checked(Str("The pinned version."), _name), required=True)
_WITH = Field(ListOf(Checked(Str(), _pinned), "Further packages, pinned."), default=())

_INSTALL = Record(
    "an installation",
    {
        "npm": Field(Str("The package on npm; this or `pypi`.")),
        "pypi": Field(Str("The package on PyPI; it gets a virtual environment of its own.")),
        "version": _VERSION,
        "with": _WITH,
        "runtime": Field(
            Checked(Str("npm package of the interpreter that starts it: `node@22.0.0`."), _pinned),
            default="",
        ),
        "scripts": Field(
            ListOf(Str(), "npm packages whose installation scripts have to run; those of others never do."),
            default=(),
        ),
        "size_mb": _SIZE,
    },
    "A pinned package that `qa agents install NAME` puts into a private folder.",
)

_SESSION = Record(
    "the session",
    {
        "glob": Field(Str("Where the session file appears; with several, the last by name."), required=True),
        "reader": Field(
            Str("What understands it: `pi-jsonl` or another of those under 'Sessions' in docs/agents.md."),
            required=True,
        ),
    },
    "The file in which the agent saves the conversation. Without it the wire and the output decide.",
)

_GUARD = Record(
    "the guard",
    {
        "rules": Field(ListOf(Str(), "Ids of the rules it can report.", at_least=1), required=True),
        "mechanisms": Field(
            ListOf(Str(), "Ids of what can fire under these rules; without them, no name is checked."),
            default=(),
        ),
        "off": Field(_words("Arguments that switch the whole guard off."), default=()),
        "disable_rule": Field(
            _words(
                "Arguments that switch a rule off, with `{rule}` in them; or several, with `{rules}`: their "
                "names with commas between. For controls."
            ),
            default=(),
        ),
        "interrupt_marker": Field(Str("Text in the next request that tells the model."), default=""),
        "truncation_marker": Field(Str("Text behind what was kept of a reply."), default=""),
        "unrecorded": Field(
            ListOf(Enum(("mechanism", "fired_at")), "What the session never says of a rule that fired."),
            default=(),
        ),
        "output_marker": Field(Str("What the agent prints when it has stopped a reply."), default=""),
    },
    "What watches the replies, if anything does.",
)

SIDE_TIMES = ("any", "before", "during", "after")

_SIDE = Record(
    "a side request",
    {
        "name": Field(Str("What it is for."), required=True),
        "contains": Field(Str("Text that gives it away."), required=True),
        "say": Field(Str("The answer."), default="ok"),
        "at": Field(
            Enum(SIDE_TIMES, "When it comes, seen from the first request of the conversation."), default="any"
        ),
    },
    "A request that the agent makes beside the conversation, such as one for a title.",
)

_SWITCH = Record(
    "a switch",
    {
        "args": Field(_words("Arguments put before those of `one_shot`."), default=()),
        "env": Field(MapOf(Str(allow_empty=True), "Environment."), default={}),
        "files": Field(MapOf(At(Json()), "Settings merged into seeded files."), default={}),
    },
    "What is different when the guard is switched.",
)

_SHOWS = Record(
    "what a guard shows",
    {
        "screen": Field(Str("On the screen, such as a question that has to be answered."), default=""),
        "output": Field(Str("In the output of a one-shot run."), default=""),
        "session": Field(Str("In the saved session."), default=""),
        "request": Field(Str("In the next request."), default=""),
    },
    "Words of its own that give it away.",
)

_OTHER_GUARD = Record(
    "a guard of the agent's own",
    {
        "name": Field(Checked(Str("Its id in reports."), _name), required=True),
        "looks_at": Field(
            ListOf(Enum(("text", "thinking", "tool-calls")), "What it watches.", at_least=1), required=True
        ),
        "detects": Field(Str("What it takes for a loop, with its numbers."), required=True),
        "default": Field(Enum(("on", "off"), "How the agent comes."), default="on"),
        "shows": Field(_SHOWS),
        "on": Field(_SWITCH),
        "off": Field(_SWITCH),
    },
    "A guard that is none of stream rules: a loop question, an error record, a limit on tool calls.",
)

_TOOL = Record(
    "a tool",
    {
        "name": Field(Str("The agent's name for it."), required=True),
        "arguments": Field(MapOf(Str(), "Its names for `path`, `content` and `command`."), default={}),
    },
    "A tool whose arguments have other names too.",
)

_SETTINGS = MapOf(
    Str(allow_empty=True), "Values for templates in this dialect; each dialect sets the same names.", "{}"
)

AGENT = Record(
    "an agent description",
    {
        "agent": Field(Checked(Str("The name in reports and on the command line."), _name), required=True),
        "title": Field(Str("A few words for lists."), default=""),
        "command": Field(
            ListOf(
                Str(),
                "The program, then its fixed arguments. A path is seen from the description's folder.",
                at_least=1,
            ),
            required=True,
        ),
        "one_shot": Field(
            ListOf(Str(), "Arguments of a run with one prompt; `{prompt}` stands among them."), required=True
        ),
        "resume": Field(
            ListOf(Str(), "The same for a run that goes on with the last session; for `then` in scenarios."),
            default=(),
        ),
        "terminal": Field(TERMINAL),
        "version_probe": Field(_words("Arguments that print the version."), default=("--version",)),
        "install": Field(
            Either((Enum(("own", "embedded")), At(_INSTALL)), "How to get it; `own`: it is the user's."),
            default="own",
        ),
        "model": Field(Str("The model's name."), default="mock-model"),
        "dialects": Field(
            At(
                Record(
                    "the dialects",
                    {d: Field(_SETTINGS) for d in DIALECTS},
                    "The wire formats that it speaks; the first is the default.",
                )
            ),
            required=True,
        ),
        "env": Field(
            MapOf(Str(allow_empty=True), "Environment beside the sandbox's own.", '{MY_URL: "{base_url}"}'),
            default={},
        ),
        "files": Field(
            MapOf(
                At(Json()),
                "Seeded files: text, or a mapping to be written as JSON.",
                '{"{home}/.my-agent/config.json": {url: "{base_url}"}}',
            ),
            default={},
        ),
        "session": Field(_SESSION),
        "sides": Field(ListOf(_SIDE, "Requests beside the conversation, and their answers."), default=()),
        "guard": Field(_GUARD),
        "guards": Field(ListOf(_OTHER_GUARD, "Further guards, as the agent knows them."), default=()),
        "tools": Field(
            MapOf(Either((Str(), _TOOL)), "The agent's names for the tools `read`, `write` and `bash`."),
            default={},
        ),
        "final_call": Field(
            At(Json("A call `{TOOL: {...}}` that ends a run: it is put behind a scripted last reply."))
        ),
        "daemons": Field(Bool("Whether processes outlive it; they are ended with the run."), default=False),
        "own_tmp": Field(
            Bool("Whether it writes to /tmp whatever TMPDIR says: then each run has a /tmp of its own."),
            default=False,
        ),
        "real_folders": Field(
            ListOf(
                Checked(Str(), _own_folder),
                "The user's own folders of this agent; a run that changes one is an error.",
            ),
            default=(),
        ),
        "notes": Field(ListOf(Str(), "What a reader should know."), default=()),
    },
    "One agent CLI.",
)
