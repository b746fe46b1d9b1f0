"""The articulated provider: one rigid handle for each part, moved along the tree of joints, rest exactly at q = 0.

With the coordinates sorted so that every joint comes after those it hangs on, forward kinematics is a product of
exponentials in one order for all parts,

    A_h(q) = exp(v_1 [xi_1])^(on the way to h) ... exp(v_n [xi_n])^(on the way to h),    v = C q

where xi_j is the joint's twist where the mesh is drawn and C says which joints follow others.
"""

from __future__ import annotations

import numpy as np

from .base import Array, ReferenceFrame
from .joint_tree import JointTree
from .learned import LearnedKinematics
from .screws import ScrewProduct, Screws

__all__ = ["ArticulatedKinematics", "JointTransforms", "part_twists"]


def part_twists(tree: JointTree, frame: ReferenceFrame) -> Array:
    """Twists of each part by each moving joint, Float[H,n,6], acting on reference coordinates."""
    own = np.array([joint.twist for joint in tree.moving]).reshape(-1, 6)
    # dx/dt = omega x x + v with x = centre + scale y is dy/dt = omega x y + (omega x centre + v) / scale.
    own[:, 3:] = (own[:, 3:] + np.cross(own[:, :3], frame.centre)) / frame.scale
    return np.where(tree.reaches[:, :, None], own, 0.0)


class ArticulatedKinematics(LearnedKinematics):
    """Handles of the parts of a tree in the values q Float[k] of its coordinates, without a root."""

    name = "articulated"

    def __init__(self, tree: JointTree, frame: ReferenceFrame) -> None:
        super().__init__(part_twists(tree, frame), frame, tree.coupling)


class JointTransforms:
    """Forward kinematics of some parts in metres, for one q or for many at once."""

    def __init__(self, tree: JointTree, parts: list[int] | None = None) -> None:
        """`parts`: numbers of the parts, in this order; None: all."""
        chosen = np.arange(len(tree.parts)) if parts is None else np.array(parts, dtype=np.int64)
        twists = part_twists(tree, ReferenceFrame(np.zeros(3), 1.0))[chosen]
        used = tree.reaches[chosen].any(axis=0)
        self._screws, self._coupling = Screws(twists[:, used]), tree.coupling[used]

    def __call__(self, q: Array) -> Array:
        """Transforms of the parts from where they are drawn: q Float[...,k] -> Float[...,H,3,4]."""
        return self._screws.transforms(q @ self._coupling.T)

    def with_jacobian(self, q: Array) -> tuple[Array, Array]:
        """The same and the spatial twists (omega, v) of each coordinate's rate, Float[...,H,6,k]."""
        product: ScrewProduct = self._screws.product(q @ self._coupling.T)
        return product.transforms, np.swapaxes(product.spatial, -1, -2) @ self._coupling
