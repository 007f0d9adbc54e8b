"""What is sent for a key, and for text of several lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.terminal.keys import NAMES, key, pasted

SOME = "valid here: enter, esc, tab, backspace, space, up, down, right, ..."


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("enter", "\r"),
        ("esc", "\x1b"),
        ("tab", "\t"),
        ("shift-tab", "\x1b[Z"),
        ("backspace", "\x7f"),
        ("space", " "),
        ("delete", "\x1b[3~"),
        ("ctrl-delete", "\x1b[3;5~"),
        ("up", "\x1b[A"),
        ("shift-up", "\x1b[1;2A"),
        ("ctrl-left", "\x1b[1;5D"),
        ("alt-ctrl-right", "\x1b[1;7C"),
        ("home", "\x1b[H"),
        ("page-down", "\x1b[6~"),
        ("f1", "\x1bOP"),
        ("f5", "\x1b[15~"),
        ("shift-f1", "\x1b[1;2P"),
        ("f12", "\x1b[24~"),
        ("ctrl-c", "\x03"),
        ("ctrl-C", "\x03"),
        ("ctrl-d", "\x04"),
        ("ctrl-space", "\0"),
        ("ctrl-[", "\x1b"),
        ("ctrl-\\", "\x1c"),
        ("alt-enter", "\x1b\r"),
        ("alt-x", "\x1bx"),
        ("alt-ctrl-x", "\x1b\x18"),
        ("q", "q"),
        ("shift-q", "Q"),
        ("-", "-"),
        ("alt--", "\x1b-"),
        ("日", "日"),
    ],
)
def test_a_key_is_sent_as_xterm_sends_it(name: str, sent: str) -> None:
    assert key(name) == sent


def test_cursor_keys_have_another_form_when_the_program_asks_for_it() -> None:
    assert (key("up", application=True), key("home", application=True)) == ("\x1bOA", "\x1bOH")
    assert key("ctrl-up", application=True) == "\x1b[1;5A"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("entr", "there is no key 'entr': did you mean 'enter'?"),
        ("ctrl-", f"there is no key 'ctrl-': {SOME}"),
        ("meta-x", "there is no key 'meta-x': did you mean 'alt-x'?"),
        ("control-d", "there is no key 'control-d': did you mean 'ctrl-d'?"),
        ("alt-Control-left", "there is no key 'alt-Control-left': did you mean 'alt-ctrl-left'?"),
        ("Ctrl+C", "there is no key 'Ctrl+C': did you mean 'ctrl-c'?"),
        ("^c", "there is no key '^c': did you mean 'ctrl-c'?"),
        ("return", "there is no key 'return': did you mean 'enter'?"),
        ("arrow-up", "there is no key 'arrow-up': did you mean 'up'?"),
        ("control-enter", f"there is no key 'control-enter': {SOME}"),
        ("control-", f"there is no key 'control-': {SOME}"),
        ("hyper-x", f"there is no key 'hyper-x': {SOME}"),
        ("", f"there is no key '': {SOME}"),
        ("ctrl-enter", "a terminal without the kitty protocol has no key 'ctrl-enter'"),
        ("ctrl-1", "a terminal without the kitty protocol has no key 'ctrl-1'"),
    ],
)
def test_a_key_that_does_not_exist_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError) as error:
        key(name)
    assert str(error.value) == message


def test_every_named_key_sends_something_of_its_own() -> None:
    assert len({key(name) for name in NAMES}) == len(NAMES)


@given(st.text())
def test_a_paste_cannot_end_early(text: str) -> None:
    sent = pasted(text)
    assert sent.startswith("\x1b[200~")
    assert sent.index("\x1b[201~") == len(sent) - 6
    assert "\r\n" not in sent


@given(st.text())
def test_any_name_is_a_key_or_refused(name: str) -> None:
    try:
        sent = key(name)
    except ValueError:
        return
    assert sent
