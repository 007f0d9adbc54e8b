from __future__ import annotations

from typing import Any

import pytest

from harness.steps.resolve import UnresolvedError, resolve


def _stopped(build: Any, **facts: Any) -> Any:
    saved = (build.message(build.text[:40], build.marker, stop="aborted"),)
    return build.evidence(facts.pop("exchange", None) or build.exchange(build.text), saved=saved, **facts)


def _reason(text: str, evidence: Any) -> UnresolvedError:
    with pytest.raises(UnresolvedError) as caught:
        resolve(text, evidence)
    return caught.value


def test_variables_and_every_field_of_a_reply_resolve(build: Any) -> None:
    evidence = _stopped(build)
    assert resolve("a {nonce} b {nonce}", evidence) == "a N-7 b N-7"
    assert resolve("{reply_1.text}", evidence) == build.text
    assert resolve("{reply_1.first_paragraph}", evidence) == "Paragraph about tides, in full."
    assert resolve("<{reply_1.last_paragraph}>", evidence) == "<Paragraph about ferries, in full.>"
    assert resolve("{reply_1.dropped}", evidence) == build.text[40:]


def test_kept_and_dropped_text_are_together_what_was_said(build: Any) -> None:
    assert build.text[:40] + resolve("{reply_1.dropped}", _stopped(build)) == build.text


def test_a_turn_without_text_is_about_its_thinking(build: Any) -> None:
    exchange = build.exchange(thinking="one\n\ntwo")
    assert resolve("{reply_1.last_paragraph}", build.evidence(exchange)) == "two"


def test_the_stream_can_be_named(build: Any) -> None:
    saved = (build.message(build.marker, thinking="one\n\n", stop="aborted"),)
    evidence = build.evidence(build.exchange("Answer.", thinking="one\n\ntwo"), saved=saved)
    assert resolve("{reply_1.thinking.dropped} {reply_1.text.text} {reply_1.text}", evidence) == (
        "two Answer. Answer."
    )


def test_blank_lines_of_any_kind_part_paragraphs(build: Any) -> None:
    evidence = build.evidence(build.exchange("one\n \t\ntwo\n\n\nthree\n\n"))
    assert resolve("{reply_1.first_paragraph}|{reply_1.last_paragraph}", evidence) == "one|three"


def test_braces_that_are_no_name_stay(build: Any) -> None:
    for text in ('{"a": {"b": 1}}', "{}", "{ nonce }", "${nonce}", "a{3}"):
        assert resolve(text, build.evidence()) == text


def test_doubled_braces_stand_for_the_braces_themselves(build: Any) -> None:
    evidence = build.evidence(variables={"nonce": "N-7"})
    assert resolve("{nonce} {{nonce}}", evidence) == "N-7 {nonce}"


def test_an_unknown_name_lists_the_known_ones(build: Any) -> None:
    for text in ("{nonse}", "{reply_1.tail}", "{reply_0.text}", "{reply_1}"):
        error = _reason(text, _stopped(build))
        assert "known: nonce, reply_N.text, reply_N.first_paragraph" in error.reason
        assert not error.may_come


def test_a_value_that_has_not_come_yet_may_come(build: Any) -> None:
    assert _reason("{reply_2.text}", _stopped(build)).may_come
    assert _reason("{reply_1.dropped}", build.evidence(build.exchange(build.text))).may_come


def test_an_empty_value_is_an_error(build: Any) -> None:
    evidence = build.evidence(build.exchange("Answer."), variables={"nonce": " "})
    assert "it is empty" in str(_reason("{nonce}", evidence))
    assert "it is empty" in str(_reason("{reply_1.thinking.last_paragraph}", evidence))


def test_nothing_dropped_is_an_error_and_so_is_an_unknown_cut(build: Any) -> None:
    whole = _stopped(build)._replace(transcript=build.evidence(saved=(build.message(build.text),)).transcript)
    assert _reason("{reply_1.dropped}", whole).reason == "nothing of reply 1 was dropped"
    other = _stopped(build)._replace(transcript=build.evidence(saved=(build.message("Else."),)).transcript)
    assert "does not keep the beginning" in _reason("{reply_1.dropped}", other).reason
    endless = build.exchange(turn=build.turn(build.text, until_hang_up=True))
    assert _reason("{reply_1.dropped}", _stopped(build, exchange=endless)).reason == "reply 1 has no end"


def test_a_refused_reply_has_no_text(build: Any) -> None:
    evidence = _stopped(build)
    evidence.main[0].turn = None
    assert _reason("{reply_1.text}", evidence).reason == "no turn answered reply 1"
