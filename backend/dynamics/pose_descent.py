"""Two ways down the energy of a pose: exact Newton with damping, and Newton with a kept matrix for elastic objects.

Both give a `move` to look at first (its length tells how far the minimum is) and then `take` it as far as it goes down.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..kinematics.base import Array
from .corotated_newton import TurnedMatrix
from .curvature_memory import CurvatureMemory
from .pose_energy import PoseEnergy, PosePoint
from .rigid_placement import RigidPlacement

__all__ = ["DampedDescent", "Descent", "KeptDescent"]

FEWEST = 4  # iterations with a kept matrix that tell how fast it is
PATIENCE = 6.0  # iterations that a new matrix costs
LINE_SEARCH = 12
FLAT = 0.5  # of the slope at the start of a line: no longer worth an evaluation of the energy
SHORT = 0.3  # of a step: what has to be cut to less was no good direction
LEAST_DAMPING = 1e-4  # of the softest motion's stiffness
REJECTIONS = 25
ROUNDING = 1e-12  # of the energy


class Descent(Protocol):
    """A way down."""

    def grab(self) -> None:
        """Other points are dragged from now on."""
        ...

    def begin(self) -> None:
        """Another solve begins."""
        ...

    def forget(self) -> None:
        """The coordinates are about to be those of another pose."""
        ...

    def propose(self, point: PosePoint, wanted: float) -> tuple[Array, float]:
        """A move Float[k] and how far away the minimum seems, in the metric of the mass; `wanted` is near enough."""
        ...

    def take(self, point: PosePoint, move: Array) -> PosePoint | None:
        """Where the energy is lower, or as low within rounding; None where this move finds no such point."""
        ...


class DampedDescent:
    """Newton with the exact Hessian, damped by the mass matrix as much as it takes (Levenberg, Marquardt)."""

    def __init__(self, energy: PoseEnergy, metric: Array, softest: float) -> None:
        """metric G Float[k,k]; softest lambda, 1/s^2."""
        self._energy, self._metric, self._softest = energy, metric, softest
        self._damping = 0.0  # 1/s^2
        self._hessian: tuple[PosePoint, Array] | None = None

    def grab(self) -> None:
        self._damping, self._hessian = 0.0, None

    def begin(self) -> None:
        self._damping = 0.0

    def forget(self) -> None:
        self._damping, self._hessian = 0.0, None

    def _more_damping(self) -> None:
        self._damping = max(4.0 * self._damping, LEAST_DAMPING * self._softest)

    def propose(self, point: PosePoint, wanted: float) -> tuple[Array, float]:
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

    def take(self, point: PosePoint, move: Array) -> PosePoint | None:
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


class KeptDescent:
    """Newton with the stiffness of an earlier shape, corrected by the last steps, renewed where that is too slow."""

    def __init__(self, energy: PoseEnergy, matrix: TurnedMatrix, placement: RigidPlacement) -> None:
        self._energy, self._matrix, self._placement = energy, matrix, placement
        self._memory = CurvatureMemory()
        self._lengths: list[float] = []  # of the moves of this solve with the kept matrix
        self._bad = False  # the kept matrix has just given a useless move

    def grab(self) -> None:
        self._matrix.grab(self._energy.rows, self._energy.pulls.stiffness)
        self._memory = CurvatureMemory()

    def begin(self) -> None:
        self._lengths = []

    def forget(self) -> None:
        self._memory = CurvatureMemory()

    def _renew(self, q: Array, turn: Array) -> None:
        self._matrix.renew(q, turn)
        self._memory, self._lengths, self._bad = CurvatureMemory(), [], False

    def propose(self, point: PosePoint, wanted: float) -> tuple[Array, float]:
        turn = self._placement.turn(point.handles)
        curvature = self._energy.pulls.curvature(point.positions)
        self._matrix.take(turn, curvature)
        move, length = self._newton(point)
        if self._bad or self._too_slow(length, wanted):
            self._renew(point.q, turn)
            self._matrix.take(turn, curvature)
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

    def take(self, point: PosePoint, move: Array) -> PosePoint | None:
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
            self._memory, self._bad = CurvatureMemory(), len(self._lengths) > 1
        else:
            self._memory.add(trial.q - point.q, trial.slope - point.slope)
        return trial
