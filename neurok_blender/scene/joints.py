"""The parts and joints of an object: out of the .blend for the backend, and what the backend has found back into it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from ..errors import Refusal
from .provider_menu import AUTOMATIC, JOINTED
from .sendable import sendable

__all__ = [
    "PART_ATTRIBUTE",
    "Frame",
    "ObjectJoints",
    "carried_parts",
    "face_parts",
    "forget_joints",
    "has_joints",
    "joints_of",
    "set_way",
    "store_joints",
    "tree_order",
    "triangle_faces",
    "vertex_parts",
    "way_of",
    "write_face_parts",
]

# A leading dot keeps an attribute out of Blender's lists and of exporters.
PART_ATTRIBUTE = ".neurok_part"

WORLD = -1  # the parent of what is bolted down
KINDS = {"FIXED": "fixed", "HINGE": "revolute", "SLIDE": "prismatic", "ENDLESS": "continuous"}
_KINDS_BACK = {told: kind for kind, told in KINDS.items()}

Numbers = NDArray[np.int32]


@dataclass(frozen=True)
class Frame:
    """Where an object stands: axes and places of its joints between its own frame and the world."""

    matrix: Matrix

    def place(self, origin: Sequence[float]) -> Vector:
        return self.matrix @ Vector(origin)

    def place_back(self, place: Sequence[float]) -> Vector:
        return self.matrix.inverted_safe() @ Vector(place)

    def axis(self, axis: Sequence[float], turns: bool) -> tuple[Vector, float]:
        """The unit axis in the world, and how long there is what is 1 along it in the object."""
        own = Vector(axis)
        own = own.normalized() if own.length > 0.0 else Vector((0.0, 0.0, 1.0))
        along = self.matrix.to_3x3() @ own
        # What is mirrored turns the other way round.
        sign = -1.0 if turns and self.matrix.is_negative else 1.0
        return sign * along.normalized(), along.length

    def axis_back(self, axis: Sequence[float], turns: bool) -> tuple[Vector, float]:
        """The unit axis in the object, and how long in the world is what is 1 along it."""
        own = (self.matrix.to_3x3().inverted_safe() @ Vector(axis)).normalized()
        own = -own if turns and self.matrix.is_negative else own
        return own, (self.matrix.to_3x3() @ own).length


@dataclass(frozen=True, eq=False)
class ObjectJoints:
    """In the world, metres and radians: `part` Int32[V] of each vertex, by its place in `tree["parts"]`."""

    tree: Mapping[str, Any]
    part: Numbers

    @cached_property
    def fingerprint(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        digest.update(json.dumps(self.tree, sort_keys=True).encode())
        digest.update(self.part.tobytes())
        return digest.hexdigest()

    @property
    def condition(self) -> dict[str, Any]:
        """The condition `joints`, as files and scripts have it."""
        parts = [
            {**part, "vertices": sendable(np.flatnonzero(self.part == number).astype(np.int32))}
            for number, part in enumerate(self.tree["parts"])
        ]
        return {"parts": parts, "joints": self.tree["joints"]}


def has_joints(obj: bpy.types.Object) -> bool:
    """Whether any of its parts can move."""
    return any(joint.moves for joint in obj.neurok.joints)


def tree_order(joints) -> list[tuple[int, int]]:
    """(number, depth) of all parts, each below what it hangs on; what hangs on nothing that is there stands first."""
    below: dict[int, list[int]] = {}
    for number, joint in enumerate(joints):
        below.setdefault(joint.parent if 0 <= joint.parent < len(joints) else -1, []).append(number)
    found: list[tuple[int, int]] = []
    waiting = [(number, 0) for number in reversed(below.get(-1, []))]
    while waiting:
        number, depth = waiting.pop()
        found.append((number, depth))
        waiting += [(child, depth + 1) for child in reversed(below.get(number, []))]
    return found


def carried_parts(joints, number: int) -> list[int]:
    """A part and all that hangs on it."""
    found = [number]
    for part in found:
        found += [child for child, joint in enumerate(joints) if joint.parent == part and child not in found]
    return found


# --- parts ---


def face_parts(mesh: bpy.types.Mesh) -> Numbers | None:
    """The part Int32[F] of each face; None where nobody has said it."""
    attribute = mesh.attributes.get(PART_ATTRIBUTE)
    if attribute is None or attribute.domain != "FACE" or attribute.data_type != "INT":
        return None
    found = np.empty(len(mesh.polygons), np.int32)
    attribute.data.foreach_get("value", found)
    return found


def write_face_parts(mesh: bpy.types.Mesh, parts: Numbers) -> None:
    attribute = mesh.attributes.get(PART_ATTRIBUTE)
    if attribute is None:
        attribute = mesh.attributes.new(PART_ATTRIBUTE, "INT", "FACE")
    attribute.data.foreach_set("value", np.ascontiguousarray(parts, np.int32))


def triangle_faces(mesh: bpy.types.Mesh) -> Numbers:
    """The face Int32[T] of each triangle, in the order in which Blender cuts faces into triangles."""
    corners = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", corners)
    return np.repeat(np.arange(len(corners), dtype=np.int32), np.maximum(corners - 2, 0))


def vertex_parts(mesh: bpy.types.Mesh, faces: Numbers, count: int) -> Numbers:
    """The part Int32[V] of each vertex: of the last of its faces; what has no face goes with the first part.

    `count`: numbers from there on are none, and count as the first part too.
    """
    corners, vertices = np.empty(len(mesh.polygons), np.int32), np.empty(len(mesh.loops), np.int32)
    mesh.polygons.foreach_get("loop_total", corners)
    mesh.loops.foreach_get("vertex_index", vertices)
    known = np.where((faces >= 0) & (faces < count), faces, 0).astype(np.int32)
    found = np.zeros(len(mesh.vertices), np.int32)
    found[vertices] = np.repeat(known, corners)
    return found


# --- for the backend ---


def joints_of(obj: bpy.types.Object, to_world: Matrix) -> ObjectJoints:
    """Raises Refusal where the object has none that move."""
    joints, faces = obj.neurok.joints, face_parts(obj.data)
    if faces is None or not has_joints(obj):
        raise Refusal(
            rpt_("{} has no joints that move.").format(obj.name),
            "Press Find Joints, open the eye of one, or let the object move in another way.",
        )
    part = vertex_parts(obj.data, faces, len(joints))
    names = _unique([joint.name for joint in joints])
    frame = Frame(to_world)
    entries = [
        _entry(joints, frame, names, number)
        for number, joint in enumerate(joints)
        if (0 <= joint.parent < len(joints) and joint.parent != number) or (joint.parent < 0 and joint.bolted)
    ]
    parts = [{"name": name, **_mass(joint, frame)} for name, joint in zip(names, joints, strict=True)]
    return ObjectJoints({"parts": parts, "joints": entries}, part)


def _unique(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        tried, number = name or "Part", 2
        while tried in found:
            tried, number = f"{name or 'Part'} {number}", number + 1
        found.append(tried)
    return found


def _told_kind(joint) -> str:
    ends = {
        "HINGE": (joint.lower_angle, joint.upper_angle),
        "SLIDE": (joint.lower_distance, joint.upper_distance),
    }.get(joint.kind)
    # Ends of zero are what files say that say nothing of ends, and are read otherwise.
    return joint.kind if joint.moves and ends != (0.0, 0.0) else "FIXED"


def _length(joint, frame: Frame) -> float:
    """How long in the world is what is 1 of the joint's value; turns are the same everywhere."""
    return frame.axis(joint.axis, turns=False)[1] if joint.kind == "SLIDE" else 1.0


def _entry(joints, frame: Frame, names: Sequence[str], number: int) -> dict[str, Any]:
    joint = joints[number]
    parent = names[joint.parent] if joint.parent >= 0 else WORLD
    entry: dict[str, Any] = {"child": names[number], "parent": parent, "name": joint.title or names[number]}
    kind, length = _told_kind(joint), _length(joint, frame)
    entry["type"] = KINDS[kind]
    if kind == "FIXED":
        return entry
    axis = frame.axis(joint.axis, kind != "SLIDE")[0]
    entry |= {"axis": list(axis), "origin": list(frame.place(joint.origin))}
    entry |= {"friction": joint.friction, "damping": joint.damping}
    if kind == "HINGE":
        entry |= {"lower": joint.lower_angle, "upper": joint.upper_angle}
    elif kind == "SLIDE":
        entry |= {"lower": joint.lower_distance * length, "upper": joint.upper_distance * length}
    entry |= {name: value for name in ("effort", "velocity") if (value := getattr(joint, name)) > 0.0}
    leader = joints[joint.leader] if 0 <= joint.leader < len(joints) and joint.leader != number else None
    if leader is not None and leader.leader < 0 and _told_kind(leader) != "FIXED":
        entry["mimic"] = {"joint": joint.leader, "ratio": joint.ratio * length / _length(leader, frame)}
    return entry


def _mass(joint, frame: Frame) -> dict[str, Any]:
    """What the file said of a part's mass, in the world; with C its spread, the inertia is m (tr(C) - C)."""
    if not joint.weighed or joint.mass <= 0.0:
        return {}
    turn = np.array(frame.matrix.to_3x3(), dtype=np.float64)
    spread = turn @ _symmetric(joint.spread) @ turn.T
    inertia = joint.mass * (np.trace(spread) * np.eye(3) - spread)
    return {"mass": joint.mass, "centre": list(frame.place(joint.centre)), "inertia": _six(inertia)}


def _symmetric(six: Sequence[float]) -> NDArray[np.float64]:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=np.float64)


def _six(matrix: NDArray[np.float64]) -> list[float]:
    return [float(matrix[place]) for place in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


# --- what was found ---


def way_of(told: Mapping[str, Any], frame: Frame) -> dict[str, Any]:
    """A joint or another way as the backend says it, in the words of the properties."""
    kind = _KINDS_BACK[told["type"]]
    lower, upper = (told.get(name) for name in ("lower", "upper"))
    if kind == "HINGE" and lower is None and upper is None:
        kind = "ENDLESS"
    turns = kind != "SLIDE"
    axis, length = frame.axis_back(told["axis"], turns)
    way: dict[str, Any] = {"kind": kind, "axis": list(axis), "origin": list(frame.place_back(told["origin"]))}
    if kind == "SLIDE":
        # A slide without an end gets one a metre away.
        way["lower_distance"] = (-1.0 if lower is None else lower) / max(length, 1e-12)
        way["upper_distance"] = (1.0 if upper is None else upper) / max(length, 1e-12)
    elif kind == "HINGE":
        way["lower_angle"] = -np.pi if lower is None else lower
        way["upper_angle"] = np.pi if upper is None else upper
    return way


def set_way(joint, way: Mapping[str, Any]) -> None:
    for name, value in way.items():
        setattr(joint, name, value)


def store_joints(obj: bpy.types.Object, told: Mapping[str, Any], faces: Numbers, to_world: Matrix) -> None:
    """Puts parts and joints that the backend has told on the object; `faces` Int32[F] by number of the part."""
    settings, frame = obj.neurok, Frame(to_world)
    settings.joints.clear()
    for name in told["parts"]:
        settings.joints.add().name = name
    for entry in told["joints"]:
        joint = settings.joints[entry["child"]]
        joint.parent = entry["parent"]
        set_way(joint, way_of(entry, frame))
        joint.friction, joint.damping = entry.get("friction", 0.0), entry.get("damping", 0.0)
        joint.effort, joint.velocity = entry.get("effort") or 0.0, entry.get("velocity") or 0.0
        joint.title = entry.get("name", "")
        joint.bolted = joint.parent < 0
        others = [way_of(way, frame) for way in entry.get("alternatives", ())]
        joint.alternatives = json.dumps(others) if others else ""
    for entry in told["joints"]:  # when all kinds are known
        if (follows := entry.get("follows")) is not None:
            joint, leader = settings.joints[entry["child"]], settings.joints[follows["leader"]]
            joint.leader = follows["leader"]
            joint.ratio = follows["ratio"] * _length(leader, frame) / max(_length(joint, frame), 1e-12)
    for joint, mass in zip(settings.joints, told.get("masses", ()), strict=False):
        if mass is not None:
            _store_mass(joint, mass, frame)
    write_face_parts(obj.data, faces)
    moving = (number for number, joint in enumerate(settings.joints) if joint.moves)
    settings.active_joint = next(moving, 0)
    settings.provider = JOINTED.upper()


def _store_mass(joint, told: Mapping[str, Any], frame: Frame) -> None:
    back = np.linalg.inv(np.array(frame.matrix.to_3x3(), dtype=np.float64))
    inertia = _symmetric(told["inertia"]) / told["mass"]
    spread = back @ (0.5 * np.trace(inertia) * np.eye(3) - inertia) @ back.T
    joint.weighed, joint.mass = True, told["mass"]
    joint.centre, joint.spread = frame.place_back(told["centre"]), _six(spread)


def forget_joints(obj: bpy.types.Object) -> None:
    settings = obj.neurok
    settings.joints.clear()
    settings.active_joint = 0
    if (attribute := obj.data.attributes.get(PART_ATTRIBUTE)) is not None:
        obj.data.attributes.remove(attribute)
    if settings.provider == JOINTED.upper():
        settings.provider = AUTOMATIC.upper()
