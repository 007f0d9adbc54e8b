"""Sentences in any script: English from its own word banks, the others from :mod:`languages`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mock_llm.generators.sentences import Decks, Prose, Unlike, words_of
from mock_llm.shape import Enum, Field

if TYPE_CHECKING:
    from random import Random

    from mock_llm.generators.generator import Parameters
    from mock_llm.generators.languages import Language

_PAIRED = frozenset({"cjk", "emoji"})

SCRIPTS = ("latin", "cjk", "cyrillic", "arabic", "emoji")
SCRIPT = Field(
    Enum(SCRIPTS, "The writing: English, Chinese, Russian, Arabic, or emoji alone."), default="latin"
)


class Writer(Protocol):
    """Draws sentences of one script."""

    def sentence(self) -> str:
        """A sentence with its end."""

    def passage(self, chars: float) -> str:
        """Sentences in one line, about so many characters; never fewer than one sentence."""


class LanguageProse:
    """Draws sentences of a language; no pattern or word comes back before its deck is used up."""

    def __init__(self, dice: Random, language: Language) -> None:
        self._decks = Decks(dice)
        self._language = language

    def sentence(self) -> str:
        """A sentence with its end, and with a capital where the script has one."""
        pattern = self._decks.draw("", self._language.patterns)
        text = self._decks.fill(pattern, self._language.banks)
        return f"{text[0].upper()}{text[1:]}{self._language.stop}"

    def passage(self, chars: float) -> str:
        """Sentences in one line, about so many characters; never fewer than one sentence."""
        text = self.sentence()
        while True:
            longer = f"{text}{self._language.gap}{self.sentence()}"
            if abs(len(longer) - chars) >= abs(len(text) - chars):
                return text
            text = longer


def language_of(script: str) -> Language | None:
    """The material of a script; None for Latin, which has banks of its own."""
    if script == "latin":
        return None
    from mock_llm.generators.languages import LANGUAGES

    return LANGUAGES[script]


def script_of(parameters: Parameters) -> str:
    """The script that the parameters ask for."""
    return str(parameters.get("script", "latin"))


def writer_of(script: str, dice: Random) -> Writer:
    """Who writes a script."""
    language = language_of(script)
    return LanguageProse(dice, language) if language else Prose(dice)


def gap_of(script: str) -> str:
    """What stands between two sentences of one line."""
    language = language_of(script)
    return language.gap if language else " "


def units_of(text: str, script: str) -> frozenset[str]:
    """What texts of a script are compared by: words, or pairs of characters where blanks part no words."""
    if script not in _PAIRED:
        return words_of(text)
    solid = "".join(text.split())
    return frozenset(solid[i : i + 2] for i in range(len(solid) - 1))


def unlike(script: str, below: float, lookback: int | None = None) -> Unlike:
    """Paragraphs of a script of which no two are too similar."""
    return Unlike(below, lookback, lambda text: units_of(text, script))
