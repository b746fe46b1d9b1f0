"""Ground truth from motion: which surface points move as one body, and the screw of each body relative to another.

Found from the states alone, whatever made them: two points belong to one body where one rigid motion explains both in
every state; a body hangs on another by a joint where their relative motions are the exponentials of one twist.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from ..geometry.mesh import cross
from ..kinematics.base import Array
from .rigid_fit import best_motions

__all__ = ["BENDS", "UNKNOWN", "Bodies", "bodies_from_motion"]

BENDS, UNKNOWN = -1, -2  # instead of a body: part of what bends; too few to tell
_TOLERANCE = 2e-4  # normalised units, within which a rigid motion explains a point
_SMALLEST = 6  # points of a body
_MOST = 24  # bodies
_MISSES = 12  # points that belong to no body, before the rest is given up
_BENDING = 0.06  # share of points without a body from which on they are said to bend
_FLAT = 0.02  # area over the square of the longest edge, below which a triangle does not tell how it turned
_ONE_TWIST = 0.02  # second singular value of relative twists over the first
_SMALL_MOTION = 0.004  # normalised units
_MOST_FREEDOM = 3  # of a joint
_ONE_PIVOT = 0.1  # how far a pivot moves, over how far the body does, below which the body turns about it
_ONE_SIDED = 0.6  # mean over RMS of a joint's values, from which on they say which way the joint opens


@dataclass(frozen=True)
class Bodies:
    """G bodies of N points. Body 0 is what stands still; all in the frame and at the rest of the example."""

    point: NDArray[np.int64]  # Int[N], the body of each point, BENDS or UNKNOWN
    hangs: NDArray[np.bool_]  # Bool[G], moves on another body, known which
    simple: NDArray[np.bool_]  # Bool[G], by one degree of freedom
    ball: NDArray[np.bool_]  # Bool[G], by several that turn it about one place
    carries: NDArray[np.bool_]  # Bool[G,G]: the joint of the row moves the column
    screws: Array  # Float[G,6], (omega, v) about the origin; at 1 the joint has the RMS of its values
    means: Array  # Float[G], mean of the joint's values over their RMS, none negative
    boxes: Array  # Float[G,2,3], lower and upper corner of all that the joint moves

    @property
    def sided(self) -> NDArray[np.bool_]:
        """Bool[G], whether the screw points the way in which the joint opens."""
        return self.means > _ONE_SIDED

    def turned(self, turn: Array, shift: Array) -> Bodies:
        """The same after x -> turn x + shift, orthogonal Float[3,3] and Float[3]."""
        # A mirror turns the sense of every rotation round.
        omega = np.linalg.det(turn) * self.screws[:, :3] @ turn.T
        linear = self.screws[:, 3:] @ turn.T - cross(omega, np.broadcast_to(shift, omega.shape))
        ends = self.boxes @ turn.T
        if not (np.abs(turn).max(axis=1) > 0.999).all():  # the box of a turned box
            middle, half = ends.mean(axis=1), 0.5 * (self.boxes[:, 1] - self.boxes[:, 0]) @ np.abs(turn).T
            ends = np.stack([middle - half, middle + half], axis=1)
        return replace(self, screws=np.concatenate([omega, linear], axis=1), boxes=np.sort(ends, axis=1) + shift)


def _frames(corners: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Right-handed frames (...,3,3), axes in columns, of triangles (...,3,3), and which are good."""
    along, other = corners[..., 1, :] - corners[..., 0, :], corners[..., 2, :] - corners[..., 0, :]
    normal = cross(along, other)
    area = np.sqrt(np.einsum("...i,...i->...", normal, normal))
    square = np.maximum(np.einsum("...i,...i->...", along, along), np.einsum("...i,...i->...", other, other))
    good = (area > _FLAT * square) & (square > 0.0)
    first = along / np.maximum(np.sqrt(np.einsum("...i,...i->...", along, along)), 1e-300)[..., None]
    third = normal / np.maximum(area, 1e-300)[..., None]
    return np.stack([first, cross(third, first), third], axis=-1), good


def _explained(turn: Array, shift: Array, rest: Array, moving: Array) -> NDArray[np.bool_]:
    """Which triangles (n,3,3) go to (S,n,3,3) by the rigid motions (S,3,3), (S,3)."""
    predicted = np.einsum("sij,nkj->snki", turn, rest) + shift[:, None, None]
    return (np.abs(predicted - moving) < _TOLERANCE).all(axis=(0, 2, 3))


def _labelled(rest: Array, moving: Array, anchored: bool) -> tuple[NDArray[np.int64], list[tuple[Array, Array]]]:
    """The body of each triangle and the motion of each body; body 0 stands still where the object is anchored."""
    states, count = moving.shape[:2]
    label = np.full(count, UNKNOWN)
    motions: list[tuple[Array, Array]] = []
    if anchored:
        motions.append((np.tile(np.eye(3), (states, 1, 1)), np.zeros((states, 3))))
        label[_explained(*motions[0], rest, moving)] = 0
    before, good = _frames(rest)
    after = _frames(moving)[0]
    seed, misses = 0, 0
    while len(motions) < _MOST and misses < _MISSES:
        left = np.flatnonzero((label == UNKNOWN) & good & (np.arange(count) >= seed))
        if not len(left):
            break
        chosen, seed = left[0], left[0] + 1
        turn = after[:, chosen] @ before[chosen].T
        shift = moving[:, chosen].mean(axis=1) - turn @ rest[chosen].mean(axis=0)
        free = np.flatnonzero(label == UNKNOWN)
        same = free[_explained(turn, shift, rest[free], moving[:, free])]
        if len(same) < _SMALLEST:
            misses += 1
            continue
        label[same] = len(motions)
        corners = rest[same].reshape(-1, 3)
        share = np.full((1, len(corners)), 1.0 / len(corners))
        turns, shifts = best_motions(share, corners, moving[:, same].reshape(states, -1, 3))
        motions.append((turns[:, 0], shifts[:, 0]))
    if (label == UNKNOWN).mean() > _BENDING:
        label[label == UNKNOWN] = BENDS
    return label, motions


def _twists(turn: Array, shift: Array) -> Array:
    """Logarithms (S,6) of rigid motions (S,3,3), (S,3), angles up to pi."""
    omega = Rotation.from_matrix(turn).as_rotvec()
    angle = np.maximum(np.sqrt(np.einsum("si,si->s", omega, omega)), 1e-9)
    half = 0.5 * angle
    # (1 - (a / 2) cot(a / 2)) / a^2, which goes to 1 / 12
    factor = np.where(angle < 1e-3, 1.0 / 12.0, (1.0 - half / np.tan(np.minimum(half, 1.5707963))) / angle**2)
    turned = cross(omega, shift)
    return np.concatenate([omega, shift - 0.5 * turned + factor[:, None] * cross(omega, turned)], axis=1)


@dataclass(frozen=True)
class _Joint:
    """How a body moved relative to another: as many independent twists as `freedom`, the foremost of them."""

    freedom: int
    ball: bool  # several turns about one place
    twist: Array  # Float[6], at the RMS of its values
    mean: float  # of its values, over their RMS


def _pivot_drift(moves: Array, reach: float) -> float:
    """How far the place moves, RMS, that moves least: of turns times `reach` and moves of the middle, Float[S,6]."""
    turn, move = moves[:, :3] / reach, moves[:, 3:]
    # turn x place = -move in all states
    across = np.cross(turn[:, None], np.eye(3)).swapaxes(1, 2)  # (S,3,3)
    place = np.linalg.lstsq(across.reshape(-1, 3), -move.reshape(-1), rcond=1e-3)[0]
    return float(np.sqrt(((across @ place + move) ** 2).sum(axis=1).mean()))


def _joint(twists: Array, middle: Array, reach: float) -> _Joint:
    """From twists Float[S,6] of a body with its middle Float[3] and the RMS distance of its points from there."""
    moves = twists.copy()
    moves[:, 3:] += cross(twists[:, :3], np.broadcast_to(middle, (len(twists), 3)))
    moves[:, :3] *= reach  # as the points of the body see it
    values, right = np.linalg.svd(moves)[1:]
    freedom = int((values > max(_ONE_TWIST * values[0], _SMALL_MOTION)).sum())
    ball = freedom > 1 and _pivot_drift(moves, reach) < _ONE_PIVOT * np.sqrt((moves**2).sum(axis=1).mean())
    along = moves @ right[0]
    mean, spread = along.mean(), np.sqrt((along**2).mean())
    direction = right[0] * spread * (-1.0 if mean < 0.0 else 1.0)
    omega = direction[:3] / reach
    twist = np.concatenate([omega, direction[3:] - np.cross(omega, middle)])
    return _Joint(freedom, ball, twist, float(abs(mean) / max(spread, 1e-12)))


def _tree(motions: list[tuple[Array, Array]], middles: Array, reaches: Array) -> tuple[list[int], list[_Joint | None]]:
    """The parent of each body, -1 for the base and for what hangs nowhere, and its joint there.

    From the base outwards; joints of one degree of freedom first, and those nearer to the base before others.
    """
    count = len(motions)
    parent, joint = [-1] * count, [None] * count
    order, waiting = [0], list(range(1, count))
    tried: dict[tuple[int, int], _Joint] = {}

    def between(above: int, below: int) -> _Joint:
        if (above, below) not in tried:
            back = motions[above][0].swapaxes(1, 2)
            turn = back @ motions[below][0]
            shift = np.einsum("sij,sj->si", back, motions[below][1] - motions[above][1])
            tried[above, below] = _joint(_twists(turn, shift), middles[below], reaches[below])
        return tried[above, below]

    freedom = 1
    while waiting and freedom <= _MOST_FREEDOM:
        fitting = [(above, below) for above in order for below in waiting if between(above, below).freedom <= freedom]
        if not fitting:
            freedom += 1
            continue
        first = fitting[0][0]
        for above, below in fitting:
            if above == first:
                parent[below], joint[below] = above, between(above, below)
                order.append(below)
                waiting.remove(below)
        freedom = 1
    return parent, joint


def bodies_from_motion(rest: Array, moving: Array, anchored: bool) -> tuple[Bodies, tuple[Array, Array] | None]:
    """Triangles of N points at rest Float[N,3,3] and in S states Float[S,N,3,3], normalised frame.

    For objects that are not anchored but all of rigid bodies, the largest body counts as the base: its motion
    (Float[S,3,3], Float[S,3]) is given too, to be taken out of the states.
    """
    label, motions = _labelled(rest, moving, anchored)
    reference = None
    if not anchored and motions and not (label == BENDS).any():
        largest = int(np.bincount(label[label >= 0]).argmax())
        reference = motions[largest]
        number = np.arange(len(motions))
        number[[0, largest]] = largest, 0
        label = np.where(label >= 0, number[np.maximum(label, 0)], label)
        motions[0], motions[largest] = motions[largest], motions[0]
    if not anchored and reference is None:  # nothing stands still
        motions.insert(0, (np.tile(np.eye(3), (len(moving), 1, 1)), np.zeros((len(moving), 3))))
        label = np.where(label >= 0, label + 1, label)
    count = len(motions)
    middles, reaches = np.zeros((count, 3)), np.ones(count)
    places = rest.mean(axis=1)
    for body in range(count):
        own = places[label == body]
        if len(own):
            middles[body] = own.mean(axis=0)
            reaches[body] = max(np.sqrt(((own - middles[body]) ** 2).sum(axis=1).mean()), 0.05)
    if anchored or reference is not None:
        parent, joint = _tree(motions, middles, reaches)
    else:
        parent, joint = [-1] * count, [None] * count
    hangs = np.array(parent) >= 0
    screws, means, (simple, ball) = np.zeros((count, 6)), np.zeros(count), np.zeros((2, count), dtype=bool)
    carries, boxes = np.diag(hangs), np.zeros((count, 2, 3))
    for body in np.flatnonzero(hangs):
        found, above = joint[body], parent[body]
        screws[body], means[body] = found.twist, found.mean
        simple[body], ball[body] = found.freedom == 1, found.ball
        while above > 0:
            carries[above, body] = True
            above = parent[above]
    for body in np.flatnonzero(hangs):
        moved = places[np.isin(label, np.flatnonzero(carries[body]))]
        boxes[body] = moved.min(axis=0), moved.max(axis=0)
    return Bodies(label, hangs, simple, ball, carries, screws, means, boxes), reference
