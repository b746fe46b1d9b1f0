"""State spaces of true joints and of true bones: the ideal encodings of an object.

One handle for each part, one latent coordinate for each joint, one-hot weights. A part's transform is the product of
the exponentials of its ancestors' joints, the root's first, with all twists taken at joint value zero. Of bones each is
a handle with the artist's weights, and turns about its head by three coordinates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..data.joint_labels import JointLabels
from ..data.true_bones import TrueBones
from ..kinematics.articulated import part_twists
from ..kinematics.base import Array
from ..kinematics.state_space import StateSpace, normalised_frame

__all__ = ["bone_space", "true_space"]

TURN = 0.5  # rad: standard deviation about each axis; a rig says nothing of how far its bones turn
SLIDE = 0.2  # normalised units, the same of bones that slide
SLIDES = 0.01  # of the longest side, RMS in the clip: a head that leaves its parent by more is of a bone that slides


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


def bone_space(bones: TrueBones, vertices: Array) -> StateSpace:
    """The space of a rigged object with vertices Float[V,3] in the first frame of its clip, in any unit.

    What moves the whole, as the root does, is left out. Feet that an artist hung on no bone slide as they like.
    """
    frame = normalised_frame(vertices)
    heads = frame.to_reference(bones.heads)
    count = len(heads)
    below = np.eye(count, dtype=bool)  # [b, c]: bone b moves bone c
    for bone in reversed(range(count)):
        if bones.parents[bone] >= 0:
            below[bones.parents[bone]] |= below[bone]
    own = bones.weights.sum(axis=0) > 0.0
    slides = _slides(bones, float(2.0 * frame.scale))
    columns, scales = [], []
    for bone in range(count):
        moved = below[bone]
        if not own[moved].any() or own[moved].sum() == own.sum():
            continue
        turns = np.concatenate([np.eye(3), np.cross(heads[bone], np.eye(3))], axis=1)
        columns += [moved[:, None] * twist for twist in turns]
        scales += [TURN] * 3
        if slides[bone]:
            columns += [moved[:, None] * np.concatenate([np.zeros(3), axis]) for axis in np.eye(3)]
            scales += [SLIDE] * 3
    if not columns:
        columns, scales = [np.zeros((count, 6))], [1.0]
    twists = np.stack(columns, axis=1)
    return StateSpace(
        twists=np.concatenate([np.zeros_like(twists[:1]), twists]),
        weights=np.concatenate([np.zeros((len(vertices), 1)), bones.weights], axis=1),
        prior_mean=np.zeros(len(scales)),
        prior_scale=np.array(scales),
        frame=frame,
    )


def _slides(bones: TrueBones, size: float) -> NDArray[np.bool_]:
    """Which bones leave their parents in the clip, Bool[B]; those without one count too."""
    parents = np.maximum(bones.parents, 0)
    turn, shift = bones.motions[..., :3], bones.motions[..., 3]
    at_head = (turn @ bones.heads[:, :, None])[..., 0] + shift
    by_parent = (turn[:, parents] @ bones.heads[:, :, None])[..., 0] + shift[:, parents]
    apart = np.sqrt(((at_head - by_parent) ** 2).sum(axis=2).mean(axis=0))
    return (bones.parents < 0) | (apart > SLIDES * size)
