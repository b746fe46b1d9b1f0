"""Joints of a static mesh by simulation and joint network together, or by the network alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..geometry.mesh import Mesh
from ..joint_search.candidates import Progress, ShapeCandidates
from ..joint_search.parted_shape import parted_shape
from ..joint_search.parts import find_parts
from ..joint_search.search import FoundJoints, find_joints, joint_of
from ..kinematics.joint_tree import JointTree
from ..learned.infer.joint_network.joint_prediction import JOINT_WEIGHTS
from .candidate_ranking import network_choices, network_parents, network_ranking

__all__ = ["predicted_joints", "ranked_joints"]


def ranked_joints(
    mesh: Mesh,
    labels: NDArray[np.int64] | None = None,
    names: Sequence[str] | None = None,
    weights: Path = JOINT_WEIGHTS,
    progress: Progress | None = None,
) -> FoundJoints:
    """`find_joints` with the network: it predicts parents, and ranks the candidates that simulation leaves."""
    return find_joints(mesh, labels, [network_ranking(weights)], names, network_parents(weights), progress)


def predicted_joints(mesh: Mesh, labels: NDArray[np.int64] | None, weights: Path = JOINT_WEIGHTS) -> FoundJoints:
    """From the shape alone, with nothing simulated; `labels` Int[F] as in `find_joints`."""
    given = find_parts(mesh.vertices, mesh.triangles, mesh.slots) if labels is None else labels
    label = np.unique(given, return_inverse=True)[1].reshape(-1).astype(np.int64)
    shape = parted_shape(mesh.vertices, mesh.triangles, label)
    choices = {choice.part: choice for choice in network_choices(shape, weights)}
    parents = np.array([choices[part].parent if part in choices else -1 for part in range(shape.count)])
    base = int(np.flatnonzero(parents < 0)[0])
    nothing_tried = ShapeCandidates(shape, base, parents, ())
    joints = tuple(joint_of(choices[part], nothing_tried) for part in sorted(choices))
    parts = tuple(f"part_{number}" for number in range(shape.count))
    return FoundJoints(JointTree(parts, joints), label, choices, nothing_tried)
