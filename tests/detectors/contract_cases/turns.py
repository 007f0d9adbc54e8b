"""Replies that are nearly the same: ``repetitive-turns``."""

from __future__ import annotations

from .writing import WORDS, Topic

TOPIC = Topic()
turns, refused = TOPIC.turns, TOPIC.refused


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
