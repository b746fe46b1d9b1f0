"""Newton's method with line search for the incremental potential of objects in contact.

The matrix is that of the objects, kept over many iterations where it is dear, plus the contacts' own at every iterate;
L-BFGS pairs correct what is out of date.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import nnls

from ..kinematics.base import Array
from .contact_pairs import ContactForces, ContactGroup, Contacts
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
            pushed: dict[int, Array] = {}  # by object, in handle space: what pulls it back to coordinates is dear
            for group, own in self._per_group(forces):
                force = forces.force[own[0]]
                pushed[group.first] = pushed.get(group.first, 0.0) + group.first_basis[own[1]].T @ force
                if group.second is not None:
                    pushed[group.second] = pushed.get(group.second, 0.0) - group.second_basis[own[1]].T @ force
            for number, force in pushed.items():
                part = self.parts[number]
                slope[part] += self.problems[number].pull(x[part], force)
        return slope, forces

    def _per_group(self, forces: ContactForces) -> Iterator[tuple[ContactGroup, tuple[slice, np.ndarray]]]:
        """Each group with contacts that act: (slice of the forces, their places in the group)."""
        assert self.contacts is not None
        for group, part in zip(self.contacts.groups, self.contacts.slices, strict=True):
            begin, end = np.searchsorted(forces.chosen, [part.start, part.stop])
            if begin < end:
                yield group, (slice(int(begin), int(end)), forces.chosen[begin:end] - part.start)

    def local(self, vector: Array) -> Array:
        """A vector Float[k] in the local coordinates of the objects."""
        return np.concatenate([p.to_local(vector[part]) for p, part in zip(self.problems, self.parts, strict=True)])

    def world(self, vector: Array) -> Array:
        """And back."""
        return np.concatenate([p.to_world(vector[part]) for p, part in zip(self.problems, self.parts, strict=True)])

    def direction(self, slope: Array, forces: ContactForces | None, memory: LimitedMemoryBFGS) -> Array:
        """-(S + D D^T + sum_c J_c^T H_c J_c)^-1 slope, where the memory knows better what S should be."""
        columns, without_contact = self._columns(forces)
        touching = columns[:, without_contact:]

        def stiffness(step: Array) -> Array:
            """Of the contacts as they are now: it comes and goes, so the memory keeps to the rest."""
            return self.world(touching @ (touching.T @ self.local(step)))

        move = memory.direction(
            slope, lambda right: self._solve(right, columns), stiffness if touching.shape[1] else None
        )
        if slope @ move < 0.0:
            return move
        # Contacts many powers of ten stiffer than the object: the low-rank formula has cancelled all its digits.
        return -self._solve_dense(slope, columns)

    def _solve(self, right: Array, columns: Array) -> Array:
        """(S + U U^T)^-1 right with columns U Float[k,m] in local coordinates."""
        if columns.shape[1] < LOW_RANK * len(right):
            return self.world(self._solve_low_rank(self.local(right), columns))
        return self._solve_dense(right, columns)

    def _solve_dense(self, right: Array, columns: Array) -> Array:
        total = columns @ columns.T
        for problem, part in zip(self.problems, self.parts, strict=True):
            total[part, part] += problem.matrix()
        factor = cho_factor(total, lower=True, overwrite_a=True, check_finite=False)
        return self.world(cho_solve(factor, self.local(right), check_finite=False))

    def _columns(self, forces: ContactForces | None) -> tuple[Array, int]:
        """U Float[k,m] in local coordinates with U U^T = D D^T + sum_c J_c^T H_c J_c; how many are those of D."""
        added = [(part, p.added_columns) for p, part in zip(self.problems, self.parts, strict=True)]
        count = sum(columns.shape[1] for _, columns in added if columns is not None)
        if forces is not None:
            # A root of every block, without the directions in which a contact does not resist.
            values, vectors = np.linalg.eigh(forces.blocks)
            contact, axis = np.nonzero(values > 1e-9 * values[:, 2:])
            roots = vectors[contact, :, axis] * np.sqrt(values[contact, axis])[:, None]
            count += len(contact)
        result = np.zeros((self.parts[-1].stop, count))
        begin = 0
        for part, columns in added:
            if columns is not None:
                result[part, begin : begin + columns.shape[1]] = columns
                begin += columns.shape[1]
        without_contact = begin
        if forces is not None:
            for group, (own, places) in self._per_group(forces):
                first, last = np.searchsorted(contact, [own.start, own.stop])
                place, root = contact[first:last] - own.start, roots[first:last]
                for member, basis, sign in (
                    (group.first, group.first_basis, 1.0),
                    (group.second, group.second_basis, -1.0),
                ):
                    if member is not None:
                        rows = self.problems[member].point_rows(basis[places])
                        columns = slice(begin + int(first), begin + int(last))
                        result[self.parts[member], columns] = rows.along(place, sign * root)
        return result, without_contact

    def _solve_low_rank(self, right: Array, columns: Array) -> Array:
        """Woodbury's formula: (S + U U^T)^-1 r = y - S^-1 U (I + U^T S^-1 U)^-1 U^T y with y = S^-1 r."""
        y, spread = np.empty_like(right), np.zeros_like(columns)
        small = np.eye(columns.shape[1])
        for problem, part in zip(self.problems, self.parts, strict=True):
            own = columns[part]
            if len(self.problems) > 1:
                met = np.flatnonzero(own.any(axis=0))
                both = problem.solved(np.column_stack([right[part], own[:, met]]))
                spread[part, met] = both[:, 1:]
                small[np.ix_(met, met)] += own[:, met].T @ both[:, 1:]
            else:
                both = problem.solved(np.column_stack([right, own]))
                spread = both[:, 1:]
                small += own.T @ spread
            y[part] = both[:, 0]
        if columns.shape[1] == 0:
            return y
        factor = cho_factor(small, lower=True, overwrite_a=True, check_finite=False)
        return y - spread @ cho_solve(factor, columns.T @ y, check_finite=False)

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
    for group, part in zip(contacts.groups, contacts.slices, strict=True):
        begin, end = np.searchsorted(touching, [part.start, part.stop])
        places = touching[begin:end] - part.start
        own = slice(int(begin), int(end))
        if begin == end:
            continue
        for member, basis, sign in ((group.first, group.first_basis, 1.0), (group.second, group.second_basis, -1.0)):
            if member is not None:
                rows = problems[member].directions(states[member], basis[places], sign * group.normal[places])
                normal[own, joint.parts[member]] += rows
    for problem, part, state in zip(problems, joint.parts, states, strict=True):
        spread[part] = problem.pushed(state, normal[:, part])
    change = _least_impulse(normal, spread, speed - contacts.approach(rates, step)[touching])
    return [State(state.q, state.rate + change[part]) for state, part in zip(states, joint.parts, strict=True)]
