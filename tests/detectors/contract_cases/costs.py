"""What a guard may cost where nothing fires."""

from __future__ import annotations

from harness.lab.mutation_cost import CostCase

from .writing import FOLD, WORDS, Topic, other, paragraphs, settings

TOPIC = Topic()

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
TOPIC.cases.extend(CostCase("contract", f"cost of {name}", body) for name, body in costs.items())
TOPIC.cases.append(
    CostCase(
        "contract",
        "cost of folding",
        paragraphs(*map(other, range(20))),
        settings=settings({"paragraph_repeat": FOLD}),
    )
)
