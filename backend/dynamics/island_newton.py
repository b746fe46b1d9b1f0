"""Newton's method with line search for the incremental potential of objects in contact.

The matrix is that of the objects, kept over many iterations where it is dear, plus the contacts' own at every iterate;
L-BFGS pairs correct what is out of date.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import nnls

from ..kinematics.base import Array
from .contact_pairs import ContactForces, Contacts
from .friction import Friction
from .lbfgs import LimitedMemoryBFGS
from .state import State, Statistics, StepFailed
from .step_problem import StepProblem

__all__ = ["minimise", "with_restitution"]

MAXIMUM_ITERATIONS = 60
MAXIMUM_TOUCHING = 150  # in an impact every contact comes and goes; halving the step would cost as much
CONTACT_TOLERANCE = 20.0  # the lagged solves and the barrier's own smoothing do not deserve more digits than these
STEEPEST_REACHED = 0.5  # of the slope before: where a step climbs more steeply at its end, it was too long
REFRESH_INHERITED = 6  # iterations with the matrix of an earlier step before it is taken anew at the current shape
REFRESH_TOUCHING = 14  # the same where contacts come and go, which costs iterations that no new matrix saves
REFRESH_CAUTIOUS = 5  # the same where the matrix had to be made definite
LOW_RANK = 0.6  # of the unknowns: with fewer columns of contact than this the objects' own inverses are used
REFRESH_OWN = 14  # iterations with a matrix of this step

Columns = tuple[np.ndarray, Array]  # of one object: which of the island's columns, Int[m], and its rows Float[k,m]


class _CoupledProblem:
    """The step problems of an island as one vector and one block matrix, coupled by contact."""

    def __init__(self, problems: Sequence[StepProblem], contacts: Contacts | None, friction: Friction | None) -> None:
        self.problems, self.contacts, self.friction = problems, contacts, friction
        ends = np.cumsum([0, *(len(problem.guess) for problem in problems)])
        self.parts = [slice(int(a), int(b)) for a, b in pairwise(ends)]

    def gradient(self, x: Array) -> tuple[Array, ContactForces | None]:
        if len(self.problems) == 1:
            handles = [self.problems[0].handles(x)]
            slope = self.problems[0].gradient(x, handles[0])
        else:
            handles = [problem.handles(x[part]) for problem, part in zip(self.problems, self.parts, strict=True)]
            slope = np.concatenate(
                [
                    problem.gradient(x[part], a)
                    for problem, part, a in zip(self.problems, self.parts, handles, strict=True)
                ]
            )
        self.latest, self.smooth = handles, slope
        forces = None if self.contacts is None else self.contacts.forces(handles, self.friction)
        if forces is not None:
            slope = slope.copy()
            for number, side in self.contacts.sides.items():
                rows = side.row[forces.chosen]
                rows = rows[rows >= 0]
                if rows.size:  # summed in handle space: what pulls it back to coordinates is dear
                    part = self.parts[number]
                    pushed = side.basis[rows].T @ forces.force[side.contact[rows]]
                    slope[part] += self.problems[number].pull(x[part], pushed)
        return slope, forces

    def local(self, vector: Array) -> Array:
        """A vector Float[k] or columns Float[k,m] in the local coordinates of the objects."""
        return np.concatenate([p.to_local(vector[part]) for p, part in zip(self.problems, self.parts, strict=True)])

    def world(self, vector: Array) -> Array:
        """And back."""
        return np.concatenate([p.to_world(vector[part]) for p, part in zip(self.problems, self.parts, strict=True)])

    def direction(self, slope: Array, forces: ContactForces | None, memory: LimitedMemoryBFGS) -> Array:
        """-(S + D D^T + sum_c J_c^T H_c J_c)^-1 slope, where the memory knows better what S should be."""
        touching, count = self._columns(forces)
        columns, total = self._with_added(touching, count)

        def stiffness(steps: Array) -> Array:
            """Of the contacts as they are now: they come and go, so the memory keeps to the rest."""
            local, along = self.local(steps), np.zeros((count, steps.shape[1]))
            result = np.zeros_like(steps)
            for part, (places, own) in zip(self.parts, touching, strict=True):
                along[places] += own.T @ local[part]
            for part, (places, own) in zip(self.parts, touching, strict=True):
                result[part] = own @ along[places]
            return self.world(result)

        move = memory.direction(slope, lambda right: self._solve(right, columns, total), stiffness if count else None)
        if slope @ move < 0.0:
            return move
        # Contacts many powers of ten stiffer than the object: the low-rank formula has cancelled all its digits.
        return -self._solve_dense(slope, columns, total)

    def _solve(self, right: Array, columns: list[Columns], count: int) -> Array:
        """(S + U U^T)^-1 right with `count` columns U in local coordinates."""
        if count < LOW_RANK * len(right):
            return self.world(self._solve_low_rank(self.local(right), columns, count))
        return self._solve_dense(right, columns, count)

    def _solve_dense(self, right: Array, columns: list[Columns], count: int) -> Array:
        every = np.zeros((len(right), count))
        for part, (places, own) in zip(self.parts, columns, strict=True):
            every[part, places] = own
        total = every @ every.T
        for problem, part in zip(self.problems, self.parts, strict=True):
            total[part, part] += problem.matrix()
        factor = cho_factor(total, lower=True, overwrite_a=True, check_finite=False)
        return self.world(cho_solve(factor, self.local(right), check_finite=False))

    def _columns(self, forces: ContactForces | None) -> tuple[list[Columns], int]:
        """U with U U^T = sum_c J_c^T H_c J_c in local coordinates, by objects; and how many columns there are."""
        if forces is None:
            nothing = np.zeros(0, dtype=np.int64)
            return [(nothing, np.zeros((part.stop - part.start, 0))) for part in self.parts], 0
        result = []
        for number, problem in enumerate(self.problems):
            side = self.contacts.sides.get(number)
            rows = np.full(len(forces.of), -1) if side is None else side.row[forces.of]
            places = np.flatnonzero(rows >= 0)
            if places.size == 0:
                result.append((places, np.zeros((self.parts[number].stop - self.parts[number].start, 0))))
                continue
            met, place = np.unique(rows[places], return_inverse=True)
            result.append((places, problem.point_rows(side.basis[met]).along(place, forces.root[places])))
        return result, len(forces.of)

    def _with_added(self, columns: list[Columns], count: int) -> tuple[list[Columns], int]:
        """The columns with those of D D^T, which are of one object each."""
        result = []
        for problem, (places, own) in zip(self.problems, columns, strict=True):
            added = problem.added_columns
            if added is not None:
                places = np.concatenate([places, np.arange(count, count + added.shape[1])])
                own = np.hstack([own, added])
                count += added.shape[1]
            result.append((places, own))
        return result, count

    def _solve_low_rank(self, right: Array, columns: list[Columns], count: int) -> Array:
        """Woodbury's formula: (S + U U^T)^-1 r = y - S^-1 U (I + U^T S^-1 U)^-1 U^T y with y = S^-1 r."""
        y, spread = np.empty_like(right), []
        small, seen = np.eye(count), np.zeros(count)
        for problem, part, (places, own) in zip(self.problems, self.parts, columns, strict=True):
            both = problem.solved(np.column_stack([right[part], own]))
            y[part] = both[:, 0]
            spread.append(both[:, 1:])
            if places.size:
                small[places[:, None], places] += own.T @ both[:, 1:]
                seen[places] += own.T @ both[:, 0]
        if count == 0:
            return y
        factor = cho_factor(small, lower=True, overwrite_a=True, check_finite=False)
        strength = cho_solve(factor, seen, check_finite=False)
        for part, (places, _), moved in zip(self.parts, columns, spread, strict=True):
            y[part] -= moved @ strength[places]
        return y

    def length(self, move: Array) -> float:
        """Of a step, over the tolerance."""
        if len(self.problems) == 1:
            return self.problems[0].length(move)
        squares = [p.length(move[part]) ** 2 for p, part in zip(self.problems, self.parts, strict=True)]
        return float(np.sqrt(sum(squares)))

    def linearise(self, x: Array) -> None:
        for problem, part, a in zip(self.problems, self.parts, self.latest, strict=True):
            problem.linearise(x[part], a)

    def refresh(self, x: Array) -> tuple[int, bool]:
        """How many matrices were renewed, and whether one of them had to be made definite."""
        lagged = [(p, part) for p, part in zip(self.problems, self.parts, strict=True) if p.lagged]
        cautious = [problem.refresh(x[part]) for problem, part in lagged]
        return len(lagged), any(cautious)


def minimise(
    problems: Sequence[StepProblem],
    contacts: Contacts | None,
    friction: Friction | None,
    start: Sequence[Array],
    statistics: Statistics,
    *,
    rough: bool = False,
) -> list[Array]:
    """The coordinates of every object at the minimum, sought from `start`.

    Raises StepFailed where it is not found; a `rough` search answers with the last iterate, which is nearer to it.
    """
    joint = _CoupledProblem(problems, contacts, friction)
    search = _Search(joint, np.concatenate(start), statistics)
    try:
        found = search.run()
    except (StepFailed, np.linalg.LinAlgError):
        if not rough or not np.isfinite(search.slope).all():
            raise StepFailed from None
        found = search.x
    return [found[part] for part in joint.parts]


class _Search:
    """Newton's method from x on; `x` is the last iterate and `slope` the gradient there."""

    def __init__(self, joint: _CoupledProblem, x: Array, statistics: Statistics) -> None:
        self._joint, self._statistics = joint, statistics
        self.x = x
        self.slope, self._forces = joint.gradient(x)
        self._free = joint.contacts is None
        self._renewable = any(problem.lagged for problem in joint.problems)
        self._memory = LimitedMemoryBFGS()
        self._age, self._limit = 0, REFRESH_INHERITED if self._free else REFRESH_TOUCHING

    def run(self) -> Array:
        """The minimum. Raises StepFailed and LinAlgError."""
        joint = self._joint
        tolerance = 1.0 if self._free else CONTACT_TOLERANCE
        # Where contacts come and go, one good step does not promise that the next would be as good.
        trusted = 100.0 if self._free else 5.0
        previous = np.inf
        for _ in range(MAXIMUM_ITERATIONS if self._free else MAXIMUM_TOUCHING):
            if self._renewable and self._age == self._limit:
                self._renew()
            joint.linearise(self.x)
            move = joint.direction(self.slope, self._forces, self._memory)
            self._statistics.newton_iterations += 1
            length = joint.length(move)
            if not np.isfinite(length):
                raise StepFailed
            # A linearly converging iteration still has length * r / (1 - r) to go; r from the last two steps.
            ratio = min(length / previous, 0.9) if np.isfinite(previous) else 0.5
            if length * ratio / (1.0 - ratio) < tolerance and length < trusted * tolerance:
                return self.x + move
            self._age += 1
            previous = length
            self._go(move)
        raise StepFailed

    def _renew(self) -> None:
        """Newton's matrix anew at the current shape."""
        renewed, cautious = self._joint.refresh(self.x)
        self._statistics.stiffness_refreshes += renewed
        self._age, self._limit = 0, REFRESH_CAUTIOUS if cautious else REFRESH_OWN
        self._memory = LimitedMemoryBFGS()

    def _go(self, move: Array) -> None:
        """Line search: to where the slope along the move has left its steepest. Raises StepFailed."""
        joint, smooth = self._joint, self._joint.smooth
        downhill, share = float(self.slope @ move), 1.0
        for tries in range(12):
            trial = self.x + share * move
            slope, forces = joint.gradient(trial)
            along = float(slope @ move)
            if along <= STEEPEST_REACHED * abs(downhill):
                break
            # The secant's zero, where the slope is smooth; a kink of friction may be a thousandth of the way off.
            share *= np.clip(downhill / (downhill - along), 0.1, 0.7 if tries < 4 else 0.1)
        else:
            raise StepFailed
        if self._renewable:
            self._memory.add(trial - self.x, joint.smooth - smooth)
        self.x, self.slope, self._forces = trial, slope, forces


def _least_impulse(normal: Array, spread: Array, lacking: Array) -> Array:
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


def with_restitution(
    problems: Sequence[StepProblem],
    contacts: Contacts,
    touching: np.ndarray,
    speed: Array,
    states: Sequence[State],
    rates: Sequence[Array],
    step: float,
) -> list[State]:
    """The states with the least change of motion that lets contacts `touching` separate with at least `speed` (m/s).

    `rates` are the handle rates of the states, Float[4H,3] each.
    """
    joint = _CoupledProblem(problems, contacts, None)
    count = joint.parts[-1].stop
    normal, spread = np.zeros((len(touching), count)), np.zeros((count, len(touching)))
    for number, side in contacts.sides.items():
        rows = side.row[touching]
        own = np.flatnonzero(rows >= 0)
        if own.size == 0:
            continue
        basis, along = side.basis[rows[own]], contacts.normal[touching[own]]
        normal[own, joint.parts[number]] = problems[number].directions(states[number], basis, along)
    for problem, part, state in zip(problems, joint.parts, states, strict=True):
        spread[part] = problem.pushed(state, normal[:, part])
    change = _least_impulse(normal, spread, speed - contacts.approach(rates, step)[touching])
    return [State(state.q, state.rate + change[part]) for state, part in zip(states, joint.parts, strict=True)]
