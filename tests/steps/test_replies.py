"""Which message of a session belongs to which reply."""

from __future__ import annotations

from typing import Any

from harness.steps.replies import last_saved, reply, session_line


def _texts(evidence: Any) -> list[str | None]:
    views = [reply(evidence, number) for number in range(1, len(evidence.main) + 1)]
    return [view.message.text if view.message else None for view in views]


def test_messages_come_in_the_order_of_the_replies(build: Any) -> None:
    exchanges = [build.exchange(text) for text in ("Tides first.", "Moss next.")]
    saved = (build.message("Tides fi", stop="aborted"), build.message("Moss next."))
    evidence = build.evidence(*exchanges, saved=saved)
    assert _texts(evidence) == ["Tides fi", "Moss next."]
    assert last_saved(evidence) == 2


def test_replies_that_were_left_out_have_no_message(build: Any) -> None:
    exchanges = [build.exchange(text) for text in ("Tides first.", "Tides again.", "Moss next.", "Copper.")]
    evidence = build.evidence(*exchanges, saved=(build.message("Moss next."), build.message("Copper.")))
    assert _texts(evidence) == [None, None, "Moss next.", "Copper."]
    assert last_saved(evidence) == 4
    assert session_line(reply(evidence, 1), evidence) == (
        "session: no message of reply 1: those in a.jsonl are of later ones"
    )


def test_a_text_that_tells_nothing_stays_in_its_place(build: Any) -> None:
    for text in ("", "Mo", "[stopped]", "Tides"):  # nothing, too little, the agent's own words, its own
        exchanges = [build.exchange("Tides first."), build.exchange("Moss next.")]
        evidence = build.evidence(*exchanges, saved=(build.message(text),))
        assert _texts(evidence) == [text, None]
        assert last_saved(evidence) == 1


def test_equal_replies_stay_in_their_places(build: Any) -> None:
    exchanges = [build.exchange("Moss next."), build.exchange("Moss next.")]
    evidence = build.evidence(*exchanges, saved=(build.message("Moss next."),))
    assert _texts(evidence) == ["Moss next.", None]


def test_nothing_saved_is_no_last_reply(build: Any) -> None:
    assert last_saved(build.evidence(build.exchange("Moss."), saved=())) == 0
    assert last_saved(build.evidence(build.exchange("Moss."))) == 0


def test_a_file_that_could_not_be_read_is_not_called_missing(build: Any) -> None:
    source = build.evidence(build.exchange("Moss."), saved=()).session
    evidence = build.evidence(build.exchange("Moss."))._replace(session=source)
    assert session_line(reply(evidence, 1), evidence) == "session: a.jsonl could not be read"
