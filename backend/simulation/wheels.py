"""Wheels of a jointed object: what turns for ever on its joint touches as the circles that it was drawn for."""

from __future__ import annotations

import numpy as np

from ..bodies.body import Body
from ..geometry.round_rims import rim_points
from ..kinematics.base import Array, skinning_basis
from ..kinematics.joint_tree import JointTree
from ..kinematics.jointed import Jointed

__all__ = ["wheel_rims"]


def wheel_rims(body: Body, jointed: Jointed, sagitta: float) -> tuple[Array, Array, np.ndarray]:
    """Points Float[m,3] on the rims of wheels and their basis rows Float[m,4H], as dense as `sagitta` (m) asks for.

    And which vertices of the mesh are those of such wheels, Bool[V]. On the corners of the polygons that they were
    drawn as they would lose their speed within a few turns.
    """
    tree, vertices = jointed.tree, body.mesh.vertices
    carried_by = np.array([_turned_by(tree, part) for part in range(len(tree.parts))])[jointed.part]
    weights = body.weights.astype(np.float64)
    wheels = np.zeros(len(vertices), dtype=np.bool_)
    points, bases = [np.zeros((0, 3))], [np.zeros((0, 4 * weights.shape[1]))]
    for number, joint in enumerate(tree.joints):
        own = np.flatnonzero(carried_by == number)
        if joint.kind != "continuous" or own.size == 0 or np.ptp(weights[own], axis=0).any():  # the last: it bends
            continue
        drawn, found = rim_points(vertices[own], joint.axis, joint.origin, sagitta)
        if drawn.size == 0:
            continue
        wheels[own] = True
        points.append(found)
        bases.append(skinning_basis(weights[own[drawn]], body.frame.to_reference(found)))
    return np.concatenate(points), np.concatenate(bases), wheels


def _turned_by(tree: JointTree, part: int) -> int:
    """The number of the last joint above a part that moves it; -1: none does."""
    for _ in range(len(tree.parts)):
        number = next((place for place, joint in enumerate(tree.joints) if joint.child == part), -1)
        if number < 0 or tree.joints[number].moves:
            return number
        part = tree.joints[number].parent
        if part < 0:
            return -1
    return -1
