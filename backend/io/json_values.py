"""Validators of decoded JSON: each takes the name and the value of a key, and returns it checked or refuses it.

A refusal is one sentence and one remedy. Large arrays may come as nested lists or as NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..geometry.mesh import MAXIMUM_VERTICES

__all__ = [
    "Reader",
    "check_keys",
    "choice",
    "each",
    "flag",
    "indices",
    "number",
    "or_none",
    "points",
    "record",
    "refuse",
    "shown",
    "text",
    "timed",
    "triangles",
    "vector",
    "whole",
]

Array = NDArray[np.float64]

NAMES_AT_ONCE = 12
Reader = Callable[[str, Any], Any]
Key = TypeVar("Key")


def refuse(where: str, problem: str, remedy: str) -> UserError:
    """The error to raise: "The condition '<where>' <problem>."."""
    return UserError("bad_conditions", f"The condition '{where}' {problem}.", remedy)


def shown(value: Any) -> str:
    """The value on one line of limited length."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:57]}..."


def number(low: float, high: float, *, open_low: bool = False) -> Callable[[str, Any], float]:
    def read(where: str, value: Any) -> float:
        remedy = f"Give a number from {low:g} to {high:g}."
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
            raise refuse(where, f"must be a finite number, not {shown(value)}", remedy)
        if not low <= value <= high or (open_low and value == low):  # also whole numbers of any length
            raise refuse(where, f"is {shown(value)}, out of range", remedy)
        return float(value)

    return read


def whole(low: int, high: int) -> Callable[[str, Any], int]:
    def read(where: str, value: Any) -> int:
        given = number(low, high)(where, value)
        if given != int(given):
            raise refuse(where, f"is {value:g}, not a whole number", f"Give a whole number from {low} to {high}.")
        return int(given)

    return read


def vector(limit: float) -> Callable[[str, Any], Array]:
    """Float[3], each entry at most `limit` in size."""

    def read(where: str, value: Any) -> Array:
        if not isinstance(value, (list, tuple)) or len(value) != 3:
            raise refuse(where, "must be three numbers", "Write it as [x, y, z].")
        return np.array([number(-limit, limit)(f"{where}[{axis}]", entry) for axis, entry in enumerate(value)])

    return read


def flag(where: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise refuse(where, f"must be true or false, not {shown(value)}", "Write true or false.")
    return value


def text(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise refuse(where, f"must be a text, not {shown(value)}", 'Write it as "...".')
    return value


def choice(*names: str) -> Callable[[str, Any], str]:
    def read(where: str, value: Any) -> str:
        if not isinstance(value, str) or value not in names:
            raise refuse(where, f"is {shown(value)}", f"Choose one of: {', '.join(names)}.")
        return value

    return read


def or_none(read: Reader, word: str | None = None) -> Reader:
    """None (or `word`) means "not given"."""

    def read_or_none(where: str, value: Any) -> Any:
        missing = value is None or (isinstance(value, str) and value == word)
        return None if missing else read(where, value)

    return read_or_none


def _nearest_first(key: str, known: Mapping[str, Any]) -> str:
    """The names, those that are spelled like `key` first, at most `NAMES_AT_ONCE`."""
    alike = sorted(known, key=lambda name: -SequenceMatcher(None, str(key), name).ratio())
    return ", ".join(alike[:NAMES_AT_ONCE]) + (", …" if len(alike) > NAMES_AT_ONCE else "")


def check_keys(value: Mapping[str, Any], known: Mapping[str, Any], prefix: str = "") -> None:
    for key in value:
        if key not in known:
            raise refuse(f"{prefix}{key}", "is not known", f"Known: {_nearest_first(key, known)}.")


def record(readers: Mapping[str, Reader], required: tuple[str, ...] = ()) -> Callable[[str, Any], dict[str, Any]]:
    """An object with these entries and no other; only what is given is in the result."""

    def read(where: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise refuse(where, "must be an object with named entries", f"Its keys are: {', '.join(readers)}.")
        check_keys(value, readers, f"{where}.")
        for key in required:
            if key not in value:
                raise refuse(f"{where}.{key}", "is missing", "Add it.")
        return {key: readers[key](f"{where}.{key}", entry) for key, entry in value.items()}

    return read


def each(read: Reader) -> Callable[[str, Any], tuple[Any, ...]]:
    def read_all(where: str, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise refuse(where, "must be a list", "Write it as [ ... ].")
        return tuple(read(f"{where}[{index}]", entry) for index, entry in enumerate(value))

    return read_all


def timed(read: Callable[[str, Any], Key], least: int) -> Callable[[str, Any], tuple[Key, ...]]:
    """At least `least` keys with an attribute `frame`, each later than the one before."""

    def read_all(where: str, value: Any) -> tuple[Key, ...]:
        keys = each(read)(where, value)
        if len(keys) < least:
            enough = "one key" if least == 1 else f"{least} keys"
            raise refuse(where, f"has {len(keys)} keys, too few", f"Give at least {enough}, or leave it out.")
        for index in range(1, len(keys)):
            if keys[index].frame <= keys[index - 1].frame:
                remedy = "List the keys from the first frame to the last, one for a frame."
                raise refuse(f"{where}[{index}].frame", "is not after the key before it", remedy)
        return keys

    return read_all


def indices(where: str, value: Any) -> np.ndarray:
    """Vertex indices, sorted, each once, Int[n]; checked against the mesh later."""
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iu":
        value = value.tolist()
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, int) and not isinstance(v, bool) for v in value):
        raise refuse(where, "must be a list of vertex indices", "Write it as [0, 1, 2], counted from 0.")
    if not value:
        raise refuse(where, "is empty", "Name at least one vertex, or leave the key out.")
    if not all(abs(index) < MAXIMUM_VERTICES for index in value):
        raise refuse(where, "names vertices that no mesh has", "Name vertices of this mesh, counted from 0.")
    return np.unique(np.array(value, dtype=np.int64))


def _numeric(where: str, value: Any, kinds: str, problem: str, remedy: str) -> np.ndarray:
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise refuse(where, problem, remedy)
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, or nested deeper than arrays can be
        raise refuse(where, problem, remedy) from None
    if array.size and array.dtype.kind not in kinds:
        raise refuse(where, problem, remedy)
    return array


def points(limit: float, *, moving: bool = False) -> Callable[[str, Any], Array]:
    """Float[V,3] metres, at most `limit` in size; with `moving` also Float[T,V,3], one set of positions for a frame."""

    def read(where: str, value: Any) -> Array:
        problem = "must be rows of three numbers" + (", or such rows for each frame" if moving else "")
        remedy = "Write it as [[x, y, z], ...]" + (" or [[[x, y, z], ...], ...]." if moving else ".")
        array = _numeric(where, value, "iuf", problem, remedy)
        if array.ndim not in ((2, 3) if moving else (2,)) or array.shape[-1] != 3:
            raise refuse(where, problem, remedy)
        if not array.size:
            raise refuse(where, "is empty", "Give at least one point, or leave the key out.")
        if array.shape[-2] >= MAXIMUM_VERTICES:
            problem = f"has {array.shape[-2]:,} points, fewer than {MAXIMUM_VERTICES:,} are possible"
            raise refuse(where, problem, "Simplify the mesh (Decimate modifier).")
        array = array.astype(np.float64)
        if not np.isfinite(array).all():
            raise refuse(where, "holds a coordinate that is not a finite number", "Repair the mesh it comes from.")
        if np.abs(array).max() > limit:
            problem = f"holds a coordinate of {np.abs(array).max():g} m, out of range"
            raise refuse(where, problem, f"Keep coordinates within {limit:g} m of the origin.")
        return array

    return read


def triangles(where: str, value: Any) -> np.ndarray:
    """Int[F,3], not negative; checked against the number of vertices later."""
    problem, remedy = "must be rows of three vertex indices", "Write it as [[0, 1, 2], ...], counted from 0."
    array = _numeric(where, value, "iu", problem, remedy)
    if array.ndim != 2 or array.shape[1] != 3:
        raise refuse(where, problem, remedy)
    if not array.size:
        raise refuse(where, "is empty", "Give at least one triangle.")
    if array.min() < 0 or array.max() >= MAXIMUM_VERTICES:
        raise refuse(where, "names vertices that no mesh has", "Name vertices of this mesh, counted from 0.")
    return array.astype(np.int64)
