"""Inverse kinematics for any provider by energy minimisation with drag targets.

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
from ..kinematics.neo_hookean import StableNeoHookean
from .coordinate_energies import CoordinateEnergy
from .corotated_newton import CorotatedNewton
from .drags import DragEnergy, Drags
from .energies import Energy
from .initial import fitted_pose
from .pose_descent import Descent, LaggedNewton, LevenbergMarquardt
from .pose_energy import PoseEnergy, PosePoint
from .rigid_placement import RigidPlacement
from .stiffness import LaggedStiffness
from .variational import mass_matrix

__all__ = ["InverseKinematics", "Pose"]

REST_PULL = 1e-4  # of lambda
STRAIN = 1.0  # no drag pulls harder than what strains an elastic object by so much where it is strained most
HELD_ROOT = 1e6  # of lambda: stiffness against motions of the root, to see how far the object itself gives way
STIFFEST = 1e6  # in lambda times mass: points that do not move at all are taken for this stiff
SOFT_SHARE = 0.8  # of what a hard drag may pull
HARD_REACH = 0.01  # of the size: distance from which a hard drag pulls as hard as it may
HARD_STIFFNESS = 20.0  # of a hard drag, at least, in the stiffness of its point
HARD_BARE = 1e3  # of a hard drag of what is not elastic, at least, in lambda times mass
BARE_REACH = 3.0  # of the size: distance from which a hard drag of that pulls as hard as it may
TOLERANCE = 1e-5  # of the size, RMS: length of the last Newton step
HARD_TOLERANCE = 1e-4  # of the size: distance at which a hard target is met


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
    """Inverse kinematics of one object: `set_drags` for some points, then `solve` for targets as often as they move."""

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
        self.placement = RigidPlacement(kinematics, basis, mass, q)
        self._total_mass = float(mass.sum())
        self.size = float(np.ptp(basis @ kinematics.handles(kinematics.rest()), axis=0).max())
        metric = mass_matrix(kinematics, self.placement.moment, q, q)
        self._elastic = next((energy for energy in energies if isinstance(energy, StableNeoHookean)), None)
        self._energy = PoseEnergy(kinematics, tuple(energies), tuple(coordinate_energies), q)
        self._weigh(metric)
        self._descent: Descent
        if stiffness is None:
            self._descent = LevenbergMarquardt(self._energy, metric, self._softest)
        else:
            assert isinstance(kinematics, ElasticKinematics)
            matrix = CorotatedNewton(stiffness, kinematics.reduction, REST_PULL * self._softest)
            self._descent = LaggedNewton(self._energy, matrix, self.placement)
        self._q = q
        self._last: tuple[Array, Pose] | None = None

    def _weigh(self, metric: Array) -> None:
        """lambda (1/s^2), P, and the stiffness of the object with its root held, Float[k,k]."""
        q, root = self._energy.reference, metric @ self.placement.motions  # (k, 0 or 6)
        own = self._energy.own_stiffness(q)
        values = eigh(own, metric, eigvals_only=True)[root.shape[1] :]
        elastic = values[values > 1e-9 * values.max(initial=0.0)]
        self._bare = bare = elastic.size == 0
        self._softest = 1.0 if bare else float(elastic[0])
        prior = REST_PULL * self._softest * (metric - root[:, :3] @ root[:, :3].T)
        if bare:
            prior += self._softest * (metric - root @ root.T)
        self._energy.prior = prior
        self._held_stiffness = own + prior + HELD_ROOT * self._softest * root @ root.T

    def _elastic_strengths(self, elastic: StableNeoHookean, rows: Array) -> tuple[Array, Array]:
        """How hard each point may be pulled (N) and how stiff it is (N/m), in its stiffest direction, Float[p] each."""
        kinematics, q, unit = self._kinematics, self._kinematics.rest(), self._softest * self._total_mass
        jacobian = kinematics.jacobian(q).reshape(rows.shape[1], 3, -1)
        spread = np.tensordot(rows, jacobian, axes=1)  # (p, 3, k)
        answers = np.linalg.solve(self._held_stiffness, spread.reshape(-1, spread.shape[2]).T)
        answers = answers.T.reshape(spread.shape)  # moves of all coordinates for a newton on each point
        compliance, directions = np.linalg.eigh(np.einsum("pik,pjk->pij", spread, answers))
        a, limits = kinematics.handles(q), []
        rest = elastic.deformation(a)
        for move in np.einsum("pik,pi->pk", answers, directions[:, :, 0]):
            slope = elastic.deformation(a + kinematics.push(q, move)) - rest
            strain = 0.5 * float(np.abs(slope + slope.transpose(1, 0, 2)).max())  # for one newton
            limits.append(STRAIN / max(strain, STRAIN / (STIFFEST * unit * self.size)))
        return np.array(limits), 1.0 / np.maximum(compliance[:, 0], 1.0 / (STIFFEST * unit))

    def set_drags(self, drags: Drags) -> None:
        """Which points are dragged from now on; the pose stays. Comes before the first solve.

        A free object's reference is from now on the rest shape where the object is and as it is turned. Without any
        energy it is the pose itself: a door that is dragged leaves the drawer where it is.
        """
        self._drags = drags
        unit, count = self._softest * self._total_mass, len(drags.rows)
        springs = np.full(count, unit / drags.softness)
        if self._elastic is None:  # cannot tear, only a multiplier out of reach has to end somewhere
            stiffness = np.where(drags.hard, np.maximum(HARD_BARE * unit, 10.0 * springs), springs)
            limits = np.where(drags.hard, BARE_REACH * self.size * stiffness, np.inf)
        else:
            limits, stiff = self._elastic_strengths(self._elastic, drags.rows)
            hard = np.maximum(limits / (HARD_REACH * self.size), HARD_STIFFNESS * stiff)
            stiffness = np.where(drags.hard, hard, springs)
            limits = np.where(drags.hard, limits, SOFT_SHARE * limits)
        self._energy.set_drags(drags.rows, DragEnergy(stiffness, limits, drags.hard))
        self._descent.set_drags()
        self.place(self._q)

    @property
    def q(self) -> Array:
        """The last pose, Float[k]."""
        return self._q

    def place(self, q: Array) -> None:
        """Starts the next solve from this pose."""
        kinematics, handles = self._kinematics, self._kinematics.handles(q)
        self._q, self._last = q, None
        self._energy.drag_energy.release(self._energy.rows @ handles)
        self._descent.reset()
        if self._bare:
            self._energy.reference = q
        elif self.placement.free:
            carried = self.placement.carried(handles)
            if kinematics.constant_jacobian:
                self._energy.reference = self.placement.coordinates(carried)
            else:
                self._energy.reference = fitted_pose(kinematics, self._basis, self._mass, self._basis @ carried, q)[0]

    def _start(self, targets: Array) -> PosePoint:
        """The last pose and its forces, moved rigidly as the targets have moved where the object can be."""
        pulls, placement, kinematics = self._energy.drag_energy, self.placement, self._kinematics
        motion = placement.following(pulls.targets, targets)
        pulls.targets = targets
        q = self._q
        if motion is not None:
            turn, shift = motion
            handles = placement.moved(kinematics.handles(q), turn, shift)
            if kinematics.constant_jacobian:
                q = placement.coordinates(handles)
            else:
                q = fitted_pose(kinematics, self._basis, self._mass, self._basis @ handles, q)[0]
            pulls.multipliers = pulls.multipliers @ turn.T
        pulls.begin(self._energy.rows @ kinematics.handles(q))
        self._descent.begin()
        return self._energy.evaluate(q)

    def solve(self, targets: Array, most_iterations: int = 30) -> Pose:
        """The pose for targets Float[p,3] (m), from the last one; after `most_iterations` the next call goes on."""
        if self._last is not None and np.array_equal(self._last[0], targets):
            return self._last[1]
        pulls, unit = self._energy.drag_energy, np.sqrt(self._total_mass)
        meeting = HARD_TOLERANCE * self.size
        point, previous = self._start(targets), np.inf
        converged, iterations = False, 0
        while not converged and iterations < most_iterations:
            felt = self._energy.felt(point.q)
            shift = pulls.shift(point.positions, felt)
            # Multipliers that are far off do not deserve an exact minimum.
            wanted = unit * max(TOLERANCE * self.size, 0.1 * shift if shift > meeting else 0.0)
            move, length = self._descent.direction(point, wanted)
            iterations += 1
            # A linearly converging iteration still has length * r / (1 - r) to go; r from the last two steps.
            ratio = min(length / previous, 0.9) if np.isfinite(previous) else 0.5
            if length < wanted and length * ratio / (1.0 - ratio) < wanted:
                limited = pulls.limit(point.positions)
                if shift <= meeting and not limited:
                    converged = True
                else:
                    pulls.tighten(point.positions, felt)
                    point, previous = self._energy.evaluate(point.q), np.inf
                continue
            following = self._descent.line_search(point, move)
            if following is None:
                previous = np.inf
                self._descent.reset()
            else:
                point, previous = following, length
        return self._report(point, targets, converged, iterations)

    def _report(self, point: PosePoint, targets: Array, converged: bool, iterations: int) -> Pose:
        q = self._kinematics.canonical(point.q)
        if not np.array_equal(q, point.q):
            self._descent.reset()
        self._q = q
        self._energy.drag_energy.finish(point.positions)
        distances = np.linalg.norm(point.positions - targets, axis=1)
        late = np.flatnonzero(self._drags.hard & (distances > 2.0 * HARD_TOLERANCE * self.size))
        unmet = tuple(self._drags.names[index] for index in late)
        pose = Pose(q, point.positions, distances, unmet, converged, iterations)
        self._last = (targets.copy(), pose) if converged else None
        return pose
