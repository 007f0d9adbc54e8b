"""What a keyboard sends: names of keys, and text that is pasted."""

from __future__ import annotations

import re
from contextlib import suppress

from mock_llm.problems import did_you_mean, quoted

_PLAIN = {
    "enter": "\r",
    "esc": "\x1b",
    "tab": "\t",
    "backspace": "\x7f",
    "space": " ",
}
_CURSOR = {"up": "A", "down": "B", "right": "C", "left": "D", "end": "F", "home": "H"}
_NUMBERED = {"insert": 2, "delete": 3, "page-up": 5, "page-down": 6} | {
    f"f{number}": code for number, code in enumerate((15, 17, 18, 19, 20, 21, 23, 24), 5)
}
_FUNCTION = {"f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4}
_OTHER_MODIFIERS = {
    "control": "ctrl",
    "ctl": "ctrl",
    "c": "ctrl",
    "meta": "alt",
    "option": "alt",
    "m": "alt",
    "s": "shift",
}
_OTHER_NAMES = {"return": "enter", "ret": "enter", "cr": "enter"}
_CONTROLS = {"space": "\0", "@": "\0", "[": "\x1b", "\\": "\x1c", "]": "\x1d", "^": "\x1e", "_": "\x1f"}

NAMES = (*_PLAIN, *_CURSOR, *_NUMBERED, *_FUNCTION)
"""Every key that has a name; any other is its own character."""


def key(name: str, *, application: bool = False) -> str:
    r"""What a terminal sends for a key, as xterm does it.

    Args:
        name: A name of :data:`NAMES` or one character, with ``ctrl-``, ``alt-`` or ``shift-`` before it.
        application: Whether the program has asked for cursor keys in application mode (DECCKM).

    Raises:
        ValueError: If there is no such key; the message says which are close.

    >>> key("ctrl-c"), key("up"), key("shift-tab"), key("alt-x")
    ('\x03', '\x1b[A', '\x1b[Z', '\x1bx')
    """
    modifiers, base = _parts(name)
    strength = 1 + sum(_MODIFIERS[modifier] for modifier in modifiers)
    if base in _CURSOR:
        if strength > 1:
            return f"\x1b[1;{strength}{_CURSOR[base]}"
        return f"\x1b{'O' if application else '['}{_CURSOR[base]}"
    if base in _FUNCTION:
        return f"\x1b[1;{strength}{_FUNCTION[base]}" if strength > 1 else f"\x1bO{_FUNCTION[base]}"
    if base in _NUMBERED:
        return f"\x1b[{_NUMBERED[base]}{f';{strength}' if strength > 1 else ''}~"
    return _character(name, modifiers, base)


def _parts(name: str) -> tuple[frozenset[str], str]:
    modifiers = set()
    base = name
    while (before := base.partition("-"))[0] in _MODIFIERS and before[2]:
        modifiers.add(before[0])
        base = before[2]
    if base not in NAMES and len(base) != 1:
        raise ValueError(f"there is no key {quoted(name)}: {_near(name, base)}")
    return frozenset(modifiers), base


def _near(name: str, base: str) -> str:
    """What may have been meant: the same in other words, or a name like this one."""
    *before, last = re.sub(r"^\^", "ctrl-", name.lower()).replace("+", "-").split("-")
    words = [_OTHER_MODIFIERS.get(word, word) for word in before if word != "arrow"]
    meant = "-".join([*words, _OTHER_NAMES.get(last, last)])
    if meant != name:
        with suppress(ValueError):
            key(meant)
            return f"did you mean {quoted(meant)}?"
    return did_you_mean(base, NAMES)


def _character(name: str, modifiers: frozenset[str], base: str) -> str:
    if base == "tab" and "shift" in modifiers:
        sent = "\x1b[Z"
    elif "ctrl" in modifiers:
        sent = _control(name, base)
    else:
        sent = _PLAIN.get(base, base.upper() if "shift" in modifiers else base)
    return f"\x1b{sent}" if "alt" in modifiers else sent


def _control(name: str, base: str) -> str:
    if base in _CONTROLS:
        return _CONTROLS[base]
    if base.isascii() and base.isalpha() and len(base) == 1:
        return chr(ord(base.upper()) - 64)
    raise ValueError(f"a terminal without the kitty protocol has no key {quoted(name)}")


def pasted(text: str) -> str:
    r"""Text of several lines as one paste; only for a program that has asked for it (DEC mode 2004).

    What would end the paste early is left out, as terminals do.

    >>> pasted("one\r\ntwo")
    '\x1b[200~one\ntwo\x1b[201~'
    """
    safe = text.replace("\r\n", "\n").replace("\x1b", "")
    return f"\x1b[200~{safe}\x1b[201~"
