"""The parts and the joints of an object whose joints are known: what a search is given, and what it has to find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....kinematics.base import Array

if TYPE_CHECKING:
    from ....data.moving_object import MovingObject

__all__ = ["TrueParts", "true_parts"]


@dataclass(frozen=True, eq=False)
class TrueParts:
    """N parts that have faces, in the order of the tree, with their joints in the mesh's own frame."""

    label: NDArray[np.int64]  # Int[F], the part of each face
    kinds: tuple[str, ...]  # N of the joint kinds; "fixed" of what hangs on nothing
    axes: Array  # Float[N,3]
    origins: Array  # Float[N,3]
    parents: NDArray[np.int64]  # Int[N], the nearest ancestor that has faces; -1 where there is none
    single: NDArray[np.bool_]  # Bool[N]: moves against that ancestor by this one joint, not by several


def true_parts(thing: MovingObject) -> TrueParts:
    """Of an object with a tree. A face belongs to the part of its first corner."""
    tree = thing.tree
    if tree is None:
        raise ValueError("the object has no joints")
    part_of_face = tree.part[thing.triangles[:, 0]]
    used = np.unique(part_of_face)
    number = np.full(len(tree.types), -1)
    number[used] = np.arange(len(used))
    parents, single = np.full(len(used), -1), np.ones(len(used), dtype=bool)
    for own, part in enumerate(used):
        above = tree.parents[part]
        while above >= 0 and number[above] < 0:
            single[own] &= tree.types[above] == "fixed"
            above = tree.parents[above]
        parents[own] = number[above] if above >= 0 else -1
    return TrueParts(
        number[part_of_face],
        tuple(tree.types[part] for part in used),
        tree.axes[used],
        tree.origins[used],
        parents,
        single,
    )
