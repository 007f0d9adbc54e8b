"""Several scripts behind one server: which of them answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mock_llm.journal import Exchange
from mock_llm.script import Script, ScriptTurn
from mock_llm.scripts import Scripts
from mock_llm.turn import Text, Turn

CHAT = "/v1/chat/completions"


def script(text: str, lane: str = "") -> Script:
    return Script((ScriptTurn(Turn((Text(text),)), place=f"{text}.yaml:1"),), lane=lane)


def routed(
    scripts: Scripts, path: str, text: str = "hello", method: str = "POST", body: bytes | None = None
) -> Exchange:
    exchange = Exchange(1, method, path, {}, 0.0)
    asked = {"model": "m", "messages": [{"role": "user", "content": text}]}
    scripts.route(exchange, json.dumps(asked).encode() if body is None else body)
    return exchange


def said(exchange: Exchange) -> Any:
    assert exchange.turn is not None, exchange.problem
    return getattr(exchange.turn.turn.parts[0], "text", None)


TWO = {"left": script("L"), "right": script("R", lane="N-42")}


def test_one_script_answers_at_every_path_and_needs_no_name() -> None:
    for path in (CHAT, "/any/prefix" + CHAT):
        exchange = routed(Scripts({"only": script("O")}), path)
        assert (said(exchange), exchange.script) == ("O", "")


@pytest.mark.parametrize(
    ("path", "text", "name", "expected"),
    [
        ("/left" + CHAT, "hello", "left", "L"),
        ("/right" + CHAT, "N-42", "right", "R"),
        (CHAT, "please answer N-42 now", "right", "R"),
        ("/right/chat/completions", "N-42", "right", "R"),
    ],
)
def test_of_several_the_path_or_the_lane_names_one(path: str, text: str, name: str, expected: str) -> None:
    exchange = routed(Scripts(TWO), path, text)

    assert (said(exchange), exchange.script) == (expected, name)


@pytest.mark.parametrize(("path", "body"), [(CHAT, None), (CHAT, b"no JSON"), ("/v1/audio", None)])
def test_what_belongs_to_none_is_refused_with_the_names(path: str, body: bytes | None) -> None:
    exchange = routed(Scripts(TWO), path, body=body)

    assert exchange.problem.splitlines() == [
        "request 1 names none of the 2 scripts",
        f"  POST {path}",
        "  put a script's name before the path: /left, /right",
        "  or let a user message carry a script's lane: 'N-42'",
    ]


def test_many_names_are_shown_in_part() -> None:
    exchange = routed(Scripts({f"s{n}": script("x") for n in range(10)}), CHAT)

    assert exchange.problem.splitlines()[-1].endswith("/s6, /s7, ...")


def test_the_list_of_models_is_the_same_for_all() -> None:
    exchange = routed(Scripts(TWO), "/v1/models", method="GET")

    assert (exchange.lane, exchange.problem) == ("side", "")


def test_a_script_that_is_put_in_anothers_place_starts_at_its_first_turn() -> None:
    scripts = Scripts(TWO)
    routed(scripts, "/left" + CHAT)
    assert [turn.place for turn in scripts.unused] == ["R.yaml:1"]

    scripts.put("left", script("new"))
    assert [turn.place for turn in scripts.unused] == ["new.yaml:1", "R.yaml:1"]
    assert said(routed(scripts, "/left" + CHAT)) == "new"

    scripts.restart()
    assert len(scripts.unused) == 2
    assert scripts.names == ("left", "right")
    assert (scripts.lane("left"), scripts.lane("right")) == ("", "N-42")
