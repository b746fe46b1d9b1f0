"""Contact with the ground plane: a C2 barrier that keeps sample points above it and lagged Coulomb friction.

Barrier, for a gap d below the margin D:  b(d) = -k (d - D)^2 ln(d / D).  It rises without bound as d goes to 0, and k
is chosen so that one sample alone would carry the object's weight at about half the margin. Friction is the smoothed
dissipation potential mu f |u|, with the normal force f kept from the previous solve (lagged) and u the slip during
the step; below `rest_speed` it is quadratic, so that a resting object has a unique minimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from ..kinematics.base import Array
from .state import StepFailed

__all__ = ["Contact", "Friction", "Ground", "Patch", "least_impulse"]


@dataclass(frozen=True)
class Ground:
    """A horizontal plane. Height in metres; friction and restitution without unit."""

    height: float
    friction: float
    restitution: float


@dataclass(frozen=True)
class Friction:
    """Lagged friction of one step: samples, limits mu f (newton), where the samples were, smoothing length (m)."""

    samples: np.ndarray  # Int[c]
    limit: Array  # Float[c]
    origin: Array  # Float[c,2]
    smoothing: float

    def _slip(self, positions: Array) -> tuple[Array, Array]:
        slip = positions[self.samples, :2] - self.origin
        return slip, np.sqrt((slip**2).sum(axis=1)) / self.smoothing

    def differs_from(self, other: Friction | None) -> bool:
        """Whether the limits changed by more than a tenth of the largest, so that solving again is worth it."""
        if other is None or not np.array_equal(self.samples, other.samples):
            return True
        return bool(np.abs(self.limit - other.limit).max() > 0.1 * self.limit.max())

    def value(self, positions: Array) -> float:
        _, y = self._slip(positions)
        smooth = np.where(y < 1.0, y * y * (1.0 - y / 3.0) + 1.0 / 3.0, y)
        return float(self.limit @ smooth) * self.smoothing

    def gradient(self, positions: Array) -> Array:
        """Float[c,3]."""
        slip, y = self._slip(positions)
        ratio = np.where(y < 1.0, 2.0 - y, 1.0 / np.maximum(y, 1.0)) * self.limit / self.smoothing
        return np.column_stack([slip * ratio[:, None], np.zeros(len(slip))])

    def hessian(self, positions: Array) -> Array:
        """Float[c,3,3], positive semidefinite."""
        slip, y = self._slip(positions)
        across = np.where(y < 1.0, 2.0 - y, 1.0 / np.maximum(y, 1.0))
        along = np.where(y < 1.0, 2.0 - 2.0 * y, 0.0)
        direction = slip / np.maximum(y * self.smoothing, 1e-300)[:, None]
        outer = direction[:, :, None] * direction[:, None, :]
        blocks = np.zeros((len(slip), 3, 3))
        blocks[:, :2, :2] = across[:, None, None] * np.eye(2) + (along - across)[:, None, None] * outer
        return blocks * (self.limit / self.smoothing)[:, None, None]


@dataclass(frozen=True)
class Patch:
    """The samples of one step that could touch the ground in it, with all that the solvers ask for."""

    contact: Contact
    samples: np.ndarray  # Int[c] into the pool
    basis: Array  # Float[c,4H]
    lift: Array  # Float[c] m

    def positions(self, a: Array) -> Array:
        """Float[c,3] metres."""
        return self.basis @ a

    def gaps(self, positions: Array) -> Array:
        """Float[c] metres above the (lifted) ground."""
        return positions[:, 2] - self.contact.ground.height + self.lift

    def active(self, gaps: Array) -> np.ndarray:
        """Indices of the samples inside the margin."""
        return np.flatnonzero(gaps < self.contact.margin)

    def barrier_value(self, gaps: Array) -> float:
        """Joules; infinite when a sample is at or below the ground."""
        margin = self.contact.margin
        near = gaps[gaps < margin]
        if near.size == 0:
            return 0.0
        if near.min() <= 0.0:
            return np.inf
        return float(-self.contact.stiffness * ((near - margin) ** 2 * np.log(near / margin)).sum())

    def barrier_slope(self, near: Array) -> Array:
        """db/dd (newton, negative: it pushes up) for gaps inside the margin."""
        margin = self.contact.margin
        short = near - margin
        return -self.contact.stiffness * (2.0 * short * np.log(near / margin) + short**2 / near)

    def barrier_curvature(self, near: Array) -> Array:
        """d2b/dd2 (N/m), positive."""
        margin = self.contact.margin
        ratio = (near - margin) / near
        return -self.contact.stiffness * (2.0 * np.log(near / margin) + 4.0 * ratio - ratio**2)

    def friction(self, now: Array, before: Array, step: float) -> Friction | None:
        """Friction for a step (s), normal forces taken at positions `now`, slip measured from `before` (Float[c,3])."""
        gaps = self.gaps(now)
        samples = self.active(gaps)
        ground = self.contact.ground
        if samples.size == 0 or ground.friction == 0.0:
            return None
        limit = -ground.friction * self.barrier_slope(gaps[samples])
        return Friction(samples, limit, before[samples, :2], self.contact.rest_speed * step)

    def rebound(self, before: Array, approach: Array, after: Array) -> tuple[np.ndarray, Array] | None:
        """Newton's law of restitution, v+ >= -e v-, for samples that have just come into contact.

        Positions Float[c,3] before and after the step, vertical speeds `approach` Float[c] before it. Returns the
        samples that touch now and the least vertical speed of each, or None when nothing bounces.
        """
        touching = self.active(self.gaps(after))
        fresh = self.gaps(before)[touching] >= self.contact.margin
        # Slower contacts do not bounce: without a threshold a resting object would hop for ever.
        bouncing = fresh & (approach[touching] < -10.0 * self.contact.rest_speed)
        speed = np.where(bouncing, -self.contact.ground.restitution * approach[touching], 0.0)
        return (touching, speed) if speed.any() else None


class Contact:
    """The pool of sample points of one object above one ground plane."""

    def __init__(self, basis: Array, rest: Array, ground: Ground, size: float, weight: float, rolling: float) -> None:
        """basis Float[S,4H] of the pool, `a` at the first frame, the object's size (m) and weight (N).

        `rolling` (m/s^2) is how fast turning slows down while something touches, as an RMS speed of the object.
        """
        self._basis = basis
        self._rolling = rolling
        self.ground = ground
        self.margin = 1e-3 * size
        self.stiffness = max(weight, 1e-9) / (1.2 * self.margin)
        self.rest_speed = 2e-3 * size  # m/s below which friction holds instead of sliding
        start = (basis @ rest)[:, 2] - ground.height
        # A sample drawn on or below the ground takes its own height as the floor: it may not go deeper.
        self._lift = np.maximum(0.0, self.margin - start)
        self.depth_at_start = float(max(0.0, -start.min()))

    def rolling_resistance(self, speed: float) -> float:
        """Rate (1/s) at which turning is braked, for a turning whose RMS speed was `speed` (m/s) before the step.

        A constant torque, as Coulomb's friction is a constant force; below a tenth of the rest speed it holds.
        """
        return self._rolling / max(speed, 0.1 * self.rest_speed)

    def gaps(self, a: Array) -> Array:
        """Heights of the whole pool above the (lifted) ground, Float[S] metres."""
        return self._basis @ a[:, 2] - self.ground.height + self._lift

    def patch(self, gaps: Array, handle_rate: Array, step: float, more: np.ndarray | None = None) -> Patch:
        """The samples that could touch within `step` seconds, by where they are and where they go, and `more`."""
        drop = np.maximum(0.0, -step * (self._basis @ handle_rate[:, 2])) + 9.81 * step**2
        within = gaps - drop < 6.0 * self.margin + 0.2 * drop.max()
        samples = np.flatnonzero(within) if more is None else np.union1d(np.flatnonzero(within), more)
        return Patch(self, samples, self._basis[samples], self._lift[samples])


def least_impulse(normal: Array, spread: Array, lacking: Array) -> Array:
    """Change of the rates, Float[k], with the least kinetic energy such that normal @ change >= lacking.

    normal N Float[c,k], spread = M^-1 N^T Float[k,c]. The dual is a non-negative least-squares problem.
    """
    gram = normal @ spread
    gram[np.diag_indices_from(gram)] += 1e-9 * np.trace(gram)
    factor = np.linalg.cholesky(gram)
    try:
        impulse, _ = nnls(factor.T, np.linalg.solve(factor, lacking))
    except RuntimeError:  # as many exchanges as three times the contacts and still none fits
        raise StepFailed from None
    return spread @ impulse
