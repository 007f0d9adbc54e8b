"""What to change in a description whose fact does not hold, by the key of the fact."""

from __future__ import annotations

_CURES = {
    "command": "see 'command' and 'one_shot'",
    "install.version": "set 'install: version' to what is there, or install the pinned one again",
    "version_probe": "set 'version_probe' to the arguments that print the version; [] if there are none",
    "dialects": "give {base_url}, with the path that the agent adds to, in 'env', 'files' or 'one_shot'; "
    "name what it speaks under 'dialects'",
    "model": "set 'model', or hand {model} to the agent in 'one_shot', 'env' or 'files'",
    "one_shot": "see the arguments in 'one_shot'",
    "sides": "add the request beside the conversation: "
    "sides: [{name: title, contains: WORDS THAT ONLY IT HOLDS, say: ITS ANSWER}]",
    "sides.": "set its 'at' to that, or leave 'at' out",
    "session.glob": "set 'session: glob' to where the file is",
    "session.reader": "set 'session: reader' to that of its form: docs/agents.md, 'Sessions', has each form",
    "tools.bash": "set 'tools: bash' to the agent's tool that runs a command, and its argument's name",
    "guard.off": "set 'guard: off' to arguments that the agent takes",
    "guard.disable_rule": "set 'guard: disable_rule' to arguments that the agent takes",
    "guards.": "set its switch to arguments, environment and files that the agent takes",
    "terminal.ready": "say in 'terminal: ready' what the screen shows when the agent takes input; "
    "a question on it is answered by 'terminal: dialogs'",
    "terminal.ready again": "what 'terminal: ready' asks for has to come back after a reply: "
    "'lacks' is for what is shown only while the agent works",
    "terminal.submit": "set 'terminal: submit' to the keys that send a text; when they do, aim the agent at "
    "the mock with 'env', 'files' or 'terminal: args'",
    "terminal.quit": "set 'terminal: quit' to the keys that end it; one that answers a question is "
    "{shows: TEXT, press: KEY}",
}


def cure(key: str) -> str:
    """What to do about a fact that does not hold; empty when that depends.

    >>> cure("guards.tool-call-loop.off")
    'set its switch to arguments, environment and files that the agent takes'
    >>> cure("output")
    ''
    """
    group = key.partition(".")[0]
    return _CURES.get(key) or _CURES.get(f"{group}.") or (_CURES["dialects"] if group == "dialects" else "")
