"""What became of an exchange, and which requests are then repetitions."""

from __future__ import annotations

from typing import Any

import pytest

from mock_llm.fates import Fate, fate_of
from mock_llm.journal import Ending, Exchange
from mock_llm.responder import Play, Responder
from mock_llm.script import Script, ScriptTurn
from mock_llm.turn import Text, Turn


def exchange(
    ended: Ending, text: str = "", fault: str = "", *, exact: bool = True, received: int = 0
) -> Exchange:
    made = Exchange(1, "POST", "/v1/messages", {}, 0.0, fault=fault, exact=exact, ended=ended)
    made.sent, made.chars_sent, made.received_at_least = [text], len(text), received
    return made


@pytest.mark.parametrize(
    ("ended", "text", "fault", "fate"),
    [
        ("open", "half", "", Fate()),
        ("complete", "whole", "", Fate(whole="whole")),
        ("cap", "whole", "", Fate(whole="whole")),
        ("complete", "whole", "crlf", Fate(whole="whole")),
        ("complete", "whole", "slow-first-token", Fate(whole="whole")),
        ("complete", "whole", "bad-json", Fate(failed=True)),
        ("fault", "half", "reset", Fate(failed=True)),
        ("client-hung-up", "", "", Fate(failed=True)),
        ("client-hung-up", "half", "stall", Fate(failed=True)),
        ("client-hung-up", "half", "crlf", Fate(cut="half")),
        ("client-hung-up", "half", "", Fate(cut="half")),
        ("server-stopped", "half", "", Fate()),
        ("refused", "", "", Fate()),
    ],
)
def test_a_fate_follows_from_the_end_and_the_fault(ended: Ending, text: str, fault: str, fate: Fate) -> None:
    assert fate_of(exchange(ended, text, fault)) == fate


def test_on_an_unpaced_stream_only_what_is_known_to_have_arrived_was_cut() -> None:
    assert fate_of(exchange("client-hung-up", "half of it", exact=False, received=4)) == Fate(cut="half")
    assert fate_of(exchange("client-hung-up", "half of it", exact=False)) == Fate()


ONE, TWO = (ScriptTurn(Turn((Text(text),))) for text in ("one", "two"))


@pytest.mark.parametrize(("fate", "turn"), [(Fate(failed=True), ONE), (Fate(cut="o"), TWO), (Fate(), TWO)])
def test_the_same_body_again_is_a_repetition_only_after_a_failure(
    asking: Any, fate: Fate, turn: ScriptTurn
) -> None:
    responder = Responder(Script((ONE, TWO)), lambda _: fate)
    responder.answer(asking.request("a"))

    answer = responder.answer(asking.request("a"))

    assert isinstance(answer, Play)
    assert answer.turn == turn


def test_only_the_last_exchange_with_the_body_counts(asking: Any) -> None:
    fates = {1: Fate(failed=True), 2: Fate(whole="one")}
    responder = Responder(Script((ONE, TWO)), fates.__getitem__)

    answers = [responder.answer(asking.request("a")) for _ in range(3)]

    assert [answer.turn for answer in answers if isinstance(answer, Play)] == [ONE, ONE, TWO]


def test_a_body_that_differs_anywhere_is_no_repetition(asking: Any) -> None:
    responder = Responder(Script((ONE, TWO), conversations="one"), lambda _: Fate(failed=True))
    responder.answer(asking.request("a", temperature=0))

    answer = responder.answer(asking.request("a", temperature=1))

    assert isinstance(answer, Play)
    assert answer.turn == TWO
