"""Characters that come again and again: ``dominant-scalar-run``, ``whitespace-flood``, ``short-period``."""

from __future__ import annotations

from .writing import FLOOD, PERIOD, RUN, Topic

TOPIC = Topic()
text, refused = TOPIC.text, TOPIC.refused

# dominant-scalar-run
text("scalar 256 ascii", "!" * 256 + "x", (RUN, 0, 1, 256))
text("scalar 255 ascii", "!" * 255 + "x", None)
text("scalar 224 others", "字" * 224, (RUN, 0, 1, 224))
text("scalar 223 others", "字" * 223 + "x", None)
text("scalar in thinking", "ab" + "!" * 256, (RUN, 2, 3, 258), "thinking")
text("scalar in a tool", "ab" + "!" * 256, (RUN, 2, 3, 258), "tool")
text("scalar a space for eight", "x" + ("字" * 8 + " ") * 28, (RUN, 1, 2, 1 + 27 * 9 + 8))
text("scalar a space for seven", "字" * 7 + " " + "字" * 224, (RUN, 8, 9, 232))
text("scalar no letters", "a" * 600 + "." * 600, None)
text(
    "scalar 32 spaces", "! " * 32 + "!" * 224, (RUN, 0, 1, 288), dominant_scalar_run={"repeats_per_space": 1}
)
text(
    "scalar 33 spaces",
    "! " * 33 + "!" * 256,
    (RUN, 66, 67, 322),
    dominant_scalar_run={"repeats_per_space": 1},
)
text("scalar two runs", "!" * 200 + "?" * 256, (RUN, 200, 201, 456))
text(
    "scalar small numbers", "a!!!b", (RUN, 1, 2, 4), dominant_scalar_run={"min_ascii": 3, "min_non_ascii": 3}
)
text("scalar one", "a?", (RUN, 1, 2, 2), dominant_scalar_run={"min_ascii": 1, "min_non_ascii": 1})
for name in ("min_ascii", "min_non_ascii", "repeats_per_space"):
    refused(RUN, **{name: 0})
    refused(RUN, accepted=True, **{name: 1})

# whitespace-flood
text("spaces 320 with 8 newlines", "a" + "\n" * 8 + " " * 312 + "b", (FLOOD, 1, 2, 321))
text("spaces 319 with 8 newlines", "a" + "\n" * 8 + " " * 311 + "b", None)
text("spaces the eighth newline late", "a" + "\n" * 7 + " " * 400 + "\n", (FLOOD, 1, 2, 409))
text("spaces 480 of any", "a" + "\n" * 7 + " " * 473 + "b", (FLOOD, 1, 2, 481))
text("spaces 479 of any", "a" + "\n" * 7 + " " * 472 + "b", None)
text("spaces in thinking", " " * 480, (FLOOD, 0, 1, 480), "thinking")
text("spaces in a tool", " " * 480, (FLOOD, 0, 1, 480), "tool")
text("spaces two runs", " " * 470 + "x" + "\n" * 320, (FLOOD, 471, 472, 791))
refused(FLOOD, min_chars=0)
refused(FLOOD, accepted=True, min_chars=1)
refused(FLOOD, min_chars=481)
refused(FLOOD, accepted=True, min_chars=480)
refused(FLOOD, min_newlines=0)
refused(FLOOD, accepted=True, min_newlines=1)

# short-period
unit = "".join(map(chr, range(33, 97)))
long_unit = unit + "a"
text("period 2", "x" + "a!" * 140, (PERIOD, 1, 3, 259))
text("period 2 is the shortest", "!" * 300, (PERIOD, 0, 2, 258), without=[RUN])
text("period 64 in 8 periods", "~" + unit * 10, (PERIOD, 1, 65, 577))
text("period 64 one short", (unit * 10)[:575], None)
text("period 65", long_unit * 12, None)
text("period 255 matched", "x" + "a!" * 128 + "a", None)
text("period in thinking", "a!" * 140, (PERIOD, 0, 2, 258), "thinking")
text("period in a tool", "a!" * 140, (PERIOD, 0, 2, 258), "tool")
text("period of base64", "QUJD" * 200, None)
text("period of numbers", "0x1f, 3.5 | ".replace("x", "") * 60, None)
text("period in the second half", unit[:40] * 3 + "ha! " * 80, (PERIOD, 120, 124, 380))
text(
    "period before a newline",
    ("so we look at the other file again and go" + " \n") * 12,
    (PERIOD, 0, 43, 387),
)
refused(PERIOD, min_period=0)
refused(PERIOD, accepted=True, min_period=1)
refused(PERIOD, min_period=65)
refused(PERIOD, accepted=True, min_period=64)
refused(PERIOD, min_matched=63)
refused(PERIOD, accepted=True, min_matched=64)
