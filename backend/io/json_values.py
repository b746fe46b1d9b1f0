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
from ..texts import Text

__all__ = [
    "Reader",
    "check_keys",
    "choice",
    "each",
    "flag",
    "indices",
    "items",
    "number",
    "or_none",
    "points",
    "record",
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


def shown(value: Any) -> Text | str:
    """The value on one line of limited length."""
    if isinstance(value, np.ndarray):
        return Text("value.array", shape=str(value.shape))
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:57]}..."


def number(low: float, high: float, *, open_low: bool = False) -> Callable[[str, Any], float]:
    def read(where: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
            raise UserError("bad_conditions.not_a_number", where=where, value=shown(value), low=low, high=high)
        if not low <= value <= high or (open_low and value == low):  # also whole numbers of any length
            raise UserError("bad_conditions.out_of_range", where=where, value=shown(value), low=low, high=high)
        return float(value)

    return read


def whole(low: int, high: int) -> Callable[[str, Any], int]:
    def read(where: str, value: Any) -> int:
        given = number(low, high)(where, value)
        if given != int(given):
            raise UserError("bad_conditions.not_whole", where=where, value=value, low=low, high=high)
        return int(given)

    return read


def vector(limit: float) -> Callable[[str, Any], Array]:
    """Float[3], each entry at most `limit` in size."""

    def read(where: str, value: Any) -> Array:
        if not isinstance(value, (list, tuple)) or len(value) != 3:
            raise UserError("bad_conditions.not_three_numbers", where=where)
        return np.array([number(-limit, limit)(f"{where}[{axis}]", entry) for axis, entry in enumerate(value)])

    return read


def flag(where: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise UserError("bad_conditions.not_true_or_false", where=where, value=shown(value))
    return value


def text(where: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise UserError("bad_conditions.not_a_text", where=where, value=shown(value))
    return value


def choice(*names: str) -> Callable[[str, Any], str]:
    def read(where: str, value: Any) -> str:
        if not isinstance(value, str) or value not in names:
            raise UserError("bad_conditions.not_a_choice", where=where, value=shown(value), known=", ".join(names))
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
            raise UserError("bad_conditions.unknown_key", where=f"{prefix}{key}", known=_nearest_first(key, known))


def record(readers: Mapping[str, Reader], required: tuple[str, ...] = ()) -> Callable[[str, Any], dict[str, Any]]:
    """An object with these entries and no other; only what is given is in the result."""

    def read(where: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise UserError("bad_conditions.not_an_object", where=where, known=", ".join(readers))
        check_keys(value, readers, f"{where}.")
        for key in required:
            if key not in value:
                raise UserError("bad_conditions.missing_key", where=f"{where}.{key}")
        return {key: readers[key](f"{where}.{key}", entry) for key, entry in value.items()}

    return read


def items(where: str, value: Any) -> list[tuple[str, Any]]:
    """The entries of a list, each with its name."""
    if not isinstance(value, (list, tuple)):
        raise UserError("bad_conditions.not_a_list", where=where)
    return [(f"{where}[{index}]", entry) for index, entry in enumerate(value)]


def each(read: Reader) -> Callable[[str, Any], tuple[Any, ...]]:
    """A list of what `read` reads."""
    return lambda where, value: tuple(read(*item) for item in items(where, value))


def timed(read: Callable[[str, Any], Key], least: int) -> Callable[[str, Any], tuple[Key, ...]]:
    """At least `least` keys with an attribute `frame`, each later than the one before."""

    def read_all(where: str, value: Any) -> tuple[Key, ...]:
        keys = each(read)(where, value)
        if len(keys) < least:
            if least == 1:
                raise UserError("bad_conditions.no_key", where=where, count=len(keys))
            raise UserError("bad_conditions.too_few_keys", where=where, count=len(keys), least=least)
        for index in range(1, len(keys)):
            if keys[index].frame <= keys[index - 1].frame:
                raise UserError("bad_conditions.keys_out_of_order", where=f"{where}[{index}].frame")
        return keys

    return read_all


def indices(where: str, value: Any) -> np.ndarray:
    """Vertex indices, sorted, each once, Int[n]; checked against the mesh later."""
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "iu":
        value = value.tolist()
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, int) and not isinstance(v, bool) for v in value):
        raise UserError("bad_conditions.not_vertex_indices", where=where)
    if not value:
        raise UserError("bad_conditions.no_vertex_indices", where=where)
    if not all(abs(index) < MAXIMUM_VERTICES for index in value):
        raise UserError("bad_conditions.impossible_vertices", where=where)
    return np.unique(np.array(value, dtype=np.int64))


def _numeric(value: Any, kinds: str, refusal: UserError) -> np.ndarray:
    """An array of these kinds of numbers. Raises `refusal` where it is none."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise refusal
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, or nested deeper than arrays can be
        raise refusal from None
    if array.size and array.dtype.kind not in kinds:
        raise refusal
    return array


def points(limit: float, *, moving: bool = False) -> Callable[[str, Any], Array]:
    """Float[V,3] metres, at most `limit` in size; with `moving` also Float[T,V,3], one set of positions for a frame."""

    def read(where: str, value: Any) -> Array:
        refusal = UserError("bad_conditions.not_moving_points" if moving else "bad_conditions.not_points", where=where)
        array = _numeric(value, "iuf", refusal)
        if array.ndim not in ((2, 3) if moving else (2,)) or array.shape[-1] != 3:
            raise refusal
        if not array.size:
            raise UserError("bad_conditions.no_points", where=where)
        if array.shape[-2] >= MAXIMUM_VERTICES:
            raise UserError("bad_conditions.too_many_points", where=where, count=array.shape[-2], most=MAXIMUM_VERTICES)
        array = array.astype(np.float64)
        if not np.isfinite(array).all():
            raise UserError("bad_conditions.not_finite", where=where)
        if np.abs(array).max() > limit:
            raise UserError("bad_conditions.far_point", where=where, value=np.abs(array).max(), limit=limit)
        return array

    return read


def triangles(where: str, value: Any) -> np.ndarray:
    """Int[F,3], not negative; checked against the number of vertices later."""
    refusal = UserError("bad_conditions.not_triangles", where=where)
    array = _numeric(value, "iu", refusal)
    if array.ndim != 2 or array.shape[1] != 3:
        raise refusal
    if not array.size:
        raise UserError("bad_conditions.no_triangles", where=where)
    if array.min() < 0 or array.max() >= MAXIMUM_VERTICES:
        raise UserError("bad_conditions.impossible_vertices", where=where)
    return array.astype(np.int64)
