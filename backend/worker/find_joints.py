"""The worker's request `joints`: parts and joints of a mesh that nobody has rigged.

Header: "parts" is "auto" (they are sought), "loose" (what hangs together is one) or "given"; then the array "labels"
int32 (F,) has the number of each triangle's part, and "names" the names of the parts by number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import protocol
from ..errors import UserError
from ..geometry.mesh import Mesh, validate_mesh
from ..joint_search.candidates import Progress
from ..joint_search.parts import pieces_of
from ..joint_search.search import FoundJoints, JointAlternative
from ..kinematics.joint_tree import Joint
from ..understanding.detect import detect_joints
from ..understanding.moving_parts import part_names
from .requests import array_of, slots_of

__all__ = ["answer_joints"]

MOST_WAYS = 6  # that a part may move in besides


def answer_joints(message: protocol.Message, progress: Progress) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of the answer; positions in the frame of the mesh, metres and radians. Raises UserError.

    Where nothing can run the network simulation finds the joints alone, and "warnings" says so.
    """
    vertices, triangles = array_of(message, "vertices", "float32"), array_of(message, "triangles", "int32")
    mesh = validate_mesh(vertices, triangles, slots_of(message))
    progress("finding parts", 0, 0)
    labels, names = _labels(message, mesh)
    known = detect_joints(mesh, labels, names, progress)
    found = known.found
    entries = [_told(found, joint) for joint in found.tree.joints]
    given = names if names is not None else part_names(found)
    answer = {"parts": list(given), "joints": entries, "warnings": list(known.warnings)}
    return answer, {"labels": found.label.astype(np.int32)}


def _labels(message: protocol.Message, mesh: Mesh) -> tuple[np.ndarray | None, list[str] | None]:
    """The part of each triangle, and the names of the parts that there are; None where they are to be found."""
    match message.header.get("parts"):
        case "auto":
            return None, None
        case "loose":
            return pieces_of(mesh.vertices, mesh.triangles), None
        case "given":
            labels, names = message.arrays.get("labels"), message.header.get("names")
            fits = labels is not None and labels.dtype.name == "int32" and labels.shape == (len(mesh.triangles),)
            if fits and isinstance(names, list) and labels.min() >= 0 and labels.max() < len(names):
                return labels.astype(np.int64), [str(names[number]) for number in np.unique(labels)]
    raise UserError("bad_request.parts", request=message.type)


def _told(found: FoundJoints, joint: Joint) -> dict[str, Any]:
    ways = found.alternatives(joint.child)[:MOST_WAYS]
    return {"child": joint.child, "parent": joint.parent, **_way(joint), "alternatives": [_way(way) for way in ways]}


def _way(way: Joint | JointAlternative) -> dict[str, Any]:
    """In words that JSON has: no end is null."""
    lower, upper = (float(each) if np.isfinite(each) else None for each in (way.lower, way.upper))
    place = {"axis": np.asarray(way.axis).tolist(), "origin": np.asarray(way.origin).tolist()}
    return {"type": way.kind, **place, "lower": lower, "upper": upper}
