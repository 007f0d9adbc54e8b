from __future__ import annotations

from typing import Any

from harness.steps.arguments import Request, Requests
from harness.steps.request import check_request, check_requests, request_text
from harness.steps.verdicts import Failed, Passed, Pending


def _run(build: Any, *texts: Any, **facts: Any) -> Any:
    body = facts.pop("body", {})
    exchange = build.exchange(build.text, 66, ended="client-hung-up")
    second = build.exchange("ok", request=build.request(*texts, body=body))
    saved = (build.message(build.text[:40], build.marker, stop="aborted"),)
    return build.evidence(exchange, second, saved=saved, **facts)


def _failed(verdict: object) -> Failed:
    assert isinstance(verdict, Failed)
    return verdict


def test_contained_and_lacking_texts_pass_with_what_was_found(build: Any) -> None:
    args = Request(2, contains=("answer {nonce}",), lacks=("{reply_1.first_paragraph}",))
    verdict = check_request(args, _run(build, "Please answer N-7"))
    assert verdict == Passed(
        "request 2: found 'answer N-7', lacks 'Paragraph about tides, in full.' in 21 characters"
    )


def test_a_text_that_was_never_sent_is_lacking_and_that_is_said(build: Any) -> None:
    verdict = check_request(Request(2, lacks=("{reply_1.last_paragraph}",)), _run(build, "Analyse"))
    assert isinstance(verdict, Passed)
    assert "'Paragraph about ferries, in full.' (which was never sent)" in verdict.observed


def test_a_missing_text_fails_and_shows_the_nearest_lines(build: Any) -> None:
    evidence = _run(build, "Something else\nplease answer now N-8\nanswer", "bye")
    verdict = _failed(check_request(Request(2, contains=("please answer N-7",)), evidence))
    assert verdict.observed == "request 2 lacks 'please answer N-7'"
    assert verdict.expected == "request 2 contains 'please answer N-7'"
    assert verdict.evidence == ("| please answer now N-8", "| answer")


def test_an_unwanted_text_fails_and_shows_where_it_stands(build: Any) -> None:
    evidence = _run(build, "Analyse", ("assistant", f"so: {build.text} and on"))
    verdict = _failed(check_request(Request(2, lacks=("{reply_1.last_paragraph}",)), evidence))
    assert verdict.observed == "request 2 contains 'Paragraph about ferries, in full.'"
    assert verdict.evidence[0].endswith("Paragraph about ferries, in full. and on")


def test_a_text_in_an_unparsed_part_of_the_body_is_found(build: Any) -> None:
    body = {"input": [{"odd": {"deep": 'a "quoted"\nline'}}], "n": 4}
    assert isinstance(
        check_request(Request(2, contains=('a "quoted"\nline',)), _run(build, body=body)), Passed
    )
    assert _failed(check_request(Request(2, lacks=('"quoted"',)), _run(build, body=body)))


def test_a_regular_expression_is_searched_line_by_line(build: Any) -> None:
    evidence = _run(build, "one\ntwo 22\nthree")
    assert check_request(Request(2, matches=r"^two \d+$"), evidence) == Passed("request 2: found 'two 22'")
    verdict = _failed(check_request(Request(2, matches=r"^four"), evidence))
    assert verdict.observed == "request 2 does not match /^four/"


def test_a_lacking_text_that_is_empty_can_never_fail_so_it_does(build: Any) -> None:
    saved = build.evidence(saved=(build.message(build.text),)).transcript
    whole = _run(build, "Analyse")._replace(transcript=saved)
    verdict = _failed(check_request(Request(2, lacks=("{reply_1.dropped}",)), whole))
    assert verdict.observed == "'{reply_1.dropped}' has no value: nothing of reply 1 was dropped"
    assert _failed(check_request(Request(2, lacks=("",)), _run(build, "Analyse"))).observed == (
        "an empty text is found everywhere"
    )


def test_a_request_may_be_asked_for_without_a_claim_on_its_text(build: Any) -> None:
    assert isinstance(check_request(Request(2), _run(build, "Analyse")), Passed)
    verdict = _failed(check_request(Request(3), _run(build, "Analyse")))
    assert (verdict.observed, verdict.expected) == (
        "the agent made 2 requests, and no request 3",
        "request 3 is made",
    )


def test_it_waits_for_the_request_and_for_the_values_of_its_templates(build: Any) -> None:
    evidence = build.evidence(build.exchange(build.text, 30, ended="open"), finished=False)
    assert check_request(Request(2, contains=("{nonce}",)), evidence) == Pending("request 2")
    verdict = check_request(Request(2, lacks=("{reply_1.dropped}",)), evidence)
    assert verdict == Pending("a value of '{reply_1.dropped}'")


def test_the_text_of_a_request_holds_every_part_once(build: Any) -> None:
    request = build.request("hello", ("tool", "result"), body={"messages": [{"content": "hello"}], "x": "y"})
    assert request_text(request) == "sys\nhello\nresult\ny"
    assert request_text(None) == ""


def test_the_right_number_of_requests_passes_only_at_the_end(build: Any) -> None:
    evidence = _run(build, "Analyse")
    assert check_requests(Requests(2), evidence) == Passed("2 requests")
    running = evidence._replace(finished=False)
    assert check_requests(Requests(2), running) == Pending("the end of the run, 2 requests so far")


def test_one_request_too_many_fails_at_once_and_too_few_at_the_end(build: Any) -> None:
    running = _run(build, "Analyse", finished=False)
    verdict = _failed(check_requests(Requests(1), running))
    assert (verdict.observed, verdict.expected) == ("2 requests", "1 request")
    assert verdict.evidence[-1] == "request 2: last user text 'Analyse'"
    assert isinstance(check_requests(Requests(3), running), Pending)
    assert _failed(check_requests(Requests(3), running._replace(finished=True)))


def test_a_refused_request_counts_and_is_named_and_a_side_request_does_not(build: Any) -> None:
    first = build.exchange("a")
    refused = build.exchange(lane="none", ended="refused", turn=build.turn("x"), problem="no turn left\nmore")
    side = build.exchange("title", lane="side")
    evidence = build.evidence(first, refused, side)
    verdict = _failed(check_requests(Requests(1), evidence))
    assert verdict.observed == "2 requests, 1 of them refused"
    assert verdict.evidence[0] == "refused: POST /v1/messages: no turn left"
    assert isinstance(check_requests(Requests(1), build.evidence(first, side)), Passed)


def test_a_request_that_the_client_repeated_counts_once_and_is_named(build: Any) -> None:
    first, again, second = (build.exchange("a") for _ in range(3))
    evidence = build.evidence(again, second)
    first.reply = 1
    evidence = evidence._replace(exchanges=(first, again, second))
    assert check_requests(Requests(2), evidence) == Passed("2 requests, and 1 repeated by the client")
