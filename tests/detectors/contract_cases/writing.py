"""How the contract is written: mechanisms by short names, texts to build cases of, and a topic that collects them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.lab.mutation_contract import MessageCase, RefusedCase, Settings, TextCase, TurnsCase

if TYPE_CHECKING:
    from harness.lab.mutation_contract import Case, Figures, Part

RUN = "dominant-scalar-run"
FLOOD = "whitespace-flood"
PERIOD = "short-period"
CYCLE = "line-cycle"
REPEAT = "paragraph-repeat"
NEAR = "near-duplicate-paragraphs"
LEAK = "control-token-leak"
NO_PERIOD = [PERIOD]

FILLER = "The boiler was cold and nobody had looked at it. "
A = "Every morning the baker weighs the flour, the salt and the water before he lights the oven."
SEP = "<|sep|>"
WORDS = [f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in "lmnrst"]
FOLD = {"fold_numbers": True}


class Topic:
    """Cases on one matter, in the order in which they are written.

    ``settings`` switch mechanisms off (``without``), or are numbers of a mechanism by its name.
    """

    def __init__(self) -> None:
        self.cases: list[Case] = []

    def text(
        self, label: str, text: str, figures: Figures | None, stream: str = "text", **given: Any
    ) -> None:
        self.cases.append(TextCase("contract", label, text, figures, stream, settings(given)))

    def message(
        self, label: str, parts: list[Part], block: int | None, figures: Figures | None, **given: Any
    ) -> None:
        self.cases.append(MessageCase("contract", label, tuple(parts), block, figures, settings(given)))

    def turns(
        self,
        label: str,
        replies: list[str],
        *fires: tuple[int, float, int],
        streamed: int | None = None,
        rebuilt: bool = False,
        rearmed: bool = False,
    ) -> None:
        self.cases.append(TurnsCase("contract", label, tuple(replies), fires, streamed, rebuilt, rearmed))

    def refused(self, mechanism: str, *, accepted: Any = False, **numbers: Any) -> None:
        said = ",".join(f"{key}={value}" for key, value in numbers.items())
        self.cases.append(RefusedCase("contract", f"{mechanism}:{said}", mechanism, numbers, accepted))


def settings(given: dict[str, Any]) -> Settings:
    """What differs from the published profile."""
    tuned = {name.replace("_", "-"): numbers for name, numbers in given.items() if name != "without"}
    return Settings(tuple(given.get("without", ())), tuned)


def other(number: int) -> str:
    """A paragraph like no other with a different number."""
    return " ".join(
        f"{chr(97 + number // 26)}{chr(97 + number % 26)}{word}" for word in "abcdefghijklmnopqrstuvw"
    )


def restated(number: int) -> str:
    """One of many paragraphs that share 15 of 16 words."""
    words = "amber birch cedar dune ember fjord grove harbour inlet juniper kelp lagoon marsh north otter"
    return f"{words} reed{chr(97 + number)}."


def paragraphs(*parts: str) -> str:
    return "".join(f"{part}\n\n" for part in parts)


def at(*parts: str) -> int:
    """Characters of some paragraphs with the blank lines behind them."""
    return len(paragraphs(*parts))
