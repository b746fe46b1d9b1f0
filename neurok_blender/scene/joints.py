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
        _entry(joint, frame, names, number)
        for number, joint in enumerate(joints)
        if 0 <= joint.parent < len(joints) and joint.parent != number
    ]
    return ObjectJoints({"parts": [{"name": name} for name in names], "joints": entries}, part)


def _unique(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        tried, number = name or "Part", 2
        while tried in found:
            tried, number = f"{name or 'Part'} {number}", number + 1
        found.append(tried)
    return found


def _entry(joint, frame: Frame, names: Sequence[str], number: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"child": names[number], "parent": names[joint.parent], "name": names[number]}
    kind = joint.kind if joint.moves else "FIXED"
    turns = kind != "SLIDE"
    axis, length = frame.axis(joint.axis, turns)
    ends = {
        "HINGE": (joint.lower_angle, joint.upper_angle),
        "SLIDE": (joint.lower_distance * length, joint.upper_distance * length),
    }.get(kind)
    if ends == (0.0, 0.0):
        kind = "FIXED"  # files that say nothing of limits say so, and are read otherwise
    entry["type"] = KINDS[kind]
    if kind != "FIXED":
        entry |= {"axis": list(axis), "origin": list(frame.place(joint.origin))}
        entry |= {"friction": joint.friction, "damping": joint.damping}
        entry |= {} if ends is None else {"lower": ends[0], "upper": ends[1]}
    return entry


# --- what was found ---


def way_of(told: Mapping[str, Any], frame: Frame) -> dict[str, Any]:
    """A joint or another way as the backend says it, in the words of the properties."""
    kind = _KINDS_BACK[told["type"]]
    turns = kind != "SLIDE"
    axis, length = frame.axis_back(told["axis"], turns)
    way: dict[str, Any] = {"kind": kind, "axis": list(axis), "origin": list(frame.place_back(told["origin"]))}
    lower, upper = (told.get(name) for name in ("lower", "upper"))
    if kind == "SLIDE":
        # A slide without an end gets one a metre away.
        way["lower_distance"] = min(-1.0 if lower is None else lower, 0.0) / max(length, 1e-12)
        way["upper_distance"] = max(1.0 if upper is None else upper, 0.0) / max(length, 1e-12)
    elif kind == "HINGE":
        way["lower_angle"] = min(-np.pi if lower is None else lower, 0.0)
        way["upper_angle"] = max(np.pi if upper is None else upper, 0.0)
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
        others = [way_of(way, frame) for way in entry.get("alternatives", ())]
        joint.alternatives = json.dumps(others) if others else ""
    write_face_parts(obj.data, faces)
    moving = (number for number, joint in enumerate(settings.joints) if joint.moves)
    settings.active_joint = next(moving, 0)
    settings.provider = "ARTICULATED"


def forget_joints(obj: bpy.types.Object) -> None:
    settings = obj.neurok
    settings.joints.clear()
    settings.active_joint = 0
    if (attribute := obj.data.attributes.get(PART_ATTRIBUTE)) is not None:
        obj.data.attributes.remove(attribute)
    if settings.provider == "ARTICULATED":
        settings.provider = "AUTO"
