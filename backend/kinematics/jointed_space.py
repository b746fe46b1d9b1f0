"""A joint tree as a state space: a handle for each part behind a fixed one, a latent for each joint."""

from __future__ import annotations

import numpy as np

from .articulated import part_twists
from .base import Array
from .joint_tree import Joint
from .jointed import Jointed
from .state_space import StateSpace, normalised_frame

__all__ = ["jointed_space"]

_ENDLESS = np.pi  # either way, of what turns for ever


def jointed_space(jointed: Jointed, vertices: Array) -> StateSpace:
    """Of a mesh with vertices Float[V,3], in any unit, with joints that follow no others.

    Joints of which nothing is known stay where they are drawn, as in pose mode: that is the prior's mean. Its deviation
    is the root mean square of values that are uniform within the limits.
    """
    tree, frame = jointed.tree, normalised_frame(vertices)
    twists = part_twists(tree, frame)
    return StateSpace(
        twists=np.concatenate([np.zeros_like(twists[:1]), twists]),
        weights=np.eye(1 + len(tree.parts))[1 + jointed.part],
        prior_mean=np.zeros(len(tree.moving)),
        prior_scale=np.array([_deviation(joint, frame.scale) for joint in tree.moving]),
        frame=frame,
    )


def _deviation(joint: Joint, scale: float) -> float:
    endless = _ENDLESS if joint.turns else scale
    lower, upper = max(joint.lower, -endless), min(joint.upper, endless)
    return float(np.sqrt((lower**2 + lower * upper + upper**2) / 3.0))
