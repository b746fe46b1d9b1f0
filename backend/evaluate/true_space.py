"""True joints written as a state space: what a perfect network would say of a jointed object.

One handle for each part, one latent coordinate for each joint, one-hot weights. A part's transform is the product of
the exponentials of its ancestors' joints, the root's first, with all twists taken at joint value zero.
"""

from __future__ import annotations

import numpy as np

from ..data.joint_labels import JointTree
from ..kinematics.base import Array
from ..kinematics.state_space import StateSpace, normalised_frame

__all__ = ["true_space"]


def true_space(tree: JointTree, vertices: Array) -> StateSpace:
    """The space of a jointed object with vertices Float[V,3] at joint value 0, in any unit.

    The prior has the mean and the variance of joint values that are uniform within their limits.
    """
    frame = normalised_frame(vertices)
    lineages = [_lineage(tree, part) for part in range(len(tree.types))]
    if tree.follows is not None and (tree.follows != np.arange(len(tree.types))).any():
        raise ValueError("joints that follow others are no single twist each")
    # Ancestors come first in the product; parts at the same depth do not meet in one.
    order = sorted(range(tree.joint_count), key=lambda column: len(lineages[tree.columns[column]]))
    place = {int(tree.columns[column]): number for number, column in enumerate(order)}

    twists = np.zeros((1 + len(lineages), tree.joint_count, 6))
    for part, lineage in enumerate(lineages):
        for joint in lineage:
            if joint in place:
                twists[1 + part, place[joint]] = _twist(tree, joint, frame.to_reference(tree.origins[joint]))
                if tree.types[joint] == "prismatic":
                    twists[1 + part, place[joint], 3:] /= frame.scale
    weights = np.zeros((len(vertices), 1 + len(lineages)))
    weights[np.arange(len(vertices)), 1 + tree.part] = 1.0
    lower, upper = (limit[order] for limit in tree.limits)
    return StateSpace(twists, weights, 0.5 * (lower + upper), (upper - lower) / np.sqrt(12.0), frame)


def _lineage(tree: JointTree, part: int) -> list[int]:
    """The part and all it hangs on, itself first."""
    lineage = [part]
    while tree.parents[lineage[-1]] >= 0:
        lineage.append(int(tree.parents[lineage[-1]]))
    return lineage


def _twist(tree: JointTree, joint: int, origin: Array) -> Array:
    axis = tree.axes[joint]
    if tree.types[joint] == "prismatic":
        return np.concatenate([np.zeros(3), axis])
    return np.concatenate([axis, np.cross(origin, axis)])
