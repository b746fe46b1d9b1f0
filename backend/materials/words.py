"""Words of names, and the materials that they tell: "DarkWood_02" says wood, in any of several languages."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .table import material_named, material_names

__all__ = ["told_by", "words_of"]

_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SHORTEST_STEM = 4  # letters of a word that may be the beginning or the end of a longer one
_SHORTEST_REST = 3  # letters of what is left of that: "rocket" does not speak of a rock
_OF_PARTS = 0.6  # how much a part of a word counts, beside a word


def words_of(name: str) -> list[str]:
    """The words of a name in small letters without accents: "GlassPlastic_low.001" is glass, plastic, low."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return [word.lower() for word in _PIECES.findall(plain) if len(word) > 1]


@cache
def _lexicon() -> dict[str, tuple[int, ...]]:
    """Word -> numbers of the materials that it may mean."""
    meanings: dict[str, tuple[int, ...]] = {}
    for number, name in enumerate(material_names()):
        for word in material_named(name).words.split():
            meanings[word] = (*meanings.get(word, ()), number)
    return meanings


@cache
def _meaning(word: str) -> tuple[tuple[int, ...], float]:
    """Numbers of the materials that a word may mean, and how sure it is."""
    lexicon = _lexicon()
    for known in (word, word.removesuffix("s"), word.removesuffix("es")):
        if known in lexicon:
            return lexicon[known], 1.0
    for length in range(len(word) - _SHORTEST_REST, _SHORTEST_STEM - 1, -1):
        for part in (word[-length:], word[:length]):  # the end of a compound says what it is, in most languages
            if part in lexicon:
                return lexicon[part], _OF_PARTS
    return (), 0.0


def told_by(name: str) -> NDArray[np.float64]:
    """How strongly a name speaks for each material of the table, Float[M] from 0 to 1; later words count more.

    "Glass Table" is a table of glass, "Wood Glass" rather a glass: the last word that means anything counts fully.
    """
    evidence = np.zeros(len(material_names()))
    weight = 1.0
    for word in reversed(words_of(name)):
        numbers, sure = _meaning(word)
        for number in numbers:
            evidence[number] = max(evidence[number], weight * sure / len(numbers))
        weight *= 0.7 if numbers else 1.0
    return evidence
