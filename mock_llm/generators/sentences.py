"""Sentences and paragraphs from the word banks."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

from mock_llm.generators.vocabulary import ACTIONS, BANKS, CODAS, EMPHASES, INTENTIONS, SENTENCES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_SLOT = re.compile(r"\{([a-z]+)\d?\}")
_WORD = re.compile(r"\w+")
_PATIENCE = 5000
_SHORTEST_SENTENCE = 85
_SHORTEST_CODA = 18


def dice_of(seed: int) -> Random:
    """The dice of a seed; the same seed always falls the same way."""
    return Random(seed)  # noqa: S311 - repeatable on purpose, nothing secret


def words_of(text: str) -> frozenset[str]:
    """The set of words of a text, case ignored."""
    return frozenset(_WORD.findall(text.lower()))


def similarity(left: frozenset[str], right: frozenset[str]) -> float:
    """How much two word sets have in common: Jaccard, 0 to 1."""
    shared = len(left & right)
    union = len(left) + len(right) - shared
    return shared / union if union else 0.0


def different(make: Callable[[], str], count: int) -> list[str]:
    """So many texts of which no two are equal.

    Raises:
        ValueError: If several thousand texts in a row gave no new one.
    """
    texts: dict[str, None] = {}
    for _ in range(count):
        tries = 0
        while (text := make()) in texts:
            tries += 1
            if tries == _PATIENCE:
                raise ValueError(
                    f"the vocabulary gives no new text after {len(texts)}, not {count}; take fewer"
                )
        texts[text] = None
    return list(texts)


class Decks:
    """Draws words from banks; none comes back before all of its bank were drawn."""

    def __init__(self, dice: Random) -> None:
        self.dice = dice
        self._decks: dict[str, list[str]] = {}

    def draw(self, name: str, bank: Sequence[str]) -> str:
        """The next word of the bank that goes by this name."""
        deck = self._decks.get(name)
        if not deck:
            deck = self._decks[name] = self.dice.sample(bank, len(bank))
        return deck.pop()

    def fill(self, template: str, banks: Mapping[str, Sequence[str]]) -> str:
        """The template with a word of its bank for every ``{bank}`` and ``{bank1}``."""
        return _SLOT.sub(lambda match: self.draw(match[1], banks[match[1]]), template)


class Prose:
    """Draws sentences; no template or word comes back before its deck is used up."""

    def __init__(self, dice: Random) -> None:
        self._decks = Decks(dice)

    def sentence(self) -> str:
        """A sentence with its capital and its full stop."""
        return self._filled("sentence", SENTENCES)

    def passage(self, chars: float) -> str:
        """Sentences in one line, about so many characters; never fewer than one sentence."""
        text = self.sentence()
        while chars - len(text) > _SHORTEST_SENTENCE:
            text = f"{text} {self.sentence()}"
        while chars - len(text) > _SHORTEST_CODA:
            text = f"{text} {self._filled('coda', CODAS)}"
        return text

    def _filled(self, kind: str, templates: tuple[str, ...]) -> str:
        text = self._decks.fill(self._decks.draw(kind, templates), BANKS)
        return f"{text[0].upper()}{text[1:]}" if kind == "coda" else f"{text[0].upper()}{text[1:]}."


def restatement(dice: Random) -> str:
    """One of a few actions, announced in other words."""
    verbs, thing, purposes = dice.choice(ACTIONS)
    return (
        f"{dice.choice(INTENTIONS)} {dice.choice(verbs)} {thing} {dice.choice(EMPHASES)}"
        f" {dice.choice(purposes)}."
    )


class Unlike:
    """Paragraphs of which no two are too similar.

    Args:
        below: Two paragraphs share less than this part of their words (Jaccard).
        lookback: Only so many of the last paragraphs are compared; None means all.
        units: What of a text is compared.
    """

    def __init__(
        self,
        below: float,
        lookback: int | None = None,
        units: Callable[[str], frozenset[str]] = words_of,
    ) -> None:
        self._below = below
        self._lookback = lookback
        self._units = units
        self._bits: dict[str, int] = {}
        self._known: list[tuple[int, int]] = []
        self._texts: set[str] = set()
        self.paragraphs: list[str] = []

    def add(self, text: str) -> None:
        """Take a paragraph in."""
        self.paragraphs.append(text)
        self._known.append(self._set_of(text))
        self._texts.add(text)

    def draw(self, make: Callable[[], str], length: int | None = None) -> str:
        """The first text made that has the length and is unlike the paragraphs so far.

        Raises:
            ValueError: If several thousand texts did not give one.
        """
        for _ in range(_PATIENCE):
            text = make()
            if (length is None or len(text) == length) and self._is_unlike(text):
                return text
        wanted = "" if length is None else f" of {length} characters"
        raise self._used_up(wanted)

    def closest(self, make: Callable[[], str], chars: float, tries: int) -> str:
        """Of ``tries`` new texts the one whose length is closest to ``chars``.

        Raises:
            ValueError: If several thousand texts did not give one.
        """
        for _ in range(_PATIENCE // tries):
            for text in sorted((make() for _ in range(tries)), key=lambda text: abs(len(text) - chars)):
                if self._is_unlike(text):
                    return text
        raise self._used_up("")

    def _is_unlike(self, text: str) -> bool:
        if text in self._texts:
            return False
        words, size = self._set_of(text)
        # Jaccard >= s exactly when the shared words are at least s / (1 + s) of both sizes together.
        part = self._below / (1 + self._below)
        known = self._known[-self._lookback :] if self._lookback else self._known
        return all((words & other).bit_count() < part * (size + others) - 1e-9 for other, others in known)

    def _set_of(self, text: str) -> tuple[int, int]:
        """The units of a text as one number with a bit for each, and how many they are."""
        units = self._units(text)
        bits = 0
        for unit in units:
            bits |= 1 << self._bits.setdefault(unit, len(self._bits))
        return bits, len(units)

    def _used_up(self, wanted: str) -> ValueError:
        so_far = f"no new paragraph{wanted} after {len(self.paragraphs)}"
        return ValueError(f"the vocabulary gives {so_far}; take fewer or another 'seed'")
