"""Parsing of long runs of numbers in text with NumPy."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .damaged_file import DamagedFileError

__all__ = ["parse_numbers", "words_per_line"]


def parse_numbers(text: bytes, dtype: DTypeLike) -> NDArray[np.generic]:
    """All numbers of a text that has nothing but numbers and blanks."""
    if not text.strip():
        return np.empty(0, dtype=dtype)
    with warnings.catch_warnings():
        # NumPy stops at the first word that is no number, and only warns.
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.fromstring(text, dtype=dtype, sep=" ")
        except (DeprecationWarning, ValueError) as problem:
            raise DamagedFileError("something stands where a number should be") from problem


def words_per_line(text: bytes, line_count: int) -> NDArray[np.int64]:
    """Int[line_count]: how many words each line of the text has."""
    characters = np.frombuffer(text, dtype=np.uint8)
    blank = (characters == 32) | (characters == 9) | (characters == 10) | (characters == 13)
    begins = ~blank
    begins[1:] &= blank[:-1]
    starts = np.flatnonzero(begins)
    line_ends = np.append(np.flatnonzero(characters == 10), len(characters))[:line_count]
    return np.diff(np.searchsorted(starts, line_ends), prepend=0)
