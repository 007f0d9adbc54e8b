"""What a script looks like in YAML, as shapes. What few scripts have is loaded when it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock_llm.shape import At, Enum, Field, Int, Json, Record, Str

if TYPE_CHECKING:
    from collections.abc import Callable

    from mock_llm.shape import Shape


def _later(name: str) -> Callable[[], Shape]:
    """The shape that a function of ``lane_shape`` gives."""

    def described() -> Shape:
        from mock_llm import lane_shape

        shape: Shape = getattr(lane_shape, name)()
        return shape

    return described


def turns_shape(doc: str) -> At:
    """A list of turns, written or included; ``parse_turns`` reads it."""
    return At(Json(doc, _later("items_shape")))


MODEL = turns_shape("The turns of the model, in order.")
RULES = {
    "invariants": Field(
        At(Json("What every request keeps to; a breach fails the run.", _later("invariant_items_shape")))
    ),
    "when_exhausted": Field(
        At(
            Json(
                "What answers when no turn is left: error, repeat-last, stop, or a turn.",
                _later("exhausted_shape"),
            )
        )
    ),
}
LANES = Field(
    At(
        Json(
            "Further lanes by name; they are looked at before the main one, in order.", _later("lanes_shape")
        )
    )
)
CONVERSATIONS = Field(
    Enum(("apart", "one"), "Told apart by their first user message, or all requests taken for one."),
    default="apart",
)
SCRIPT = Record(
    "a script",
    {
        "model": Field(MODEL, required=True),
        "lane": Field(Str("Text that a request of the conversation carries.", allow_empty=True), default=""),
        "conversations": CONVERSATIONS,
        "lanes": LANES,
        **RULES,
        "max_requests": Field(Int("Requests that are answered at most.", 1, 100_000), default=50),
    },
    "What a mock model plays.",
)
