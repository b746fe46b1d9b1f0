"""Confidence of a state space from itself: random states that tear or stretch the mesh were guessed.

No ground truth is needed: how much edges stretch in random states of the prior, how many do, and how much of the motion
predicted from other samples of the same surface is in the span of this one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from ..geometry.surface_points import quasi_random_points
from .base import Array, skinning_basis
from .learned import LearnedKinematics
from .learned_shape import LearnedShape
from .plausible_range import PLAUSIBLE, edge_changes

__all__ = ["Consistency", "calibrated", "confidence_of", "consistency"]

SURFACE_POINTS = 2000
STATES = 16
STRETCHED = np.log(1.1)  # an edge that is longer or shorter by more than a tenth
NO_MOTION = 0.01  # of half the longest side, RMS: what moves less does not move

# The logit of the confidence: a constant, and for each of `Consistency.measures` what one unit of it adds.
LOGIT = np.array([3.0, -12.0, -10.0, -6.0, -2.0, -6.0, 0.0])
RIDGE = 1e-2  # of a fit of these: few objects do not tell more than they know
SAME = 1e-9  # of the largest value: a measure that varies by less is the same for all objects


@dataclass(frozen=True)
class Consistency:
    """Measures of one state space, each zero at best except `motion`."""

    stretch: float  # RMS of the log of an edge's length over that at rest in random states, by area
    stretched: float  # share of edges that are longer or shorter by more than a tenth
    disagreement: float  # share of the motion's energy that the other encoding does not know, the worse way round
    whole: float  # share of the motion's energy that moves the object rigidly as a whole, which is no motion of it
    bending: float  # share of the coordinates that are no joints: what bends is guessed less well
    motion: float  # RMS over the surface of what one deviation of every latent moves, in the normalised frame

    @property
    def measures(self) -> Array:
        """What the logit is linear in, Float[7], the constant first."""
        amount = np.log(max(self.motion, NO_MOTION))
        # Encodings that differ a little do so in small parts; only where they differ in nearly all is it a guess.
        guessed, placed = self.disagreement**3, self.whole**4
        return np.array([1.0, self.stretch, self.stretched, guessed, placed, self.bending, amount])


def consistency(
    shape: LearnedShape, other: LearnedShape, vertices: Array, triangles: NDArray[np.int64], seed: int = 0
) -> Consistency:
    """Measures for a mesh, vertices Float[V,3] (m); `other` is what another sampling of its surface gave."""
    corners = triangles[quasi_random_points(vertices, triangles, SURFACE_POINTS).triangle].ravel()
    places = shape.space.frame.to_reference(vertices[corners])
    q = np.random.default_rng(seed).normal(size=(STATES, shape.dof))
    q = shape.reduction.mean + np.clip(q, -PLAUSIBLE, PLAUSIBLE)
    change = edge_changes(shape.space, vertices, triangles, q @ shape.reduction.directions.T, SURFACE_POINTS)
    stretch = float(np.sqrt((np.minimum(change, 1.0) ** 2).mean()))
    stretched = float((change > STRETCHED).mean())
    one, two = (_motion(each, corners[::3], places[::3]) for each in (shape, other))
    disagreement = max(_unknown_motion(one, two), _unknown_motion(two, one))
    whole = 1.0 - _unknown_motion(one, _rigid(places[::3]))
    bending = 1.0 - float(shape.joints.mean())
    return Consistency(stretch, stretched, disagreement, whole, bending, shape.reduction.motion)


def confidence_of(measures: Consistency) -> float:
    """0..1; above one half the learned provider is the better bet."""
    if measures.motion < NO_MOTION:
        return 0.0
    return float(expit(LOGIT @ measures.measures))


def calibrated(measures: Array, better: NDArray[np.bool_]) -> Array:
    """LOGIT Float[7] for which the confidence is the chance that the learned provider was better.

    measures Float[n,7] of objects with a known answer, better Bool[n]. Ridge towards a constant alone.
    """
    spread = measures.std(axis=0)
    # What does not vary tells nothing: dividing by the rounding of its mean would make a rule of noise.
    scale = np.where(spread > SAME * np.abs(measures).max(axis=0), spread, 1.0)
    scaled, penalty = measures / scale, RIDGE * len(measures) * np.r_[0.0, np.ones(measures.shape[1] - 1)]

    def cost(weights: Array) -> tuple[float, Array]:
        logit = np.where(better, 1.0, -1.0) * (scaled @ weights)
        slope = -np.where(better, 1.0, -1.0) * expit(-logit)
        value = np.logaddexp(0.0, -logit).sum() + 0.5 * penalty @ weights**2
        return float(value), slope @ scaled + penalty * weights

    return minimize(cost, np.zeros(measures.shape[1]), jac=True, method="L-BFGS-B").x / scale


def _motion(shape: LearnedShape, corners: NDArray[np.int64], places: Array) -> Array:
    """dx/dq Float[3n,k] of vertices Int[n] at `places` Float[n,3], in the normalised frame, at the prior's mean."""
    space, reduction = shape.space, shape.reduction
    kinematics = LearnedKinematics(space.twists, space.frame, reduction.directions)
    jacobian = kinematics.jacobian(reduction.mean) / space.frame.scale
    basis = skinning_basis(space.weights[corners], places)
    return np.tensordot(basis, jacobian.reshape(basis.shape[1], 3, -1), axes=1).reshape(-1, jacobian.shape[1])


def _rigid(places: Array) -> Array:
    """The six rigid motions of points Float[n,3], Float[3n,6]."""
    turns = np.cross(np.eye(3)[:, None], places[None])  # e x X
    return np.concatenate([np.tile(np.eye(3), (len(places), 1)), turns.transpose(1, 2, 0).reshape(-1, 3)], axis=1)


def _unknown_motion(motion: Array, known: Array) -> float:
    """Share of the energy of one motion Float[m,k] outside the span of another."""
    left, sizes, _ = np.linalg.svd(known, full_matrices=False)
    span = left[:, sizes > 1e-6 * max(float(sizes.max(initial=0.0)), 1e-300)]
    missed = motion - span @ (span.T @ motion)
    return float((missed**2).sum() / max(float((motion**2).sum()), 1e-300))
