from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.steps.absence import absent
from harness.steps.arguments import Request
from harness.steps.request import check_request
from harness.steps.resolve import UnresolvedError
from harness.steps.verdicts import Failed, Passed

DROPPED = Request(2, lacks=("{reply_1.dropped}",))
PARAGRAPHS = [f"The paragraph about {word} is here." for word in ("tides", "moss", "copper", "ferries")]
TEXT = "\n\n".join(PARAGRAPHS)
KEPT = TEXT[: TEXT.index("The paragraph about moss")]


def _run(build: Any, *second: Any, text: str = TEXT, kept: str = KEPT, fired_at: int | None = 110) -> Any:
    """The guard fired inside the last paragraph; the client has read no further."""
    stopped = build.exchange(text, 116, ended="client-hung-up")
    answer = build.exchange("ok", request=build.request("Analyse", *second))
    saved = (build.message(kept, build.marker, stop="aborted"),)
    rules = () if fired_at is None else (build.record(fired_at),)
    return build.evidence(stopped, answer, saved=saved, rules=rules)


def test_a_request_with_the_kept_text_only_holds_nothing_that_was_dropped(build: Any) -> None:
    verdict = check_request(DROPPED, _run(build, ("assistant", KEPT + build.marker)))
    assert isinstance(verdict, Passed)
    assert "lacks each of 3 dropped pieces of reply 1" in verdict.observed


def test_everything_that_the_agent_had_read_is_found_when_it_is_replayed(build: Any) -> None:
    for replayed in (TEXT[:110], TEXT[len(KEPT) : 110], PARAGRAPHS[1], PARAGRAPHS[2]):
        verdict = check_request(DROPPED, _run(build, ("assistant", f"I said: {replayed}")))
        assert isinstance(verdict, Failed), replayed


def test_an_exact_loop_is_found_at_the_seam_though_its_paragraphs_were_kept(build: Any) -> None:
    text = "\n\n".join([PARAGRAPHS[0]] * 4)
    kept = f"{PARAGRAPHS[0]}\n\n"

    def replayed(part: str) -> object:
        return check_request(DROPPED, _run(build, ("assistant", part), text=text, kept=kept))

    assert isinstance(replayed(text[:110]), Failed)
    assert isinstance(replayed(kept + build.marker), Passed)


def test_a_seam_that_the_kept_text_repeats_reaches_back_to_its_beginning(build: Any) -> None:
    text, kept = "ha " * 60, "ha " * 30
    evidence = _run(build, ("assistant", kept), text=text, kept=kept)
    (seam,) = absent("{reply_1.dropped}", evidence).pieces
    assert seam == text[:110]
    assert isinstance(check_request(DROPPED, evidence), Passed)


def test_without_a_stated_offset_what_was_sent_counts_as_read(build: Any) -> None:
    evidence = _run(build, fired_at=None)
    assert absent("{reply_1.dropped}", evidence).pieces[1] == PARAGRAPHS[2]
    evidence.main[0].chars_sent = len(KEPT)
    with pytest.raises(UnresolvedError, match="the session keeps all of reply 1 that the agent had read"):
        absent("{reply_1.dropped}", evidence)


def test_short_paragraphs_are_left_to_chance_and_the_seam_is_not(build: Any) -> None:
    text = f"{KEPT}Yes.\n\n{PARAGRAPHS[1]}\n\nmore"
    pieces = absent("{reply_1.dropped}", _run(build, text=text)).pieces
    assert "Yes." not in pieces
    assert pieces[-1].startswith(KEPT[-60:])


def test_a_dropped_text_inside_other_text_is_taken_as_a_whole(build: Any) -> None:
    evidence = _run(build)
    assert absent("<{reply_1.dropped}>", evidence).pieces == (f"<{TEXT[len(KEPT) :]}>",)


def test_a_dropped_thinking_begins_where_the_thinking_does(build: Any) -> None:
    exchange = build.exchange("Answer.", 120, thinking=TEXT, ended="client-hung-up")
    saved = (build.message(build.marker, thinking=KEPT, stop="aborted"),)
    evidence = build.evidence(exchange, saved=saved)
    assert PARAGRAPHS[1] in absent("{reply_1.thinking.dropped}", evidence).pieces
    later = replace(exchange, turn=build.turn(TEXT, thinking="t" * 100))
    evidence = build.evidence(later, saved=(build.message("The", build.marker, stop="aborted"),))
    assert absent("{reply_1.dropped}", evidence).pieces == (TEXT[:20],)
