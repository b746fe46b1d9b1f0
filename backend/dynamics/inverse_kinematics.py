"""Inverse kinematics for any provider: the shape that follows dragged points and stays plausible.

    min over q   V(a(q)) + U(q) + 1/2 (q - q0)^T P (q - q0) + sum_p pull_p(phi_p a(q))

V and U are the object's own energies (elastic, joint springs, the prior of a decoder), pull_p the drags of `drags`.
P makes the answer unique. With lambda the squared frequency of the object's softest motion and G its mass matrix at the
reference pose q0, P is a small share of lambda G without the translations of a free root: what nothing else
decides (the spin about a line through two dragged points) stays as near the reference as it can. An object without any
energy has lambda = 1 and lambda G as its energy, without all motions of a free root.

Newton with a matrix that is kept (elastic) or made anew (few coordinates), corrected by the last steps. Everything is
warm: coordinates, multipliers, matrix and corrections of the last call start the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from ..kinematics.base import Array, Kinematics
from ..kinematics.elastic import ElasticKinematics
from .coordinate_energies import CoordinateEnergy
from .curvature_memory import CurvatureMemory
from .drags import Drags, Pulls
from .energies import Energy
from .initial import fitted_pose
from .pose_matrix import DenseMatrix, TurnedMatrix
from .rigid_placement import RigidPlacement
from .stiffness import LaggedStiffness
from .variational import mass_matrix

__all__ = ["InverseKinematics", "Pose"]

REST_PULL = 1e-3  # of lambda
STRETCH = (
    0.5  # of the size: no drag pulls harder than what moves half the object's points this far where they are stiff
)
HARD_STIFFNESS = 50.0  # stiffness of a hard drag before its multiplier is known, in the stiffness of the object
UNBOUND = 1e3  # stiffness of an object without energy, in lambda times its mass: hard drags overcome that energy easily
SAMPLES = 300  # material points that tell how stiff the object is
TOLERANCE = 1e-5  # of the size, RMS: length of the last Newton step
LARGE_TURN = 0.3  # radians between two solves: farther than Newton should be sent round a corner
HARD_TOLERANCE = 1e-4  # of the size: distance at which a hard target is met
REFRESH = 6  # iterations of one solve with a kept matrix before it is made anew
LINE_SEARCH = 12
FLAT = 0.5  # of the slope at the start of a line: no longer worth an evaluation of the energy
SHORT = 0.3  # of a step: what has to be cut to less was no good direction


@dataclass(frozen=True)
class Pose:
    """What a solve found."""

    q: Array  # Float[k]
    positions: Array  # Float[p,3] m, the dragged points
    distances: Array  # Float[p] m, from their targets
    unmet: tuple[str, ...]  # names of hard points that are not within tolerance of their targets
    converged: bool
    iterations: int


@dataclass(frozen=True)
class _Point:
    """One q and the slope of the energy there."""

    q: Array
    handles: Array
    positions: Array  # of the dragged points
    slope: Array


class InverseKinematics:
    """One object that is posed by hand: `grab` some points, then `solve` for targets as often as they move."""

    def __init__(
        self,
        kinematics: Kinematics,
        basis: Array,
        mass: Array,
        energies: Sequence[Energy] = (),
        coordinate_energies: Sequence[CoordinateEnergy] = (),
        stiffness: LaggedStiffness | None = None,
        reference: Array | None = None,
    ) -> None:
        """basis Float[P,4H] and mass Float[P] (kg) of the material.

        `stiffness`, for an elastic object whose only energy it belongs to, makes iterations cheap; it is kept here and
        not to be used elsewhere. `reference` is the pose to stay near to and to start from, the rest when None.
        """
        self._kinematics = kinematics
        self._energies, self._coordinate_energies = tuple(energies), tuple(coordinate_energies)
        self._reference = kinematics.rest() if reference is None else reference
        self._basis, self._mass = basis, mass
        self._placement = RigidPlacement(kinematics, basis, mass, self._reference)
        self._moment = self._placement.moment
        self._total_mass = float(mass.sum())
        rest = basis @ kinematics.handles(kinematics.rest())
        self.size = float(np.ptp(rest, axis=0).max())
        self._metric = mass_matrix(kinematics, self._moment, self._reference, self._reference)
        self._softest, self._prior = self._uniqueness()
        self._stiffest = self._point_stiffness(basis)
        self._dense: DenseMatrix | None = None
        self._turned: TurnedMatrix | None = None
        if stiffness is not None:
            assert isinstance(kinematics, ElasticKinematics)
            self._turned = TurnedMatrix(stiffness, kinematics.reduction, REST_PULL * self._softest)
        else:
            self._dense = DenseMatrix(kinematics, self._energies, self._coordinate_energies, self._prior, self._metric)
        self._q = self._reference
        self._memory = CurvatureMemory()
        self._age = 0  # iterations of this solve with the kept matrix
        self._last: tuple[Array, Pose] | None = None

    # -- constants ---------------------------------------------------------------------------------------------------

    def _own_stiffness(self) -> Array:
        """d2(V + U)/dq2 at the reference pose without the curvature of a(q), Float[k,k]."""
        q, dof = self._reference, self._kinematics.dof
        matrix = np.zeros((dof, dof))
        if self._energies:
            a, jacobian = self._kinematics.handles(q), self._kinematics.jacobian(q)
            full = sum(energy.hessian(a).reshape(a.size, a.size) for energy in self._energies)
            matrix += jacobian.T @ full @ jacobian
        for energy in self._coordinate_energies:
            matrix += energy.hessian(q)
        return matrix

    def _uniqueness(self) -> tuple[float, Array]:
        """lambda (1/s^2) and P Float[k,k]."""
        metric, root = self._metric, self._metric @ self._placement.motions  # (k, 0 or 6)
        self._own = self._own_stiffness()
        values = eigh(self._own, metric, eigvals_only=True)[root.shape[1] :]
        elastic = values[values > 1e-9 * values.max(initial=0.0)]
        self._bare = elastic.size == 0
        softest = 1.0 if self._bare else float(elastic[0])
        prior = REST_PULL * softest * (metric - root[:, :3] @ root[:, :3].T)
        if self._bare:
            prior += softest * (metric - root @ root.T)
        return softest, prior

    def _point_stiffness(self, basis: Array) -> float:
        """How hard the object's points are to move in their stiffest direction, the median, N/m."""
        unit = self._softest * self._total_mass
        if self._bare:
            return UNBOUND * unit
        root = self._metric @ self._placement.motions
        # The root is held: what matters is how far the object is bent.
        held = self._own + self._prior + 1e6 * self._softest * root @ root.T
        rows = basis[:: -(-len(basis) // SAMPLES)]
        jacobian = self._kinematics.jacobian(self._reference).reshape(rows.shape[1], 3, -1)
        spread = np.tensordot(rows, jacobian, axes=1)  # (P, 3, k)
        answers = np.linalg.solve(held, spread.reshape(-1, spread.shape[2]).T)  # (k, 3 P)
        compliance = np.einsum("pik,kpj->pij", spread, answers.reshape(len(held), -1, 3))
        smallest = np.linalg.eigvalsh(compliance)[:, 0]
        return float(1.0 / np.median(smallest))

    # -- drags ---------------------------------------------------------------------------------------------------------

    def grab(self, drags: Drags) -> None:
        """Which points are dragged from now on; the pose stays."""
        self._drags = drags
        spring = self._softest * self._total_mass / drags.softness
        stiffness = np.where(drags.hard, HARD_STIFFNESS * self._stiffest, spring)
        limit = np.full(len(drags.rows), STRETCH * self.size * self._stiffest)
        if self._bare:
            limit[~drags.hard] = np.inf  # what has no energy cannot tear
        self._pulls = Pulls(stiffness, limit, drags.hard)
        matrix = self._turned or self._dense
        matrix.grab(drags.rows, stiffness)
        self._pulls.targets = drags.rows @ self._kinematics.handles(self._q)
        self._memory, self._last = CurvatureMemory(), None

    def place(self, q: Array) -> None:
        """Starts the next solve from this pose."""
        self._q = q
        self._pulls.targets = self._drags.rows @ self._kinematics.handles(q)
        self._pulls.multipliers[:] = 0.0
        self._memory, self._last = CurvatureMemory(), None

    # -- the energy ----------------------------------------------------------------------------------------------------

    def _evaluate(self, q: Array) -> _Point:
        kinematics = self._kinematics
        a = kinematics.handles(q)
        positions = self._drags.rows @ a
        handle_slope = self._drags.rows.T @ self._pulls.gradient(positions)
        for energy in self._energies:
            handle_slope = handle_slope + energy.gradient(a)
        slope = kinematics.pull(q, handle_slope) + self._prior @ (q - self._reference)
        for coordinate_energy in self._coordinate_energies:
            slope = slope + coordinate_energy.gradient(q)
        return _Point(q, a, positions, slope)

    def _value(self, point: _Point) -> float:
        """The energy at a point, J."""
        away = point.q - self._reference
        value = self._pulls.value(point.positions) + 0.5 * float(away @ (self._prior @ away))
        value += sum(energy.value(point.handles) for energy in self._energies)
        return value + sum(energy.value(point.q) for energy in self._coordinate_energies)

    def _start(self, targets: Array) -> _Point:
        """The last pose and its forces, moved rigidly as the targets have moved where the object can be."""
        pulls = self._pulls
        motion = self._placement.following(pulls.targets, targets)
        pulls.targets = targets
        q = self._q
        if motion is not None:
            turn, shift = motion
            handles = self._placement.moved(self._kinematics.handles(q), turn, shift)
            if self._kinematics.constant_jacobian:
                q = self._placement.coordinates(handles)
            elif np.trace(turn) < 1.0 + 2.0 * np.cos(LARGE_TURN):
                q = fitted_pose(self._kinematics, self._basis, self._mass, self._basis @ handles, q)[0]
            pulls.multipliers = pulls.multipliers @ turn.T
        pulls.begin(self._drags.rows @ self._kinematics.handles(q))
        return self._evaluate(q)

    def prepare(self) -> None:
        """Takes the matrix at the pose of now, for the pause between two solves: the next one is then quicker."""
        if self._turned is not None:
            self._turned.renew(self._q, self._placement.turn(self._kinematics.handles(self._q)))
            self._memory = CurvatureMemory()

    # -- the solve -----------------------------------------------------------------------------------------------------

    def _direction(self, point: _Point) -> Array:
        curvature = self._pulls.curvature(point.positions)
        if self._turned is None:
            self._dense.take(point.q, curvature)
            return self._memory.direction(point.slope, self._dense.solve)
        turn = self._placement.turn(point.handles)
        if self._age >= REFRESH:
            self._turned.renew(point.q, turn)
            self._age, self._memory = 0, CurvatureMemory()
        self._age += 1
        self._turned.take(turn, curvature)
        return self._memory.direction(point.slope, self._turned.solve)

    def _descend(self, point: _Point, move: Array) -> _Point | None:
        """A point along `move` where the energy is lower, or as low within rounding."""
        downhill = float(point.slope @ move)
        value, share = None, 1.0
        for _ in range(LINE_SEARCH):
            trial = self._evaluate(point.q + share * move)
            along = float(trial.slope @ move)
            if abs(along) <= FLAT * abs(downhill):
                break  # nearly the lowest point of the line: what it costs to look at the energy is saved
            if value is None:
                value = self._value(point)
            if self._value(trial) <= value + 1e-4 * share * downhill:
                break
            share *= float(np.clip(downhill / (downhill - along), 0.1, 0.6)) if along > downhill else 0.5
        else:
            return None
        if share < SHORT:
            self._forget()
        else:
            self._memory.add(trial.q - point.q, trial.slope - point.slope)
        return trial

    def _forget(self) -> None:
        """The kept matrix and its corrections have shown to be bad."""
        self._memory, self._age = CurvatureMemory(), REFRESH

    def solve(self, targets: Array, most_iterations: int = 30) -> Pose:
        """The pose for targets Float[p,3] (m), from the last one; after `most_iterations` the next call goes on."""
        if self._last is not None and np.array_equal(self._last[0], targets):
            return self._last[1]
        tolerance = TOLERANCE * self.size * np.sqrt(self._total_mass)
        meeting = HARD_TOLERANCE * self.size
        point, previous = self._start(targets), np.inf
        self._age = 0
        converged, iterations = False, 0
        while not converged and iterations < most_iterations:
            move = self._direction(point)
            iterations += 1
            length = float(np.sqrt(move @ (self._metric @ move)))
            shift = self._pulls.shift(point.positions)
            wanted = tolerance if shift <= meeting else max(tolerance, 0.1 * shift * np.sqrt(self._total_mass))
            # A linearly converging iteration still has length * r / (1 - r) to go; r from the last two steps.
            ratio = min(length / previous, 0.9) if np.isfinite(previous) else 0.5
            if length < wanted and length * ratio / (1.0 - ratio) < wanted:
                limited = self._pulls.limit(point.positions)
                if shift <= meeting and not limited:
                    converged = True
                else:
                    self._pulls.tighten(point.positions)
                    point, previous = self._evaluate(point.q), np.inf
                continue
            following = self._descend(point, move)
            if following is None:
                self._forget()
                previous = np.inf
                continue
            point, previous = following, length
        return self._report(point, targets, converged, iterations)

    def _report(self, point: _Point, targets: Array, converged: bool, iterations: int) -> Pose:
        q = self._kinematics.canonical(point.q)
        if not np.array_equal(q, point.q):
            self._memory = CurvatureMemory()
        self._q = q
        distances = np.linalg.norm(point.positions - targets, axis=1)
        late = np.flatnonzero(self._drags.hard & (distances > 2.0 * HARD_TOLERANCE * self.size))
        unmet = tuple(self._drags.names[index] for index in late)
        pose = Pose(q, point.positions, distances, unmet, converged, iterations)
        self._last = (targets.copy(), pose) if converged else None
        return pose
