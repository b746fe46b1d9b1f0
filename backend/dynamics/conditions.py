"""`conditions.json`: read once, checked once, frozen.

SI units, frames from 1, Z up; unknown keys are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..errors import UserError
from ..geometry.mesh import MAXIMUM_VERTICES
from ..kinematics.base import Array
from .contact import Ground

__all__ = ["Conditions", "Pin", "Poke", "Velocity", "Wind", "read_conditions"]


@dataclass(frozen=True)
class Poke:
    """A push on the surface: either an `impulse` (N s) or the `speed` (m/s) that the whole object would gain."""

    point: Array  # Float[3] m
    impulse: Array | None
    speed: Array | None
    radius: float  # m
    start: int  # frame
    duration: int  # frames


@dataclass(frozen=True)
class Velocity:
    """Motion at the first frame: linear (m/s) and angular about the centre of mass (rad/s), of all or some vertices."""

    linear: Array
    angular: Array
    vertices: np.ndarray | None


@dataclass(frozen=True)
class Pin:
    """Vertices that do not move."""

    vertices: np.ndarray


@dataclass(frozen=True)
class Wind:
    """Velocity in m/s; turbulence as a share of its speed."""

    velocity: Array
    turbulence: float


@dataclass(frozen=True)
class Conditions:
    """Everything an artist can say about a take."""

    provider: str = "auto"
    fps: float = 24.0
    frames: int = 120
    substeps: int | None = None  # per frame; None: chosen automatically
    seed: int = 0
    gravity: Array = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    anchor: str | np.ndarray = "auto"
    settled: bool | None = None  # None: settled exactly when the base is held automatically
    density: float = 1000.0
    stiffness_hz: float = 3.0
    settle_seconds: float = 2.0
    undamped: bool = False
    young: float | None = None
    poisson: float = 0.3
    pokes: tuple[Poke, ...] = ()
    velocities: tuple[Velocity, ...] = ()
    pins: tuple[Pin, ...] = ()
    wind: Wind | None = None
    ground: Ground | None = None


def _refuse(where: str, problem: str, remedy: str) -> UserError:
    return UserError("bad_conditions", f"The condition '{where}' {problem}.", remedy)


def _shown(value: Any) -> str:
    """As it is written, but not without end."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _number(low: float, high: float, *, open_low: bool = False) -> Callable[[str, Any], float]:
    def read(where: str, value: Any) -> float:
        remedy = f"Give a number from {low:g} to {high:g}."
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
            raise _refuse(where, f"must be a finite number, not {_shown(value)}", remedy)
        if not low <= value <= high or (open_low and value == low):  # also whole numbers of any length
            raise _refuse(where, f"is {_shown(value)}, out of range", remedy)
        return float(value)

    return read


def _whole(low: int, high: int) -> Callable[[str, Any], int]:
    def read(where: str, value: Any) -> int:
        number = _number(low, high)(where, value)
        if number != int(number):
            raise _refuse(where, f"is {value:g}, not a whole number", f"Give a whole number from {low} to {high}.")
        return int(number)

    return read


def _vector(limit: float) -> Callable[[str, Any], Array]:
    def read(where: str, value: Any) -> Array:
        if not isinstance(value, (list, tuple)) or len(value) != 3:
            raise _refuse(where, "must be three numbers", "Write it as [x, y, z].")
        return np.array([_number(-limit, limit)(f"{where}[{axis}]", entry) for axis, entry in enumerate(value)])

    return read


def _vertices(where: str, value: Any) -> np.ndarray:
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, int) and not isinstance(v, bool) for v in value):
        raise _refuse(where, "must be a list of vertex indices", "Write it as [0, 1, 2], counted from 0.")
    if not value:
        raise _refuse(where, "is empty", "Name at least one vertex, or leave the key out.")
    if not all(abs(index) < MAXIMUM_VERTICES for index in value):
        raise _refuse(where, "names vertices that no mesh has", "Name vertices of this mesh, counted from 0.")
    return np.unique(np.array(value, dtype=np.int64))


def _flag(where: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _refuse(where, f"must be true or false, not {_shown(value)}", "Write true or false.")
    return value


def _choice(*names: str) -> Callable[[str, Any], str]:
    def read(where: str, value: Any) -> str:
        if value not in names:
            raise _refuse(where, f"is {_shown(value)}", f"Choose one of: {', '.join(names)}.")
        return str(value)

    return read


def _or_none(read: Callable[[str, Any], Any], word: str | None = None) -> Callable[[str, Any], Any]:
    """None (or `word`) means "not given"."""
    return lambda where, value: None if value is None or value == word else read(where, value)


def _record(
    readers: Mapping[str, Callable[[str, Any], Any]], required: tuple[str, ...] = ()
) -> Callable[[str, Any], dict]:
    def read(where: str, value: Any) -> dict:
        if not isinstance(value, dict):
            raise _refuse(where, "must be an object with named entries", f"Its keys are: {', '.join(readers)}.")
        _check_keys(value, readers, f"{where}.")
        for key in required:
            if key not in value:
                raise _refuse(f"{where}.{key}", "is missing", "Add it.")
        return {key: readers[key](f"{where}.{key}", entry) for key, entry in value.items()}

    return read


def _each(read: Callable[[str, Any], Any]) -> Callable[[str, Any], tuple]:
    def read_all(where: str, value: Any) -> tuple:
        if not isinstance(value, (list, tuple)):
            raise _refuse(where, "must be a list", "Write it as [ ... ].")
        return tuple(read(f"{where}[{index}]", entry) for index, entry in enumerate(value))

    return read_all


def _anchor(where: str, value: Any) -> str | np.ndarray:
    if isinstance(value, dict):
        return _record({"vertices": _vertices}, ("vertices",))(where, value)["vertices"]
    if value in ("auto", "none"):
        return str(value)
    raise _refuse(where, f"is {_shown(value)}", 'Write "auto", "none" or {"vertices": [...]}.')


def _poke(where: str, value: Any) -> Poke:
    readers = {
        "point": _vector(1e6),
        "impulse": _vector(1e9),
        "speed": _vector(1e4),
        "radius": _number(0.0, 1e6, open_low=True),
        "start": _whole(1, 1_000_000),
        "duration": _whole(1, 1_000_000),
    }
    entry = _record(readers, ("point",))(where, value)
    if ("impulse" in entry) == ("speed" in entry):
        raise _refuse(where, "must have either 'impulse' or 'speed'", "Give one of the two, as [x, y, z].")
    return Poke(
        entry["point"],
        entry.get("impulse"),
        entry.get("speed"),
        entry.get("radius", 0.1),
        entry.get("start", 1),
        entry.get("duration", 2),
    )


def _velocity(where: str, value: Any) -> Velocity:
    entry = _record({"linear": _vector(1e4), "angular": _vector(1e4), "vertices": _or_none(_vertices)})(where, value)
    return Velocity(entry.get("linear", np.zeros(3)), entry.get("angular", np.zeros(3)), entry.get("vertices"))


def _pin(where: str, value: Any) -> Pin:
    entry = _record({"vertices": _vertices, "stiffness": _choice("rigid")}, ("vertices",))(where, value)
    return Pin(entry["vertices"])


def _wind(where: str, value: Any) -> Wind:
    entry = _record({"velocity": _vector(1e3), "turbulence": _number(0.0, 2.0)}, ("velocity",))(where, value)
    return Wind(entry["velocity"], entry.get("turbulence", 0.2))


def _ground(where: str, value: Any) -> Ground:
    readers = {"height": _number(-1e6, 1e6), "friction": _number(0.0, 10.0), "restitution": _number(0.0, 1.0)}
    entry = _record(readers)(where, value)
    return Ground(entry.get("height", 0.0), entry.get("friction", 0.5), entry.get("restitution", 0.2))


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "provider": _choice("auto", "rigid", "elastic"),
    "fps": _number(1.0, 1000.0),
    "frames": _whole(1, 100_000),
    "substeps": _or_none(_whole(1, 1000), "auto"),
    "seed": _whole(0, 2**31 - 1),
    "gravity": _vector(1e4),
    "anchor": _anchor,
    "settled": _or_none(_flag, "auto"),
    "density": _number(1e-3, 1e6),
    "stiffness_hz": _number(0.01, 1000.0),
    "settle_seconds": _number(0.01, 10_000.0),
    "undamped": _flag,
    "young": _or_none(_number(1.0, 1e13)),
    "poisson": _number(0.0, 0.49),
    "pokes": _each(_poke),
    "velocities": _each(_velocity),
    "pins": _each(_pin),
    "wind": _or_none(_wind),
    "ground": _or_none(_ground),
}
# Part of the format, not of this version: refused by name instead of being silently without effect.
_NOT_YET = {"materials": [], "colliders": [], "joints": None}


def _check_keys(value: Mapping[str, Any], known: Mapping[str, Any], prefix: str = "") -> None:
    for key in value:
        if key not in known:
            raise _refuse(f"{prefix}{key}", "is not known", f"Known keys are: {', '.join(known)}.")


def read_conditions(value: Any) -> Conditions:
    """Checks a decoded JSON object. Every key is optional; anything wrong is one sentence with a remedy."""
    if not isinstance(value, dict):
        raise UserError(
            "bad_conditions", "The conditions are not a JSON object.", "Write them as { ... } with named keys."
        )
    value = dict(value)
    for key, empty in _NOT_YET.items():
        if key in value and value.pop(key) != empty:
            raise _refuse(key, "is not supported by this version", "Leave it out.")
    _check_keys(value, _READERS)
    entries = {key: _READERS[key](key, entry) for key, entry in value.items()}
    assert set(_READERS) == {entry.name for entry in fields(Conditions)}
    return Conditions(**entries)
