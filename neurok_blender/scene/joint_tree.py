"""The parts and joints of an object as the tree that the backend reads."""

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
from mathutils import Matrix
from numpy.typing import NDArray

from ..errors import Refusal
from .condition_arrays import array_or_list
from .joint_frames import Frame, joint_length, six_of, symmetric
from .joint_parts import face_parts, vertex_parts

__all__ = ["KINDS", "ObjectJoints", "has_joints", "joints_of"]

WORLD = -1  # the parent of what is bolted down
KINDS = {"FIXED": "fixed", "HINGE": "revolute", "SLIDE": "prismatic", "ENDLESS": "continuous"}


@dataclass(frozen=True, eq=False)
class ObjectJoints:
    """Joint tree in the world, metres and radians; `part` Int32[V] of each vertex is an index of `tree["parts"]`."""

    tree: Mapping[str, Any]
    part: NDArray[np.int32]

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
            {**part, "vertices": array_or_list(np.flatnonzero(self.part == number).astype(np.int32))}
            for number, part in enumerate(self.tree["parts"])
        ]
        return {"parts": parts, "joints": self.tree["joints"]}


def has_joints(obj: bpy.types.Object) -> bool:
    """Whether any of its parts can move."""
    return any(joint.moves for joint in obj.neurok.joints)


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


def _exported_kind(joint) -> str:
    ends = {
        "HINGE": (joint.lower_angle, joint.upper_angle),
        "SLIDE": (joint.lower_distance, joint.upper_distance),
    }.get(joint.kind)
    # Ends of zero are what files say that say nothing of ends, and are read otherwise.
    return joint.kind if joint.moves and ends != (0.0, 0.0) else "FIXED"


def _entry(joints, frame: Frame, names: Sequence[str], number: int) -> dict[str, Any]:
    joint = joints[number]
    parent = names[joint.parent] if joint.parent >= 0 else WORLD
    entry: dict[str, Any] = {"child": names[number], "parent": parent, "name": joint.title or names[number]}
    kind, length = _exported_kind(joint), joint_length(joint, frame)
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
    if leader is not None and leader.leader < 0 and _exported_kind(leader) != "FIXED":
        entry["mimic"] = {"joint": joint.leader, "ratio": joint.ratio * length / joint_length(leader, frame)}
    return entry


def _mass(joint, frame: Frame) -> dict[str, Any]:
    """Mass, centre and inertia of a part in the world; with C its spread, the inertia is m (tr(C) - C)."""
    if not joint.weighed or joint.mass <= 0.0:
        return {}
    turn = np.array(frame.matrix.to_3x3(), dtype=np.float64)
    spread = turn @ symmetric(joint.spread) @ turn.T
    inertia = joint.mass * (np.trace(spread) * np.eye(3) - spread)
    return {"mass": joint.mass, "centre": list(frame.place(joint.centre)), "inertia": six_of(inertia)}
