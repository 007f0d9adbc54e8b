"""What a scenario file looks like in YAML, as shapes."""

from __future__ import annotations

from harness.steps.arguments import STEP_SHAPES
from harness.steps.driving_arguments import DRIVING_SHAPES
from mock_llm.script_shape import LANES, MODEL, RULES, turns_shape
from mock_llm.shape import At, Enum, Field, Int, ListOf, MapOf, Num, OneKey, Record, Str
from mock_llm.turn_shape import text_shape

ALL_STEPS = {**STEP_SHAPES, **DRIVING_SHAPES}
"""The steps that check a run, and those that drive a terminal."""

CONTROL = Record(
    "a control",
    {
        "disable": Field(ListOf(Str(), "Ids of the rules that are switched off.", at_least=1), default=()),
        "model": Field(turns_shape("The turns that are played instead.")),
        "must_fail": Field(
            ListOf(At(Str()), "Labels of the steps that must then fail, and no other.", at_least=1),
            required=True,
        ),
    },
    "A negative control: the same scenario with one thing wrong must fail in exactly these steps.",
)

SCENARIO = Record(
    "a scenario",
    {
        "scenario": Field(At(Str("The name of the file without its ending.")), required=True),
        "summary": Field(Str("One sentence that says what is shown."), required=True),
        "tags": Field(At(ListOf(Str(), "Words to select scenarios by.")), default=None),
        "model": Field(MODEL, required=True),
        "lanes": LANES,
        **RULES,
        "prompt": Field(
            At(Str("What the user asks; {nonce} tells the run's requests from others.")), required=True
        ),
        "then": Field(
            ListOf(
                At(Str()),
                "What the user asks next, each in a process of its own that goes on with the session.",
                at_least=1,
            ),
            default=(),
        ),
        "steps": Field(
            At(
                ListOf(
                    OneKey("a step", {kind: At(shape) for kind, (shape, _) in ALL_STEPS.items()}),
                    "The checks, one key each.",
                    at_least=1,
                )
            ),
            required=True,
        ),
        "control": Field(At(CONTROL)),
        "mode": Field(
            At(
                Enum(
                    ("one-shot", "terminal"),
                    "How the agent is run; in a terminal the steps type, press and wait.",
                )
            ),
            default="one-shot",
        ),
        "files": Field(At(MapOf(text_shape(), "Files of the agent's working folder, by relative path."))),
        "timeout_s": Field(Num("Seconds that the whole run may take.", 0.1, 3600), default=60),
        "max_requests": Field(Int("Requests that the model answers at most.", 1, 10_000), default=20),
    },
    "One end-to-end check of an agent against a scripted model.",
)
