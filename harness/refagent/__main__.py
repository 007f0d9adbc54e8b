"""The reference agent's command line; exit codes: 0 answered, 1 failed, 2 wrong call, 130 Ctrl-C."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.refagent.errors import StartError
from harness.refagent.options import parse_options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harness.detectors.mechanisms import Profile
    from harness.refagent.conversation import Message
    from harness.refagent.display import Display
    from harness.refagent.driver import Driver
    from harness.refagent.interrupts import Interrupts
    from harness.refagent.loop import AgentLoop
    from harness.refagent.options import Options
    from harness.refagent.session import Session

_EXIT_CODES = {"answered": 0, "failed": 1, "interrupted": 130}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the agent and return its exit code."""
    options = parse_options(sys.argv[1:] if arguments is None else arguments, os.environ)
    if options.prompt is None and not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _complain(StartError("no prompt: pass -p PROMPT, or run it on a terminal"), 2)
    return _run(options)


def _run(options: Options) -> int:
    # From here on everything is needed; before, a wrong call should be told of at once.
    from harness.refagent.display import OneShotDisplay, TerminalDisplay, standard_streams
    from harness.refagent.interrupts import Interrupts

    standard_streams()
    interrupts = Interrupts()
    interrupts.install()
    colours = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    terminal = TerminalDisplay(sys.stdout, colours=colours) if options.prompt is None else None
    try:
        return _converse(options, interrupts, terminal or OneShotDisplay(sys.stderr))
    except StartError as error:
        return _complain(error, 2)
    except OSError as error:  # the disk is full, standard output is closed
        return _complain(error, 1)
    except KeyboardInterrupt:
        return 130


def _complain(error: Exception, code: int) -> int:
    sys.stderr.write(f"ttsr-refagent: {error}\n")
    return code


def _converse(options: Options, interrupts: Interrupts, display: Display) -> int:
    # httpx imports its own command line, and click with it, but copes without; nobody asks for them here.
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
    from harness.refagent.client import ModelClient
    from harness.refagent.display import TerminalDisplay
    from harness.refagent.driver import Driver, World
    from harness.refagent.tools import Tools
    from harness.refagent.wire import wire

    session, messages = _session(options, display.notify)
    dialect = wire(options.dialect)
    client = ModelClient(
        dialect,
        base_url=options.base_url,
        path=dialect.path(options.model, stream=options.stream),
        api_key=options.api_key,
        interrupts=interrupts,
        notify=display.notify,
        max_retries=options.max_retries,
        timeout_s=options.timeout_s,
    )
    world = World(client, Tools(Path.cwd(), interrupts), session, display, _request_body(options))
    driver = Driver(_loop(options, messages), world)
    try:
        if isinstance(display, TerminalDisplay):
            from harness.refagent.terminal import converse

            return converse(driver, display, interrupts, session.path)
        return _answer_once(_prompt(options, interrupts), driver)
    finally:
        client.close()
        session.close()


def _prompt(options: Options, interrupts: Interrupts) -> str:
    prompt = options.prompt or ""
    if prompt == "-":
        with interrupts.breakable():
            prompt = sys.stdin.read()
    if not prompt.strip():
        raise StartError("the prompt is empty")
    return prompt


def _answer_once(prompt: str, driver: Driver) -> int:
    end = driver.turn(prompt)
    if end.outcome == "answered":
        sys.stdout.write(end.text + "\n")
        sys.stdout.flush()
    else:
        sys.stderr.write(end.text + "\n")
    return _EXIT_CODES[end.outcome]


def _session(options: Options, notify: Callable[[str], None]) -> tuple[Session, tuple[Message, ...]]:
    from harness.refagent.session import last_session, new_session, resume_session

    home = Path(options.home).expanduser()
    if options.resume is None:
        path = Path(options.session).absolute() if options.session else None
        return new_session(path, home, options.dialect, options.model), ()
    session, loaded = resume_session(
        last_session(home) if options.resume == "last" else Path(options.resume).absolute(), notify
    )
    return session, loaded.messages


def _request_body(options: Options) -> Callable[[tuple[Message, ...]], dict[str, Any]]:
    from harness.refagent.tool_specs import TOOLS
    from harness.refagent.wire import Ask, wire

    dialect, system = wire(options.dialect), system_prompt(str(Path.cwd()))
    return lambda messages: dialect.request_body(Ask(options.model, system, messages, TOOLS, options.stream))


def system_prompt(cwd: str) -> str:
    """What the model is told about its work."""
    return (
        f"You are a coding agent working in the folder {cwd}. Use the tools to look before you claim and to "
        "change what you are asked to change. When the work is done, answer briefly."
    )


def _loop(options: Options, messages: tuple[Message, ...]) -> AgentLoop:
    from harness.refagent.loop import AgentLoop

    if options.guard == "off":
        from harness.refagent.guards import NoGuard

        return AgentLoop(NoGuard, messages)
    from harness.detectors.guard import Guard
    from harness.refagent.conversation import replies

    profile = _profile(options).without(*options.disabled_rules)
    turns = profile.turns(replies(messages))
    return AgentLoop(lambda: Guard(profile=profile, turns=turns), messages, turns=turns)


def _profile(options: Options) -> Profile:
    from harness.detectors.mechanisms import PUBLISHED

    if options.guard_profile is None:
        return PUBLISHED
    # Only here: they load a reader of YAML.
    from harness.guard_profile_file import load_profile
    from harness.problems import UserError

    try:
        return load_profile(Path(options.guard_profile))
    except (UserError, ValueError) as error:
        raise StartError(str(error)) from error


if __name__ == "__main__":
    sys.exit(main())
