"""Paragraphs that are nearly the same: ``near-duplicate-paragraphs``."""

from __future__ import annotations

from .writing import NEAR, PERIOD, REPEAT, A, Topic, at, other, paragraphs, restated

TOPIC = Topic()
text, refused = TOPIC.text, TOPIC.refused

nine = [restated(n) for n in range(9)]
text(
    "near 8 echoes",
    paragraphs(other(0), *nine),
    (NEAR, at(other(0)), at(other(0), nine[0]), at(other(0), *nine)),
)
text("near 7 echoes", paragraphs(other(0), *nine[:8], *(other(n) for n in range(1, 9))), None)
spread = [restated(0)] + [restated(n % 26) if n % 12 < 7 else other(n) for n in range(1, 25)]
text("near 7 of 12", paragraphs(*spread), None)
window = [nine[0], *nine[1:5], *map(other, range(4)), *nine[5:9]]
text("near 8 of 12", paragraphs(*window), (NEAR, 0, at(nine[0]), at(*window)))
window = [nine[0], *nine[1:5], *map(other, range(5)), *nine[5:9]]
text("near 8 of 13", paragraphs(*window), None)
for between, fires in ((32, True), (33, False)):
    ring = [other(n) for n in range(between)]
    text(
        f"near {between} apart",
        paragraphs(*ring, *ring[:10]),
        (NEAR, 0, at(*ring), at(*ring, *ring[:8])) if fires else None,
        without=[REPEAT],
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
text("near at 0.5", paragraphs(*half), (NEAR, 0, at(half[0]), at(*half)))
under = shares(49, 25)
text("near at 0.495", paragraphs(*under), None)
last = [p + " " + "s" * (509 - len(p)) + " z" + chr(98 + n) for n, p in enumerate(shares(8, 5))]
text("near 512 characters", paragraphs(*last), (NEAR, 0, at(last[0]), at(*last)))
for chars, fires in ((63, True), (62, False)):
    ps = [("word tree " * 20)[: chars - 9] + f" abcdefg{chr(104 + n)}" for n in range(9)]
    text(f"near of {chars}", paragraphs(*ps), (NEAR, 0, at(ps[0]), at(*ps)) if fires else None)
for words, fires in ((24, True), (23, False)):
    ps = ["a b c " + "d" * (words - 4) + chr(101 + n) + "." * 60 for n in range(9)]
    text(
        f"near of {words} word characters", paragraphs(*ps), (NEAR, 0, at(ps[0]), at(*ps)) if fires else None
    )
text("near in thinking", paragraphs(*nine), (NEAR, 0, at(nine[0]), at(*nine)), "thinking")
text("near in a tool", paragraphs(*nine), None, "tool")
code = [f"    {p}" for p in nine]
text("near of code", paragraphs(*code), None)
mixed = [f"{p}\n    return {other(n)}" for n, p in enumerate(nine)]
text("near beside code", paragraphs(*mixed), (NEAR, 0, at(mixed[0]), at(*mixed)))
short_mixed = [f"Then run:\n    {p}" for p in nine]
text("near a short introduction of code", paragraphs(*short_mixed), None)
text("near in a fence", paragraphs("```", *nine, *nine), None, without=[REPEAT])
fence = "```\nx\n```"
text("near after a fence", paragraphs(fence, *nine), (NEAR, at(fence), at(fence, nine[0]), at(fence, *nine)))
text("near without words", paragraphs(*["🙂🚀" * 40] * 30), None, without=[REPEAT, PERIOD])
for echoes, accepted in ((0, False), (1, True), (12, True), (13, False)):
    refused(NEAR, accepted=accepted, min_echoes=echoes)
both = [A, A, *(A.replace("salt", w) for w in ("malt", "rye", "oats", "corn", "bran", "yeast")), A]
text("near and exact in one paragraph", paragraphs(*both), (REPEAT, 0, at(A), at(*both)))
folds = [
    f"Step {n}: upload part {n * 7} of the archive, checksum {n:07x}ab, and wait for it." for n in range(9)
]
text("near with numbers", paragraphs(*folds), (NEAR, 0, at(folds[0]), at(*folds)))

text("near of lines that end as code", paragraphs(*[f"{p};" for p in nine]), None)
text(
    "near of nothing shared",
    paragraphs(*map(other, range(20))),
    None,
    near_duplicate_paragraphs={"min_similarity": 0.0},
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
    text(f"near with the digit {digit}", paragraphs(*counted), (NEAR, 0, at(counted[0]), at(*counted)))
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
text("near with hashes", paragraphs(*hashes), (NEAR, 0, at(hashes[0]), at(*hashes)))
