"""What the worker takes from a request, checked: texts, arrays, conditions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from backend import protocol
from backend.errors import UserError

__all__ = [
    "MOST_OBJECTS",
    "DragRequest",
    "ReachRequest",
    "array_of",
    "drags_of",
    "draw_of",
    "given_conditions",
    "object_of",
    "objects_of",
    "parts_of",
    "pull_of",
    "reach_of",
    "slots_of",
    "text_of",
    "values_of",
]

MOST_PARTS = 64  # of a frame, in live mode
MOST_ROWS = 64  # of targets, in one request
MOST_OBJECTS = protocol.MAX_BUFFERS // 2  # of one take: each may have handles and points in a message
_DEPTH = 4  # conditions > colliders > one of them > its vertices


def text_of(request: str, entry: Mapping[str, Any], name: str) -> str:
    """The text of that name in a header, or in a part of it."""
    value = entry.get(name)
    if not isinstance(value, str) or not value:
        raise UserError("bad_request.text", request=request, key=name)
    return value


def array_of(message: protocol.Message, name: str, dtype: str) -> np.ndarray:
    """The array of that name, checked to be dtype[N,3]; what it holds is for the engine to judge."""
    array = message.arrays.get(name)
    if array is None or array.dtype.name != dtype or array.ndim != 2 or array.shape[1] != 3:
        raise UserError("bad_request.array", request=message.type, dtype=dtype, key=name)
    return array


def slots_of(message: protocol.Message) -> np.ndarray | None:
    """The material slots int32 (F,) of an `analyze` request; None where the client knows of none."""
    slots = message.arrays.get("slots")
    if slots is not None and (slots.dtype.name != "int32" or slots.ndim != 1):
        raise UserError("bad_request.slots", request=message.type)
    return slots


@dataclass(frozen=True)
class DragRequest:
    """Vertices Int[p] that are dragged, where to (float32 (p,3), m), and which must get there (Bool[p])."""

    vertices: np.ndarray
    targets: np.ndarray
    hard: np.ndarray


def drags_of(message: protocol.Message) -> DragRequest:
    """The dragged points of a `pose` request: int32 "vertices", float32 "targets" and, unless none is, uint8 "hard"."""
    targets = array_of(message, "targets", "float32")
    vertices = message.arrays.get("vertices")
    hard = message.arrays.get("hard", np.zeros(len(targets), dtype=np.uint8))
    for array, dtype in ((vertices, "int32"), (hard, "uint8")):
        if array is None or array.dtype.name != dtype or array.shape != (len(targets),):
            raise UserError("bad_request.drags", request=message.type)
    return DragRequest(vertices, targets, hard.astype(bool))


def pull_of(message: protocol.Message) -> dict[str, Any] | None:
    """The pull of a `step` request; what it holds is for the engine to judge."""
    pull = message.header.get("pull", "")
    if pull is not None and not isinstance(pull, dict):
        raise UserError("bad_request.pull", request=message.type)
    return pull


def parts_of(message: protocol.Message) -> int:
    """How many steps of a `live` request make a frame."""
    parts = message.header.get("parts", 1)
    if type(parts) is not int or not 1 <= parts <= MOST_PARTS:
        raise UserError("bad_request.steps", request=message.type, most=MOST_PARTS)
    return parts


def values_of(message: protocol.Message) -> np.ndarray:
    """The slider values of a `shape` request, float32 (n,k)."""
    values = message.arrays.get("values")
    if values is None or values.dtype.name != "float32" or values.ndim != 2:
        raise UserError("bad_request.values", request=message.type)
    return values


@dataclass(frozen=True, eq=False)
class ReachRequest:
    """Links with the frames Float[g,4,4] that reach for targets Float[n,g,4,4] in the world, from sliders Float[k]."""

    parts: tuple[int, ...]
    tips: np.ndarray
    turns: tuple[bool, ...]
    weights: tuple[float, ...]
    targets: np.ndarray
    start: np.ndarray
    search: bool


def reach_of(message: protocol.Message) -> ReachRequest:
    """What a `reach` request asks for; poses are checked by the solver."""
    goals, search = message.header.get("goals"), message.header.get("search", False)
    if not isinstance(goals, list) or not goals or not all(isinstance(goal, dict) for goal in goals):
        raise UserError("bad_request.goals", request=message.type)
    parts, turns = ([goal.get(key) for goal in goals] for key in ("part", "turns"))
    weights = [goal.get("weight") for goal in goals]
    right = all(type(part) is int for part in parts) and all(type(turn) is bool for turn in turns)
    right = right and all(isinstance(weight, int | float) and 0.0 < weight < np.inf for weight in weights)
    if not right or type(search) is not bool:
        raise UserError("bad_request.goal", request=message.type)
    tips, targets, start = (message.arrays.get(name) for name in ("tips", "targets", "values"))
    for name, array, shape in (
        ("tips", tips, (len(goals), 4, 4)),
        ("targets", targets, (None, len(goals), 4, 4)),
        ("values", start, (None,)),
    ):
        fits = array is not None and array.dtype.name == "float32" and array.ndim == len(shape)
        if not fits or any(want not in (None, size) for want, size in zip(shape, array.shape, strict=True)):
            raise UserError("bad_request.goal_array", request=message.type, key=name)
    rows = targets.astype(np.float64), start.astype(np.float64)
    own = tuple(parts), tips.astype(np.float64), tuple(turns), tuple(float(weight) for weight in weights)
    if not 0 < len(rows[0]) <= MOST_ROWS:
        raise UserError("bad_request.rows", request=message.type, most=MOST_ROWS)
    return ReachRequest(*own, *rows, search)


def draw_of(message: protocol.Message) -> tuple[int, int]:
    """How many random poses a `poses` request asks for, and its seed."""
    count, seed = message.header.get("count"), message.header.get("seed")
    if type(count) is not int or type(seed) is not int:
        raise UserError("bad_request.draws", request=message.type)
    return count, seed


def object_of(message: protocol.Message) -> tuple[str, dict[str, Any]]:
    """(key, conditions) of a request about one object."""
    return _object(message, message.header, {})


def objects_of(message: protocol.Message) -> list[tuple[str, dict[str, Any]]]:
    """(key, conditions) of every object of a `simulate` request.

    {"objects": [{"key", "conditions"}...]}, and those conditions that are the same for all under "shared".
    {"buffer": name} in conditions stands for an array of the message.
    """
    entries, shared = message.header.get("objects"), message.header.get("shared", {})
    if not isinstance(entries, list) or not 0 < len(entries) <= MOST_OBJECTS:
        raise UserError("bad_request.objects", request=message.type, most=MOST_OBJECTS)
    if not isinstance(shared, dict):
        raise UserError("bad_request.shared", request=message.type)
    return [_object(message, entry, shared) for entry in entries]


def _object(message: protocol.Message, entry: Any, shared: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    if not isinstance(entry, dict):
        raise UserError("bad_request.object", request=message.type)
    conditions = entry.get("conditions")
    if not isinstance(conditions, dict):
        raise UserError("bad_request.conditions", request=message.type)
    key = text_of(message.type, entry, "key")
    return key, given_conditions(message, {**shared, **conditions})


def given_conditions(message: protocol.Message, conditions: dict[str, Any]) -> dict[str, Any]:
    """Conditions with the arrays of the message in place of {"buffer": name}. Raises UserError."""
    return _with_arrays(conditions, message, _DEPTH)


def _with_arrays(value: Any, message: protocol.Message, depth: int) -> Any:
    """Arrays in place of {"buffer": name}, wherever conditions can have one."""
    if depth and isinstance(value, list):
        return [_with_arrays(entry, message, depth - 1) if isinstance(entry, dict) else entry for entry in value]
    if not depth or not isinstance(value, dict):
        return value
    if set(value) == {"buffer"}:
        name = text_of(message.type, value, "buffer")
        if name not in message.arrays:
            raise UserError("bad_request.buffer", request=message.type, key=name)
        return message.arrays[name]
    return {key: _with_arrays(entry, message, depth - 1) for key, entry in value.items()}
