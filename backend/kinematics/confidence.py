"""How far a state space can be trusted, from itself: random states that tear or stretch a mesh were guessed.

What is looked at needs no truth: how much edges stretch in random states of the prior, how many tear, and how much of
the motion that the network sees in other samples of the same surface is motion here too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..geometry.surface_places import spread_places
from .base import Array, skinning_basis
from .learned import LearnedKinematics
from .learned_shape import LearnedShape
from .screws import Screws

__all__ = ["Consistency", "confidence_of", "consistency"]

SURFACE_POINTS = 2000
STATES = 16
WITHIN = 2.0  # deviations: random states are plausible ones
TORN = np.log(1.5)  # an edge longer or shorter by half is no edge of the same thing any more
NO_MOTION = 0.01  # of half the longest side, RMS: what moves less does not move

# The logit of the confidence: a constant and what each measure takes from it.
CERTAIN = 3.0
PER_STRETCH, PER_TEAR, PER_DISAGREEMENT = 12.0, 10.0, 6.0


@dataclass(frozen=True)
class Consistency:
    """Measures of one state space, each zero at best except `motion`."""

    stretch: float  # mean of |log of an edge's length over that at rest| in random states, by area
    torn: float  # share of edges that are half as long again or shorter by as much
    disagreement: float  # share of the motion's energy that the other encoding does not know, the worse way round
    motion: float  # RMS over the surface of what one deviation of every latent moves, in the normalised frame


def consistency(
    shape: LearnedShape, other: LearnedShape, vertices: Array, triangles: NDArray[np.int64], seed: int = 0
) -> Consistency:
    """Measures for a mesh, vertices Float[V,3] (m); `other` is what another sampling of its surface gave."""
    corners = triangles[spread_places(vertices, triangles, SURFACE_POINTS).triangle].ravel()
    places = shape.space.frame.to_reference(vertices[corners])
    stretch, torn = _stretches(shape, corners, places, seed)
    one, two = (_motion(each, corners[::3], places[::3]) for each in (shape, other))
    return Consistency(stretch, torn, max(_unknown(one, two), _unknown(two, one)), shape.reduction.motion)


def confidence_of(measures: Consistency) -> float:
    """0..1; above one half the learned provider is the better bet."""
    if measures.motion < NO_MOTION:
        return 0.0
    logit = CERTAIN - PER_STRETCH * measures.stretch - PER_TEAR * measures.torn
    return float(1.0 / (1.0 + np.exp(PER_DISAGREEMENT * measures.disagreement - logit)))


def _stretches(shape: LearnedShape, corners: NDArray[np.int64], places: Array, seed: int) -> tuple[float, float]:
    """Mean stretch and share of torn edges; places Float[3n,3] of the corners of n triangles."""
    q = np.random.default_rng(seed).normal(size=(STATES, shape.dof))
    q = shape.reduction.mean + np.clip(q, -WITHIN, WITHIN)
    transforms = Screws(shape.space.twists).transforms(q @ shape.reduction.directions.T)  # (n, H, 3, 4)
    basis = skinning_basis(shape.space.weights[corners], places)
    stacked = transforms.transpose(1, 3, 0, 2).reshape(basis.shape[1], -1)
    moved = (basis @ stacked).reshape(-1, 3, STATES, 3)
    rest = places.reshape(-1, 3, 3)
    before = np.linalg.norm(rest - np.roll(rest, 1, axis=1), axis=2)
    after = np.linalg.norm(moved - np.roll(moved, 1, axis=1), axis=3)
    long = before > 1e-6
    change = np.abs(np.log(np.maximum(after[long], 1e-9) / before[long][:, None]))
    return float(np.minimum(change, 1.0).mean()), float((change > TORN).mean())


def _motion(shape: LearnedShape, corners: NDArray[np.int64], places: Array) -> Array:
    """dx/dq Float[3n,k] of places of the surface, in the normalised frame, at the prior's mean."""
    kinematics = LearnedKinematics(shape.space.twists, shape.space.frame, shape.reduction.directions)
    jacobian = kinematics.jacobian(shape.reduction.mean) / shape.space.frame.scale
    basis = skinning_basis(shape.space.weights[corners], places)
    return np.tensordot(basis, jacobian.reshape(basis.shape[1], 3, -1), axes=1).reshape(-1, shape.dof)


def _unknown(motion: Array, known: Array) -> float:
    """Share of the energy of one motion Float[m,k] outside the span of another."""
    left, sizes, _ = np.linalg.svd(known, full_matrices=False)
    span = left[:, sizes > 1e-6 * max(float(sizes.max(initial=0.0)), 1e-300)]
    missed = motion - span @ (span.T @ motion)
    return float((missed**2).sum() / max(float((motion**2).sum()), 1e-300))
