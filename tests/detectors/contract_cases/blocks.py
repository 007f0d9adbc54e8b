"""Several blocks of one message."""

from __future__ import annotations

from .writing import REPEAT, RUN, A, Topic, at, paragraphs

TOPIC = Topic()
message = TOPIC.message

message(
    "block a loop in the second",
    [(0, "text", A), (1, "text", paragraphs(A, A, A))],
    1,
    (REPEAT, 0, at(A), at(A, A, A)),
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
    (REPEAT, 0, at(A), at(A, A, A)),
)
emoji = "🙂".encode("utf-16-le")
halves = [emoji[:2].decode("utf-16-le", "surrogatepass"), emoji[2:].decode("utf-16-le", "surrogatepass")]
message("block characters in halves", [(0, "text", half) for half in halves * 224], 0, (RUN, 0, 1, 224))

for point in (0x10000, 0x10FFFF):
    pair_of = chr(point).encode("utf-16-le")
    two_halves = [
        pair_of[:2].decode("utf-16-le", "surrogatepass"),
        pair_of[2:].decode("utf-16-le", "surrogatepass"),
    ]
    message(
        f"block U+{point:X} in halves", [(0, "text", half) for half in two_halves * 224], 0, (RUN, 0, 1, 224)
    )
