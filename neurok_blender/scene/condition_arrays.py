"""Arrays in conditions: short ones as lists."""

from __future__ import annotations

from numpy.typing import NDArray

__all__ = ["array_or_list"]

# A message has room for 64 arrays, and what is short costs nothing as text.
SHORT = 3000  # numbers


def array_or_list(array: NDArray) -> NDArray | list:
    """The array itself, or nested lists where it is short."""
    return array.tolist() if array.size <= SHORT else array
