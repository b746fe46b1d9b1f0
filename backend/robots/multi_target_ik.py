"""Inverse kinematics of one or more links: damped least squares within the joints' limits.

With e(q) the remaining translations and rotations (Float[6 for each goal], rotations times a length, all times the
square root of the goal's weight), J = -de/dq and E = |e|^2 / 2 a step is

    dq = (J_F^T J_F + (E + w) D)^-1 J_F^T e,    q <- clip(q + dq)

Sugihara's damping by the error itself (2011): far away it goes down the slope, near the target it is Newton's method.
F are the free joints: one that is at its limit and would go beyond is left out, and tried again in the next step (an
active set). D is the diagonal of J^T J over a chain that is stretched out, so that slides and turns weigh
alike. Where a start ends in a local minimum, all other starts of a fixed sequence run together as one array. What
cannot be reached ends at the nearest pose, by steps whose damping only grows where a step made it worse (Levenberg and
Marquardt): E alone would stay large there, and the steps small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..errors import UserError
from ..kinematics.articulated import JointTransforms
from ..kinematics.base import Array
from ..kinematics.joint_tree import JointTree

__all__ = ["Goal", "MultiTargetSolution", "MultiTargetSolver"]

BIAS = 1e-7  # w: keeps singular poses solvable
ITERATIONS = 40  # of the first start
MORE_STARTS = (16, 64, 256)  # at once, one lot after another
MORE_ITERATIONS = 60  # of each lot
STALLED = 12  # iterations without a tenth of progress end a start
TURN_SHARE = 0.5  # of the reach: the length that a radian counts as
NEAREST_ITERATIONS = 60
DAMPING_ENDS = (1e-8, 1e4)  # of J^T J, while the nearest pose is sought
LEAST_PROGRESS = 1e-9  # of the error squared, in one step: the nearest pose is found


@dataclass(frozen=True, eq=False)
class Goal:
    """One link, and the frame `tip` Float[4,4] that is brought to its targets, where the link is drawn (None: at its
    joint); whether its turn counts besides its place, and how much against other goals."""

    link: int
    tip: Array | None = None
    turns: bool = True
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class MultiTargetSolution:
    """The values of all coordinates Float[k], how far each tip is from its target (m, rad; Float[goals]), and whether
    all are near enough. The rotation error of a goal without rotation is reported and not checked."""

    q: Array
    position_errors: Array
    angle_errors: Array
    reached: bool
    cost: float  # the weighted squares of all that is missing, turns as lengths (m²)


@dataclass(frozen=True, eq=False)
class _Best:
    """The best values so far, and their errors."""

    q: Array
    cost: float
    ways: Array
    turns: Array


class MultiTargetSolver:
    """Inverse kinematics of some links of a tree, in the object's frame. The same targets give the same answers."""

    def __init__(self, tree: JointTree, goals: Sequence[Goal]) -> None:
        """Raises UserError where no joint moves one of the links."""
        links = [goal.link for goal in goals]
        moved = tree.reaches[links] @ (tree.coupling != 0.0)
        for link, own in zip(links, moved, strict=True):
            if not own.any():
                raise UserError("bad_pose.link_cannot_move", link=tree.parts[link])
        self._used = np.flatnonzero(moved.any(axis=0))
        self._transforms = JointTransforms(tree, links)
        self._tips = np.array([_tip(tree, goal) for goal in goals])
        self.lower, self.upper = tree.limits
        reach = max(_reach(tree, goal.link, tip) for goal, tip in zip(goals, self._tips, strict=True))
        self._reach, self._turn = reach, TURN_SHARE * reach
        roots = np.sqrt([goal.weight for goal in goals])
        self._counts = np.array([goal.turns for goal in goals])
        self._scale = np.repeat(np.stack([roots, roots * self._turn * self._counts], axis=1), 3, axis=1)
        turns = np.array([tree.coordinates[number].turns for number in self._used])
        self._diagonal = np.where(turns, 1.0, 1.0 / reach**2)
        low, high = self.lower[self._used], self.upper[self._used]
        wide = np.where(turns, np.pi, reach)
        self._low, self._high = low, high
        self._first = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2.0 * wide, -wide))
        self._last = np.where(np.isfinite(high), high, self._first + 2.0 * wide)
        self._starts: Array | None = None

    def poses(self, q: Array) -> Array:
        """Where the tips are, Float[...,goals,4,4] for q Float[...,k]."""
        moved = self._transforms(np.asarray(q, dtype=np.float64))
        result = np.zeros((*moved.shape[:-2], 4, 4))
        result[..., :3, :] = moved @ self._tips
        result[..., 3, 3] = 1.0
        return result

    def solve(
        self,
        targets: Array,
        start: Array,
        position: float = 1e-5,
        angle: float = 1e-4,
        restarts: bool = True,
        nearest: bool = True,
    ) -> MultiTargetSolution:
        """Values near `start` Float[k] that bring the tips to poses `targets` Float[goals,4,4], to so many m and rad.

        Coordinates that move none of the links stay as they are; nothing leaves its limits. What cannot be reached ends
        as near as any start came, with `nearest` at the nearest pose around there. Without `restarts` a local minimum
        is the answer.
        """
        targets = np.asarray(targets, dtype=np.float64)
        if targets.shape != (len(self._tips), 4, 4) or not np.isfinite(targets).all():
            raise UserError("bad_pose.not_a_pose")
        q = np.array(start, dtype=np.float64)
        q[self._used] = np.clip(q[self._used], self._low, self._high)
        best = self._descend(q[None], targets, position, angle, ITERATIONS)
        done, starts = 0, self._all_starts() if restarts else np.zeros((0, len(self._used)))
        for count in MORE_STARTS if restarts else ():
            if self._is_reached(best, position, angle):
                break
            several = np.repeat(q[None], count, axis=0)
            several[:, self._used] = starts[done : done + count]
            done += count
            found = self._descend(several, targets, position, angle, MORE_ITERATIONS)
            if found.cost < best.cost:
                best = found
        if nearest and not self._is_reached(best, position, angle):
            best = self._nearest(best, targets)
        return MultiTargetSolution(best.q, best.ways, best.turns, self._is_reached(best, position, angle), best.cost)

    def _is_reached(self, found: _Best, position: float, angle: float) -> bool:
        return bool((found.ways <= position).all() and (found.turns[self._counts] <= angle).all())

    def _all_starts(self) -> Array:
        """Spread evenly over the ranges, the same every time."""
        if self._starts is None:
            from scipy.stats import qmc  # takes longer to import than most solves

            spread = qmc.Halton(len(self._used), scramble=False).random(sum(MORE_STARTS) + 1)[1:]
            self._starts = self._first + (self._last - self._first) * spread
        return self._starts

    def _errors(self, q: Array, targets: Array) -> tuple[Array, Array, Array]:
        """e Float[n,6 goals] and J Float[n,6 goals,used]; translations and rotations Float[n,goals,6] in m and rad."""
        transforms, twists = self._transforms.with_jacobian(q)
        moved, twists = transforms @ self._tips, twists[..., self._used]
        omega, velocity = twists[:, :, :3], twists[:, :, 3:]
        x, y, z = (moved[:, :, axis, 3, None] for axis in range(3))
        slope = np.empty((*moved.shape[:2], 6, len(self._used)))
        slope[:, :, 0] = velocity[:, :, 0] + omega[:, :, 1] * z - omega[:, :, 2] * y
        slope[:, :, 1] = velocity[:, :, 1] + omega[:, :, 2] * x - omega[:, :, 0] * z
        slope[:, :, 2] = velocity[:, :, 2] + omega[:, :, 0] * y - omega[:, :, 1] * x
        slope[:, :, 3:] = omega
        slope *= self._scale[:, :, None]
        missing = np.empty((*moved.shape[:2], 6))
        missing[..., :3] = targets[:, :3, 3] - moved[..., 3]
        turns = targets[:, :3, :3] @ moved[..., :3].swapaxes(-1, -2)
        missing[..., 3:] = _rotation_vectors(turns.reshape(-1, 3, 3)).reshape(*moved.shape[:2], 3)
        rows = (len(q), -1)
        return (missing * self._scale).reshape(rows), slope.reshape(len(q), -1, len(self._used)), missing

    @staticmethod
    def _missed(q: Array, cost: float, missing: Array) -> _Best:
        return _Best(q, cost, np.linalg.norm(missing[:, :3], axis=1), np.linalg.norm(missing[:, 3:], axis=1))

    def _descend(self, q: Array, targets: Array, position: float, angle: float, iterations: int) -> _Best:
        """The best of several starts Float[n,k]."""
        unit = np.eye(len(self._used))
        progress, stale = np.full(len(q), np.inf), np.zeros(len(q), dtype=np.int64)
        best: _Best | None = None
        for _ in range(iterations):
            missing, slope, plain = self._errors(q, targets)
            square = np.einsum("ni,ni->n", missing, missing)
            leading = int(square.argmin())
            if best is None or square[leading] < best.cost:
                best = self._missed(q[leading].copy(), float(square[leading]), plain[leading])
                if self._is_reached(best, position, angle):
                    break
            better = square < 0.8 * progress
            progress, stale = np.where(better, square, progress), np.where(better, 0, stale + 1)
            going = stale < STALLED
            if not going.any():
                break
            if not going.all():
                q, missing, slope, square = q[going], missing[going], slope[going], square[going]
                progress, stale = progress[going], stale[going]
            damping = 0.5 * square + BIAS * self._turn**2
            q = self._stepped(q, slope, missing, damping, unit)
        assert best is not None
        return best

    def _nearest(self, best: _Best, targets: Array) -> _Best:
        """From one start down to the minimum of the error itself."""
        unit, damping = np.eye(len(self._used)), 1e-3
        q = best.q[None]
        missing, slope, _ = self._errors(q, targets)
        for _ in range(NEAREST_ITERATIONS):
            tried = self._stepped(q, slope, missing, np.array([damping * self._reach**2]), unit)
            errors, slopes, plain = self._errors(tried, targets)
            cost = float(np.einsum("ni,ni->", errors, errors))
            if cost < best.cost:
                progress = best.cost - cost
                best, q, missing, slope = self._missed(tried[0], cost, plain[0]), tried, errors, slopes
                damping = max(0.3 * damping, DAMPING_ENDS[0])
                if progress < LEAST_PROGRESS * cost:
                    break
            else:
                damping *= 5.0
                if damping > DAMPING_ENDS[1]:
                    break
        return best

    def _stepped(self, q: Array, slope: Array, missing: Array, damping: Array, unit: Array) -> Array:
        """One damped step of each start, `damping` Float[n] times D."""
        downhill = np.einsum("nij,ni->nj", slope, missing)
        values = q[:, self._used]
        stuck = ((values <= self._low) & (downhill < 0.0)) | ((values >= self._high) & (downhill > 0.0))
        each = damping[:, None] * self._diagonal
        # A joint that the step takes to its end stops there, and the others make up for it in the same step.
        for _ in range(3):
            free = ~stuck
            open_slope = slope * free[:, None, :]
            matrix = open_slope.swapaxes(1, 2) @ open_slope + np.where(stuck, 1.0, each)[:, :, None] * unit
            move = np.linalg.solve(matrix, (downhill * free)[:, :, None])[:, :, 0]
            wanted = values + move
            over = free & ((wanted < self._low) | (wanted > self._high))
            if not over.any():
                break
            at_end = over & ((values <= self._low) | (values >= self._high))
            if not at_end.any():
                break
            stuck = stuck | at_end
        result = q.copy()
        result[:, self._used] = np.clip(values + move, self._low, self._high)
        return result


def _tip(tree: JointTree, goal: Goal) -> Array:
    if goal.tip is not None:
        return np.array(goal.tip, dtype=np.float64)
    tip, joint = np.eye(4), tree.joint_of(goal.link)
    tip[:3, 3] = np.zeros(3) if joint is None else joint.origin
    return tip


def _reach(tree: JointTree, link: int, tip: Array) -> float:
    """Length (m) of the stretched-out chain that carries a tip."""
    chain = [tree.joint_of(part) for part in tree.ancestors(link)]
    places = [each.origin for each in chain if each is not None and each.moves] + [tip[:3, 3]]
    reach = float(sum(np.linalg.norm(b - a) for a, b in pairwise(places)))
    slides = [each.upper - each.lower for each in chain if each is not None and each.kind == "prismatic"]
    return max(reach + float(sum(way for way in slides if np.isfinite(way))), 1e-6)


def _rotation_vectors(turns: Array) -> Array:
    """Rotation vectors Float[n,3] (rad) of rotations Float[n,3,3], also of half turns."""
    sine = 0.5 * np.stack(
        [turns[:, 2, 1] - turns[:, 1, 2], turns[:, 0, 2] - turns[:, 2, 0], turns[:, 1, 0] - turns[:, 0, 1]], axis=1
    )
    size = np.sqrt(np.einsum("ni,ni->n", sine, sine))
    cosine = 0.5 * (np.trace(turns, axis1=1, axis2=2) - 1.0)
    angle = np.arctan2(size, cosine)
    result = sine * np.where(size > 1e-9, angle / np.maximum(size, 1e-300), 1.0)[:, None]
    for number in np.flatnonzero((size < 1e-6) & (cosine < 0.0)):
        square = turns[number] + np.eye(3)  # of half a turn: 2 axis axis^T
        axis = square[:, np.diag(square).argmax()]
        result[number] = angle[number] * axis / np.linalg.norm(axis)
    return result
