"""The command line, with the environment for what it leaves out."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.refagent.retry import DEFAULT_MAX_RETRIES
from harness.refagent.wire import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PREFIX = "TTSR_REFAGENT_"
GUARDS = ("published", "off")
DEFAULT_HOME = "~/.ttsr-refagent"
DEFAULT_TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True)
class Options:
    """What the agent is told to do. ``prompt`` None means a terminal session."""

    base_url: str
    dialect: str
    model: str
    api_key: str
    guard: str
    disabled_rules: tuple[str, ...]
    guard_profile: str | None
    home: str
    session: str | None
    resume: str | None
    prompt: str | None
    stream: bool
    max_retries: int
    timeout_s: float


def parse_options(arguments: Sequence[str], environment: Mapping[str, str]) -> Options:
    """Read the command line.

    Raises:
        SystemExit: With code 2 after a message when something is wrong, with 0 after ``--help``.
    """
    parser = _parser()
    given = parser.parse_args(arguments)
    setting = _Environment(parser, environment)
    if given.guard_profile is not None and given.guard == "off":
        parser.error("'--guard-profile' says how the guard works, and '--guard off' that there is none")
    return Options(
        base_url=_base_url(parser, given.base_url or setting.text("BASE_URL", "")),
        dialect=_dialect(parser, given.dialect or setting.text("DIALECT", "openai-chat")),
        model=given.model or setting.text("MODEL", "default"),
        api_key=setting.text("API_KEY", ""),
        guard=given.guard,
        disabled_rules=tuple(_known_rule(parser, rule) for rule in given.disable_rule),
        guard_profile=given.guard_profile,
        home=setting.text("HOME", DEFAULT_HOME),
        session=given.session,
        resume=given.resume,
        prompt=given.prompt,
        stream=not given.no_stream,
        max_retries=int(setting.number("MAX_RETRIES", DEFAULT_MAX_RETRIES)),
        timeout_s=setting.number("TIMEOUT_S", DEFAULT_TIMEOUT_S),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ttsr-refagent",
        description="A small agent that stops a model which loops, and puts it back on its way.",
        epilog=f"Environment: {PREFIX}BASE_URL, _DIALECT, _MODEL, _API_KEY, _HOME, _MAX_RETRIES, _TIMEOUT_S.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--version", action=_Version, nargs=0, help="say which version this is")
    add("-p", "--prompt", help="answer this and exit; '-' reads it from standard input")
    add("--base-url", help="for the openai dialects it ends in /v1, for the others it is the origin")
    add("--dialect", help=f"one of {', '.join(DIALECTS)}")
    add("--model", help="the model's name on the server")
    add("--guard", choices=GUARDS, default="published", help="the stream guard (default: published)")
    add("--guard-profile", metavar="FILE", help="a YAML file with other thresholds for the guard")
    add("--disable-rule", metavar="RULE", action="append", default=[], help="switch one rule off; repeatable")
    add("--no-stream", action="store_true", help="ask for whole replies")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--session", metavar="FILE", help="write the session here")
    where.add_argument("--resume", metavar="FILE|last", help="continue a session")
    return parser


class _Version(argparse.Action):
    """Looks the version up only when asked: reading package data takes as long as a small run."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        sys.stdout.write(f"ttsr-refagent {version('ttsr-qa')}\n")
        parser.exit()


def _base_url(parser: argparse.ArgumentParser, url: str) -> str:
    if not url:
        parser.error(f"no base URL: pass --base-url or set {PREFIX}BASE_URL")
    if not url.startswith(("http://", "https://")):
        parser.error(f"the base URL '{url}' does not begin with http:// or https://")
    return url


def _dialect(parser: argparse.ArgumentParser, dialect: str) -> str:
    if dialect not in DIALECTS:
        parser.error(f"unknown dialect '{dialect}'; there are {', '.join(DIALECTS)}")
    return dialect


def _known_rule(parser: argparse.ArgumentParser, rule: str) -> str:
    from harness.detectors.mechanisms import PUBLISHED

    known = (*PUBLISHED.rules, *(mechanism.id for mechanism in PUBLISHED.mechanisms))
    if rule not in known:
        parser.error(f"unknown rule '{rule}'; there are {', '.join(known)}")
    return rule


@dataclass(frozen=True, slots=True)
class _Environment:
    parser: argparse.ArgumentParser
    values: Mapping[str, str]

    def text(self, name: str, default: str) -> str:
        return self.values.get(PREFIX + name) or default

    def number(self, name: str, default: float) -> float:
        text = self.text(name, str(default))
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf"):
            self.parser.error(f"{PREFIX}{name} is '{text}', not a number from 0 on")
        return value
