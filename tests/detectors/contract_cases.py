"""The guard's own contract at its limits, as data: read by the tests and by ``qa mutate``.

Each case sits on a limit of a rule, so that one step to either side is another verdict. The figures follow from the
published rules: they are worked out from lengths and counts, not copied from what a guard said.
"""

from __future__ import annotations

from typing import Any

from harness.lab.mutation_contract import (
    Case,
    Figures,
    MessageCase,
    RefusedCase,
    Settings,
    TextCase,
    TurnsCase,
)
from harness.lab.mutation_cost import CostCase

CASES: list[Case] = []

FILLER = "The boiler was cold and nobody had looked at it. "
A = "Every morning the baker weighs the flour, the salt and the water before he lights the oven."
SEP = "<|sep|>"


def text(label: str, text: str, figures: Figures | None, stream: str = "text", **settings: Any) -> None:
    CASES.append(TextCase("contract", label, text, figures, stream, _settings(settings)))


def message(
    label: str, parts: list[tuple[int, str, str]], block: int | None, figures: Figures | None, **settings: Any
) -> None:
    CASES.append(MessageCase("contract", label, tuple(parts), block, figures, _settings(settings)))


def turns(
    label: str,
    replies: list[str],
    *fires: tuple[int, float, int],
    streamed: int | None = None,
    rebuilt: bool = False,
    rearmed: bool = False,
) -> None:
    CASES.append(TurnsCase("contract", label, tuple(replies), fires, streamed, rebuilt, rearmed))


def refused(mechanism: str, accepted: Any = False, **numbers: Any) -> None:  # noqa: FBT002
    said = ",".join(f"{key}={value}" for key, value in numbers.items())
    CASES.append(RefusedCase("contract", f"{mechanism}:{said}", mechanism, numbers, accepted))


def _settings(given: dict[str, Any]) -> Settings:
    without = given.pop("without", ())
    tuned = {name.replace("_", "-"): numbers for name, numbers in given.items()}
    return Settings(tuple(without), tuned)


def other(number: int) -> str:
    """A paragraph like no other with a different number."""
    return " ".join(
        f"{chr(97 + number // 26)}{chr(97 + number % 26)}{word}" for word in "abcdefghijklmnopqrstuvw"
    )


def restated(number: int) -> str:
    """One of many paragraphs that share 15 of 16 words."""
    words = "amber birch cedar dune ember fjord grove harbour inlet juniper kelp lagoon marsh north otter"
    return f"{words} reed{chr(97 + number)}."


def paragraphs(*parts: str) -> str:
    return "".join(f"{part}\n\n" for part in parts)


def at(*parts: str) -> int:
    """Characters of some paragraphs with the blank lines behind them."""
    return len(paragraphs(*parts))


EXACT = ("near-duplicate-paragraphs",)
NEAR = ("paragraph-repeat",)

# dominant-scalar-run
run = "dominant-scalar-run"
text("scalar 256 ascii", "!" * 256 + "x", (run, 0, 1, 256))
text("scalar 255 ascii", "!" * 255 + "x", None)
text("scalar 224 others", "字" * 224, (run, 0, 1, 224))
text("scalar 223 others", "字" * 223 + "x", None)
text("scalar in thinking", "ab" + "!" * 256, (run, 2, 3, 258), "thinking")
text("scalar in a tool", "ab" + "!" * 256, (run, 2, 3, 258), "tool")
text("scalar a space for eight", "x" + ("字" * 8 + " ") * 28, (run, 1, 2, 1 + 27 * 9 + 8))
text("scalar a space for seven", "字" * 7 + " " + "字" * 224, (run, 8, 9, 232))
text("scalar no letters", "a" * 600 + "." * 600, None)
text(
    "scalar 32 spaces", "! " * 32 + "!" * 224, (run, 0, 1, 288), dominant_scalar_run={"repeats_per_space": 1}
)
text(
    "scalar 33 spaces",
    "! " * 33 + "!" * 256,
    (run, 66, 67, 322),
    dominant_scalar_run={"repeats_per_space": 1},
)
text("scalar two runs", "!" * 200 + "?" * 256, (run, 200, 201, 456))
text(
    "scalar small numbers", "a!!!b", (run, 1, 2, 4), dominant_scalar_run={"min_ascii": 3, "min_non_ascii": 3}
)
text("scalar one", "a?", (run, 1, 2, 2), dominant_scalar_run={"min_ascii": 1, "min_non_ascii": 1})
for name in ("min_ascii", "min_non_ascii", "repeats_per_space"):
    refused(run, **{name: 0})
    refused(run, accepted=True, **{name: 1})

# whitespace-flood
flood = "whitespace-flood"
text("spaces 320 with 8 newlines", "a" + "\n" * 8 + " " * 312 + "b", (flood, 1, 2, 321))
text("spaces 319 with 8 newlines", "a" + "\n" * 8 + " " * 311 + "b", None)
text("spaces the eighth newline late", "a" + "\n" * 7 + " " * 400 + "\n", (flood, 1, 2, 409))
text("spaces 480 of any", "a" + "\n" * 7 + " " * 473 + "b", (flood, 1, 2, 481))
text("spaces 479 of any", "a" + "\n" * 7 + " " * 472 + "b", None)
text("spaces in thinking", " " * 480, (flood, 0, 1, 480), "thinking")
text("spaces in a tool", " " * 480, (flood, 0, 1, 480), "tool")
text("spaces two runs", " " * 470 + "x" + "\n" * 320, (flood, 471, 472, 791))
refused(flood, min_chars=0)
refused(flood, accepted=True, min_chars=1)
refused(flood, min_chars=481)
refused(flood, accepted=True, min_chars=480)
refused(flood, min_newlines=0)
refused(flood, accepted=True, min_newlines=1)

# short-period
period = "short-period"
unit = "".join(map(chr, range(33, 97)))
long_unit = unit + "a"
text("period 2", "x" + "a!" * 140, (period, 1, 3, 259))
text("period 2 is the shortest", "!" * 300, (period, 0, 2, 258), without=[run])
text("period 64 in 8 periods", "~" + unit * 10, (period, 1, 65, 577))
text("period 64 one short", (unit * 10)[:575], None)
text("period 65", long_unit * 12, None)
text("period 255 matched", "x" + "a!" * 128 + "a", None)
text("period in thinking", "a!" * 140, (period, 0, 2, 258), "thinking")
text("period in a tool", "a!" * 140, (period, 0, 2, 258), "tool")
text("period of base64", "QUJD" * 200, None)
text("period of numbers", "0x1f, 3.5 | ".replace("x", "") * 60, None)
text("period in the second half", unit[:40] * 3 + "ha! " * 80, (period, 120, 124, 380))
text(
    "period before a newline",
    ("so we look at the other file again and go" + " \n") * 12,
    (period, 0, 43, 387),
)
refused(period, min_period=0)
refused(period, accepted=True, min_period=1)
refused(period, min_period=65)
refused(period, accepted=True, min_period=64)
refused(period, min_matched=63)
refused(period, accepted=True, min_matched=64)

# line-cycle
cycle = "line-cycle"
NO_PERIOD = [period]
wide = [f"{word} " * 12 + "end\n" for word in ("alpha", "bravo", "carol", "delta", "echo!")]
text(
    "lines 4",
    "".join(wide[:4]) * 8,
    (cycle, 0, len("".join(wide[:4])), 6 * len("".join(wide[:4]))),
    without=NO_PERIOD,
)
text("lines 5", "".join(wide) * 8, None, without=NO_PERIOD)
text(
    "lines 6 of one",
    "x\n" + wide[0] * 6,
    (cycle, 2, 2 + len(wide[0]), 2 + 6 * len(wide[0])),
    without=NO_PERIOD,
)
text("lines 5 of one", wide[0] * 5 + "other\n", None, without=NO_PERIOD)
text("lines 384", "so we look.\n" * 40, (cycle, 0, 12, 384), without=NO_PERIOD)
two = "a" * 22 + "\n", "b" * 36 + "\n"
text("lines 383", "".join(two) * 9, (cycle, 0, 60, 420), without=NO_PERIOD)
text(
    "lines in thinking",
    wide[0] * 6,
    (cycle, 0, len(wide[0]), 6 * len(wide[0])),
    "thinking",
    without=NO_PERIOD,
)
text("lines in a tool", wide[0] * 6, (cycle, 0, len(wide[0]), 6 * len(wide[0])), "tool", without=NO_PERIOD)
text("lines parted by a blank one", (wide[0] * 5 + "\n") * 5, None, without=[period, "paragraph-repeat"])
text("lines parted by spaces", (wide[0] * 5 + " \n") * 5, None, without=[period, "paragraph-repeat"])
text("lines of decoration", ("-" * 100 + "\n") * 20, None)
rule = "-" * 70 + "\n"
text(
    "lines of decoration between",
    (wide[0] + rule) * 12,
    (cycle, 0, len(wide[0] + rule), 10 * len(wide[0] + rule) + len(wide[0])),
    without=NO_PERIOD,
)
huge = "word " * 3300 + "\n"
text("lines beyond the cap", huge * 6, (cycle, 0, len(huge), 6 * len(huge)), without=NO_PERIOD)
at_cap = ("word" * 5000)[:16384] + "\n"
text("lines of the cap", at_cap * 6, (cycle, 0, len(at_cap), 6 * len(at_cap)), without=NO_PERIOD)
text(
    "lines in a later block",
    "a\nb\n\nc\n\n" + wide[0] * 6 + "\n",
    (cycle, 8, 8 + len(wide[0]), 8 + 6 * len(wide[0])),
    without=NO_PERIOD,
)
for name in ("max_period", "min_cycles", "min_chars"):
    refused(cycle, **{name: 0})
    refused(cycle, accepted=True, **{name: 1})

# paragraph-repeat
repeat = "paragraph-repeat"
text("paragraph three times", paragraphs(A, A, A), (repeat, 0, at(A), at(A, A, A)))
text("paragraph twice", paragraphs(A, A), None)
far = [other(n) for n in range(62)]
text("paragraph 64 back", paragraphs(A, *far, A, A), (repeat, 0, at(A, *far), at(A, *far, A, A)))
text("paragraph 65 back", paragraphs(A, *far, other(62), A, A), None)
for chars, fires in ((63, True), (62, False)):
    p = ("word " * 20)[: chars - 1] + "x"
    text(f"paragraph of {chars}", paragraphs(p, p, p), (repeat, 0, at(p), at(p, p, p)) if fires else None)
for words, fires in ((24, True), (23, False)):
    p = "a " * words + "." * 60
    text(
        f"paragraph of {words} word characters",
        paragraphs(p, p, p),
        (repeat, 0, at(p), at(p, p, p)) if fires else None,
    )
text("paragraph in thinking", paragraphs(A, A, A), (repeat, 0, at(A), at(A, A, A)), "thinking")
text("paragraph in a tool", paragraphs(*[A] * 9), None, "tool")
numbered = [
    "After 5 minutes the baker weighs the flour, the salt and the water and lights the oven again".replace(
        "5", n
    )
    for n in "678"
]
text("paragraph with other numbers", paragraphs(*numbered), None)
FOLD = {"fold_numbers": True}
text(
    "paragraph folded",
    paragraphs(*numbered),
    (repeat, 0, at(numbered[0]), at(*numbered)),
    paragraph_repeat=FOLD,
)
pair = [f"{p} and then 9 times more." for p in numbered]
text(
    "paragraph folded, two numbers",
    paragraphs(*pair),
    (repeat, 0, at(pair[0]), at(*pair)),
    paragraph_repeat=FOLD,
)
three = [f"{p} in 7 bowls." for p in pair]
text("paragraph folded, three numbers", paragraphs(*three), None, paragraph_repeat=FOLD)
for label, addition in (
    ("glued", " v3"),
    ("code", " (x)"),
    ("progress", " in step 4 of it"),
    ("fenced", "\n```\nx\n```"),
):
    text(
        f"paragraph not folded: {label}",
        paragraphs(*[p + addition for p in numbered]),
        None,
        paragraph_repeat=FOLD,
    )
items = [f"{n}. {A}" for n in "123"]
text("paragraph not folded: items", paragraphs(*items), None, paragraph_repeat=FOLD)
for ring_size, least in ((4, 1), (4, 6)):
    refused(repeat, window=ring_size, min_repeats=least)
for ring_size, least in ((4, 2), (4, 5)):
    refused(repeat, accepted=True, window=ring_size, min_repeats=least)
message(
    "paragraph folded, a tool between",
    [(0, "text", paragraphs(*numbered[:2])), (1, "tool", "{}"), (0, "text", paragraphs(numbered[2]))],
    None,
    None,
    paragraph_repeat=FOLD,
)
message(
    "paragraph equal, a tool between",
    [(0, "text", paragraphs(A, A)), (1, "tool", "{}"), (0, "text", paragraphs(A))],
    0,
    (repeat, 0, at(A), at(A, A, A)),
)
text("paragraph of CRLF", paragraphs(A, A, A).replace("\n", "\r\n"), (repeat, 0, at(A) + 2, at(A, A, A) + 6))
text(
    "paragraph of two lines",
    paragraphs(*[f"{A}\n{FILLER}"] * 3),
    (repeat, 0, at(f"{A}\n{FILLER}"), 3 * at(f"{A}\n{FILLER}")),
)
text(
    "paragraph at blank lines",
    "\n \n" + f"{A}\n \t\n\n\n" * 3,
    (repeat, 3, 3 + len(A) + 6, 3 + 2 * (len(A) + 6) + len(A) + 4),
)
for size in (16383, 16384, 16385, 20000):
    p = ("much water " * 2000)[:size]
    off = ["near-duplicate-paragraphs", period, cycle]
    text(f"paragraph of {size}", paragraphs(p, p, p), (repeat, 0, at(p), at(p, p, p)), without=off)
    text(f"paragraph of {size}, another end", paragraphs(p + "a", p + "b", p + "c"), None, without=off)

# near-duplicate-paragraphs
near = "near-duplicate-paragraphs"
nine = [restated(n) for n in range(9)]
text(
    "near 8 echoes",
    paragraphs(other(0), *nine),
    (near, at(other(0)), at(other(0), nine[0]), at(other(0), *nine)),
)
text("near 7 echoes", paragraphs(other(0), *nine[:8], *(other(n) for n in range(1, 9))), None)
spread = [restated(0)] + [restated(n % 26) if n % 12 < 7 else other(n) for n in range(1, 25)]
text("near 7 of 12", paragraphs(*spread), None)
window = [nine[0], *nine[1:5], *map(other, range(4)), *nine[5:9]]
text("near 8 of 12", paragraphs(*window), (near, 0, at(nine[0]), at(*window)))
window = [nine[0], *nine[1:5], *map(other, range(5)), *nine[5:9]]
text("near 8 of 13", paragraphs(*window), None)
for between, fires in ((32, True), (33, False)):
    ring = [other(n) for n in range(between)]
    text(
        f"near {between} apart",
        paragraphs(*ring, *ring[:10]),
        (near, 0, at(*ring), at(*ring, *ring[:8])) if fires else None,
        without=NEAR,
    )


def shares(shared: int, own: int, size: int = 5, count: int = 9) -> list[str]:
    """Paragraphs of words of which some are the same in all and the others in none: s of s + 2 own."""
    same = [f"{chr(97 + n % 26)}{chr(97 + n // 26)}same"[:size] for n in range(shared)]
    return [
        " ".join(
            [*same, *(f"{chr(97 + n % 26)}{chr(97 + n // 26)}{chr(97 + p)}ow"[:size] for n in range(own))]
        )
        for p in range(count)
    ]


half = shares(10, 5)
text("near at 0.5", paragraphs(*half), (near, 0, at(half[0]), at(*half)))
under = shares(49, 25)
text("near at 0.495", paragraphs(*under), None)
last = [p + " " + "s" * (509 - len(p)) + " z" + chr(98 + n) for n, p in enumerate(shares(8, 5))]
text("near 512 characters", paragraphs(*last), (near, 0, at(last[0]), at(*last)))
for chars, fires in ((63, True), (62, False)):
    ps = [("word tree " * 20)[: chars - 9] + f" abcdefg{chr(104 + n)}" for n in range(9)]
    text(f"near of {chars}", paragraphs(*ps), (near, 0, at(ps[0]), at(*ps)) if fires else None)
for words, fires in ((24, True), (23, False)):
    ps = ["a b c " + "d" * (words - 4) + chr(101 + n) + "." * 60 for n in range(9)]
    text(
        f"near of {words} word characters", paragraphs(*ps), (near, 0, at(ps[0]), at(*ps)) if fires else None
    )
text("near in thinking", paragraphs(*nine), (near, 0, at(nine[0]), at(*nine)), "thinking")
text("near in a tool", paragraphs(*nine), None, "tool")
code = [f"    {p}" for p in nine]
text("near of code", paragraphs(*code), None)
mixed = [f"{p}\n    return {other(n)}" for n, p in enumerate(nine)]
text("near beside code", paragraphs(*mixed), (near, 0, at(mixed[0]), at(*mixed)))
short_mixed = [f"Then run:\n    {p}" for p in nine]
text("near a short introduction of code", paragraphs(*short_mixed), None)
text("near in a fence", paragraphs("```", *nine, *nine), None, without=NEAR)
fence = "```\nx\n```"
text("near after a fence", paragraphs(fence, *nine), (near, at(fence), at(fence, nine[0]), at(fence, *nine)))
text("near without words", paragraphs(*["🙂🚀" * 40] * 30), None, without=[*NEAR, period])
for echoes, accepted in ((0, False), (1, True), (12, True), (13, False)):
    refused(near, accepted=accepted, min_echoes=echoes)
both = [A, A, *(A.replace("salt", w) for w in ("malt", "rye", "oats", "corn", "bran", "yeast")), A]
text("near and exact in one paragraph", paragraphs(*both), (repeat, 0, at(A), at(*both)))
folds = [
    f"Step {n}: upload part {n * 7} of the archive, checksum {n:07x}ab, and wait for it." for n in range(9)
]
text("near with numbers", paragraphs(*folds), (near, 0, at(folds[0]), at(*folds)))

# control-token-leak
leak = "control-token-leak"


def tokens(label: str, before: str, needed: int, token: str = SEP, gap: str = "", **settings: Any) -> None:
    run = (token + gap) * 12
    text(
        f"leak {label}",
        before + run,
        (leak, len(before), len(before), len(before) + needed * len(token + gap) - len(gap)),
        **settings,
    )


tokens("at the start", "", 3)
tokens("after a preamble", "Thinking...\n", 3)
tokens("elsewhere", FILLER, 4)
tokens("quoted", f"{FILLER} `", 8)
tokens("128 after a word", "A delimiter: " + "x" * 114 + " ", 8)
for x in range(112, 124):
    before = "delimiter " + "x" * x + " "
    tokens(f"a word and {x}", before, 8 if len(before) <= 128 else 4)
tokens("gap 32", FILLER, 4, gap=" " * 32)
text("leak gap 33", FILLER + (SEP + " " * 33) * 12, None, without=[period])
tokens("indented by 4", f"{FILLER}\n    ", 8)
tokens("indented by 3", f"{FILLER}\n   ", 4)
tokens("block quote", f"{FILLER}\n> ", 8)
tokens("in a fence", f"{FILLER}\n```\nabc\n", 8)
tokens("after a fence", f"{FILLER}\n```\nabc\n```\n", 4)
tokens("in a fence of four", f"{FILLER}\n````\nabc\n```\n", 8)
tokens("after a line of more than a fence", f"{FILLER}\n```\nabc\n``` {'x' * 300}\n", 8)
tokens("after inline code", f"{FILLER} `a` ", 4)
tokens("in inline code of two", f"{FILLER} ``a` ", 8)
tokens("backticks at the start of a line", f"{FILLER}\n``", 4)
tokens("after a quotation mark", f'{FILLER} "', 8)
tokens("preamble of 64", "Thinking" + "." * 56, 3)
tokens("preamble of 65", "Thinking" + "." * 57, 4)
tokens("two kinds", FILLER + "<|a|><|b|>", 4)
tokens("one of another", "<think>" + FILLER, 4, token="</think>")
tokens("brackets", FILLER, 4, token="[INST]")
text("leak in thinking", SEP * 3, (leak, 0, 0, 21), "thinking")
text("leak in a tool", SEP * 30, None, "tool", without=[period])
message("leak in a second block", [(0, "thinking", "Hm. "), (1, "text", SEP * 3)], None, None)
message("leak in a second block, four", [(0, "thinking", "Hm. "), (1, "text", SEP * 4)], 1, (leak, 0, 0, 28))
for chars, mechanism in ((2048, leak), (2049, run)):
    start = len(FILLER) + (0 if mechanism == leak else 7)
    text(
        f"leak claims {chars}",
        FILLER + SEP + "!" * 3000,
        (mechanism, start, start + (mechanism == run), len(FILLER) + 7 + chars),
        without=[period],
        dominant_scalar_run={"min_ascii": chars},
    )
for gap, mechanism in ((32, leak), (33, run)):
    start = len(FILLER) + (0 if mechanism == leak else 7 + gap)
    text(
        f"leak claims over {gap}",
        FILLER + SEP + " " * gap + "!" * 256,
        (mechanism, start, start + (mechanism == run), len(FILLER) + 7 + gap + 256),
    )
for name in ("min_at_start", "min_elsewhere", "min_quoted"):
    refused(leak, **{name: 0})
    refused(leak, accepted=True, **{name: 1})

# repetitive-turns
WORDS = [f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in "lmnrst"]


def reply(shared: int, own: int, salt: str) -> str:
    return " ".join([*WORDS[:shared], *(f"{salt}{word}" for word in WORDS[:own])])


same = "The build is still running, so I wait for it and look again in a minute."
turns("turns three", [same, same, same, same], (3, 1.0, 3))
turns("turns two", [same, same])
turns("turns rearmed by another", [same] * 3 + [" ".join(WORDS[:20])] + [same] * 3, (3, 1.0, 3), (7, 1.0, 3))
turns("turns corrected", [same] * 4, (3, 1.0, 3), (4, 1.0, 4), rearmed=True)
turns("turns corrected, another", [same] * 3 + [" ".join(WORDS[:20])], (3, 1.0, 3), rearmed=True)
for size, fires in ((40, True), (39, False)):
    p = " ".join(WORDS)[: size - 1] + "x"
    turns(f"turns of {size}", [p, p, p], *[(3, 1.0, 3)] * fires)
turns("turns of short ones between", [same, "ok", same, "ok", same], (5, 1.0, 3))
# 11 of 20 trigrams: 13 words shared, sets of 15 and 16.
turns("turns at 0.55", [reply(13, 4, "p"), reply(13, 5, "q"), reply(13, 4, "r")], (3, 0.55, 3))
# 6 of 11: 8 words shared, sets of 8 and 9.
turns("turns at 0.545", [reply(8, 2, "pppp"), reply(8, 3, "qqqq"), reply(8, 2, "rrrr")])
turns("turns 8 back", [same, same, *["ok"] * 6, same], (9, 1.0, 3), rebuilt=True)
turns("turns 9 back", [same, same, *["ok"] * 7, same], rebuilt=True)
turns("turns of no words", ["." * 50] * 5)
for least, history, accepted in ((1, 8, False), (2, 8, True), (8, 8, True), (9, 8, False)):
    refused("repetitive-turns", accepted=accepted, min_streak=least, history=history)

# Blocks of one message
message(
    "block a loop in the second",
    [(0, "text", A), (1, "text", paragraphs(A, A, A))],
    1,
    (repeat, 0, at(A), at(A, A, A)),
)
message("block no loop over two", [(0, "text", paragraphs(A, A)), (1, "text", paragraphs(A))], None, None)
message(
    "block they interleave",
    [
        (0, "text", paragraphs(A)),
        (1, "thinking", paragraphs(A)),
        (0, "text", paragraphs(A)),
        (0, "text", paragraphs(A)),
    ],
    0,
    (repeat, 0, at(A), at(A, A, A)),
)
emoji = "🙂".encode("utf-16-le")
halves = [emoji[:2].decode("utf-16-le", "surrogatepass"), emoji[2:].decode("utf-16-le", "surrogatepass")]
message("block characters in halves", [(0, "text", half) for half in halves * 224], 0, (run, 0, 1, 224))

# Where a shortcut decides
ALONE = [run, flood, period, cycle, near, leak]
for count, fires in ((32, True), (31, False)):
    p = "".join(chr(0x1F600 + n) for n in range(count))
    for end in ("\n\n", "\r\n\r\n"):
        whole = f"{p}{end}"
        text(
            f"paragraph of {count} astral {len(end)}",
            whole * 3,
            (repeat, 0, len(whole), 3 * len(whole)) if fires else None,
        )
astral = "".join(chr(0x1F600 + n) for n in range(31)) + "a"
text(
    "paragraph of 64 units",
    paragraphs(astral, astral, astral),
    (repeat, 0, at(astral), at(astral, astral, astral)),
)
bmp = "\uffff" + "word " * 12 + "x"
text("paragraph of 63 with U+FFFF", paragraphs(bmp, bmp, bmp), None)
lf, crlf = f"{A}\n{FILLER}.\n\n", f"{A}\r\n{FILLER}.\r\n\r\n"
for label, mix in (("LF first", (lf, crlf, lf)), ("CRLF first", (crlf, lf, crlf))):
    text(f"paragraph mixed ends, {label}", "".join(mix), (repeat, 0, len(mix[0]), len("".join(mix))))
    accented = [part.replace("water", "wäter") for part in mix]
    text(
        f"paragraph mixed ends, {label}, no ASCII",
        "".join(accented),
        (repeat, 0, len(mix[0]), len("".join(mix))),
    )
blank = f"{A}\n{' ' * 17000}\n"
text("paragraph at a long blank line", blank * 3, (repeat, 0, len(blank), 3 * len(blank)), without=ALONE)
large = A * 5
BIG = {"min_units": 400}
text(
    "paragraph with nothing else to look at",
    paragraphs(large, large, large),
    (repeat, 0, at(large), at(large, large, large)),
    without=ALONE,
    paragraph_repeat=BIG,
)
o1, o2, o3 = (other(n) * 6 for n in range(3))
text(
    "paragraph in a ring of 3",
    paragraphs(o1, large, large, o2, large),
    (repeat, at(o1), at(o1, large), at(o1, large, large, o2, large)),
    without=ALONE,
    paragraph_repeat={**BIG, "window": 3},
)
text(
    "paragraph left the ring of 3",
    paragraphs(large, large, o1, o2, o3, large, o1),
    None,
    without=ALONE,
    paragraph_repeat={**BIG, "window": 3},
)
text("near of lines that end as code", paragraphs(*[f"{p};" for p in nine]), None)
text(
    "near of nothing shared",
    paragraphs(*map(other, range(20))),
    None,
    near_duplicate_paragraphs={"min_similarity": 0.0},
)
tokens("in a fence of tildes", f"{FILLER}\n~~~\nabc\n", 8)
message(
    "leak cut inside of a token by a tool",
    [(0, "text", FILLER + SEP), (0, "text", "<|se"), (1, "tool", "{}"), (0, "text", "p|>" + SEP * 2)],
    0,
    (leak, len(FILLER), len(FILLER), len(FILLER) + 28),
)
block = "so we look.\n" * 32 + "\n"
text("lines 384 in a block", block, (cycle, 0, 12, 384), without=NO_PERIOD)
text("lines 384 in a later block", "x\n\n" + block + "y\n", (cycle, 3, 15, 387), without=NO_PERIOD)
text(
    "lines 6 in a later block",
    "x\n\n" + wide[0] * 6 + "\ny\n",
    (cycle, 3, 3 + len(wide[0]), 3 + 6 * len(wide[0])),
    without=NO_PERIOD,
)

# What it may cost
prose = [" ".join(WORDS[(7 * n + 11 * k) % len(WORDS)] + str(n)[:1] for k in range(24)) for n in range(160)]
costs = {
    "prose": paragraphs(*prose),
    "prose with code": paragraphs(*(f"{p}\n```\n{p[:60]};\n```" for p in prose[:60])),
    "CRLF": paragraphs(*prose[:80]).replace("\n", "\r\n"),
    "no ASCII": paragraphs(*prose[:80]).replace("a", "ä"),
    "lines": "\n".join(prose),
    "short paragraphs": paragraphs(*(p[:40] for p in prose)),
    "one line": " ".join(other(n) for n in range(400)),
    "one line and another": " ".join(other(n) for n in range(400))
    + "\n"
    + " ".join(other(n) for n in range(400, 600)),
}
brim = " ".join(other(n) for n in range(400))[:16384]
costs |= {
    "a line up to the cap": brim,
    "a line up to the cap, in the second": f"x\n{brim}",
    "lines up to the cap, and one more": f"{brim}\nand one more",
    "a paragraph up to the cap": f"{brim}\n\nNext.",
    "a paragraph of two lines up to the cap": f"{brim[:9000]}\n{brim[9001:]}\r\n\r\nNext.",
    "a line up to the cap among others": f"x\n{brim}\ny\nz\n\n",
    "a line that ends with its bite": " ".join(other(n) for n in range(900))[:70_000] + "\n",
    "24 word characters": paragraphs("a " * 24 + "." * 60, "b " * 24 + "," * 60),
    "decoration": "-=" * 1500 + "\n\n" + "x",
    "numbers": " ".join(str(n) for n in range(2000)),
}
CASES.extend(CostCase("contract", f"cost of {name}", body) for name, body in costs.items())
CASES.append(
    CostCase(
        "contract",
        "cost of folding",
        paragraphs(*map(other, range(20))),
        settings=_settings({"paragraph_repeat": FOLD}),
    )
)

# Numbers of one digit alone, and halves at the edges of their range
for digit in "0123456789":
    counted = [
        " ".join(
            [
                "alpha",
                "bravo",
                "delta",
                *(
                    f"{x}{digit * ((n * n + n * k + k) % 6 + 1)}"
                    for k, x in enumerate("ghijklmnopqrstuvwxyz")
                ),
            ]
        )
        for n in range(9)
    ]
    text(f"near with the digit {digit}", paragraphs(*counted), (near, 0, at(counted[0]), at(*counted)))
hashes = [
    " ".join(
        [
            "gamma",
            "hotel",
            "india",
            *(
                f"{chr(97 + (n + k) % 6)}{chr(97 + k % 6)}{'abcdef'[(n * k) % 6]}{chr(97 + n % 6) * 4}"
                for k in range(20)
            ),
        ]
    )
    for n in range(9)
]
text("near with hashes", paragraphs(*hashes), (near, 0, at(hashes[0]), at(*hashes)))
for point in (0x10000, 0x10FFFF):
    pair_of = chr(point).encode("utf-16-le")
    two_halves = [
        pair_of[:2].decode("utf-16-le", "surrogatepass"),
        pair_of[2:].decode("utf-16-le", "surrogatepass"),
    ]
    message(
        f"block U+{point:X} in halves", [(0, "text", half) for half in two_halves * 224], 0, (run, 0, 1, 224)
    )

# Lines and paragraphs beyond the cap, and findings that must not come late
wide_blank = f"{A}\n{' ' * 70_000}\n"
text(
    "paragraph at a blank line over bites",
    wide_blank * 3,
    (repeat, 0, len(wide_blank), 3 * len(wide_blank)),
    without=ALONE,
)
many_lines = "".join(f"{other(n)}\n" for n in range(300))
ends = (f"{many_lines}\n", f"{many_lines}\n".replace("\n", "\r\n"), f"{many_lines}\n")
text("paragraph of many lines, mixed ends", "".join(ends), (repeat, 0, len(ends[0]), sum(map(len, ends))))
tail = " And so on, with words that nobody has heard before."
text(
    "paragraph is not found late",
    paragraphs(large, large, large) + tail,
    (repeat, 0, at(large), at(large, large, large)),
    without=ALONE,
    paragraph_repeat=BIG,
)
text(
    "paragraph in a ring of 3 is not found late",
    paragraphs(o1, large, large, o2, large) + tail,
    (repeat, at(o1), at(o1, large), at(o1, large, large, o2, large)),
    without=ALONE,
    paragraph_repeat={**BIG, "window": 3},
)
lead, rest = "".join(f"{other(n)}\n" for n in range(3)), "".join(f"{other(n)}\n" for n in range(3, 9))
text(
    "lines 6 among others",
    lead + wide[0] * 6 + rest,
    (cycle, len(lead), len(lead) + len(wide[0]), len(lead) + 6 * len(wide[0])),
    without=NO_PERIOD,
)
