"""A jointed mesh: its joint tree, the part of each vertex, and the masses that its file gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..geometry.mesh import Mesh
from .base import Array
from .inertia import Inertia
from .joint_tree import WORLD, Joint, JointTree

__all__ = ["Jointed", "assigned_parts", "joint_tree_json"]


@dataclass(frozen=True, eq=False)
class Jointed:
    """A joint tree and the part of each vertex. Parts may have no vertices; an inertia of None is that of the mesh."""

    tree: JointTree
    part: NDArray[np.int64]  # Int[V]
    inertias: tuple[Inertia | None, ...]
    colours: tuple[tuple[float, ...] | None, ...] = ()  # red, green, blue, opacity of each part, where files say so

    def __post_init__(self) -> None:
        count = len(self.tree.parts)
        if len(self.inertias) != count or not len(self.part) or self.part.min() < 0 or self.part.max() >= count:
            raise UserError("bad_joints.vertices_and_parts")
        if not self.tree.coordinates:
            raise UserError("bad_joints.none_moves")

    @property
    def bolted(self) -> bool:
        """Whether a joint of its file fixes it to the world."""
        return any(joint.parent == WORLD for joint in self.tree.joints)

    @cached_property
    def still(self) -> NDArray[np.bool_]:
        """Bool[V]: vertices of parts that no joint moves."""
        return ~self.tree.reaches.any(axis=1)[self.part]

    def with_base(self, fixed: bool) -> Jointed:
        """The same with its roots bolted to the world, or not."""
        joints = [joint for joint in self.tree.joints if fixed or joint.parent != WORLD or joint.moves]
        if fixed:
            roots = [part for part in self.tree.roots if all(joint.child != part for joint in joints)]
            nowhere = np.zeros(3)
            joints += [Joint(part, WORLD, "fixed", nowhere, nowhere, 0.0, 0.0) for part in roots]
        return replace(self, tree=replace(self.tree, joints=tuple(joints)))

    def placed(self, place: Callable[[Array], Array]) -> Jointed:
        """The same for a mesh that was rotated and translated; `place` transforms points Float[n,3]."""
        zero = place(np.zeros((1, 3)))[0]
        turn = (place(np.eye(3)) - zero).T
        joints = tuple(
            replace(joint, axis=turn @ joint.axis, origin=turn @ joint.origin + zero) for joint in self.tree.joints
        )
        inertias = tuple(
            own and Inertia(own.mass, turn @ own.centre + zero, turn @ own.tensor @ turn.T) for own in self.inertias
        )
        return replace(self, tree=replace(self.tree, joints=joints), inertias=inertias)

    def check_fits(self, mesh: Mesh) -> None:
        """Raises UserError where the number of vertices is that of another mesh."""
        if len(self.part) != len(mesh.vertices):
            raise UserError("bad_joints.other_mesh", given=len(self.part), count=len(mesh.vertices))


def assigned_parts(count: int, parts: Sequence[Any], names: Sequence[str]) -> NDArray[np.int64]:
    """The part Int[V] of each of `count` vertices, from the vertices Int[n] of each part. Raises UserError."""
    part = np.full(count, -1)
    for number, vertices in enumerate(parts):
        chosen = np.asarray(vertices, dtype=np.int64)
        if len(chosen) and (chosen.min() < 0 or chosen.max() >= count):
            raise UserError("bad_joints.part_vertex", part=names[number], count=count)
        if (part[chosen] >= 0).any():
            other = names[int(part[chosen][part[chosen] >= 0][0])]
            raise UserError("bad_joints.shared_vertices", part=other, other=names[number])
        part[chosen] = number
    missing = int(np.count_nonzero(part < 0))
    if missing:
        raise UserError("bad_joints.without_part", missing=missing, count=count)
    return part


def _joint_json(tree: JointTree, joint: Joint) -> dict[str, Any]:
    values: dict[str, Any] = {
        "name": joint.name,
        "motion": {"prismatic": "slides", "fixed": "is fixed"}.get(joint.kind, "turns"),
        "kind": joint.kind,
        "child": tree.parts[joint.child],
        "parent": "world" if joint.parent == WORLD else tree.parts[joint.parent],
    }
    if joint.moves:
        values |= {"axis": joint.axis.round(6).tolist(), "through": joint.origin.round(6).tolist()}
        if np.isfinite([joint.lower, joint.upper]).any():
            ends = [round(each, 6) if np.isfinite(each) else None for each in (joint.lower, joint.upper)]
            values["range"] = ends
        values |= {key: getattr(joint, key) for key in ("friction", "damping") if getattr(joint, key)}
    for mimic in tree.mimics:
        if mimic.child == joint.child:
            leader = tree.joint_of(mimic.leader)
            values |= {"follows": leader.name if leader else "", "ratio": mimic.ratio}
    return values


def joint_tree_json(tree: JointTree) -> list[dict[str, Any]]:
    """The joints as JSON (world axes, m, rad), in the order of the coordinates, parents before children."""
    joints = [joint for part in tree.order if (joint := tree.joint_of(part)) is not None]
    return [{"joint": number, **_joint_json(tree, joint)} for number, joint in enumerate(joints)]
