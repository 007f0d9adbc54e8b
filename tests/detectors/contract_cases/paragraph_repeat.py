"""A paragraph that comes back word for word: ``paragraph-repeat``."""

from __future__ import annotations

from .writing import CYCLE, FILLER, FOLD, PERIOD, REPEAT, A, Topic, at, other, paragraphs

TOPIC = Topic()
text, message, refused = TOPIC.text, TOPIC.message, TOPIC.refused

text("paragraph three times", paragraphs(A, A, A), (REPEAT, 0, at(A), at(A, A, A)))
text("paragraph twice", paragraphs(A, A), None)
far = [other(n) for n in range(62)]
text("paragraph 64 back", paragraphs(A, *far, A, A), (REPEAT, 0, at(A, *far), at(A, *far, A, A)))
text("paragraph 65 back", paragraphs(A, *far, other(62), A, A), None)
for chars, fires in ((63, True), (62, False)):
    p = ("word " * 20)[: chars - 1] + "x"
    text(f"paragraph of {chars}", paragraphs(p, p, p), (REPEAT, 0, at(p), at(p, p, p)) if fires else None)
for words, fires in ((24, True), (23, False)):
    p = "a " * words + "." * 60
    text(
        f"paragraph of {words} word characters",
        paragraphs(p, p, p),
        (REPEAT, 0, at(p), at(p, p, p)) if fires else None,
    )
text("paragraph in thinking", paragraphs(A, A, A), (REPEAT, 0, at(A), at(A, A, A)), "thinking")
text("paragraph in a tool", paragraphs(*[A] * 9), None, "tool")
numbered = [
    "After 5 minutes the baker weighs the flour, the salt and the water and lights the oven again".replace(
        "5", n
    )
    for n in "678"
]
text("paragraph with other numbers", paragraphs(*numbered), None)
text(
    "paragraph folded",
    paragraphs(*numbered),
    (REPEAT, 0, at(numbered[0]), at(*numbered)),
    paragraph_repeat=FOLD,
)
pair = [f"{p} and then 9 times more." for p in numbered]
text(
    "paragraph folded, two numbers",
    paragraphs(*pair),
    (REPEAT, 0, at(pair[0]), at(*pair)),
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
    refused(REPEAT, window=ring_size, min_repeats=least)
for ring_size, least in ((4, 2), (4, 5)):
    refused(REPEAT, accepted=True, window=ring_size, min_repeats=least)
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
    (REPEAT, 0, at(A), at(A, A, A)),
)
text("paragraph of CRLF", paragraphs(A, A, A).replace("\n", "\r\n"), (REPEAT, 0, at(A) + 2, at(A, A, A) + 6))
text(
    "paragraph of two lines",
    paragraphs(*[f"{A}\n{FILLER}"] * 3),
    (REPEAT, 0, at(f"{A}\n{FILLER}"), 3 * at(f"{A}\n{FILLER}")),
)
text(
    "paragraph at blank lines",
    "\n \n" + f"{A}\n \t\n\n\n" * 3,
    (REPEAT, 3, 3 + len(A) + 6, 3 + 2 * (len(A) + 6) + len(A) + 4),
)
for size in (16383, 16384, 16385, 20000):
    p = ("much water " * 2000)[:size]
    off = ["near-duplicate-paragraphs", PERIOD, CYCLE]
    text(f"paragraph of {size}", paragraphs(p, p, p), (REPEAT, 0, at(p), at(p, p, p)), without=off)
    text(f"paragraph of {size}, another end", paragraphs(p + "a", p + "b", p + "c"), None, without=off)
