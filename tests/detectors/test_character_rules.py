"""The character rules at their thresholds, one by one."""

from __future__ import annotations

import pytest

from harness.detectors.batch import Scanner
from harness.detectors.finding import Finding
from harness.detectors.guard import Guard
from harness.detectors.line_cycle import LineCycle
from harness.detectors.mechanisms import PUBLISHED
from harness.detectors.scalar_run import DominantScalarRun
from harness.detectors.short_period import ShortPeriod
from harness.detectors.whitespace_flood import WhitespaceFlood

LINE = "The pump was started again and the level in the tank went down by another inch.\n"
UNIT = "abc, def. ghi! "


def place(finding: Finding | None) -> tuple[int, int, int] | None:
    return finding and (finding.anomaly_start, finding.garbage_start, finding.fired_at)


@pytest.mark.parametrize(
    ("text", "fired"),
    [
        ("!" * 256, (0, 1, 256)),
        ("!" * 255, None),
        ("字" * 224, (0, 1, 224)),
        ("字" * 223, None),
        ("─" * 999, None),
        ("█" * 999, None),
        ("=" * 999, None),
        ("a" * 999, None),
        ("!" * 8 + " " + "!" * 248, (0, 1, 257)),
        ("!" * 7 + " " + "!" * 256, (8, 9, 264)),
        ("!" * 8 + "  " + "!" * 256, (10, 11, 266)),
        (("!" * 7 + " ") * 40, None),
        ("x" + ("!" * 100 + " " * 10) * 3, (1, 2, 277)),
        ("!" * 100 + "\u3000" + "!" * 200, None),
        ("!" * 200 + "x" + "!" * 200, None),
    ],
)
def test_a_character_without_end(text: str, fired: tuple[int, int, int] | None) -> None:
    assert place(DominantScalarRun().feed(text)) == fired


def test_a_run_holds_32_whitespace_characters_at_most() -> None:
    # With the published numbers a run fires before it may hold as many.
    def fed(spaces: int) -> Finding | None:
        return DominantScalarRun(repeats_per_space=4).feed("!" * 250 + " " * spaces + "!" * 6)

    assert place(fed(32)) == (0, 1, 288)
    assert fed(33) is None


@pytest.mark.parametrize(
    ("text", "fired"),
    [
        ("x" + " " * 480, (1, 2, 481)),
        ("x" + " " * 479, None),
        ("\n" * 8 + " " * 312, (0, 1, 320)),
        ("\n" * 7 + " " * 313, None),
        ("\n" * 7 + " " * 320 + "\n", (0, 1, 328)),
        ("\n" * 7 + " " * 473 + "\n", (0, 1, 480)),
        ("\r\n" * 160, (0, 1, 320)),
        ("\u00a0" * 999, None),
        ((" " * 300 + "x") * 5, None),
    ],
)
def test_whitespace_without_end(text: str, fired: tuple[int, int, int] | None) -> None:
    assert place(WhitespaceFlood().feed(text)) == fired


@pytest.mark.parametrize(
    ("unit", "counts"),
    [
        ("ha, ", True),
        ("0x1f, ", True),
        ("!? ", True),
        ("! ", True),
        ("é ", True),
        ("字词", True),
        (" \n\t", False),
        ("=-", False),
        ("─█", False),
        ("ab", False),
        ("a+/=", False),
        ("12 ", False),
        ("| 0f; ", False),
        ("{ }\n", False),
        ("(), [];\n", False),
    ],
)
def test_units_that_healthy_text_repeats_never_count(unit: str, *, counts: bool) -> None:
    finding = ShortPeriod().feed(unit * 300)
    assert (finding is not None) == counts


def test_a_period_needs_256_matches_and_8_periods() -> None:
    unit = "".join(map(chr, range(0x4E00, 0x4E00 + 64)))
    assert place(ShortPeriod().feed(unit * 9)) == (0, 64, 576)
    assert ShortPeriod().feed((unit * 9)[:-1]) is None
    assert ShortPeriod().feed(("x" + unit) * 30) is None
    assert place(ShortPeriod().feed("->" + UNIT * 30)) == (2, 2 + len(UNIT), 2 + len(UNIT) + 256)


@pytest.mark.parametrize("period", [1, 2, 3, 4])
def test_lines_that_come_again(period: int) -> None:
    cycle = "".join(LINE.replace("pump", word) for word in ("pump", "valve", "crane", "lift")[:period])
    size = len(cycle)
    assert place(LineCycle().feed("Intro\n" + cycle * 9)) == (6, 6 + size, 6 + size * 6)
    assert LineCycle().feed(cycle * 6)
    assert LineCycle().feed((cycle * 6)[:-1]) is None


def test_what_stops_a_line_cycle() -> None:
    assert LineCycle().feed((LINE * 5 + "\n") * 9) is None
    assert LineCycle().feed("short\n" * 63) is None
    assert LineCycle().feed("short\n" * 64) is not None
    assert LineCycle().feed(("-=*" * 20 + "\n") * 50) is None
    five = "".join(f"{word} {LINE}" for word in ("one", "two", "three", "four", "five"))
    assert LineCycle().feed(five * 20) is None


def test_a_decoration_line_keeps_its_place_in_a_cycle_and_is_not_counted() -> None:
    finding = LineCycle().feed((LINE + "-----\n") * 20)
    assert finding is not None
    assert finding.details == {"period": 2, "matched": 10}
    assert finding.fired_at == 11 * (len(LINE) + 6) - 6


@pytest.mark.parametrize(
    "mechanism", ["dominant-scalar-run", "whitespace-flood", "short-period", "line-cycle"]
)
@pytest.mark.parametrize("kind", ["text", "thinking", "tool"])
def test_the_character_rules_look_at_every_stream(mechanism: str, kind: str) -> None:
    text = {
        "dominant-scalar-run": "!" * 257,
        "whitespace-flood": " " * 500,
        "short-period": UNIT * 30,
        "line-cycle": LINE * 9,
    }[mechanism]
    finding = Guard().feed(0, kind, text)  # type: ignore[arg-type]
    assert finding is not None
    assert finding.mechanism == mechanism
    assert Guard([mechanism]).feed(0, kind, text) is None  # type: ignore[arg-type]


def test_streams_that_interleave_do_not_disturb_one_another() -> None:
    guard = Guard()
    for at in range(0, 250, 10):
        assert guard.feed(0, "text", "!" * 10) is None, at
        assert guard.feed(1, "tool", '{"a": ') is None
        assert guard.feed(2, "thinking", f"word{at} ") is None
    finding = guard.feed(0, "text", "!" * 10)
    assert place(finding) == (0, 1, 256)
    assert guard.block == 0


def test_folded_numbers_need_both_halves() -> None:
    profile = PUBLISHED.tuned("paragraph-repeat", fold_numbers=True).without("near-duplicate-paragraphs")
    drift = [
        f"Now I wait for the worker and look again in {n} minutes, since nothing moved.\n\n"
        for n in (3, 4, 5)
    ]
    assert Scanner(profile=PUBLISHED).scan("".join(drift)) is None
    finding = Scanner(profile=profile).scan("".join(drift))
    assert finding is not None
    assert finding.fired_at == len("".join(drift))
    guard = Guard(profile=profile)
    assert guard.feed(0, "text", drift[0] + drift[1]) is None
    assert guard.feed(1, "tool", "{}") is None
    assert guard.feed(0, "text", drift[2]) is None
    for unsafe in ("Step 3 of 7: ", "1. ", "`x` ", "v1.2 ", "1 2 3 "):
        assert Scanner(profile=profile).scan("".join(unsafe + part for part in drift)) is None, unsafe


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DominantScalarRun(min_ascii=0), "min_ascii is 0"),
        (lambda: WhitespaceFlood(min_chars=500), "min_chars is 500, but must be 1..480"),
        (lambda: WhitespaceFlood(min_newlines=0), "min_newlines is 0"),
        (lambda: ShortPeriod(min_period=65), "min_period is 65, but must be 1..64"),
        (lambda: ShortPeriod(min_matched=63), "min_matched is 63"),
        (lambda: LineCycle(max_period=0), "max_period is 0"),
    ],
)
def test_numbers_that_do_not_go_together_are_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]
