"""The leak rule at its thresholds, in its contexts, and the collapses that belong to it."""

from __future__ import annotations

import pytest

from harness.detectors.batch import Scanner
from harness.detectors.control_tokens import ControlTokenLeak
from harness.detectors.finding import Finding
from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED
from harness.detectors.quoting import Quoting

TOKEN = "<|sep|>"
PROSE = "The boiler was cold and nobody had looked at it. "


def leak(text: str) -> Finding | None:
    return ControlTokenLeak().feed(text)


def tokens_needed(before: str) -> int | None:
    """How many tokens it takes after some text."""
    finding = leak(before + TOKEN * 12)
    if finding is None:
        return None
    assert (finding.anomaly_start, finding.garbage_start) == (len(before), len(before))
    return (finding.fired_at - len(before)) // len(TOKEN)


@pytest.mark.parametrize(
    ("before", "needed"),
    [
        ("", 3),
        ("   ", 3),
        ("Thinking...\n", 3),
        ("reasoning: ", 3),
        ("Analysis", 3),
        (PROSE, 4),
        ("Thinking about it. ", 4),
        (f"{PROSE}\n\n", 4),
        (f"{PROSE}\n    ", 8),
        (f"{PROSE}\n\t", 8),
        (f"{PROSE}\n   ", 4),
        (f"{PROSE}\n> ", 8),
        (f"{PROSE}\n   > so he said ", 8),
        (f"{PROSE} `", 8),
        (f"{PROSE} `a` ", 4),
        (f"{PROSE} ``a` ", 8),
        (f"{PROSE}\n```\n", 8),
        (f"{PROSE}\n```\n{PROSE}\n", 8),
        (f"{PROSE}\n```\na\n```\n", 4),
        (f"{PROSE}\n~~~\na\n```\n", 8),
        (f'{PROSE} "', 8),
        (f"{PROSE} \u201c", 8),
        ("A delimiter: ", 8),
        ("Two Sentinels: ", 8),
        ("A delimiter: " + "x" * 114 + " ", 8),
        ("A delimiter: " + "x" * 120 + " ", 4),
        ("The especially cold boiler. ", 4),
    ],
)
def test_how_many_it_takes_depends_on_where_they_stand(before: str, needed: int) -> None:
    assert tokens_needed(before) == needed


@pytest.mark.parametrize(
    ("token", "is_one"),
    [
        ("<|im_start|>", True),
        ("<|" + "a" * 32 + "|>", True),
        ("<|" + "a" * 33 + "|>", False),
        ("<|9|>", False),
        ("<think>", True),
        ("</think>", True),
        ("<" + "a" * 16 + ">", True),
        ("<" + "a" * 17 + ">", False),
        ("<a b>", False),
        ("[INST]", True),
        ("[A_1]", True),
        ("[A]", False),
        ("[" + "A" * 16 + "]", True),
        ("[" + "A" * 17 + "]", False),
        ("[Inst]", False),
    ],
)
def test_what_a_token_looks_like(token: str, *, is_one: bool) -> None:
    assert (leak(PROSE + token * 5) is not None) == is_one


def test_only_the_same_token_with_little_whitespace_between_makes_a_run() -> None:
    assert leak(PROSE + (TOKEN + " " * 32) * 5) is not None
    assert leak(PROSE + (TOKEN + " " * 33) * 5) is None
    assert leak(PROSE + (TOKEN + "\u3000") * 5) is None
    assert leak(PROSE + (TOKEN + "<|end|>") * 5) is None


def test_the_start_of_a_message_is_in_its_first_block_only() -> None:
    guard = Guard()
    guard.feed(0, "thinking", "A short thought.")
    assert guard.feed(1, "text", TOKEN * 3) is None
    assert guard.feed(1, "text", TOKEN) is not None
    assert Guard().feed(0, "text", TOKEN * 3) is not None


def test_generated_markup_in_tool_arguments_is_no_leak() -> None:
    assert Guard().feed(0, "tool", "<td>" * 20) is None


@pytest.mark.parametrize(
    ("between", "flood", "is_claimed"),
    [
        ("", "!" * 300, True),
        (" " * 32, "!" * 300, True),
        (" " * 33, "!" * 300, False),
        ("x", "!" * 300, False),
    ],
)
def test_a_collapse_right_after_a_token_belongs_to_the_leak(
    between: str, flood: str, *, is_claimed: bool
) -> None:
    text = PROSE + TOKEN + between + flood
    finding = Scanner().scan(text)
    assert finding is not None
    start = len(PROSE) if is_claimed else len(text) - 300
    assert finding.rule == ("control-token-leak" if is_claimed else "collapse-repetition")
    assert finding.anomaly_start == start
    assert finding.fired_at == len(text) - 300 + 256
    assert finding.details.get("collapse") == ("dominant-scalar-run" if is_claimed else None)
    guard = Guard()
    assert [found for char in text if (found := guard.feed(0, "text", char))] == [finding]


def test_a_collapse_long_after_its_token_is_not_the_leaks() -> None:
    line = " ".join(f"{a}{b}{c}" for a in "abcde" for b in "fghij" for c in "klmno") + "\n"
    text = PROSE + TOKEN + "\n" + line * 6
    reach = 1 + 6 * len(line)
    assert reach > 2048
    findings = [
        Scanner(profile=PUBLISHED.tuned("control-token-leak", claim_reach=reach - less)).scan(text)
        for less in (0, 1)
    ]
    assert [finding and (finding.rule, finding.fired_at) for finding in findings] == [
        ("control-token-leak", len(text)),
        ("collapse-repetition", len(text)),
    ]


def test_with_the_leak_rule_off_a_collapse_is_a_collapse() -> None:
    finding = Scanner(["control-token-leak"]).scan(PROSE + TOKEN + "!" * 300)
    assert finding is not None
    assert finding.rule == "collapse-repetition"


def test_quoting_does_not_hold_an_endless_line() -> None:
    quoting = Quoting()
    for _ in range(1000):
        quoting.read("no newline in sight ")
    assert len(quoting._line) + len(quoting._near) <= 256 + 128


def test_a_number_of_tokens_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        ControlTokenLeak(min_quoted=0)
