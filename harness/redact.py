"""Keys and home paths never reach a stored file: they are masked on the way in."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHORTEST = 4
_FIELD = re.compile("[A-Za-z_]+")
_KEY_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")


@dataclass(slots=True)
class Masks:
    """Secrets and what is written in their place.

    The longest secret wins where several begin at the same place. Values shorter than four
    characters are not masked: they would eat ordinary text. A secret is found too as JSON writes it,
    with its quotes, backslashes and accents escaped, and as SVG does.

    >>> Masks({"/tmp/box/home": "~", "sk-123456": "[KEY]"}).apply("cd /tmp/box/home; echo sk-123456")
    'cd ~; echo [KEY]'
    """

    values: Mapping[str, str]
    _pattern: re.Pattern[str] | None = field(init=False)

    def __post_init__(self) -> None:
        self.values = {form: mask for value, mask in self.values.items() for form in _forms(value)}
        secrets = sorted((s for s in self.values if len(s) >= _SHORTEST), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, secrets))) if secrets else None

    def apply(self, text: str) -> str:
        """The text with every secret masked."""
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda match: self.values[match.group()], text)

    def of_value(self, value: Any) -> Any:
        r"""A value of JSON with every secret in its strings masked: numbers and what they mean stay.

        A key of letters alone is the name of a field and stays too. What JSON cannot hold becomes its text.

        >>> Masks({"12345": "[PIN]"}).of_value({"at": 0.12345, "typed": ["12345\\n"]})
        {'at': 0.12345, 'typed': ['[PIN]\\n']}
        """
        if isinstance(value, str):
            return self.apply(value)
        if isinstance(value, dict):
            return {self._key(key): self.of_value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.of_value(item) for item in value]
        if value is None or isinstance(value, bool | int) or (isinstance(value, float) and isfinite(value)):
            return value
        return self.apply(str(value))

    def _key(self, key: Any) -> Any:
        return key if not isinstance(key, str) or _FIELD.fullmatch(key) else self.apply(key)

    def split(self, text: str) -> tuple[str, str]:
        """The masked text that is certain, and the raw rest that may be the beginning of a secret."""
        done: list[str] = []
        at = 0
        while True:
            hold = self._open_from(text, at)
            match = self._pattern.search(text, at) if self._pattern else None
            if match is None or match.start() >= hold:
                done.append(text[at:hold])
                return "".join(done), text[hold:]
            done += (text[at : match.start()], self.values[match.group()])
            at = match.end()

    def _open_from(self, text: str, start: int) -> int:
        longest = max((len(secret) for secret in self.values), default=0)
        for at in range(max(start, len(text) - longest + 1), len(text)):
            tail = text[at:]
            if any(len(s) >= _SHORTEST and len(s) > len(tail) and s.startswith(tail) for s in self.values):
                return at
        return len(text)


def _forms(value: str) -> tuple[str, ...]:
    """A secret as it is, inside a JSON string as the two ways of writing one have it, and in SVG or HTML."""
    in_json = (json.dumps(value, ensure_ascii=False)[1:-1], json.dumps(value)[1:-1])
    return value, *in_json, escape(value, quote=False), escape(value)


@dataclass(slots=True)
class MaskedStream:
    """Mask a text that arrives in pieces; where it was cut never changes what comes out."""

    masks: Masks
    _held: str = ""

    def feed(self, piece: str) -> str:
        """Take a piece, give the part that can no longer be the start of a secret."""
        ready, self._held = self.masks.split(self._held + piece)
        return ready

    def finish(self) -> str:
        """Give what was held back."""
        held, self._held = self._held, ""
        return self.masks.apply(held)


def secrets_of(environ: Mapping[str, str]) -> dict[str, str]:
    """Masks for the values of all variables that are named like a key.

    >>> secrets_of({"OPENAI_API_KEY": "sk-live-1", "EDITOR": "vim"})
    {'sk-live-1': '[OPENAI_API_KEY]'}
    """
    return {
        value: f"[{name}]"
        for name, value in environ.items()
        if _KEY_NAME.search(name) and len(value) > _SHORTEST
    }
