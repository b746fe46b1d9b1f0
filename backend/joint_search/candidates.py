"""Joint candidates of the parts of a shape: proposals with their range of motion and features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kinematics.base import Array
from .candidate_features import PartFacts, candidate_features, part_facts
from .kinematic_parents import base_part, parents_of, subtree
from .parted_shape import PartedShape
from .proposals import Proposals, proposals
from .range_of_motion import Grid, RangeOfMotion, Surroundings

__all__ = ["PartCandidates", "Progress", "ShapeCandidates", "find_candidates"]

Progress = Callable[[str, int, int], None]
"""Callback (stage, done, total); it may raise Cancelled."""


@dataclass(frozen=True, eq=False)
class PartCandidates:
    """The C candidates of one part, and one more: that it is fixed."""

    facts: PartFacts
    surroundings: Surroundings
    motion: RangeOfMotion
    features: Array  # Float[C+1,F]

    @property
    def part(self) -> int:
        return self.facts.part

    @property
    def parent(self) -> int:
        return self.facts.parent

    def reach(self, row: int) -> tuple[float, float]:
        """How far a candidate goes freely, against its axis (from zero down) and along it: radians, or diagonals."""
        ways = self.motion.proposals
        one = Proposals(*(each[row : row + 1] for each in (ways.turns, ways.axis, ways.pivot)))
        lower, upper = self.surroundings.reach(one)
        return -lower, upper


@dataclass(frozen=True, eq=False)
class ShapeCandidates:
    """Those of all parts that hang on another one; positions in the frame of `shape`."""

    shape: PartedShape
    base: int
    parents: NDArray[np.int64]  # Int[N]
    parts: tuple[PartCandidates, ...]


def find_candidates(
    shape: PartedShape, parents: NDArray[np.int64] | None = None, progress: Progress | None = None
) -> ShapeCandidates:
    """`parents` Int[N], -1 of the one base: where what hangs on what is known."""
    if parents is None:
        parents = parents_of(shape, base_part(shape))
    base = int(np.flatnonzero(parents < 0)[0])
    grid = Grid(shape)
    found = []
    hung = np.flatnonzero(parents >= 0).tolist()
    for part in hung:
        if progress is not None:
            progress("finding joints", len(found), len(hung))
        parent = int(parents[part])
        contact = shape.contact(part, parent)
        ways = proposals(shape, part, parent, contact)
        surroundings = Surroundings(shape, grid, part, parent, subtree(parents, part))
        motion = surroundings.swept(ways)
        facts = part_facts(shape, part, parents, contact)
        found.append(PartCandidates(facts, surroundings, motion, candidate_features(shape, facts, motion)))
    return ShapeCandidates(shape, base, parents, tuple(found))
