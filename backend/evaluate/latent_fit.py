"""Latent fitting of a state space to given points by Levenberg-Marquardt, regularised by the prior.

    min over q, R, t   sum_p |R x_p(D q) + t - x*_p|^2 n_eff / (2 n s^2) + 1/2 |q - mean|^2 + (|r|^2 + |t|^2) / (2 w^2),

with n_eff = min(n, N) and r the rotation vector of R,

by Levenberg-Marquardt with the closed-form derivatives, from the rest shape, from the prior's mean and from random
states of the prior: the error has a minimum for each way round that a joint can go. More than N points of one object
do not say more than N would, because what the space cannot follow is wrong at all of them together. R and t move the
object as a whole where it has a root.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from ..kinematics.base import Array
from ..kinematics.screws import Screws, applied
from ..kinematics.state_space import StateSpace
from .procrustes import RigidMotion, best_placement

__all__ = ["Coordinates", "FitSettings", "LatentFit", "LatentPose"]

_SMALL = 1e-5  # of the objective: a step that gains less than this share is the last


@dataclass(frozen=True)
class FitSettings:
    """How the points are weighed against the prior, and how hard the minimum is looked for."""

    noise: float = 0.04  # s, in the normalised frame: what the space is expected to miss a point by
    independent: int = 100  # N
    root: float = 0.3  # w, in radians and in the normalised frame: things rather stay where they are
    random_starts: int = 4
    first_iterations: int = 6  # from each start; the best two go on
    most_iterations: int = 40


@dataclass(frozen=True)
class Coordinates:
    """z = D q with D Float[K,k]; under the prior q has the mean Float[k] and deviation one. Rest is q = 0."""

    directions: Array
    mean: Array

    @classmethod
    def of_all_latents(cls, space: StateSpace) -> Coordinates:
        """Each latent in its own deviations; those that the prior holds still stay at rest."""
        moving = np.flatnonzero(space.prior_scale > 0.0)
        scale = space.prior_scale[moving]
        return cls(np.eye(space.latent_count)[:, moving] * scale, space.prior_mean[moving] / scale)


@dataclass(frozen=True)
class LatentPose:
    """What was found: q Float[k], the motion of the object as a whole, and the value of the objective."""

    q: Array
    turn: Array  # Float[3,3]
    shift: Array  # Float[3], normalised
    value: float


class LatentFit:
    """One state space that is fitted to points again and again."""

    def __init__(
        self, space: StateSpace, coordinates: Coordinates, rooted: bool, settings: FitSettings | None = None
    ) -> None:
        """`rooted`: the object may be moved as a whole."""
        self.coordinates, self.rooted = coordinates, rooted
        self.settings = settings or FitSettings()
        self._screws = Screws(space.twists)
        self._shift_row = np.zeros(4 * space.handle_count)
        self._shift_row[3::4] = 1.0

    def handles(self, pose: LatentPose) -> Array:
        """The handle matrix Float[4H,3] of a pose, in the normalised frame."""
        return self.placed(self.unplaced(pose.q), pose.turn, pose.shift)

    def unplaced(self, q: Array) -> Array:
        """The handle matrix Float[4H,3] of an object that has not moved as a whole."""
        return _matrix(self._screws.transforms(self.coordinates.directions @ q))

    def placed(self, a: Array, turn: Array, shift: Array) -> Array:
        return a @ turn.T + np.outer(self._shift_row, shift)

    def solve(self, rows: Array, targets: Array) -> LatentPose:
        """The pose in which points with the basis `rows` Float[n,4H] come nearest to targets Float[n,3]."""
        problem = _Problem(self, rows, targets)
        begun = [problem.descend(start, self.settings.first_iterations) for start in self._starts()]
        begun.sort(key=lambda state: state.value)
        ended = [problem.descend(state, self.settings.most_iterations) for state in begun[:2]]
        best = min(ended, key=lambda state: state.value)
        return LatentPose(best.q, best.turn, best.shift, best.value)

    def _starts(self) -> list[Array]:
        mean = self.coordinates.mean
        draws = np.random.default_rng(0).standard_normal((self.settings.random_starts, len(mean)))
        return [np.zeros_like(mean), mean, *(mean + draws)]

    def derivatives(self, q: Array) -> tuple[Array, Array]:
        """`unplaced` and its derivatives Float[4H,3,k]."""
        product = self._screws.product(self.coordinates.directions @ q)
        twists = np.tensordot(product.spatial, self.coordinates.directions, axes=([1], [0])).swapaxes(1, 2)
        change = applied(twists, product.transforms).transpose(0, 3, 2, 1)  # (H, 4, 3, k)
        return _matrix(product.transforms), change.reshape(-1, 3, change.shape[3])


@dataclass(frozen=True)
class _State:
    q: Array
    turn: Array
    shift: Array
    value: float


class _Problem:
    """One set of points and targets."""

    def __init__(self, fit: LatentFit, rows: Array, targets: Array) -> None:
        self._fit, self._rows, self._targets = fit, rows, targets
        count, settings = len(rows), fit.settings
        self._precision = min(count, settings.independent) / (count * settings.noise**2)
        # |rows a - t|^2 = |R a - Q^T t|^2 + constant: the cost of a step does not grow with the points.
        self._small, self._goal, self._floor = rows, targets, 0.0
        if count > rows.shape[1]:
            q, self._small = np.linalg.qr(rows)
            self._goal = q.T @ targets
            self._floor = max(float((targets**2).sum() - (self._goal**2).sum()), 0.0)

    def _state(self, a: Array, q: Array, turn: Array, shift: Array) -> _State:
        """With the value of the objective; `a` are the handles of q."""
        missed = self._small @ self._fit.placed(a, turn, shift) - self._goal
        prior, root = q - self._fit.coordinates.mean, self._root(turn, shift)
        value = self._precision * (float((missed**2).sum()) + self._floor) + float(prior @ prior) + float(root @ root)
        return _State(q, turn, shift, 0.5 * value)

    def _root(self, turn: Array, shift: Array) -> Array:
        """(r, t) / w, Float[6]; zero where there is no root."""
        return np.concatenate([Rotation.from_matrix(turn).as_rotvec(), shift]) / self._fit.settings.root

    def _begin(self, q: Array) -> _State:
        a, motion = self._fit.unplaced(q), RigidMotion(np.eye(3), np.zeros(3))
        if self._fit.rooted:
            motion = best_placement(self._rows @ a, self._targets)
        return self._state(a, q, motion.turn, motion.shift)

    def descend(self, start: Array | _State, most: int) -> _State:
        """After at most `most` steps, each better than the one before, from coordinates or from a state."""
        state = start if isinstance(start, _State) else self._begin(start)
        damping = 1e-2
        for _ in range(most):
            gradient, hessian = self._model(state)
            before = state.value
            for _ in range(8):
                damped = hessian + damping * np.diag(np.diag(hessian) + 1e-9)
                tried = self._moved(state, -np.linalg.solve(damped, gradient))
                if tried.value < state.value:
                    state, damping = tried, max(0.2 * damping, 1e-9)
                    break
                damping *= 5.0
            if before - state.value <= _SMALL * before:
                break
        return state

    def _model(self, state: _State) -> tuple[Array, Array]:
        """Gradient and Gauss-Newton matrix in (q, turn, shift)."""
        fit = self._fit
        a, change = fit.derivatives(state.q)
        placed = fit.placed(a, state.turn, state.shift)
        columns = np.einsum("ij,hjk->hik", state.turn, change)
        if fit.rooted:
            turns = np.stack([np.cross(axis, placed) for axis in np.eye(3)], axis=2)
            shifts = fit._shift_row[:, None, None] * np.eye(3)
            columns = np.concatenate([columns, turns, shifts], axis=2)
        wide = columns.shape[2]
        jacobian = (self._small @ columns.reshape(len(columns), -1)).reshape(-1, wide)
        missed = (self._small @ placed - self._goal).ravel()
        gradient = self._precision * (jacobian.T @ missed)
        hessian = self._precision * (jacobian.T @ jacobian)
        count = len(state.q)
        gradient[:count] += state.q - fit.coordinates.mean
        hessian[:count, :count] += np.eye(count)
        if fit.rooted:
            # A small turn d before R changes |r|^2 by 2 r.d, and t by d x t, which leaves |t| as it is.
            gradient[count:] += self._root(state.turn, state.shift) / fit.settings.root
            hessian[count:, count:] += np.eye(6) / fit.settings.root**2
        return gradient, hessian

    def _moved(self, state: _State, step: Array) -> _State:
        fit, count = self._fit, len(state.q)
        q, turn, shift = state.q + step[:count], state.turn, state.shift
        if fit.rooted:
            more = Rotation.from_rotvec(step[count : count + 3]).as_matrix()
            turn, shift = more @ turn, more @ shift + step[count + 3 :]
        return self._state(fit.unplaced(q), q, turn, shift)


def _matrix(transforms: Array) -> Array:
    """Transforms Float[H,3,4] as the handle matrix Float[4H,3]."""
    return transforms.transpose(0, 2, 1).reshape(-1, 3)
