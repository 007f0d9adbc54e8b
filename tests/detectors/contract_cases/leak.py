"""Tokens of the chat template in the text: ``control-token-leak``."""

from __future__ import annotations

from typing import Any

from .writing import FILLER, LEAK, PERIOD, RUN, SEP, Topic

TOPIC = Topic()
text, message, refused = TOPIC.text, TOPIC.message, TOPIC.refused


def tokens(label: str, before: str, needed: int, token: str = SEP, gap: str = "", **settings: Any) -> None:
    many = (token + gap) * 12
    text(
        f"leak {label}",
        before + many,
        (LEAK, len(before), len(before), len(before) + needed * len(token + gap) - len(gap)),
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
text("leak gap 33", FILLER + (SEP + " " * 33) * 12, None, without=[PERIOD])
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
text("leak in thinking", SEP * 3, (LEAK, 0, 0, 21), "thinking")
text("leak in a tool", SEP * 30, None, "tool", without=[PERIOD])
message("leak in a second block", [(0, "thinking", "Hm. "), (1, "text", SEP * 3)], None, None)
message("leak in a second block, four", [(0, "thinking", "Hm. "), (1, "text", SEP * 4)], 1, (LEAK, 0, 0, 28))
for chars, mechanism in ((2048, LEAK), (2049, RUN)):
    start = len(FILLER) + (0 if mechanism == LEAK else 7)
    text(
        f"leak claims {chars}",
        FILLER + SEP + "!" * 3000,
        (mechanism, start, start + (mechanism == RUN), len(FILLER) + 7 + chars),
        without=[PERIOD],
        dominant_scalar_run={"min_ascii": chars},
    )
for gap, mechanism in ((32, LEAK), (33, RUN)):
    start = len(FILLER) + (0 if mechanism == LEAK else 7 + gap)
    text(
        f"leak claims over {gap}",
        FILLER + SEP + " " * gap + "!" * 256,
        (mechanism, start, start + (mechanism == RUN), len(FILLER) + 7 + gap + 256),
    )
for name in ("min_at_start", "min_elsewhere", "min_quoted"):
    refused(LEAK, **{name: 0})
    refused(LEAK, accepted=True, **{name: 1})

tokens("in a fence of tildes", f"{FILLER}\n~~~\nabc\n", 8)
message(
    "leak cut inside of a token by a tool",
    [(0, "text", FILLER + SEP), (0, "text", "<|se"), (1, "tool", "{}"), (0, "text", "p|>" + SEP * 2)],
    0,
    (LEAK, len(FILLER), len(FILLER), len(FILLER) + 28),
)
