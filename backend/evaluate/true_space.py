"""State space of true joints: the ideal encoding of a jointed object.

One handle for each part, one latent coordinate for each joint, one-hot weights. A part's transform is the product of
the exponentials of its ancestors' joints, the root's first, with all twists taken at joint value zero.
"""

from __future__ import annotations

import numpy as np

from ..data.joint_labels import JointLabels
from ..kinematics.articulated import part_twists
from ..kinematics.base import Array
from ..kinematics.state_space import StateSpace, normalised_frame

__all__ = ["true_space"]


def true_space(joints: JointLabels, vertices: Array) -> StateSpace:
    """The space of a jointed object with vertices Float[V,3] at joint value 0, in any unit.

    The prior has the mean and the variance of joint values that are uniform within their limits.
    """
    tree, frame = joints.tree, normalised_frame(vertices)
    if tree.mimics:
        raise ValueError("joints that follow others are no single twist each")
    twists = part_twists(tree, frame)
    order = np.searchsorted(joints.columns, [joint.child for joint in tree.coordinates])
    lower, upper = (limit[order] for limit in joints.limits)
    return StateSpace(
        twists=np.concatenate([np.zeros_like(twists[:1]), twists]),
        weights=np.eye(1 + len(tree.parts))[1 + joints.part],
        prior_mean=0.5 * (lower + upper),
        prior_scale=(upper - lower) / np.sqrt(12.0),
        frame=frame,
    )
