"""Joints that the joint network proposes for the parts of a mesh, as further latents of a state space.

A network of state spaces has few handles: buttons, keys and the last links of an arm have none of their own. The joint
network looks at parts, however small, so that each tells what the other does not see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.mesh import Mesh, triangle_areas
from ..joint_search.search import FoundJoints
from ..kinematics.base import Array, ReferenceFrame
from ..kinematics.joint_tree import Joint
from ..kinematics.state_space import StateSpace
from .network_joints import predicted_joints

__all__ = ["Proposal", "overlaps", "proposed_joints", "vertex_areas", "with_proposals"]

SAME = 0.5  # of the area that either moves: two joints from here on move the same
OWN_HANDLE = 0.98  # of a handle's area in the part: it is that of the part
CARRIED = 0.5  # of a handle's area: it goes with the joint
ALL_ROUND = np.pi  # rad either way of what turns for ever
LEAST_PART = 1e-3  # of the surface: what is smaller is an ornament
LEAST_TURN, LEAST_SLIDE = 0.1, 0.02  # rad, and normalised units: from end to end


@dataclass(frozen=True, eq=False)
class Proposal:
    """One joint. `twist` Float[6] of one deviation and `mean`, in deviations of a prior whose second moment is one.

    `own` and `moved` Bool[V]: the vertices of its part, and those that go with it; `moves`: the log-odds that it moves
    at all, `kind`: the probability of turning or sliding as it is said to.
    """

    own: NDArray[np.bool_]
    moved: NDArray[np.bool_]
    turns: bool
    twist: Array
    mean: float
    moves: float
    kind: float


def proposed_joints(mesh: Mesh, frame: ReferenceFrame) -> list[Proposal]:
    """What the joint network says of the parts of a mesh, outwards from what stands still; twists are in `frame`."""
    found = predicted_joints(mesh, None)
    tree = found.tree
    part = np.zeros(len(mesh.vertices), dtype=np.int64)
    part[mesh.triangles] = found.label[:, None]
    parents = np.full(len(tree.parts), -1)
    for joint in tree.joints:
        parents[joint.child] = joint.parent
    below = np.eye(len(tree.parts), dtype=bool)  # row: what goes with each part
    for _ in tree.parts:
        below |= np.where(parents[None] >= 0, below[:, parents], False)
    areas = np.bincount(found.label, triangle_areas(mesh.vertices, mesh.triangles), len(tree.parts))
    large = areas >= LEAST_PART * areas.sum()
    moving = [joint for joint in tree.joints if joint.kind != "fixed" and large[joint.child]]
    moving.sort(key=lambda joint: -int(below[joint.child].sum()))
    return [_proposal(joint, part, below[joint.child], found, frame) for joint in moving]


def _proposal(
    joint: Joint, part: NDArray[np.int64], below: NDArray[np.bool_], found: FoundJoints, frame: ReferenceFrame
) -> Proposal:
    turns = joint.kind != "prismatic"
    low, high = (-ALL_ROUND, ALL_ROUND) if joint.kind == "continuous" else (joint.lower, joint.upper)
    unit = 1.0 if turns else frame.scale
    low, high = low / unit, high / unit
    spare = max((LEAST_TURN if turns else LEAST_SLIDE) - (high - low), 0.0)
    middle, deviation = 0.5 * (low + high), (high - low + spare) / np.sqrt(12.0)
    size = float(np.hypot(middle, deviation))
    axis = joint.axis / np.linalg.norm(joint.axis) * (size if middle >= 0.0 else -size)
    origin = (joint.origin - frame.centre) / frame.scale
    twist = np.concatenate([axis, np.cross(origin, axis)] if turns else [np.zeros(3), axis])
    odds = found.choices[joint.child].odds
    kind = odds["revolute" if turns else "prismatic"]
    moves = float(np.log(max(1.0 - odds["fixed"], 1e-4)) - np.log(max(odds["fixed"], 1e-4)))
    return Proposal(
        part == joint.child, below[part], turns, twist, abs(middle) / size, moves, kind / max(1.0 - odds["fixed"], 1e-4)
    )


def overlaps(
    moved: NDArray[np.bool_], proposals: Sequence[Proposal], area: Array, *, halves: bool = False
) -> NDArray[np.float64]:
    """Float[n,P] from 0 to 1: how much of what each of n joints moves, Bool[n,V], each proposal moves too.

    By `area` Float[V]. `halves`: what a joint leaves behind counts like what it moves, if that fits better.
    """
    if not len(moved) or not proposals:
        return np.zeros((len(moved), len(proposals)))
    its = np.array([each.moved for each in proposals], dtype=np.float64)

    def shared(mine: NDArray[np.bool_]) -> Array:
        common = (mine * area) @ its.T
        return common / np.maximum((mine @ area)[:, None] + its @ area - common, 1e-300)

    found = shared(moved)
    return np.maximum(found, shared(~moved)) if halves else found


def vertex_areas(mesh: Mesh) -> Array:
    """A third of the areas of each vertex's triangles, Float[V]."""
    third = triangle_areas(mesh.vertices, mesh.triangles) / 3.0
    return np.bincount(mesh.triangles.ravel(), np.repeat(third, 3), len(mesh.vertices))


def with_proposals(
    space: StateSpace, proposals: Sequence[Proposal], area: Array
) -> tuple[StateSpace, NDArray[np.int64]]:
    """The space with a latent more for each proposal, outwards in their order, and which latents these are, Int[P].

    The part of a proposal becomes one rigid body, which goes with what carried most of it. `area` Float[V].
    """
    latents: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    for proposal in proposals:
        space, place = _with_proposal(space, proposal, area)
        latents = np.append(latents + (latents >= place), place)
    return space, latents


def _with_proposal(space: StateSpace, proposal: Proposal, area: Array) -> tuple[StateSpace, int]:
    twists, weights = space.twists, np.asarray(space.weights)
    mass = area[:, None] * weights
    in_part = mass[proposal.own].sum(axis=0)
    carrier = int(in_part.argmax())
    source = np.arange(len(twists))
    if carrier == 0 or in_part[carrier] < OWN_HANDLE * mass[:, carrier].sum():
        source = np.append(source, carrier)
        carrier = len(source) - 1
        weights = np.column_stack([weights, np.zeros(len(weights), weights.dtype)])
    else:
        weights = weights.copy()
    weights[proposal.own] = np.eye(len(source), dtype=weights.dtype)[carrier]
    mass = area[:, None] * weights
    moved = mass[proposal.moved].sum(axis=0) > CARRIED * np.maximum(mass.sum(axis=0), 1e-300)
    moved[0] = False
    twists = twists[source]
    # What turns further out acts on a point first, and so stands further back.
    own = twists.any(axis=2)  # (H, K)
    inside = own.any(axis=0) & ~(own & ~moved[:, None]).any(axis=0) & (moved[:, None] & ~own).any(axis=0)
    place = int(np.flatnonzero(inside)[0]) if inside.any() else space.latent_count
    column = np.where(moved[:, None], proposal.twist, 0.0)
    deviation = float(np.sqrt(max(1.0 - proposal.mean**2, 0.0)))

    def inserted(values: Array, value: float) -> Array:
        return np.insert(values, place, value, axis=0)

    choices = tuple(
        replace(choice, latent=choice.latent + (choice.latent >= place), twists=choice.twists[source])
        for choice in space.choices
    )
    return (
        StateSpace(
            np.insert(twists, place, column, axis=1),
            weights,
            inserted(space.prior_mean, proposal.mean),
            inserted(space.prior_scale, deviation),
            space.frame,
            choices,
            None if space.bends is None else np.insert(space.bends, place, False),
            None if space.evidence is None else inserted(space.evidence, 0.0),
        ),
        place,
    )
