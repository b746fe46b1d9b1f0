"""Contacts of a sheet with itself and with colliders: found now and then, kept in every step.

A search is good for some seconds in which each point moves along its way, evenly or not, but for a deviation d. A pair
at a distance D that closes with at most c then stays D - c t - 2 d apart.
"""

from __future__ import annotations

import numpy as np

from ..dynamics.neighbours import Neighbour
from ..dynamics.obstacles import Obstacle
from ..dynamics.solver import Surroundings
from ..kinematics.base import Array
from .contact_kernels import deviation, keep_above, keep_apart_edges, keep_apart_points
from .detection_kernels import find_pairs
from .face_tree import FaceTree

__all__ = ["Contacts", "PairSet"]

ROOM = 4096  # pairs, at first
FARTHEST = 2.0  # spacings that anything may go until the next search
LEAST_SECONDS = 1.0 / 240.0  # for which a search lasts at least
SECONDS = 1.0 / 24.0  # for which one lasts at most
USED = 0.7  # of the slack: when it is time for the next search
SLACK = 0.04, 0.2  # of the spacing of nodes: twice the deviation that a search bears, at least and at most
RECOVERY = 0.05  # m/s, with which what is too near is let out again
MOST_TRIES = 12  # to undo what has slipped through
OUTSIDE = 0.5  # of the gap between layers: the one to colliders and the ground


class Contacts:
    """All contacts of one sheet. Points x Float[P,3] m are its nodes, then those of all colliders."""

    def __init__(self, rest: Array, triangles: np.ndarray, gap: float, spacing: float, friction: float) -> None:
        """Of nodes Float[N,3] m at rest; `gap` (m) between layers, `spacing` (m) of nodes."""
        self._nodes, self._gap, self._spacing = len(rest), gap, spacing
        self._slack = SLACK[0] * spacing
        self._tree = FaceTree(rest, triangles, folds=True)
        self._own = PairSet(self._tree, self._tree, rest, gap, friction)
        self._met: list[_Met] = []
        self._until = -np.inf  # s: how long the last search is good
        self._begin = self._speed = np.zeros((0, 3))
        self._at = self._deviation = 0.0

    def forget(self) -> None:
        """What was found counts no more."""
        self._until = -np.inf

    def points(self, nodes: Array, around: Surroundings) -> Array:
        """All points at the start of a step: nodes Float[N,3] m, and those of colliders and other objects."""
        if not self._met:
            first = self._nodes
            for obstacle in (*around.obstacles, *around.neighbours):
                self._met.append(_Met(obstacle, self._tree, first, OUTSIDE * self._gap))
                first = self._met[-1].last
        return np.concatenate([nodes, *(met.obstacle.positions(around.time) for met in self._met)])

    def move_colliders(self, x: Array, seconds: float) -> None:
        """Puts what moves by itself where it is at a time (s)."""
        for met in self._met:
            if met.moves:
                x[met.first : met.last] = met.obstacle.positions(seconds)

    def prepare(self, x: Array, v: Array, seconds: float) -> None:
        """Looks around at the start of a step where that is due; nodes move with v Float[N,3] m/s."""
        if seconds < self._until and 2.0 * self._deviation < USED * self._slack:
            return
        # As much as the last search would have needed, and a half more.
        needed = 3.0 * self._deviation / USED * (1.0 if seconds < self._until else 0.5)
        self._slack = float(np.clip(needed, *(share * self._spacing for share in SLACK)))
        fastest = float(np.sqrt((v**2).sum(axis=1).max()))
        span = float(np.clip(FARTHEST * self._spacing / max(fastest, 1e-9), LEAST_SECONDS, SECONDS))
        speed = np.zeros_like(x)
        speed[: self._nodes] = v
        for met in self._met:
            if met.moves:
                later = met.obstacle.positions(seconds + span)
                speed[met.first : met.last] = (later - x[met.first : met.last]) / span
        elapsed = seconds - self._at
        self._begin, self._speed, self._at, self._deviation = x.copy(), speed, seconds, 0.0
        self._until = seconds + span
        self._tree.refit(x, speed, span)
        self._own.search(x, span, self._slack, elapsed)
        for met in self._met:
            met.tree.refit(x, speed, span)
            met.pairs.search(x, span, self._slack, elapsed)

    def keep(self, x: Array, before: Array, inverse: Array, end: float, step: float, contacts: Surroundings) -> None:
        """Moves nodes apart at the `end` of a step (both s) that began with the points `before` Float[P,3] m."""
        since, recovery = end - self._at, RECOVERY * step
        self._deviation = max(self._deviation, deviation(x, self._begin, self._speed, since))
        everything = [*(met.pairs for met in self._met), self._own]
        for pairs in everything:
            pairs.keep(x, before, inverse, since, step, self._deviation, recovery)
        if (ground := contacts.ground) is not None:
            keep_above(
                x, before, inverse[: self._nodes], ground.height + OUTSIDE * self._gap, ground.friction, recovery
            )
        for _ in range(MOST_TRIES):
            self._deviation = max(self._deviation, deviation(x, self._begin, self._speed, since))
            if not sum(
                pairs.keep(x, before, inverse, since, step, self._deviation, recovery, last=True)
                for pairs in everything
            ):
                break


class _Met:
    """A collider or another object: where its points are in the array of all, and what of it is near."""

    def __init__(self, obstacle: Obstacle | Neighbour, sheet: FaceTree, first: int, gap: float) -> None:
        points = obstacle.positions(0.0)
        self.obstacle, self.first, self.last = obstacle, first, first + len(points)
        self.tree = FaceTree(points, obstacle.surface.triangles, first, sharp=obstacle.surface.edges)
        self.pairs = PairSet(sheet, self.tree, points, gap, obstacle.friction)
        self.moves = obstacle.moves_between(0.0, np.inf)


class PairSet:
    """Points near triangles and edges near edges of two surfaces, of which the first is the sheet."""

    def __init__(self, sheet: FaceTree, other: FaceTree, rest: Array, gap: float, friction: float) -> None:
        """`gap` (m) is what is kept; `rest` Float[P,3] m counts where both are the same."""
        self._sheet, self._other, self._rest = sheet, other, rest
        self._gap, self._friction = gap, friction
        self._room = np.array([ROOM, ROOM])
        self.found = [_room(0), _room(0)]

    def search(self, x: Array, seconds: float, slack: float, elapsed: float) -> None:
        """What comes nearer than the gap and `slack` (m) within so many seconds; the trees are fit for them.

        The last search was `elapsed` s ago.
        """
        itself, reach = self._sheet is self._other, self._gap + slack
        while True:
            counts, found = np.zeros(2, dtype=np.int64), [_room(int(room)) for room in self._room]
            trees = self._sheet.arrays, self._other.arrays
            find_pairs(x, seconds, self._rest, *trees, itself, reach, self._gap, *found, counts)
            if (counts <= self._room).all():
                break
            self._room = np.maximum(self._room, (1.5 * counts).astype(np.int64))
        new = [tuple(array[:count].copy() for array in each) for each, count in zip(found, counts, strict=True)]
        for before, now in zip(self.found, new, strict=True):
            _keep_sides(before, now, elapsed)
        self.found = new

    def keep(
        self,
        x: Array,
        before: Array,
        inverse: Array,
        since: float,
        step: float,
        deviation: float,
        recovery: float,
        *,
        last: bool = False,
    ) -> int:
        """One sweep at the end of a `step`, `since` (both s) the search, which points keep to but for `deviation` m.

        The `last` one undoes what has slipped through; how many pairs that were.
        """
        sweeps = zip((keep_apart_points, keep_apart_edges), self.found, strict=True)
        return sum(
            sweep(x, before, inverse, pairs, values, self._friction, since, step, deviation, recovery, last)
            for sweep, (pairs, values, _) in sweeps
            if len(pairs)
        )


def _room(count: int) -> tuple[np.ndarray, Array, np.ndarray]:
    """For so many pairs: points Int[n,4], values Float[n,5] and keys Int[n]."""
    return np.empty((count, 4), dtype=np.int64), np.empty((count, 5)), np.empty(count, dtype=np.int64)


def _keep_sides(before: tuple[np.ndarray, ...], now: tuple[np.ndarray, ...], elapsed: float) -> None:
    """What was on a side of something still counts as there: what has slipped through is brought back."""
    known = np.flatnonzero(before[1][:, 1] != 0.0)
    if len(known) == 0 or len(now[2]) == 0:
        return
    known = known[np.argsort(before[2][known], kind="stable")]
    place = np.minimum(np.searchsorted(before[2][known], now[2]), len(known) - 1)
    same = before[2][known[place]] == now[2]
    old = known[place[same]]
    now[1][same, 1] = before[1][old, 1]
    now[1][same, 4] = before[1][old, 4] - elapsed
