from __future__ import annotations

import re
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from harness.snapshots.redaction import Redaction, Replacement, day_pattern, without_match
from harness.steps.snapshot_arguments import MASKS

UUID = "0a1b2c3d-0000-4000-8000-0123456789ab"
SECRETS = st.lists(st.text("ab1/-", min_size=4, max_size=9).filter(lambda s: not s.isdigit()), max_size=4)
PIECES = st.one_of(
    st.text("ab1/-[]ID VERSION.Z:T\n", max_size=8),
    st.sampled_from(
        [UUID, "call_a1b2", "2026-01-02T03:04:05Z", "1.2.3", "[ID-1]", "[NONCE]", "[ID-7]", "v10.2.0-rc.1"]
    ),
)


@st.composite
def texts_with_secrets(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    secrets = draw(SECRETS)
    pieces = draw(st.lists(st.one_of(PIECES, st.sampled_from(secrets)) if secrets else PIECES, max_size=12))
    return "".join(pieces), {secret: f"[SECRET{n}]" for n, secret in enumerate(secrets)}


@given(texts_with_secrets())
def test_masking_once_more_changes_nothing(given_: tuple[str, dict[str, str]]) -> None:
    text, secrets = given_
    redaction = Redaction(secrets, {"double": "a+b", "after": "(?<!a)b/"})
    once = redaction.apply(text).text
    assert redaction.apply(once) == (once, ())


@given(texts_with_secrets())
def test_nothing_that_is_masked_is_left(given_: tuple[str, dict[str, str]]) -> None:
    text, secrets = given_
    masked = Redaction(secrets).apply(text).text
    assert not [secret for secret in secrets if secret in masked]
    assert UUID not in masked
    assert not re.search(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", masked)


@given(texts_with_secrets())
def test_every_replacement_is_logged_and_what_was_not_replaced_is_unchanged(
    given_: tuple[str, dict[str, str]],
) -> None:
    text, secrets = given_
    redacted = Redaction(secrets).apply(text)
    assert (redacted.text == text) == (not redacted.replacements)
    assert redacted.text.count("\n") == text.count("\n")
    growth = sum(len(r.mask) - len(r.original) for r in redacted.replacements)
    assert len(redacted.text) == len(text) + growth


def test_the_same_text_has_the_same_number_and_another_one_the_next() -> None:
    text = f"call_a1b2 {UUID} call_a1b2 at 2026-01-02T03:04:05.123Z and 2026-01-02 03:04:06"
    assert Redaction({}).apply(text).text == "[ID-1] [ID-2] [ID-1] at [TIME-1] and [TIME-2]"


def test_numbers_begin_behind_those_that_the_text_itself_has() -> None:
    assert Redaction({}).apply("[ID-3] call_a1b2").text == "[ID-3] [ID-4]"


def test_a_port_is_masked_as_a_whole_number_only() -> None:
    redaction = Redaction({"43210": "[PORT]"})
    assert redaction.apply("http://127.0.0.1:43210/v1 143210 432109 x-43210").text == (
        "http://127.0.0.1:[PORT]/v1 143210 432109 x-43210"
    )


def test_an_address_is_no_version_and_words_are_no_ids() -> None:
    text = "127.0.0.1 call_back request-body message-id 12.5 3.14"
    assert Redaction({}).apply(text) == (text, ())
    assert Redaction({}).apply("agent v0.171.0, pi 1.2.3-rc.1.").text == "agent [VERSION-1], pi [VERSION-2]."


def test_the_log_says_where_what_was_replaced_by_what() -> None:
    redacted = Redaction({"qa12ab34": "[NONCE]"}, {"ticket": "T-[0-9]+"}).apply("one\nT-12 qa12ab34\n")
    assert redacted.text == "one\n[TICKET-1] [NONCE]\n"
    assert redacted.replacements == (
        Replacement(2, "nonce", "[NONCE]", "qa12ab34"),
        Replacement(2, "ticket", "[TICKET-1]", "T-12"),
    )


def test_a_mask_that_replaced_nothing_is_named() -> None:
    done = Redaction({}).apply("call_a1b2").replacements
    assert without_match(("time", "id", "nonce"), done) == ("time", "nonce")


def test_a_scenario_can_name_every_mask_of_a_form() -> None:
    from harness.snapshots.redaction import PATTERNS

    assert set(PATTERNS) < set(MASKS)


def test_moments_since_1970_are_times_and_other_numbers_are_not() -> None:
    text = '{"at": 1796068938156, "s": 1796068938.25, "tokens": 179606893, "id": x1796068938}'
    assert Redaction({}).apply(text).text == (
        '{"at": [TIME-1], "s": [TIME-2], "tokens": 179606893, "id": x1796068938}'
    )


def test_the_day_of_the_run_is_masked_and_other_days_are_not() -> None:
    redaction = Redaction({}, last={"today": day_pattern([date(2026, 11, 3)])})
    text = "2026-11-03 2026-11-04 11/3/2026 Tuesday, November 3, 2026 12026-11-03 2026-11-03T10:00:00Z"
    assert redaction.apply(text).text == "[TODAY-1] 2026-11-04 [TODAY-2] [TODAY-3] 12026-11-03 [TIME-1]"
