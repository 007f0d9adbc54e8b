"""Which turn answers a request, and what a refusal says."""

from __future__ import annotations

from typing import Any

from mock_llm.responder import Play, Refuse, Responder, Side
from mock_llm.script import Script, ScriptTurn, SideRequest
from mock_llm.turn import Text, Turn

ONE = ScriptTurn(Turn((Text("one"),)), place="loop.yaml:3")
TWO = ScriptTurn(Turn((Text("two"),)), place="loop.yaml:9")
TITLE = SideRequest("title", "Generate a title", Turn((Text("A title"),)))
RETRY = {"x-stainless-retry-count": "1"}


def script(**more: object) -> Script:
    return Script((ONE, TWO), **{"conversations": "one", **more})  # type: ignore[arg-type]


def test_turns_are_played_in_order(asking: Any) -> None:
    responder = Responder(script())

    assert responder.answer(asking.request("a")) == Play(1, ONE)
    assert responder.answer(asking.request("b")) == Play(2, TWO)
    assert responder.unused == ()


def test_unused_turns_are_known(asking: Any) -> None:
    responder = Responder(script())
    responder.answer(asking.request())

    assert responder.unused == (TWO,)


def test_a_request_without_the_nonce_is_refused_and_the_closest_turn_named(asking: Any) -> None:
    responder = Responder(script(lane="N-42"))

    assert responder.answer(asking.request("what is this?"), number=4) == Refuse(
        400,
        "request 4 does not belong to the conversation of the script\n"
        "  POST /v1/chat/completions, 1 message, last user text 'what is this?'\n"
        "  closest: turn 1 (loop.yaml:3) wants a user message that contains 'N-42'\n"
        "  describe it as a side request of the agent, or put that text into the prompt",
    )
    assert responder.answer(asking.request("please N-42")) == Play(1, ONE)


def test_the_nonce_may_stand_in_any_user_message_but_in_no_other(asking: Any) -> None:
    responder = Responder(script(lane="N-42"))
    users = [{"role": "user", "content": "do N-42"}, {"role": "user", "content": "go on"}]
    others = [{"role": "assistant", "content": "N-42"}, {"role": "user", "content": "go on"}]

    assert isinstance(responder.answer(asking.request(messages=users)), Play)
    assert isinstance(responder.answer(asking.request(messages=others)), Refuse)


def test_an_exhausted_script_refuses_and_never_repeats(asking: Any) -> None:
    responder = Responder(script())
    for _ in range(2):
        responder.answer(asking.request())

    for number in (3, 4):
        assert responder.answer(asking.request("continue")) == Refuse(
            400,
            f"request {number} has no turn left to answer it\n"
            "  POST /v1/chat/completions, 1 message, last user text 'continue'\n"
            "  closest: turn 2 (loop.yaml:9) was the last one, and it is played already\n"
            "  add a turn to 'model', or see why the client asked again",
        )


def test_a_script_without_turns_says_so(asking: Any) -> None:
    refused = Responder(Script(())).answer(asking.request())
    stray = Responder(Script((), lane="N-42")).answer(asking.request())

    assert isinstance(refused, Refuse)
    assert "the script has no turns" in refused.message
    assert isinstance(stray, Refuse)
    assert "the script has no turns, and wants a user message that contains 'N-42'" in stray.message


def test_a_stray_request_after_the_last_turn_still_names_a_turn(asking: Any) -> None:
    responder = Responder(Script((ONE,), lane="N-42"))
    responder.answer(asking.request("N-42"))

    refused = responder.answer(asking.request("title?"))

    assert isinstance(refused, Refuse)
    assert "turn 1 (loop.yaml:3) (played) wanted a user message that contains 'N-42'" in refused.message


def test_a_side_request_is_answered_beside_the_script_even_when_it_quotes_the_prompt(asking: Any) -> None:
    responder = Responder(script(lane="N-42", sides=(TITLE,)))

    assert responder.answer(asking.request("Generate a title for: do N-42")) == Side(TITLE)
    assert responder.answer(asking.request("do N-42")) == Play(1, ONE)


def test_a_side_request_is_recognised_by_its_system_text_too(asking: Any) -> None:
    messages = [{"role": "system", "content": "Generate a title."}, {"role": "user", "content": "N-42"}]

    assert Responder(script(sides=(TITLE,))).answer(asking.request(messages=messages)) == Side(TITLE)


def test_the_clients_own_retry_gets_the_same_answer_and_eats_no_turn(asking: Any) -> None:
    responder = Responder(script())

    first = responder.answer(asking.request("a"))

    assert responder.answer(asking.request("a", headers=RETRY)) == first
    assert responder.answer(asking.request("b")) == Play(2, TWO)
    assert responder.answer(asking.request("b", headers=RETRY)) == Play(2, TWO)


def test_the_same_body_without_a_retry_header_is_a_new_request(asking: Any) -> None:
    responder = Responder(script())

    assert responder.answer(asking.request("a")) == Play(1, ONE)
    assert responder.answer(asking.request("a")) == Play(2, TWO)


def test_a_retry_of_a_request_that_never_arrived_is_a_new_request(asking: Any) -> None:
    assert Responder(script()).answer(asking.request("a", headers=RETRY)) == Play(1, ONE)


def test_the_cap_bounds_all_requests_together(asking: Any) -> None:
    responder = Responder(script(max_requests=2, sides=(TITLE,)))
    responder.answer(asking.request("Generate a title"))
    responder.answer(asking.request("a"))

    assert responder.answer(asking.request("b")) == Refuse(
        400,
        "request 3 is over the cap of 2 requests\n"
        "  POST /v1/chat/completions, 1 message, last user text 'b'\n"
        "  1 of 2 turns were played\n"
        "  see what the client repeats, or raise 'max_requests'",
    )


def test_a_long_last_text_is_shortened(asking: Any) -> None:
    refused = Responder(Script(())).answer(asking.request("x" * 500))

    assert isinstance(refused, Refuse)
    assert f"'{'x' * 77}...'" in refused.message
