"""Descent methods for the energy of a pose: Levenberg-Marquardt, and Newton with a lagged matrix for elastic objects.

Both give a `direction`, whose length estimates the distance to the minimum, and a `line_search` along it.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..kinematics.base import Array
from .corotated_newton import CorotatedNewton
from .lbfgs import LimitedMemoryBFGS
from .pose_energy import PoseEnergy, PosePoint
from .rigid_placement import RigidPlacement

__all__ = ["Descent", "LaggedNewton", "LevenbergMarquardt"]

FEWEST = 4  # iterations with a kept matrix that tell how fast it is
PATIENCE = 6.0  # iterations that a new matrix costs
LINE_SEARCH = 12
FLAT = 0.5  # of the slope at the start of a line: no longer worth an evaluation of the energy
SHORT = 0.3  # of a step: what has to be cut to less was no good direction
LEAST_DAMPING = 1e-4  # of the softest motion's stiffness
REJECTIONS = 25
ROUNDING = 1e-12  # of the energy


class Descent(Protocol):
    """A descent method."""

    def set_drags(self) -> None:
        """To be called when the dragged points have changed."""
        ...

    def begin(self) -> None:
        """Begins a solve."""
        ...

    def reset(self) -> None:
        """Drops what was kept of earlier iterations: another pose follows."""
        ...

    def direction(self, point: PosePoint, wanted: float) -> tuple[Array, float]:
        """A move Float[k] and how far away the minimum seems, in the metric of the mass; `wanted` is near enough."""
        ...

    def line_search(self, point: PosePoint, move: Array) -> PosePoint | None:
        """Where the energy is lower, or as low within rounding; None where this move finds no such point."""
        ...


class LevenbergMarquardt:
    """Levenberg-Marquardt: Newton with the exact Hessian, damped by the mass matrix as needed."""

    def __init__(self, energy: PoseEnergy, metric: Array, softest: float) -> None:
        """metric G Float[k,k]; softest lambda, 1/s^2."""
        self._energy, self._metric, self._softest = energy, metric, softest
        self._damping = 0.0  # 1/s^2
        self._hessian: tuple[PosePoint, Array] | None = None

    def set_drags(self) -> None:
        self._damping, self._hessian = 0.0, None

    def begin(self) -> None:
        self._damping = 0.0

    def reset(self) -> None:
        self._damping, self._hessian = 0.0, None

    def _more_damping(self) -> None:
        self._damping = max(4.0 * self._damping, LEAST_DAMPING * self._softest)

    def direction(self, point: PosePoint, wanted: float) -> tuple[Array, float]:
        hessian = self._energy.hessian(point)
        self._hessian = (point, hessian)
        move = self._damped_move(point, hessian)
        if self._damping == 0.0:
            return move, float(np.sqrt(move @ (self._metric @ move)))
        try:
            newton = cho_solve(cho_factor(hessian), point.slope)
        except np.linalg.LinAlgError:
            return move, np.inf
        return move, float(np.sqrt(newton @ (self._metric @ newton)))

    def _damped_move(self, point: PosePoint, hessian: Array) -> Array:
        while True:
            try:
                return -cho_solve(cho_factor(hessian + self._damping * self._metric), point.slope)
            except np.linalg.LinAlgError:
                self._more_damping()

    def line_search(self, point: PosePoint, move: Array) -> PosePoint | None:
        hessian, value = self._hessian[1], self._energy.value(point)
        for _ in range(REJECTIONS):
            trial = self._energy.evaluate(point.q + move)
            expected = -float(point.slope @ move + 0.5 * move @ (hessian @ move))
            if 0.0 <= expected < ROUNDING * abs(value):  # too little to be seen in the energy
                return trial
            gain = (value - self._energy.value(trial)) / max(expected, 1e-300)
            if gain > 0.75:
                self._damping = 0.2 * self._damping if self._damping > LEAST_DAMPING * self._softest else 0.0
            elif gain < 0.25:
                self._more_damping()
            if gain > 1e-4:
                return trial
            move = self._damped_move(point, hessian)
        return None


class LaggedNewton:
    """Newton with a lagged matrix, corrected by L-BFGS and refreshed where convergence is too slow."""

    def __init__(self, energy: PoseEnergy, matrix: CorotatedNewton, placement: RigidPlacement) -> None:
        self._energy, self._matrix, self._placement = energy, matrix, placement
        self._memory = LimitedMemoryBFGS()
        self._lengths: list[float] = []  # of the moves of this solve with the kept matrix
        self._bad = False  # the kept matrix has just given a useless move

    def set_drags(self) -> None:
        self._matrix.set_drags(self._energy.rows, self._energy.drag_energy.stiffness)
        self._memory = LimitedMemoryBFGS()

    def begin(self) -> None:
        self._lengths = []

    def reset(self) -> None:
        self._memory = LimitedMemoryBFGS()

    def _renew(self, q: Array, turn: Array) -> None:
        self._matrix.refresh(q, turn)
        self._memory, self._lengths, self._bad = LimitedMemoryBFGS(), [], False

    def direction(self, point: PosePoint, wanted: float) -> tuple[Array, float]:
        turn = self._placement.turn(point.handles)
        curvature = self._energy.drag_energy.curvature(point.positions)
        self._matrix.set_curvature(turn, curvature)
        move, length = self._newton(point)
        if self._bad or self._too_slow(length, wanted):
            self._renew(point.q, turn)
            self._matrix.set_curvature(turn, curvature)
            move, length = self._newton(point)
        self._lengths.append(length)
        return move, length

    def _newton(self, point: PosePoint) -> tuple[Array, float]:
        move = self._memory.direction(point.slope, self._matrix.solve)
        return move, float(np.sqrt(move @ move))

    def _too_slow(self, length: float, wanted: float) -> bool:
        """Whether at the mean rate so far it takes more iterations than a new matrix would cost."""
        done = len(self._lengths)
        if done < FEWEST or length <= wanted:
            return False
        rate = np.log(self._lengths[0] / length) / done
        return np.log(length / wanted) > PATIENCE * rate

    def line_search(self, point: PosePoint, move: Array) -> PosePoint | None:
        downhill = float(point.slope @ move)
        value, share = None, 1.0
        for _ in range(LINE_SEARCH):
            trial = self._energy.evaluate(point.q + share * move)
            along = float(trial.slope @ move)
            if abs(along) <= FLAT * abs(downhill):
                break  # nearly the lowest point of the line: what it costs to look at the energy is saved
            if value is None:
                value = self._energy.value(point)
            if self._energy.value(trial) <= value + 1e-4 * share * downhill:
                break
            share *= float(np.clip(downhill / (downhill - along), 0.1, 0.6)) if along > downhill else 0.5
        else:
            self._bad = True
            return None
        if share < SHORT:
            # Not the fault of a matrix that was made here.
            self._memory, self._bad = LimitedMemoryBFGS(), len(self._lengths) > 1
        else:
            self._memory.add(trial.q - point.q, trial.slope - point.slope)
        return trial
