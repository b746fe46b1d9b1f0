"""An object that moves: a mesh with its loose parts and material slots, and random states of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kinematics.base import Array
from .joint_labels import JointLabels
from .true_bones import TrueBones

__all__ = ["MovingObject", "jointed_object"]


@dataclass(frozen=True)
class MovingObject:
    """One object in the state in which it was drawn, Z up, in any unit of length, and what it can do."""

    name: str  # the family, or the real object's name
    category: str
    vertices: Array  # Float[V,3], the drawn state
    triangles: NDArray[np.int64]  # Int[F,3]
    shell: NDArray[np.int64]  # Int[V], loose part of each vertex, 0..
    slot: NDArray[np.int64]  # Int[F], material slot of each triangle, 0..
    states: Callable[[np.random.Generator, int], Array]  # (rng, n) -> Float[n,V,3], random states
    anchored: bool  # a base stands still in all states; else states are aligned with the rest before use
    freedom: int | None  # true degrees of freedom, None where unknown
    joints: JointLabels | None = None  # where given, they alone make the states
    bones: TrueBones | None = None  # where an artist made the states with a rig that is known


def jointed_object(
    name: str,
    category: str,
    vertices: Array,
    triangles: NDArray[np.int64],
    shell: NDArray[np.int64],
    slot: NDArray[np.int64],
    joints: JointLabels,
    anchored: bool = True,
) -> MovingObject:
    """A `MovingObject` whose random states are those of its joints."""

    def states(rng: np.random.Generator, count: int) -> Array:
        return joints.posed(vertices, joints.random_values(rng, count))

    return MovingObject(name, category, vertices, triangles, shell, slot, states, anchored, joints.joint_count, joints)
