"""What a screen repeats of the user's own words is no answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.steps.echo import is_shown
from harness.steps.screens import bare

PROMPT = "Analyse briefly why the totals differ, then answer RECOVERED qa17 in one line."
PHRASE = "RECOVERED qa17"


@pytest.mark.parametrize(
    "text",
    [
        PROMPT,
        f"> {PROMPT}",
        "> Analyse briefly why the totals differ, then answer\n  RECOVERED qa17 in one line.",
        "> Analyse briefly why the totals differ, then answer RECOVERED\n  qa17 in one line.",
        f"{PROMPT}\n\n{PROMPT}",
        "differ, then answer RECOVERED qa17 in one line.",  # its begin has scrolled off
        "then answer RECOVERED qa17",  # cut on both sides
        "RECOVERED qa17 in one line.",
        "then answer RECOVERED qa17\u2026   12 % of the context used",  # a title that is cut to its place
        "title: Analyse briefly why the totals differ, then answer RECOVERED qa17 in o... | ready",
        "| \u2026answer RECOVERED qa17 in one line. | ready",
        bare(
            "│ Analyse briefly why the totals differ, then │\n│ answer RECOVERED qa17 in one line.          │"
        ),
    ],
)
def test_a_repeated_prompt_does_not_show_what_it_asks_for(text: str) -> None:
    assert not is_shown(text, PHRASE, [PROMPT])
    assert is_shown(text, PHRASE)


@pytest.mark.parametrize(
    "text",
    [
        f"{PROMPT}\nRECOVERED qa17",
        f"> {PROMPT}\n\n  RECOVERED\n  qa17\n",
        f"RECOVERED qa17.\n{PROMPT}",
        "I will answer: RECOVERED qa17 and stop.",
        "> \u2026 RECOVERED qa17 \u2026 and more",
        "said: RECOVERED qa17... and that was all",
        f"{PROMPT} {PROMPT} RECOVERED qa17 ────",
    ],
)
def test_an_answer_is_seen_beside_the_repeated_prompt(text: str) -> None:
    assert is_shown(text, PHRASE, [PROMPT])


def test_every_text_that_was_typed_counts() -> None:
    typed = [PROMPT, "Say it again: RECOVERED qa17 please."]
    assert not is_shown("\n".join(typed), PHRASE, typed)
    assert is_shown("\n".join(typed), PHRASE, typed[:1])


def test_typing_nothing_but_the_phrase_cannot_be_told_from_an_answer() -> None:
    assert is_shown(PHRASE, PHRASE, [PHRASE])


def test_an_empty_phrase_is_never_shown() -> None:
    assert not is_shown("text", "")


WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=3, max_size=6)


@given(WORDS, WORDS, st.sampled_from([" ", "\n", "\n  ", " \n\n"]))
def test_however_a_prompt_is_wrapped_it_hides_its_phrase_and_not_an_answer(
    before: list[str], after: list[str], gap: str
) -> None:
    words = [*before, "DONE", "qa17", *after]
    prompt, wrapped = " ".join(words), gap.join(words)
    assert not is_shown(f"> {wrapped}", "DONE qa17", [prompt])
    assert is_shown(f"> {wrapped}\nso: DONE qa17!", "DONE qa17", [prompt])
