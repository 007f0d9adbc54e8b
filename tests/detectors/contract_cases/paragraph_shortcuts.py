"""Paragraphs where a shortcut decides, or beyond what is kept of them; none may be found late."""

from __future__ import annotations

from .writing import CYCLE, FILLER, FLOOD, LEAK, NEAR, PERIOD, REPEAT, RUN, A, Topic, at, other, paragraphs

TOPIC = Topic()
text = TOPIC.text

ALONE = [RUN, FLOOD, PERIOD, CYCLE, NEAR, LEAK]
for count, fires in ((32, True), (31, False)):
    p = "".join(chr(0x1F600 + n) for n in range(count))
    for end in ("\n\n", "\r\n\r\n"):
        whole = f"{p}{end}"
        text(
            f"paragraph of {count} astral {len(end)}",
            whole * 3,
            (REPEAT, 0, len(whole), 3 * len(whole)) if fires else None,
        )
astral = "".join(chr(0x1F600 + n) for n in range(31)) + "a"
text(
    "paragraph of 64 units",
    paragraphs(astral, astral, astral),
    (REPEAT, 0, at(astral), at(astral, astral, astral)),
)
bmp = "\uffff" + "word " * 12 + "x"
text("paragraph of 63 with U+FFFF", paragraphs(bmp, bmp, bmp), None)
lf, crlf = f"{A}\n{FILLER}.\n\n", f"{A}\r\n{FILLER}.\r\n\r\n"
for label, mix in (("LF first", (lf, crlf, lf)), ("CRLF first", (crlf, lf, crlf))):
    text(f"paragraph mixed ends, {label}", "".join(mix), (REPEAT, 0, len(mix[0]), len("".join(mix))))
    accented = [part.replace("water", "wäter") for part in mix]
    text(
        f"paragraph mixed ends, {label}, no ASCII",
        "".join(accented),
        (REPEAT, 0, len(mix[0]), len("".join(mix))),
    )
blank = f"{A}\n{' ' * 17000}\n"
text("paragraph at a long blank line", blank * 3, (REPEAT, 0, len(blank), 3 * len(blank)), without=ALONE)
large = A * 5
BIG = {"min_units": 400}
text(
    "paragraph with nothing else to look at",
    paragraphs(large, large, large),
    (REPEAT, 0, at(large), at(large, large, large)),
    without=ALONE,
    paragraph_repeat=BIG,
)
o1, o2, o3 = (other(n) * 6 for n in range(3))
text(
    "paragraph in a ring of 3",
    paragraphs(o1, large, large, o2, large),
    (REPEAT, at(o1), at(o1, large), at(o1, large, large, o2, large)),
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
# Lines and paragraphs beyond the cap, and findings that must not come late
wide_blank = f"{A}\n{' ' * 70_000}\n"
text(
    "paragraph at a blank line over bites",
    wide_blank * 3,
    (REPEAT, 0, len(wide_blank), 3 * len(wide_blank)),
    without=ALONE,
)
many_lines = "".join(f"{other(n)}\n" for n in range(300))
ends = (f"{many_lines}\n", f"{many_lines}\n".replace("\n", "\r\n"), f"{many_lines}\n")
text("paragraph of many lines, mixed ends", "".join(ends), (REPEAT, 0, len(ends[0]), sum(map(len, ends))))
prose = " ".join(map(other, range(600)))
for size in (16_383, 16_384, 16_385, 20_000):
    lf = f"{other(600)}\n{prose[:16_383]}\n{prose[:size]}\n{other(601)}\n\n"
    crlf = lf.replace("\n", "\r\n")
    for label, ends in (("LF first", (lf, crlf, lf)), ("CRLF first", (crlf, lf, crlf))):
        text(
            f"paragraph with a line of {size}, mixed ends, {label}",
            "".join(ends),
            (REPEAT, 0, len(ends[0]), sum(map(len, ends))),
        )
for count, fires in ((24, True), (23, False)):
    p = f"{'a' * count}\n{'-' * 20_000}\n\n"
    text(
        f"paragraph of {count} word characters and a line beyond the cap",
        p * 3,
        (REPEAT, 0, len(p), 3 * len(p)) if fires else None,
    )
tail = " And so on, with words that nobody has heard before."
text(
    "paragraph is not found late",
    paragraphs(large, large, large) + tail,
    (REPEAT, 0, at(large), at(large, large, large)),
    without=ALONE,
    paragraph_repeat=BIG,
)
text(
    "paragraph in a ring of 3 is not found late",
    paragraphs(o1, large, large, o2, large) + tail,
    (REPEAT, at(o1), at(o1, large), at(o1, large, large, o2, large)),
    without=ALONE,
    paragraph_repeat={**BIG, "window": 3},
)
