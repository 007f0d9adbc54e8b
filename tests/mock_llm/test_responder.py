"""Which turn answers a request, and what a refusal says."""

from __future__ import annotations

from typing import Any

from mock_llm.matchers import Check
from mock_llm.responder import Play, Refuse, Responder, Side
from mock_llm.script import Lane, Script, ScriptTurn, SideRequest
from mock_llm.turn import Text, ToolCall, Turn

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


def test_a_turn_without_a_file_is_named_by_its_number_alone(asking: Any) -> None:
    given = tuple(ScriptTurn(Turn((Text("x"),)), place=place) for place in ("turn 1", "turn 2:3"))
    responder = Responder(Script(given, conversations="one"))
    for _ in given:
        responder.answer(asking.request("a"))

    refused = responder.answer(asking.request("a"), number=3)
    assert isinstance(refused, Refuse)
    assert "  closest: turn 2 was the last one, and it is played already\n" in refused.message


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


def test_a_clients_own_words_may_go_on_with_the_conversation_without_its_nonce(asking: Any) -> None:
    responder = Responder(script(lane="N-42", lane_too=("System: a loop",)))

    assert responder.answer(asking.request("do N-42")) == Play(1, ONE)
    assert isinstance(responder.answer(asking.request("anything else")), Refuse)
    assert responder.answer(asking.request("System: a loop was found")) == Play(2, TWO)


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


LANE = Lane("title", (Check("system", "contains", "titles"),), (ONE,), place="loop.yaml:20")


def waiting(word: str, place: str) -> ScriptTurn:
    return ScriptTurn(Turn((Text(word),)), place=place, when=(Check("last_user", "contains", word),))


def message_of(answer: object) -> str:
    assert isinstance(answer, Refuse)
    return answer.message


def test_unused_turns_are_named_with_their_lanes(asking: Any) -> None:
    responder = Responder(script(lanes=(LANE,)))
    responder.answer(asking.request())

    assert responder.unused_names == ("turn 2 (loop.yaml:9)", "turn 1 (loop.yaml:3) of lane 'title'")


def test_a_miss_shows_the_closest_turn_and_all_that_were_tried(asking: Any) -> None:
    both = (Check("model", "equals", "mock-model"), Check("system", "contains", "titles"))
    turns = (waiting("x", "s.yaml:1"), ScriptTurn(Turn((Text("y"),)), place="s.yaml:2", when=both))
    many = tuple(waiting(f"w{n}", f"s.yaml:{n}") for n in range(3, 10))

    assert message_of(Responder(Script((*turns, *many))).answer(asking.request("hello"))) == (
        "request 1 has no turn left to answer it\n"
        "  POST /v1/chat/completions, 1 message, last user text 'hello'\n"
        "  closest: turn 2 (s.yaml:2), 1 of 2 checks fit\n"
        "    fits  the model to be 'mock-model', got 'mock-model'\n"
        "    wants the system text to contain 'titles', got ''\n"
        "  tried too: turn 1 (s.yaml:1) wants the last user text to contain 'x', got 'hello'\n"
        + "".join(
            f"  tried too: turn {n} (s.yaml:{n}) wants the last user text to contain 'w{n}', got 'hello'\n"
            for n in range(3, 8)
        )
        + "  and 2 more that do not fit\n"
        "  add a turn that fits it, or set 'when_exhausted'"
    )


def test_a_candidate_with_several_misfits_says_how_many_more(asking: Any) -> None:
    two = (Check("model", "equals", "a"), Check("system", "contains", "b"))
    turns = (waiting("x", "s.yaml:1"), ScriptTurn(Turn((Text("y"),)), place="s.yaml:2", when=two))

    refused = message_of(Responder(Script(turns)).answer(asking.request("hello")))

    assert "tried too: turn 2 (s.yaml:2) wants the model to be 'a', got 'mock-model' (and 1 more)" in refused


def test_a_request_of_no_lane_shows_what_each_lane_wants(asking: Any) -> None:
    nonce = Lane("sub", (Check("model", "equals", "mock-model"),), (ONE,), place="s.yaml:9", nonce="N-2")

    assert message_of(Responder(Script((), lanes=(LANE, nonce))).answer(asking.request("hello"))) == (
        "request 1 does not belong to any lane of the script\n"
        "  POST /v1/chat/completions, 1 message, last user text 'hello'\n"
        "  closest: lane 'sub' (s.yaml:9), 1 of 2 checks fit\n"
        "    wants a user message to contain 'N-2', got 'hello'\n"
        "    fits  the model to be 'mock-model', got 'mock-model'\n"
        "  tried too: lane 'title' (loop.yaml:20) wants the system text to contain 'titles', got ''\n"
        "  describe it as a side request of the agent, or as a lane of the script"
    )


def test_a_lane_that_runs_out_names_itself(asking: Any) -> None:
    responder = Responder(script(lanes=(LANE,)))
    messages = [{"role": "system", "content": "titles"}, {"role": "user", "content": "x"}]
    first = responder.answer(asking.request(messages=messages))
    refused = message_of(responder.answer(asking.request(messages=messages)))

    assert isinstance(first, Play)
    assert first.lane == "title"
    assert refused.startswith("request 2 has no turn left to answer it in lane 'title' (loop.yaml:20)\n")


def test_the_last_turn_comes_again_with_calls_of_other_ids(asking: Any) -> None:
    call = ScriptTurn(Turn((ToolCall("call_1", "bash", "{}"),)), place="s.yaml:1")
    responder = Responder(Script((call,), conversations="one", when_exhausted="repeat-last"))

    answers = [responder.answer(asking.request(word)) for word in "abc"]

    ids = [
        part.id
        for a in answers
        if isinstance(a, Play)
        for part in a.turn.turn.parts
        if isinstance(part, ToolCall)
    ]
    assert ids == ["call_1", "call_1_again2", "call_1_again3"]
    assert isinstance(answers[1], Play)
    assert answers[1].note == "no turn was left: turn 1 (s.yaml:1) again"


def test_there_is_no_last_turn_to_repeat_when_none_was_played(asking: Any) -> None:
    responder = Responder(Script((waiting("x", "s.yaml:1"),), when_exhausted="repeat-last"))

    refused = message_of(responder.answer(asking.request("hello")))

    assert refused.endswith("\n  'when_exhausted' repeats the last turn, and none was played")


def test_a_turn_that_waits_is_not_taken_by_the_result_of_a_tool(asking: Any) -> None:
    call = ScriptTurn(Turn((ToolCall("c", "bash", "{}"),), stop="tool"))
    responder = Responder(Script((call, waiting("list", "s.yaml:2"), TWO)))
    asked = [{"role": "user", "content": "please run"}]
    responder.answer(asking.request(messages=asked))
    said = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}],
    }

    result = responder.answer(
        asking.request(messages=[*asked, said, {"role": "tool", "tool_call_id": "c", "content": "list"}])
    )

    assert result == Play(2, TWO)


TOOLS = [{"type": "function", "function": {"name": "bash"}}]


def asked_as(asking: Any, system: str, *texts: str, tools: bool = True) -> Any:
    said = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    more = {"tools": TOOLS} if tools else {}
    return asking.request(messages=[{"role": "system", "content": system}, *said], **more)


def turn_of(answer: object) -> ScriptTurn:
    assert isinstance(answer, Play)
    return answer.turn


def test_a_title_that_nobody_described_takes_no_turn_of_the_conversation(asking: Any) -> None:
    for title in (
        asked_as(asking, "You are an agent.", "fix it", tools=False),
        asked_as(asking, "Say in five words what this is about.", "fix it"),
    ):
        responder = Responder(Script((ONE, TWO)))
        assert turn_of(responder.answer(asked_as(asking, "You are an agent.", "fix it"))) == ONE
        assert turn_of(responder.answer(title)) == ONE
        assert turn_of(responder.answer(asked_as(asking, "You are an agent.", "fix it", "one", "go"))) == TWO


def test_a_title_that_is_asked_for_first_takes_none_either(asking: Any) -> None:
    responder = Responder(Script((ONE, TWO)))
    responder.answer(asked_as(asking, "Say in five words what this is about.", "fix it", tools=False))

    assert turn_of(responder.answer(asked_as(asking, "You are an agent.", "fix it"))) == ONE
    assert turn_of(responder.answer(asked_as(asking, "You are an agent.", "fix it", "one", "go"))) == TWO


def test_a_conversation_goes_on_when_its_system_text_names_the_time(asking: Any) -> None:
    responder = Responder(Script((ONE, TWO)))
    responder.answer(asked_as(asking, "You are an agent of few words. It is 10:01.", "fix it"))

    assert (
        turn_of(responder.answer(asked_as(asking, "You are an agent of few words. It is 10:02.", "fix it")))
        == TWO
    )


def test_a_conversation_goes_on_when_its_instructions_and_tools_change_later(asking: Any) -> None:
    responder = Responder(Script((ONE, TWO)))
    responder.answer(asked_as(asking, "You are an agent.", "fix it"))

    assert (
        turn_of(responder.answer(asked_as(asking, "Sum it up.", "fix it", "one", "go", tools=False))) == TWO
    )


def test_a_reply_that_was_dropped_leaves_the_conversation_the_same(asking: Any) -> None:
    responder = Responder(Script((ONE, TWO)))
    messages = [{"role": "user", "content": "fix it"}, {"role": "user", "content": "<interrupt>"}]
    responder.answer(asking.request(messages=messages[:1]))

    assert turn_of(responder.answer(asking.request(messages=messages))) == TWO
