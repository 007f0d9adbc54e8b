"""Lines that come again: ``line-cycle``."""

from __future__ import annotations

from .writing import CYCLE, NO_PERIOD, PERIOD, Topic, other

TOPIC = Topic()
text, refused = TOPIC.text, TOPIC.refused

wide = [f"{word} " * 12 + "end\n" for word in ("alpha", "bravo", "carol", "delta", "echo!")]
text(
    "lines 4",
    "".join(wide[:4]) * 8,
    (CYCLE, 0, len("".join(wide[:4])), 6 * len("".join(wide[:4]))),
    without=NO_PERIOD,
)
text("lines 5", "".join(wide) * 8, None, without=NO_PERIOD)
text(
    "lines 6 of one",
    "x\n" + wide[0] * 6,
    (CYCLE, 2, 2 + len(wide[0]), 2 + 6 * len(wide[0])),
    without=NO_PERIOD,
)
text("lines 5 of one", wide[0] * 5 + "other\n", None, without=NO_PERIOD)
text("lines 384", "so we look.\n" * 40, (CYCLE, 0, 12, 384), without=NO_PERIOD)
two = "a" * 22 + "\n", "b" * 36 + "\n"
text("lines 383", "".join(two) * 9, (CYCLE, 0, 60, 420), without=NO_PERIOD)
text(
    "lines in thinking",
    wide[0] * 6,
    (CYCLE, 0, len(wide[0]), 6 * len(wide[0])),
    "thinking",
    without=NO_PERIOD,
)
text("lines in a tool", wide[0] * 6, (CYCLE, 0, len(wide[0]), 6 * len(wide[0])), "tool", without=NO_PERIOD)
text("lines parted by a blank one", (wide[0] * 5 + "\n") * 5, None, without=[PERIOD, "paragraph-repeat"])
text("lines parted by spaces", (wide[0] * 5 + " \n") * 5, None, without=[PERIOD, "paragraph-repeat"])
text("lines of decoration", ("-" * 100 + "\n") * 20, None)
text("lines of decoration beyond the cap", ("-" * 20_000 + "\n") * 8, None)
rule = "-" * 70 + "\n"
text(
    "lines of decoration between",
    (wide[0] + rule) * 12,
    (CYCLE, 0, len(wide[0] + rule), 10 * len(wide[0] + rule) + len(wide[0])),
    without=NO_PERIOD,
)
huge = "word " * 3300 + "\n"
text("lines beyond the cap", huge * 6, (CYCLE, 0, len(huge), 6 * len(huge)), without=NO_PERIOD)
others = "".join(f"{other(n)}\n" for n in range(30))
for label, large in (("one line", 1), ("two lines", 2)):
    cycle = huge * large + "".join(wide[: 4 - large])
    text(
        f"lines of a cycle with {label} beyond the cap, then others",
        cycle * 6 + others,
        (CYCLE, 0, len(cycle), 6 * len(cycle)),
        without=NO_PERIOD,
    )
at_cap = ("word" * 5000)[:16384] + "\n"
text("lines of the cap", at_cap * 6, (CYCLE, 0, len(at_cap), 6 * len(at_cap)), without=NO_PERIOD)
text(
    "lines in a later block",
    "a\nb\n\nc\n\n" + wide[0] * 6 + "\n",
    (CYCLE, 8, 8 + len(wide[0]), 8 + 6 * len(wide[0])),
    without=NO_PERIOD,
)
for name in ("max_period", "min_cycles", "min_chars"):
    refused(CYCLE, **{name: 0})
    refused(CYCLE, accepted=True, **{name: 1})

block = "so we look.\n" * 32 + "\n"
text("lines 384 in a block", block, (CYCLE, 0, 12, 384), without=NO_PERIOD)
text("lines 384 in a later block", "x\n\n" + block + "y\n", (CYCLE, 3, 15, 387), without=NO_PERIOD)
text(
    "lines 6 in a later block",
    "x\n\n" + wide[0] * 6 + "\ny\n",
    (CYCLE, 3, 3 + len(wide[0]), 3 + 6 * len(wide[0])),
    without=NO_PERIOD,
)

lead, rest = "".join(f"{other(n)}\n" for n in range(3)), "".join(f"{other(n)}\n" for n in range(3, 9))
text(
    "lines 6 among others",
    lead + wide[0] * 6 + rest,
    (CYCLE, len(lead), len(lead) + len(wide[0]), len(lead) + 6 * len(wide[0])),
    without=NO_PERIOD,
)
