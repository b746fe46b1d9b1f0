"""Inverse kinematics for any provider: the shape that follows dragged points and stays plausible.

    min over q   V(a(q)) + U(q) + 1/2 (q - q0)^T P (q - q0) + sum_p pull_p(phi_p a(q))

V and U are the object's own energies (elastic, joint springs, the prior of a decoder), pull_p the drags of `drags`.
P makes the answer unique. With lambda the squared frequency of the object's softest motion and G its mass matrix at the
reference pose q0, P is a small share of lambda G without the translations of a free root: what nothing else decides
(the spin about a line through two dragged points) stays as near the reference as it can. An object without any energy
has lambda = 1 and the energy of P = lambda G, without all motions of a free root.

Everything is warm: coordinates, multipliers, matrix and corrections of the last call start the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from ..kinematics.base import Array, Kinematics
from ..kinematics.elastic import ElasticKinematics
from .coordinate_energies import CoordinateEnergy
from .drags import Drags, Pulls
from .energies import Energy
from .initial import fitted_pose
from .pose_descent import DampedDescent, Descent, KeptDescent
from .pose_energy import PoseEnergy, PosePoint
from .rigid_placement import RigidPlacement
from .stiffness import LaggedStiffness
from .turned_matrix import TurnedMatrix
from .variational import mass_matrix

__all__ = ["InverseKinematics", "Pose"]

REST_PULL = 1e-3  # of lambda
STRETCH = 0.5  # of the size: no drag pulls harder than what moves the median point this far where it is stiffest
HARD_STIFFNESS = 50.0  # stiffness of a hard drag before its multiplier is known, in the stiffness of the object
UNBOUND = 60.0  # stiffness of an object without energy, in lambda times its mass: hard drags overcome that energy
SAMPLES = 300  # material points that tell how stiff the object is
TOLERANCE = 1e-5  # of the size, RMS: length of the last Newton step
HARD_TOLERANCE = 1e-4  # of the size: distance at which a hard target is met
LARGE_TURN = 0.3  # radians between two solves: farther than Newton should be sent round a corner


@dataclass(frozen=True)
class Pose:
    """What a solve found."""

    q: Array  # Float[k]
    positions: Array  # Float[p,3] m, the dragged points
    distances: Array  # Float[p] m, from their targets
    unmet: tuple[str, ...]  # names of hard points that are not within tolerance of their targets
    converged: bool
    iterations: int


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
        self._kinematics, self._basis, self._mass = kinematics, basis, mass
        q = kinematics.rest() if reference is None else reference
        self._placement = RigidPlacement(kinematics, basis, mass, q)
        self._total_mass = float(mass.sum())
        self.size = float(np.ptp(basis @ kinematics.handles(kinematics.rest()), axis=0).max())
        metric = mass_matrix(kinematics, self._placement.moment, q, q)
        self._energy = PoseEnergy(kinematics, tuple(energies), tuple(coordinate_energies), q)
        self._weigh(metric)
        self._descent: Descent
        if stiffness is None:
            self._descent = DampedDescent(self._energy, metric, self._softest)
        else:
            assert isinstance(kinematics, ElasticKinematics)
            matrix = TurnedMatrix(stiffness, kinematics.reduction, REST_PULL * self._softest)
            self._descent = KeptDescent(self._energy, matrix, self._placement)
        self._q = q
        self._last: tuple[Array, Pose] | None = None

    def _weigh(self, metric: Array) -> None:
        """lambda (1/s^2), P, and how hard the object's points are to move in their stiffest direction (N/m)."""
        q, root = self._energy.reference, metric @ self._placement.motions  # (k, 0 or 6)
        own = self._energy.own_stiffness(q)
        values = eigh(own, metric, eigvals_only=True)[root.shape[1] :]
        elastic = values[values > 1e-9 * values.max(initial=0.0)]
        self._bare = elastic.size == 0
        self._softest = 1.0 if self._bare else float(elastic[0])
        prior = REST_PULL * self._softest * (metric - root[:, :3] @ root[:, :3].T)
        if self._bare:
            prior += self._softest * (metric - root @ root.T)
            self._point_stiffness = UNBOUND * self._softest * self._total_mass
        else:
            # The root is held: what matters is how far the object is bent.
            self._point_stiffness = self._median_stiffness(own + prior + 1e6 * self._softest * root @ root.T)
        self._energy.prior = prior

    def _median_stiffness(self, matrix: Array) -> float:
        rows = self._basis[:: -(-len(self._basis) // SAMPLES)]
        jacobian = self._kinematics.jacobian(self._energy.reference).reshape(rows.shape[1], 3, -1)
        spread = np.tensordot(rows, jacobian, axes=1)  # (P, 3, k)
        answers = np.linalg.solve(matrix, spread.reshape(-1, spread.shape[2]).T).reshape(len(matrix), -1, 3)
        smallest = np.linalg.eigvalsh(np.einsum("pik,kpj->pij", spread, answers))[:, 0]
        return float(1.0 / np.median(smallest))

    def grab(self, drags: Drags) -> None:
        """Which points are dragged from now on; the pose stays. Comes before the first solve."""
        self._drags = drags
        spring = self._softest * self._total_mass / drags.softness
        stiffness = np.where(drags.hard, HARD_STIFFNESS * self._point_stiffness, spring)
        limit = np.full(len(drags.rows), STRETCH * self.size * self._point_stiffness)
        if self._bare:
            limit[~drags.hard] = np.inf  # what has no energy cannot tear
        self._energy.rows, self._energy.pulls = drags.rows, Pulls(stiffness, limit, drags.hard)
        self._energy.pulls.targets = drags.rows @ self._kinematics.handles(self._q)
        self._descent.grab()
        self._last = None

    def place(self, q: Array) -> None:
        """Starts the next solve from this pose."""
        self._q, self._last = q, None
        self._energy.pulls.release(self._energy.rows @ self._kinematics.handles(q))
        self._descent.forget()

    def prepare(self) -> None:
        """For the pause between two solves: makes the next one quicker by looking at the pose of now more closely."""
        self._descent.prepare(self._q)

    def _start(self, targets: Array) -> PosePoint:
        """The last pose and its forces, moved rigidly as the targets have moved where the object can be."""
        pulls, placement, kinematics = self._energy.pulls, self._placement, self._kinematics
        motion = placement.following(pulls.targets, targets)
        pulls.targets = targets
        q = self._q
        if motion is not None:
            turn, shift = motion
            handles = placement.moved(kinematics.handles(q), turn, shift)
            if kinematics.constant_jacobian:
                q = placement.coordinates(handles)
            elif np.trace(turn) < 1.0 + 2.0 * np.cos(LARGE_TURN):
                q = fitted_pose(kinematics, self._basis, self._mass, self._basis @ handles, q)[0]
            pulls.multipliers = pulls.multipliers @ turn.T
        pulls.begin(self._energy.rows @ kinematics.handles(q))
        self._descent.begin()
        return self._energy.evaluate(q)

    def solve(self, targets: Array, most_iterations: int = 30) -> Pose:
        """The pose for targets Float[p,3] (m), from the last one; after `most_iterations` the next call goes on."""
        if self._last is not None and np.array_equal(self._last[0], targets):
            return self._last[1]
        pulls, unit = self._energy.pulls, np.sqrt(self._total_mass)
        meeting = HARD_TOLERANCE * self.size
        point, previous = self._start(targets), np.inf
        converged, iterations = False, 0
        while not converged and iterations < most_iterations:
            shift = pulls.shift(point.positions)
            # Multipliers that are far off do not deserve an exact minimum.
            wanted = unit * max(TOLERANCE * self.size, 0.1 * shift if shift > meeting else 0.0)
            move, length = self._descent.propose(point, wanted)
            iterations += 1
            # A linearly converging iteration still has length * r / (1 - r) to go; r from the last two steps.
            ratio = min(length / previous, 0.9) if np.isfinite(previous) else 0.5
            if length < wanted and length * ratio / (1.0 - ratio) < wanted:
                limited = pulls.limit(point.positions)
                if shift <= meeting and not limited:
                    converged = True
                else:
                    pulls.tighten(point.positions)
                    point, previous = self._energy.evaluate(point.q), np.inf
                continue
            following = self._descent.take(point, move)
            if following is None:
                previous = np.inf
                self._descent.forget()
            else:
                point, previous = following, length
        return self._report(point, targets, converged, iterations)

    def _report(self, point: PosePoint, targets: Array, converged: bool, iterations: int) -> Pose:
        q = self._kinematics.canonical(point.q)
        if not np.array_equal(q, point.q):
            self._descent.forget()
        self._q = q
        distances = np.linalg.norm(point.positions - targets, axis=1)
        late = np.flatnonzero(self._drags.hard & (distances > 2.0 * HARD_TOLERANCE * self.size))
        unmet = tuple(self._drags.names[index] for index in late)
        pose = Pose(q, point.positions, distances, unmet, converged, iterations)
        self._last = (targets.copy(), pose) if converged else None
        return pose
