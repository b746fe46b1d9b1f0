"""Parts and joints that the backend has found or read, put on an object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..properties.provider_menu import AUTOMATIC, JOINTED
from .joint_frames import Frame, joint_length, six_of, symmetric
from .joint_parts import PART_ATTRIBUTE, write_face_parts
from .joint_tree import KINDS

__all__ = ["forget_joints", "motion_of_joint", "set_joint_motion", "store_joints"]

_KINDS_BACK = {name: kind for kind, name in KINDS.items()}


def motion_of_joint(answer: Mapping[str, Any], frame: Frame) -> dict[str, Any]:
    """A joint or an alternative of the backend as values of the properties."""
    kind = _KINDS_BACK[answer["type"]]
    lower, upper = (answer.get(name) for name in ("lower", "upper"))
    if kind == "HINGE" and lower is None and upper is None:
        kind = "ENDLESS"
    turns = kind != "SLIDE"
    axis, length = frame.axis_back(answer["axis"], turns)
    motion: dict[str, Any] = {"kind": kind, "axis": list(axis), "origin": list(frame.place_back(answer["origin"]))}
    if kind == "SLIDE":
        # A slide without an end gets one a metre away.
        motion["lower_distance"] = (-1.0 if lower is None else lower) / max(length, 1e-12)
        motion["upper_distance"] = (1.0 if upper is None else upper) / max(length, 1e-12)
    elif kind == "HINGE":
        motion["lower_angle"] = -np.pi if lower is None else lower
        motion["upper_angle"] = np.pi if upper is None else upper
    return motion


def set_joint_motion(joint, motion: Mapping[str, Any]) -> None:
    for name, value in motion.items():
        setattr(joint, name, value)


def store_joints(obj: bpy.types.Object, answer: Mapping[str, Any], faces: NDArray[np.int32], to_world: Matrix) -> None:
    """Stores parts and joints of the backend on the object; `faces` Int32[F] is the part of each face."""
    settings, frame = obj.neurok, Frame(to_world)
    settings.joints.clear()
    for name in answer["parts"]:
        settings.joints.add().name = name
    for entry in answer["joints"]:
        joint = settings.joints[entry["child"]]
        joint.parent = entry["parent"]
        set_joint_motion(joint, motion_of_joint(entry, frame))
        joint.friction, joint.damping = entry.get("friction", 0.0), entry.get("damping", 0.0)
        joint.effort, joint.velocity = entry.get("effort") or 0.0, entry.get("velocity") or 0.0
        joint.title = entry.get("name", "")
        joint.bolted = joint.parent < 0
        others = [motion_of_joint(each, frame) for each in entry.get("alternatives", ())]
        joint.alternatives = json.dumps(others) if others else ""
    for entry in answer["joints"]:  # when all kinds are known
        if (follows := entry.get("follows")) is not None:
            joint, leader = settings.joints[entry["child"]], settings.joints[follows["leader"]]
            joint.leader = follows["leader"]
            joint.ratio = follows["ratio"] * joint_length(leader, frame) / max(joint_length(joint, frame), 1e-12)
    for joint, mass in zip(settings.joints, answer.get("masses", ()), strict=False):
        if mass is not None:
            _store_mass(joint, mass, frame)
    write_face_parts(obj.data, faces)
    moving = (number for number, joint in enumerate(settings.joints) if joint.moves)
    settings.active_joint = next(moving, 0)
    settings.provider = JOINTED.upper()


def _store_mass(joint, answer: Mapping[str, Any], frame: Frame) -> None:
    back = np.linalg.inv(np.array(frame.matrix.to_3x3(), dtype=np.float64))
    inertia = symmetric(answer["inertia"]) / answer["mass"]
    spread = back @ (0.5 * np.trace(inertia) * np.eye(3) - inertia) @ back.T
    joint.weighed, joint.mass = True, answer["mass"]
    joint.centre, joint.spread = frame.place_back(answer["centre"]), six_of(spread)


def forget_joints(obj: bpy.types.Object) -> None:
    settings = obj.neurok
    settings.joints.clear()
    settings.active_joint = 0
    if (attribute := obj.data.attributes.get(PART_ATTRIBUTE)) is not None:
        obj.data.attributes.remove(attribute)
    if settings.provider == JOINTED.upper():
        settings.provider = AUTOMATIC.upper()
