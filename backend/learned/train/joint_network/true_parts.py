"""True parts and joints of an object, by face: input and ground truth of the joint search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....kinematics.base import Array

if TYPE_CHECKING:
    from ....data.joint_labels import JointLabels
    from ....data.moving_object import MovingObject

__all__ = ["TrueParts", "true_parts"]


@dataclass(frozen=True, eq=False)
class TrueParts:
    """N parts that have faces, in the order of the joints, with their joints in the mesh's own frame."""

    label: NDArray[np.int64]  # Int[F], the part of each face
    kinds: tuple[str, ...]  # N of the joint kinds; "fixed" of what hangs on nothing
    axes: Array  # Float[N,3]
    origins: Array  # Float[N,3]
    spans: Array  # Float[N], from end to end, rad or the object's unit; 2 pi of what turns for ever, NaN: not known
    parents: NDArray[np.int64]  # Int[N], the nearest ancestor that has faces; -1 where there is none
    single: NDArray[np.bool_]  # Bool[N]: moves against that ancestor by this one joint, not by several


def true_parts(thing: MovingObject) -> TrueParts:
    """Of an object with a joints. A face belongs to the part of its first corner."""
    joints = thing.joints
    if joints is None:
        raise ValueError("the object has no joints")
    part_of_face = joints.part[thing.triangles[:, 0]]
    used = np.unique(part_of_face)
    number = np.full(len(joints.types), -1)
    number[used] = np.arange(len(used))
    parents, single = np.full(len(used), -1), np.ones(len(used), dtype=bool)
    for own, part in enumerate(used):
        above = joints.parents[part]
        while above >= 0 and number[above] < 0:
            single[own] &= joints.types[above] == "fixed"
            above = joints.parents[above]
        parents[own] = number[above] if above >= 0 else -1
    return TrueParts(
        number[part_of_face],
        tuple(joints.types[part] for part in used),
        joints.axes[used],
        joints.origins[used],
        _spans(joints)[used],
        parents,
        single,
    )


def _spans(joints: JointLabels) -> Array:
    """Of all parts."""
    for_ever = np.array([kind == "continuous" for kind in joints.types], dtype=bool)
    return np.where(for_ever, 2.0 * np.pi, joints.upper - joints.lower)
