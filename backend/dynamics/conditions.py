"""Reader of `conditions.json`: validated once, then immutable.

SI units, frames from 1, Z up; unknown keys are refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..errors import UserError
from ..io.json_values import (
    Reader,
    check_keys,
    choice,
    each,
    flag,
    indices,
    items,
    number,
    or_none,
    points,
    record,
    shown,
    text,
    timed,
    triangles,
    vector,
    whole,
)
from ..kinematics.base import Array
from ..kinematics.jointed import Jointed
from ..kinematics.joints_json import is_joints
from ..kinematics.node_material import MadeOf, Region
from .piece_conditions import PieceOverride, piece_override

__all__ = [
    "SUPPORTS",
    "BoneSpring",
    "Collider",
    "Conditions",
    "Drag",
    "Ground",
    "MotionKey",
    "PathKey",
    "Pin",
    "Poke",
    "Region",
    "RigStart",
    "VectorKey",
    "Velocity",
    "Wind",
    "checked_vertices",
    "read_conditions",
]


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
class MotionKey:
    """Where something rigid is at a frame: offset from its drawn place (m) and turn about its centre (rad)."""

    frame: float
    location: Array  # Float[3]
    rotation: Array  # Float[3], rotation vector


@dataclass(frozen=True)
class PathKey:
    """Where a point is at a frame, in metres."""

    frame: float
    position: Array  # Float[3]


@dataclass(frozen=True)
class VectorKey:
    """What a vector is at a frame."""

    frame: float
    value: Array  # Float[3]


@dataclass(frozen=True)
class Pin:
    """Vertices that stay where they are drawn, or follow `motion`; by a spring where `stiffness_hz` is a number."""

    vertices: np.ndarray
    stiffness_hz: float | None = None  # None: rigid
    motion: tuple[MotionKey, ...] = ()
    until: float | None = None  # frame at which it lets go; None: never


@dataclass(frozen=True)
class Drag:
    """A spring between a point of the surface at rest and a cursor, from the first key of its path to the last."""

    point: Array  # Float[3] m
    path: tuple[PathKey, ...]
    radius: float  # m
    stiffness_hz: float


@dataclass(frozen=True)
class Wind:
    """Velocity in m/s; turbulence as a share of its speed; coefficients of drag and lift without unit."""

    velocity: Array
    turbulence: float
    drag: float = 1.0
    lift: float = 0.0
    keys: tuple[VectorKey, ...] = ()  # of the velocity, in its place


@dataclass(frozen=True)
class Ground:
    """A horizontal plane. Height in metres; friction and restitution without unit."""

    height: float = 0.0
    friction: float = 0.5
    restitution: float = 0.2


@dataclass(frozen=True)
class Collider:
    """A collider: a mesh with prescribed motion that objects cannot enter.

    Either `mesh`, a path that is replaced by the arrays of that file, or `vertices` Float[V,3] m (or Float[T,V,3],
    those of each frame from 1) with `triangles` Int[F,3]. `motion` turns about the centroid of the vertices. `sides`:
    "one" where faces stop what comes from outside, "two" where they stop either side, "auto" by what is watertight.
    """

    mesh: str | None
    vertices: Array | None
    triangles: np.ndarray | None
    motion: tuple[MotionKey, ...] = ()
    friction: float = 0.5
    restitution: float = 0.2
    sides: str = "auto"


@dataclass(frozen=True)
class BoneSpring:
    """A bone and all that hang on it follow their animation by springs; damping as a share of the critical one."""

    bone: str
    frequency: float = 2.0  # Hz
    damping: float = 0.25
    gravity: float = 0.0  # how much of gravity bends it beyond its animation


@dataclass(frozen=True)
class RigStart:
    """The clip of its file, by name or number from 0, and the frame of it at which a rigged object begins.

    With `springs` it goes on playing, again and again where it loops, and only these bones answer it.
    """

    clip: str | int = 0
    frame: float = 1.0
    springs: tuple[BoneSpring, ...] = ()
    loop: bool = False


@dataclass(frozen=True)
class Conditions:
    """All conditions of one object in a take."""

    provider: str = "auto"
    fps: float = 24.0
    frames: int = 120
    substeps: int | None = None  # per frame; None: chosen automatically
    seed: int = 0
    gravity: Array = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))
    gravity_keys: tuple[VectorKey, ...] = ()  # how it goes on from `gravity`, that of the first frame
    anchor: str | np.ndarray = "auto"
    support: str | None = None  # None: what is found, where the anchor is "auto"
    settled: bool | None = None  # None: settled exactly when the base is held automatically
    pieces: tuple[PieceOverride, ...] = ()
    size: float | None = None  # m, the longest side with which it is simulated; None: as drawn
    separate: bool | None = None  # loose parts are bodies of their own; None: where their names say so
    density: float | None = None  # here and below None: what the materials say; without any, see `completed`
    stiffness_hz: float | None = None
    stiffness: float = 1.0  # factor on Young's modulus, wherever that comes from
    rest_spring: bool | float | None = None  # Hz; None: of what bends, not of joints
    joint_friction: float | None = None  # coefficient; None: of joints that no spring holds
    joints: str | dict[str, Any] | Jointed | None = None  # a file, or parts and joints, or those of the mesh
    rig: RigStart | None = None  # None: from the pose in which it is drawn, at rest
    choices: tuple[int, ...] = ()  # numbers of other ways in which joints of a recognised object move
    settle_seconds: float | None = None
    damping: float | None = None  # share of critical damping of the lowest swing; None: as `settle_seconds` says
    undamped: bool = False
    young: float | None = None
    poisson: float | None = None
    materials: tuple[Region, ...] = ()
    handles: int | None = None  # None: chosen by energy
    pose: Array | None = None  # Float[V,3] m, the shape to start from; None: as drawn
    sliders: tuple[float, ...] | None = None  # the same as values of `backend.interactive.sliders`
    pokes: tuple[Poke, ...] = ()
    velocities: tuple[Velocity, ...] = ()
    pins: tuple[Pin, ...] = ()
    follows: tuple[MotionKey, ...] | None = None  # its own animation, about the mean of its vertices
    drags: tuple[Drag, ...] = ()
    wind: Wind | None = None
    ground: Ground | None = None
    colliders: tuple[Collider, ...] = ()
    self_contact: bool = False
    friction: float = 0.5  # of the object's own surface against other objects and itself
    restitution: float = 0.2

    @property
    def led(self) -> np.ndarray | None:
        """Vertices Int[n] that go along with an animation of the object; None: it has none."""
        moving = [pin.vertices for pin in self.pins if pin.stiffness_hz is None and pin.motion]
        return np.unique(np.concatenate(moving)) if self.follows and moving else None

    @property
    def made_of(self) -> MadeOf:
        """Of conditions that are complete."""
        return MadeOf(self.density, self.young, self.poisson, self.materials)

    def completed(self) -> Conditions:
        """With a rubbery material of the density of water where nothing says what it is made of."""
        usual = {"density": 1000.0, "stiffness_hz": 3.0, "settle_seconds": 2.0, "poisson": 0.3}
        return replace(self, **{name: value for name, value in usual.items() if getattr(self, name) is None})


SUPPORTS = ("floor", "base", "hung", "free", "follows")
"""Stands by itself; would topple, so its base is held; hangs from its top; flies; follows an animation or a rig."""

_FRAME = number(-1e6, 1e6)  # also between frames, and before the first: an animation may have begun earlier
_FRICTION, _RESTITUTION = number(0.0, 10.0), number(0.0, 1.0)
_RADIUS = number(0.0, 1e6, open_low=True)
_FREQUENCY = number(0.01, 1000.0)
_DENSITY, _YOUNG, _POISSON = number(1e-3, 1e6), number(1.0, 1e13), number(0.0, 0.49)


def _anchor(where: str, value: Any) -> str | np.ndarray:
    if isinstance(value, dict):
        return record({"vertices": indices}, ("vertices",))(where, value)["vertices"]
    if isinstance(value, str) and value in ("auto", "none"):
        return value
    raise UserError("bad_conditions.anchor", where=where, value=shown(value))


def _poke(where: str, value: Any) -> Poke:
    readers = {
        "point": vector(1e6),
        "impulse": vector(1e9),
        "speed": vector(1e4),
        "radius": _RADIUS,
        "start": whole(1, 1_000_000),
        "duration": whole(1, 1_000_000),
    }
    entry = record(readers, ("point",))(where, value)
    if ("impulse" in entry) == ("speed" in entry):
        raise UserError("bad_conditions.impulse_or_speed", where=where)
    return Poke(
        entry["point"],
        entry.get("impulse"),
        entry.get("speed"),
        entry.get("radius", 0.1),
        entry.get("start", 1),
        entry.get("duration", 2),
    )


def _velocity(where: str, value: Any) -> Velocity:
    entry = record({"linear": vector(1e4), "angular": vector(1e4), "vertices": or_none(indices)})(where, value)
    return Velocity(entry.get("linear", np.zeros(3)), entry.get("angular", np.zeros(3)), entry.get("vertices"))


def _motion_key(where: str, value: Any) -> MotionKey:
    entry = record({"frame": _FRAME, "location": vector(1e6), "rotation": vector(1e4)}, ("frame",))(where, value)
    return MotionKey(entry["frame"], entry.get("location", np.zeros(3)), entry.get("rotation", np.zeros(3)))


def _path_key(where: str, value: Any) -> PathKey:
    return PathKey(**record({"frame": _FRAME, "position": vector(1e6)}, ("frame", "position"))(where, value))


def _vector_key(where: str, value: Any) -> VectorKey:
    return VectorKey(**record({"frame": _FRAME, "value": vector(1e4)}, ("frame", "value"))(where, value))


_MOTION = or_none(timed(_motion_key, least=1))
_VECTOR_KEYS = timed(_vector_key, least=1)


def _stiffness(where: str, value: Any) -> float | None:
    if isinstance(value, str) and value == "rigid":
        return None
    if isinstance(value, str):
        raise UserError("bad_conditions.rigid_or_frequency", where=where, value=shown(value))
    return _FREQUENCY(where, value)


def _rest_spring(where: str, value: Any) -> bool | float:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        raise UserError("bad_conditions.auto_or_frequency", where=where, value=shown(value))
    return _FREQUENCY(where, value)


def _pin(where: str, value: Any) -> Pin:
    readers = {"vertices": indices, "stiffness": _stiffness, "motion": _MOTION, "until": or_none(_FRAME)}
    entry = record(readers, ("vertices",))(where, value)
    return Pin(entry["vertices"], entry.get("stiffness"), entry.get("motion") or (), entry.get("until"))


def _drag(where: str, value: Any) -> Drag:
    readers = {
        "point": vector(1e6),
        "radius": _RADIUS,
        "stiffness_hz": _FREQUENCY,
        "path": timed(_path_key, least=2),
    }
    entry = record(readers, ("point", "path"))(where, value)
    return Drag(entry["point"], entry["path"], entry.get("radius", 0.1), entry.get("stiffness_hz", 5.0))


def _region(where: str, value: Any) -> Region:
    readers = {
        "vertices": indices,
        "density": or_none(_DENSITY),
        "young": or_none(_YOUNG),
        "stiffness": or_none(number(1e-6, 1e6)),
        "poisson": or_none(_POISSON),
    }
    entry = record(readers, ("vertices",))(where, value)
    given = {key: entry.get(key) for key in ("density", "young", "stiffness", "poisson")}
    if all(quantity is None for quantity in given.values()):
        raise UserError("bad_conditions.changes_nothing", where=where)
    if given["young"] is not None and given["stiffness"] is not None:
        raise UserError("bad_conditions.young_and_stiffness", where=where)
    return Region(entry["vertices"], **given)


def _wind(where: str, value: Any) -> Wind:
    readers = {
        "velocity": vector(1e3),
        "turbulence": number(0.0, 2.0),
        "drag": number(0.0, 100.0),
        "lift": number(0.0, 100.0),
        "keys": _VECTOR_KEYS,
    }
    entry = record(readers, ("velocity",))(where, value)
    given = {name: entry[name] for name in ("drag", "lift", "keys") if name in entry}
    return Wind(entry["velocity"], entry.get("turbulence", 0.2), **given)


def _ground(where: str, value: Any) -> Ground:
    return Ground(
        **record({"height": number(-1e6, 1e6), "friction": _FRICTION, "restitution": _RESTITUTION})(where, value)
    )


def _collider(where: str, value: Any) -> Collider:
    if isinstance(value, str):
        return Collider(text(where, value), None, None)
    readers = {
        "mesh": or_none(text),
        "vertices": or_none(points(1e6, moving=True)),
        "triangles": or_none(triangles),
        "motion": _MOTION,
        "friction": _FRICTION,
        "restitution": _RESTITUTION,
        "sides": choice("auto", "one", "two"),
    }
    entry = record(readers)(where, value)
    path, vertices, faces = (entry.get(key) for key in ("mesh", "vertices", "triangles"))
    motion = entry.get("motion") or ()
    if path is not None and (vertices is not None or faces is not None):
        raise UserError("bad_conditions.mesh_and_arrays", where=where)
    if path is None and (vertices is None or faces is None):
        raise UserError("bad_conditions.no_mesh", where=where)
    if faces is not None and faces.max() >= vertices.shape[-2]:
        raise UserError(
            "bad_conditions.collider_vertex", where=f"{where}.triangles", vertex=faces.max(), count=vertices.shape[-2]
        )
    if motion and vertices is not None and vertices.ndim == 3:
        raise UserError("bad_conditions.motion_and_frames", where=where)
    surface = {key: entry[key] for key in ("friction", "restitution", "sides") if key in entry}
    return Collider(path, vertices, faces, motion, **surface)


def _clip(where: str, value: Any) -> str | int:
    return text(where, value) if isinstance(value, str) else whole(0, 100_000)(where, value)


def _bone_spring(where: str, value: Any) -> BoneSpring:
    share = number(0.0, 10.0)
    readers = {"bone": text, "frequency": _FREQUENCY, "damping": share, "gravity": share}
    return BoneSpring(**record(readers, ("bone",))(where, value))


def _rig_start(where: str, value: Any) -> RigStart:
    readers = {"clip": _clip, "frame": _FRAME, "springs": each(_bone_spring), "loop": flag}
    return RigStart(**record(readers)(where, value))


_READERS: dict[str, Reader] = {
    "provider": text,  # the analysis of the mesh checks the name
    "fps": number(1.0, 1000.0),
    "frames": whole(1, 100_000),
    "substeps": or_none(whole(1, 1000), "auto"),
    "seed": whole(0, 2**31 - 1),
    "gravity": vector(1e4),
    "gravity_keys": _VECTOR_KEYS,
    "anchor": _anchor,
    "support": or_none(choice(*SUPPORTS), "auto"),
    "settled": or_none(flag, "auto"),
    "size": or_none(number(1e-3, 1e4)),
    "separate": or_none(flag, "auto"),
    "density": or_none(_DENSITY, "auto"),
    "stiffness_hz": or_none(_FREQUENCY, "auto"),
    "stiffness": number(1e-6, 1e6),
    "rest_spring": or_none(_rest_spring, "auto"),
    "joint_friction": or_none(_FRICTION, "auto"),
    "joints": or_none(is_joints),
    "rig": or_none(_rig_start),
    "settle_seconds": or_none(number(0.01, 10_000.0), "auto"),
    "damping": or_none(number(1e-4, 100.0), "auto"),
    "undamped": flag,
    "young": or_none(_YOUNG),
    "poisson": or_none(_POISSON, "auto"),
    "handles": or_none(whole(2, 64), "auto"),
    "pose": or_none(points(1e6)),
    "sliders": or_none(each(number(-1e6, 1e6))),
    "follows": _MOTION,
    "wind": or_none(_wind),
    "ground": or_none(_ground),
    "self_contact": flag,
    "friction": _FRICTION,
    "restitution": _RESTITUTION,
}
_ITEM_READERS: dict[str, Reader] = {  # of one entry of the conditions that are lists
    "choices": whole(0, 1000),
    "pieces": piece_override,
    "materials": _region,
    "pokes": _poke,
    "velocities": _velocity,
    "pins": _pin,
    "drags": _drag,
    "colliders": _collider,
}


def read_conditions(value: Any) -> Conditions:
    """Checks a decoded JSON object. Every key is optional; anything wrong is one sentence with a remedy."""
    if not isinstance(value, dict):
        raise UserError("bad_conditions.not_object")
    check_keys(value, {entry.name: entry for entry in fields(Conditions)})
    entries: dict[str, Any] = {}
    for key, entry in value.items():
        if key in _ITEM_READERS:
            entries[key] = tuple(_ITEM_READERS[key](*item) for item in items(key, entry))
        else:
            entries[key] = _READERS[key](key, entry)
    if entries.get("pose") is not None and entries.get("sliders") is not None:
        raise UserError("bad_conditions.pose_and_sliders", where="sliders")
    return Conditions(**entries)


def checked_vertices(vertices: np.ndarray, count: int, where: str) -> np.ndarray:
    if vertices[0] < 0 or vertices[-1] >= count:
        wrong = int(vertices[-1] if vertices[-1] >= count else vertices[0])
        raise UserError("bad_conditions.vertex_out_of_range", where=where, vertex=wrong, count=count)
    return vertices
