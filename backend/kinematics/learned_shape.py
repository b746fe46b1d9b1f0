"""A state space reduced for one mesh: coordinates, which of them are joints, and their ranges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .base import Array
from .learned import LearnedKinematics
from .plausible_range import plausible_range
from .reduction import Reduction, prior_states, reduced
from .screws import Screws
from .state_space import StateSpace

__all__ = ["LearnedShape", "learned_shape"]

STILL_MOTION = 0.01  # of the object: a handle that moves its box by less, RMS over the prior, stands still
STILL_SHARE = 0.97  # of a vertex's weights on such handles: it stands still too
STATES = 16


@dataclass(frozen=True)
class LearnedShape:
    """A state space reduced to k coordinates.

    `joints` Bool[k]: which are joints, the others bend something; `lower` and `upper` Float[k]: how far they may go;
    `sure` Float[K]: how likely the latents that are joints truly are, None where nobody judged it.
    """

    space: StateSpace
    reduction: Reduction
    joints: NDArray[np.bool_]
    lower: Array
    upper: Array
    sure: Array | None = None

    @property
    def joint_latents(self) -> NDArray[np.int64]:
        """Latents in use that are joints, Int[n]."""
        used = self.reduction.directions.any(axis=1)
        return np.flatnonzero(used if self.space.bends is None else used & ~self.space.bends)

    @property
    def dof(self) -> int:
        return self.reduction.directions.shape[1]

    def kinematics(self) -> LearnedKinematics:
        """Without a root."""
        return LearnedKinematics(self.space.twists, self.space.frame, self.reduction.directions)

    @cached_property
    def still(self) -> NDArray[np.bool_]:
        """Vertices that no coordinate moves, Bool[V]."""
        corners = np.array([[x, y, z, 1.0] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
        transforms = Screws(self.space.twists).transforms(prior_states(self.space, STATES))
        moved = (transforms - np.eye(4)[:3]) @ corners.T  # (n, H, 3, 8)
        resting = np.sqrt((moved**2).sum(axis=2).mean(axis=(0, 2))) < 2.0 * STILL_MOTION
        return self.space.weights @ resting > STILL_SHARE

    def held_weights(self) -> Array:
        """Weights Float[V,H] with which vertices that stand still do so exactly."""
        weights = np.array(self.space.weights, dtype=np.float64)
        weights[self.still] = np.eye(weights.shape[1])[0]
        return weights


def learned_shape(space: StateSpace, vertices: Array, triangles: NDArray[np.int64]) -> LearnedShape:
    """Reduces the state space of a mesh, vertices Float[V,3] (m)."""
    reduction = reduced(space, vertices, triangles)
    lower, upper = plausible_range(space, reduction, vertices, triangles)
    return LearnedShape(space, reduction, _joints(space, reduction), lower, upper)


def _joints(space: StateSpace, reduction: Reduction) -> NDArray[np.bool_]:
    """Coordinates that are mostly of latents which are joints."""
    if space.bends is None:
        return np.ones(reduction.directions.shape[1], dtype=bool)
    scale = np.where(space.prior_scale > 0.0, space.prior_scale, np.inf)
    square = (reduction.directions / scale[:, None]) ** 2
    return square[space.bends].sum(axis=0) < 0.5 * square.sum(axis=0)
