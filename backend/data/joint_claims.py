"""Joints told of a mesh by default settings, and the true ones: which vertices each moves, and how."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ..geometry.mesh import Mesh, triangle_areas
from ..kinematics.base import Array
from ..kinematics.learned_shape import LearnedShape
from ..understanding.analysis import Analysis
from ..understanding.joint_choices import told_joints
from ..understanding.providers.learned import Learned
from .moving_object import MovingObject

__all__ = ["JointClaim", "claims_of", "claims_of_shape", "matched", "true_claims"]

MATCHED = 0.5  # of the area of what two joints move over that of what either does: from here on they move the same
CARRIED = 0.5  # of a vertex's weights: it goes with the joint


@dataclass(frozen=True, eq=False)
class JointClaim:
    """One joint: `moved` Bool[V], whether it turns (else it slides), and how sure it is; 1 for true ones."""

    moved: NDArray[np.bool_]
    turns: bool
    probability: float


def claims_of(analysis: Analysis) -> list[JointClaim]:
    """The joints that a mesh moves by when nothing is asked for; bends and elastic modes are none."""
    model = analysis.model
    if not isinstance(model, Learned):
        return []
    return claims_of_shape(model.shape, model.recognition.confidence)


def claims_of_shape(shape: LearnedShape, confidence: float | None = None) -> list[JointClaim]:
    """Those of a state space; as sure as it is as a whole where the joints were not judged one by one."""
    found = []
    for told in told_joints(shape):
        moving = shape.space.twists[:, told["joint"]].any(axis=1)
        sure = float(told.get("probability", confidence or 0.0))
        found.append(JointClaim(shape.space.weights @ moving > CARRIED, told["motion"] == "turns", sure))
    return found


def true_claims(thing: MovingObject) -> list[JointClaim]:
    """Those of an object whose joints are known; none where it has none."""
    joints = thing.joints
    if joints is None:
        return []
    found = []
    for part, kind in enumerate(joints.types):
        if kind == "fixed":
            continue
        carried = np.arange(len(joints.types)) == part
        for _ in range(len(joints.types)):
            carried |= carried[joints.parents] & (joints.parents >= 0)
        moved = carried[joints.part]
        if moved.any():
            found.append(JointClaim(moved, kind != "prismatic", 1.0))
    return found


def _vertex_areas(mesh: Mesh) -> Array:
    """A third of the areas of each vertex's triangles, Float[V]."""
    third = triangle_areas(mesh.vertices, mesh.triangles) / 3.0
    return np.bincount(mesh.triangles.ravel(), np.repeat(third, 3), len(mesh.vertices))


def _overlap(one: NDArray[np.bool_], other: NDArray[np.bool_], area: Array) -> float:
    return float(area[one & other].sum() / max(float(area[one | other].sum()), 1e-300))


def matched(told: list[JointClaim], true: list[JointClaim], mesh: Mesh) -> list[tuple[int, int]]:
    """Pairs (told, true) that move the same thing in the same way, each at most once.

    Of two halves either may stand still, so that what a joint leaves behind counts like what it moves.
    """
    if not told or not true:
        return []
    area = _vertex_areas(mesh)
    overlap = np.zeros((len(told), len(true)))
    for row, claim in enumerate(told):
        for column, truth in enumerate(true):
            if claim.turns == truth.turns:
                halves = _overlap(claim.moved, truth.moved, area), _overlap(~claim.moved, truth.moved, area)
                overlap[row, column] = max(halves)
    rows, columns = linear_sum_assignment(-overlap)
    return [(int(r), int(c)) for r, c in zip(rows, columns, strict=True) if overlap[r, c] >= MATCHED]
