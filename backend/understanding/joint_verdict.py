"""Joint verdict: how likely each joint that a state space tells is one, and which of them are told.

A network that is asked how a thing moves finds something that could; whether it truly does, a small perceptron weighs,
fitted to objects with and without joints.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from scipy.special import expit

from ..geometry.mesh import Mesh
from ..joint_search.score import Score, read_score
from ..kinematics.base import Array
from ..kinematics.confidence import Consistency
from ..kinematics.learned_shape import LearnedShape, learned_shape
from ..learned.infer.engine_choice import WEIGHTS
from .joint_features import JOINT_COLUMNS, joint_features

__all__ = ["TOLD", "VERDICT", "judged", "shipped_verdict", "with_likely_joints"]

VERDICT = WEIGHTS.with_name("joint_verdict.npz")
TOLD = 0.5  # probability from which on a joint is told


@cache
def shipped_verdict() -> Score:
    """Log-odds of a joint being one."""
    return read_score(VERDICT, JOINT_COLUMNS)


def judged(mesh: Mesh, shape: LearnedShape, other: LearnedShape, measures: Consistency) -> LearnedShape:
    """The shape with how sure each of its joints is; `other` is what another sampling of the surface gave."""
    latents = shape.joint_latents
    if shape.space.evidence is None or not len(latents):
        return shape
    sure: Array = np.zeros(shape.space.latent_count)
    sure[latents] = expit(shipped_verdict().log_odds(joint_features(mesh, shape, other, measures)))
    return replace(shape, sure=sure)


def with_likely_joints(mesh: Mesh, shape: LearnedShape) -> LearnedShape | None:
    """The shape without the joints that hardly are any; None where nothing else moves."""
    if shape.sure is None:
        return shape
    joints = np.ones(len(shape.sure), dtype=bool) if shape.space.bends is None else ~shape.space.bends
    # Those that the reduction left out, too: nobody judged them, and without the others it would take them.
    unlikely = joints & (shape.sure < TOLD)
    if not unlikely[shape.joint_latents].any():
        return shape
    space = shape.space.without(np.flatnonzero(unlikely).tolist())
    if not space.twists.any():
        return None
    return replace(learned_shape(space, mesh.vertices, mesh.triangles), sure=shape.sure)
