"""Bones of what bends: pieces that hardly turn relative to each other are clustered to one bone.

Bones hang on each other, or on bodies, as a tree; each turns about the pivot that it shares with what it hangs on, by
up to three axes with the deviations that the network predicts. So nothing that bends is stretched but at its joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...kinematics.base import Array

__all__ = [
    "ONE_BONE",
    "TOUCHING",
    "Branch",
    "attached_to_bones",
    "attachment_cost",
    "bones_of",
    "branches",
    "joint_axes",
    "root_of",
    "turns_from",
]

ONE_BONE = 0.1  # rad, RMS between the pieces of two groups, below which they are one bone
MEETING = 0.12  # normalised units between pieces that are joined
TOUCHING = 0.03  # the same, of bodies that may be fixed or hinged to each other
CLOSE = 0.03  # the same: how fast the weight of pieces that are farther apart falls off
LEAST_TURN = 0.03  # rad: a joint has no axis about which it turns less
RIGID_ROOT = 2.0  # how much larger a rigid body counts than a bone, where one of them is what all hangs on
FLEXIBLE = 0.1  # normalised units per rad: of two ways to hang on, the one that bends less is taken


@dataclass(frozen=True)
class Branch:
    """Of a tree of groups of handles: `child` hangs on `parent`."""

    parent: int
    child: int


def _angles(covariance: Array) -> Array:
    """RMS angles (rad) of covariances Float[...,3,3] of rotations."""
    return np.sqrt(np.trace(covariance, axis1=-2, axis2=-1))


def _between(values: Array, one: NDArray[np.int64], other: NDArray[np.int64], gaps: Array) -> Array:
    """Values Float[H,H,...] between two groups of handles, those of pieces that nearly touch before others'."""
    some = np.ix_(one, other)
    close = np.exp(-(gaps[some] - gaps[some].min()) / CLOSE)
    return np.tensordot(close / close.sum(), values[some], axes=([0, 1], [0, 1]))


def bones_of(soft: NDArray[np.int64], covariance: Array, gaps: Array) -> list[NDArray[np.int64]]:
    """Groups of the handles `soft`, by average linkage of what touches.

    covariance Float[H,H,3,3] of the rotation between two handles (rad^2), gaps Float[H,H] between their pieces.
    """
    turn = _angles(covariance[np.ix_(soft, soft)])
    touching = gaps[np.ix_(soft, soft)] < MEETING
    member = np.eye(len(soft))
    while len(member) > 1:
        size = member.sum(axis=1)
        mean = member @ turn @ member.T / np.outer(size, size)
        mean[~(member @ touching @ member.T > 0.0)] = np.inf
        np.fill_diagonal(mean, np.inf)
        one, other = np.unravel_index(mean.argmin(), mean.shape)
        if mean[one, other] > ONE_BONE:
            break
        member[one] += member[other]
        member = np.delete(member, other, axis=0)
    return [soft[row > 0.0] for row in member]


def attachment_cost(one: NDArray[np.int64], other: NDArray[np.int64], covariance: Array, gaps: Array) -> float:
    """How unlikely two groups of handles hang on each other, normalised units."""
    some = np.ix_(one, other)
    return float(gaps[some].min() + FLEXIBLE * _angles(covariance[some]).min())


def branches(
    groups: Sequence[NDArray[np.int64]], rooted: Sequence[int], covariance: Array, gaps: Array
) -> list[Branch]:
    """How groups of handles hang on those with the numbers `rooted`: the shortest tree, from there outwards."""
    count = len(groups)
    cost = np.full((count, count), np.inf)
    for one in range(count):
        for other in range(one):
            cost[one, other] = cost[other, one] = attachment_cost(groups[one], groups[other], covariance, gaps)
    found, inside, outside = [], list(rooted), [number for number in range(count) if number not in rooted]
    while outside:
        ways = cost[np.ix_(inside, outside)]
        above, below = np.unravel_index(ways.argmin(), ways.shape)
        found.append(Branch(inside[above], outside[below]))
        inside.append(outside.pop(below))
    return found


def joint_axes(
    one: NDArray[np.int64], other: NDArray[np.int64], covariance: Array, pivots: Array, gaps: Array
) -> tuple[Array, Array]:
    """Twists Float[n,6] of unit turns about the principal axes between two groups, and their deviations Float[n] (rad).

    The axes that turn most come first; n is 0 where the two are as good as one.
    """
    values, axes = np.linalg.eigh(_between(covariance, one, other, gaps))
    deviations = np.sqrt(np.maximum(values[::-1], 0.0))
    kept = deviations > LEAST_TURN
    omega = axes.T[::-1][kept]
    pivot = _between(pivots, one, other, gaps)
    return np.concatenate([omega, np.cross(pivot, omega)], axis=1), deviations[kept]


def root_of(nodes: Sequence[NDArray[np.int64]], moved: NDArray[np.bool_]) -> int:
    """What of something that bends stands still: the largest node, one that is rigid before a bone.

    The first nodes are rigid groups; `moved` are those that joints move.
    """
    size = np.array([len(own) for own in nodes], dtype=np.float64)
    size[: len(moved)] *= np.where(moved, 0.0, RIGID_ROOT)
    return int(size.argmax())


def attached_to_bones(
    nodes: Sequence[NDArray[np.int64]], still: Sequence[int], moving: NDArray[np.bool_], covariance: Array, gaps: Array
) -> NDArray[np.bool_]:
    """Which of the rigid groups, the first nodes, hang on bones: a leaf on its stem has no hinge.

    A door that a curtain touches has one: it nearly touches a body that hangs on no bone. `moving` have a joint, the
    nodes `still` do not move.
    """
    groups = len(moving)
    hung = np.arange(len(nodes)) >= groups
    inside = [number for number in still if not hung[number]]
    for branch in branches(nodes, still, covariance, gaps):
        child = branch.child
        hinged = (
            child < groups
            and moving[child]
            and any(gaps[np.ix_(nodes[child], nodes[body])].min() < TOUCHING for body in inside)
        )
        hung[child] |= hung[branch.parent] and not hinged
        if not hung[child]:
            inside.append(child)
    return hung[:groups]


def turns_from(covariance: Array, groups: Sequence[NDArray[np.int64]], root: NDArray[np.int64]) -> Array:
    """RMS angle between each group and the root, rad."""
    return np.array([_angles(covariance[np.ix_(own, root)].mean(axis=(0, 1))) for own in groups])
