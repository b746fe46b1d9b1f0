"""Joint values that bring a link to a pose: damped least squares within the joints' limits.

With e(q) the way and the turn that are missing (Float[6], turns times a length), J = -de/dq and E = |e|^2 / 2 a step is

    dq = (J_F^T J_F + (E + w) D)^-1 J_F^T e,    q <- clip(q + dq)

Sugihara's damping by the error itself (2011): far away it goes down the slope, near the target it is Newton's method.
F are the joints that are free to go: one that is at its end and would go beyond is left out, and asked again in the
next step (an active set). D is the diagonal of J^T J over a chain that is stretched out, so that slides and turns weigh
alike. Where a start ends in a local minimum, all other starts of a fixed sequence run together as one array.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.stats import qmc

from ..errors import UserError
from ..kinematics.articulated import JointTransforms
from ..kinematics.base import Array
from .joint_tree import JointTree

__all__ = ["LinkSolution", "LinkSolver"]

BIAS = 1e-7  # w: keeps singular poses solvable
ITERATIONS = 40  # of the first start
MORE_STARTS = (16, 64, 256)  # at once, one lot after another
MORE_ITERATIONS = 60  # of each lot
STALLED = 12  # iterations without a tenth of progress end a start
TURN_SHARE = 0.5  # of the reach: the length that a radian counts as


@dataclass(frozen=True)
class LinkSolution:
    """The values of all coordinates Float[k], how far the link is from its target, and whether that is near enough."""

    q: Array
    position_error: float  # m
    angle_error: float  # rad
    reached: bool


class LinkSolver:
    """Inverse kinematics of one link of a tree, in the object's frame. The same targets give the same answers."""

    def __init__(self, tree: JointTree, link: int, tip: Array | None = None) -> None:
        """`tip` Float[4,4]: the frame that is brought to its targets, where the link is drawn; None: at its joint."""
        moved = tree.reaches[link] @ (tree.coupling != 0.0)
        self._used = np.flatnonzero(moved)
        if not len(self._used):
            problem = f"No joint moves the link '{tree.parts[link]}'."
            raise UserError("bad_pose", problem, "Choose a link that hangs on a joint.")
        self._transforms = JointTransforms(tree, [link])
        joint = tree.joint_of(link)
        if tip is None:
            tip = np.eye(4)
            tip[:3, 3] = np.zeros(3) if joint is None else joint.origin
        self._tip = np.array(tip, dtype=np.float64)
        self._count = len(tree.coordinates)
        self.lower, self.upper = tree.limits
        chain = [tree.joint_of(part) for part in tree.ancestors(link)]
        places = [each.origin for each in chain if each is not None and each.moves] + [self._tip[:3, 3]]
        reach = float(sum(np.linalg.norm(b - a) for a, b in pairwise(places)))
        slides = [each.upper - each.lower for each in chain if each is not None and each.kind == "prismatic"]
        reach += float(sum(way for way in slides if np.isfinite(way)))
        self._turn = TURN_SHARE * max(reach, 1e-6)
        turns = np.array([tree.coordinates[number].turns for number in self._used])
        self._diagonal = np.where(turns, 1.0, 1.0 / max(reach, 1e-6) ** 2)
        low, high = self.lower[self._used], self.upper[self._used]
        wide = np.where(turns, np.pi, reach)
        self._low, self._high = low, high
        self._first = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2.0 * wide, -wide))
        self._last = np.where(np.isfinite(high), high, self._first + 2.0 * wide)
        self._starts: Array | None = None

    def pose(self, q: Array) -> Array:
        """Where the tip is, Float[...,4,4] for q Float[...,k]."""
        moved = self._transforms(np.asarray(q, dtype=np.float64))[..., 0, :, :]
        result = np.zeros((*moved.shape[:-2], 4, 4))
        result[..., :3, :] = moved @ self._tip
        result[..., 3, 3] = 1.0
        return result

    def solve(
        self, target: Array, start: Array, position: float = 1e-5, angle: float = 1e-4, restarts: bool = True
    ) -> LinkSolution:
        """Values near `start` Float[k] that bring the tip to the pose `target` Float[4,4], to so many m and rad.

        Coordinates that do not move the link stay as they are; nothing leaves its limits. What cannot be reached ends
        as near as any start came. Without `restarts` a local minimum is the answer.
        """
        target = np.asarray(target, dtype=np.float64)
        if target.shape != (4, 4) or not np.isfinite(target).all():
            problem = "A target of a link is not a pose."
            raise UserError("bad_pose", problem, "Give four rows of four finite numbers, a turn and a place.")
        q = np.array(start, dtype=np.float64)
        q[self._used] = np.clip(q[self._used], self._low, self._high)
        best = self._descend(q[None], target, position, angle, ITERATIONS)
        done, starts = 0, self._all_starts() if restarts else np.zeros((0, len(self._used)))
        for count in MORE_STARTS if restarts else ():
            if self._is_reached(best, position, angle):
                break
            several = np.repeat(q[None], count, axis=0)
            several[:, self._used] = starts[done : done + count]
            done += count
            found = self._descend(several, target, position, angle, MORE_ITERATIONS)
            if self._cost(found) < self._cost(best):
                best = found
        values, way, turn = best
        return LinkSolution(values, way, turn, self._is_reached(best, position, angle))

    def _is_reached(self, found: tuple[Array, float, float], position: float, angle: float) -> bool:
        return found[1] <= position and found[2] <= angle

    def _cost(self, found: tuple[Array, float, float]) -> float:
        return found[1] ** 2 + (self._turn * found[2]) ** 2

    def _all_starts(self) -> Array:
        """Spread evenly over the ranges, the same every time."""
        if self._starts is None:
            spread = qmc.Halton(len(self._used), scramble=False).random(sum(MORE_STARTS) + 1)[1:]
            self._starts = self._first + (self._last - self._first) * spread
        return self._starts

    def _errors(self, q: Array, target: Array) -> tuple[Array, Array]:
        """e Float[n,6] and J Float[n,6,used]."""
        transforms, twists = self._transforms.with_jacobian(q)
        moved, twists = transforms[:, 0] @ self._tip, twists[:, 0][:, :, self._used]
        places = moved[:, :, 3]
        omega, velocity = twists[:, :3], twists[:, 3:]
        x, y, z = (places[:, axis, None] for axis in range(3))
        slope = np.empty((len(q), 6, len(self._used)))
        slope[:, 0] = velocity[:, 0] + omega[:, 1] * z - omega[:, 2] * y
        slope[:, 1] = velocity[:, 1] + omega[:, 2] * x - omega[:, 0] * z
        slope[:, 2] = velocity[:, 2] + omega[:, 0] * y - omega[:, 1] * x
        slope[:, 3:] = self._turn * omega
        missing = np.empty((len(q), 6))
        missing[:, :3] = target[:3, 3] - places
        missing[:, 3:] = self._turn * _rotation_vectors(target[:3, :3] @ moved[:, :, :3].swapaxes(1, 2))
        return missing, slope

    def _descend(
        self, q: Array, target: Array, position: float, angle: float, iterations: int
    ) -> tuple[Array, float, float]:
        """The best of several starts Float[n,k]: its values, how far it is (m) and how much it is turned (rad)."""
        unit = np.eye(len(self._used))
        progress, stale = np.full(len(q), np.inf), np.zeros(len(q), dtype=np.int64)
        best: tuple[Array, float, float] | None = None
        for _ in range(iterations):
            missing, slope = self._errors(q, target)
            square = np.einsum("ni,ni->n", missing, missing)
            leading = int(square.argmin())
            way = float(np.linalg.norm(missing[leading, :3]))
            turn = float(np.linalg.norm(missing[leading, 3:])) / self._turn
            if best is None or square[leading] < self._cost(best):
                best = q[leading].copy(), way, turn
            if way <= position and turn <= angle:
                break
            better = square < 0.8 * progress
            progress, stale = np.where(better, square, progress), np.where(better, 0, stale + 1)
            going = stale < STALLED
            if not going.any():
                break
            if not going.all():
                q, missing, slope, square = q[going], missing[going], slope[going], square[going]
                progress, stale = progress[going], stale[going]
            downhill = np.einsum("nij,ni->nj", slope, missing)
            values = q[:, self._used]
            stuck = ((values <= self._low) & (downhill < 0.0)) | ((values >= self._high) & (downhill > 0.0))
            values = self._stepped(values, slope, missing, downhill, square, stuck, unit)
            q = q.copy()
            q[:, self._used] = values
        assert best is not None
        return best

    def _stepped(
        self, values: Array, slope: Array, missing: Array, downhill: Array, square: Array, stuck: Array, unit: Array
    ) -> Array:
        damping = (0.5 * square + BIAS * self._turn**2)[:, None] * self._diagonal
        # A joint that the step takes to its end stops there, and the others make up for it in the same step.
        for _ in range(3):
            free = ~stuck
            open_slope = slope * free[:, None, :]
            matrix = open_slope.swapaxes(1, 2) @ open_slope + np.where(stuck, 1.0, damping)[:, :, None] * unit
            move = np.linalg.solve(matrix, (downhill * free)[:, :, None])[:, :, 0]
            wanted = values + move
            over = free & ((wanted < self._low) | (wanted > self._high))
            if not over.any():
                break
            at_end = over & ((values <= self._low) | (values >= self._high))
            if not at_end.any():
                break
            stuck = stuck | at_end
        return np.clip(values + move, self._low, self._high)


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
