"""Found joints for the provider `articulated`: parts by vertex, and named joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.mesh import Mesh
from ..joint_search.search import FoundJoints
from ..kinematics.joint_tree import Joint, JointTree
from ..kinematics.jointed import Jointed

__all__ = ["moving_parts", "part_names"]


def moving_parts(found: FoundJoints, mesh: Mesh) -> Jointed | None:
    """Parts and joints found in a mesh; None where no part moves."""
    names = part_names(found)
    joints = tuple(_named(joint, names[joint.child]) for joint in found.tree.joints)
    if not any(joint.moves for joint in joints):
        return None
    part = _vertex_parts(found.label, mesh.triangles, len(mesh.vertices))
    return Jointed(JointTree(names, joints), part, (None,) * len(names))


def part_names(found: FoundJoints) -> tuple[str, ...]:
    """What stands still is the base; the others are counted."""
    hung = {joint.child for joint in found.tree.joints}
    names, number = [], 0
    for part in range(len(found.tree.parts)):
        number += part in hung
        names.append(f"Part {number}" if part in hung else "Base")
    return tuple(names)


def _named(joint: Joint, name: str) -> Joint:
    """What has no way to go is fixed."""
    stuck = joint.lower == joint.upper == 0.0
    return replace(joint, name=name, kind="fixed" if stuck else joint.kind)


def _vertex_parts(label: NDArray[np.int64], triangles: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Int[V] from the part Int[F] of each triangle: that of the last of its faces, and part 0 of what has none."""
    part = np.zeros(count, dtype=np.int64)
    part[triangles] = label[:, None]
    return part
