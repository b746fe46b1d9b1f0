"""Augmentation of objects with known joints: opened to random states, stretched, with parts merged and split.

The parts of real files are not those that move: handles are apart from their doors, and doors stand open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ....data.joint_labels import JointLabels
from ....data.moving_object import MovingObject
from ....kinematics.base import Array
from ....kinematics.joint_tree import KINDS
from ...infer.joint_network.candidate_arrays import NOTHING, CandidateArrays
from ...infer.joint_network.part_cloud import PartCloud, part_cloud

__all__ = ["LabelledMesh", "LabelledShape", "opened_mesh", "still_mesh", "true_shape"]

_OPENED = 0.45  # how often objects are not as they were drawn
_JOINT_OPENED = 0.5  # and each joint of these
_STRETCHED = 0.35
_SPLIT = 0.35
_MERGED = 0.12
_MOST_PARTS = 24


@dataclass(frozen=True)
class LabelledShape:
    """A shape with what is true of the joints of its P parts: any of the V `valid` ones of each part is right.

    `kind` of a part that does not move is 0. `parent` is the part's own number where it hangs on nothing.
    """

    cloud: PartCloud
    parent: NDArray[np.int64]  # Int[P]
    part: NDArray[np.int64]  # Int[V]: whose each valid joint is; parts without any give no loss
    kind: NDArray[np.int64]  # Int[V]
    axis: Array  # Float[V,3]
    pivot: Array  # Float[V,3]
    lower: Array  # Float[V], NaN where there is none or it is not known
    upper: Array
    candidates: CandidateArrays  # to judge
    name: str

    @property
    def joints(self) -> CandidateArrays:
        """The valid joints that move."""
        moves = self.kind > 0
        known = (self.part, self.kind, self.axis, self.pivot, self.lower, self.upper)
        return CandidateArrays(*(each[moves] for each in known))


@dataclass(frozen=True)
class LabelledMesh:
    """A mesh whose triangles have part numbers Int[F], and for each part its joint where the mesh is."""

    vertices: Array
    triangles: NDArray[np.int64]
    part: NDArray[np.int64]
    parent: NDArray[np.int64]
    kind: NDArray[np.int64]
    axis: Array
    origin: Array
    lower: Array
    upper: Array
    known: NDArray[np.bool_]  # whether the joint is known
    name: str


def opened_mesh(thing: MovingObject, rng: np.random.Generator) -> LabelledMesh | None:
    """A jointed object as it may come from a file; None where too little is left of it."""
    joints = thing.joints
    assert joints is not None
    vertices = thing.vertices
    if "continuous" not in joints.types and rng.random() < _STRETCHED:  # wheels stay round
        matrix = np.diag(np.exp(rng.normal(0.0, 0.25, 3)))
        vertices, joints = vertices @ matrix.T, joints.mapped(matrix)
    values = np.zeros((1, joints.joint_count))
    if rng.random() < _OPENED:
        values = joints.random_values(rng, 1) * (rng.random((1, joints.joint_count)) < _JOINT_OPENED)
    mesh = _without_empty(_posed(thing.name, vertices, thing.triangles, joints, values))
    if rng.random() < _MERGED:
        mesh = _merged(mesh, rng)
    if rng.random() < _SPLIT:
        mesh = _split(mesh, thing.shell[thing.triangles[:, 0]], rng)
    mesh = _fewer(mesh, rng)
    return mesh if mesh.part.max() > 0 else None


def still_mesh(thing: MovingObject) -> LabelledMesh:
    """A jointed object as it was drawn."""
    assert thing.joints is not None
    still = np.zeros((1, thing.joints.joint_count))
    return _without_empty(_posed(thing.name, thing.vertices, thing.triangles, thing.joints, still))


def _posed(
    name: str, vertices: Array, triangles: NDArray[np.int64], joints: JointLabels, values: Array
) -> LabelledMesh:
    """The object with joints at `values` Float[1,J], and its joints where they are then."""
    placed = joints.transforms(values)[0]
    above = np.where(joints.parents >= 0, joints.parents, np.arange(len(joints.parents)))
    turn, shift = placed[above, :, :3], placed[above, :, 3]
    leader, ratio = joints.leaders, joints.ratios
    column = {int(part): number for number, part in enumerate(joints.columns)}
    lower, upper = joints.lower.copy(), joints.upper.copy()
    for part, kind in enumerate(joints.types):
        if kind != "fixed":
            value = ratio[part] * values[0, column[int(leader[part])]]
            ends = np.sort(ratio[part] * np.array([joints.lower[leader[part]], joints.upper[leader[part]]])) - value
            lower[part], upper[part] = ends
    return LabelledMesh(
        joints.posed(vertices, values)[0],
        triangles,
        joints.part[triangles[:, 0]],
        joints.parents.copy(),
        np.array([KINDS.index(kind) for kind in joints.types]),
        np.einsum("pij,pj->pi", turn, joints.axes),
        np.einsum("pij,pj->pi", turn, joints.origins) + shift,
        lower,
        upper,
        np.ones(len(joints.types), dtype=bool),
        name,
    )


def _chosen(labels: LabelledMesh, kept: NDArray[np.bool_], part: NDArray[np.int64]) -> LabelledMesh:
    """With the parts that are `kept`, Bool[P]; triangles of others (Int[F] `part`) vanish."""
    number = np.cumsum(kept) - 1
    parent = labels.parent.copy()
    for _ in range(len(parent)):  # what hung on a part that is gone hangs on what that hung on
        gone = (parent >= 0) & ~kept[np.maximum(parent, 0)]
        parent[gone] = labels.parent[parent[gone]]
    parent = np.where(parent >= 0, number[np.maximum(parent, 0)], -1)
    faces = kept[part]
    rest = {name: getattr(labels, name)[kept] for name in ("kind", "axis", "origin", "lower", "upper", "known")}
    return replace(labels, triangles=labels.triangles[faces], part=number[part[faces]], parent=parent[kept], **rest)


def _without_empty(labels: LabelledMesh) -> LabelledMesh:
    """Parts without triangles stand for joints of two motions: what hangs on them does not have one simple joint."""
    filled = np.bincount(labels.part, minlength=len(labels.parent)) > 0
    if filled.all():
        return labels
    on_empty = (labels.parent >= 0) & ~filled[np.maximum(labels.parent, 0)]
    still = labels.kind == 0
    through = on_empty & (still[np.maximum(labels.parent, 0)] | still)
    return _chosen(replace(labels, known=labels.known & (~on_empty | through)), filled, labels.part)


def _merged(labels: LabelledMesh, rng: np.random.Generator) -> LabelledMesh:
    """A part that carries no other becomes one with what it hangs on."""
    ends = np.setdiff1d(np.flatnonzero(labels.parent >= 0), labels.parent)
    if len(labels.parent) < 3 or not len(ends):
        return labels
    gone = int(rng.choice(ends))
    kept = np.arange(len(labels.parent)) != gone
    return _chosen(labels, kept, np.where(labels.part == gone, labels.parent[gone], labels.part))


def _split(labels: LabelledMesh, shell: NDArray[np.int64], rng: np.random.Generator) -> LabelledMesh:
    """Some loose pieces of parts become parts of their own that are fixed to the rest: handles, feet, frames."""
    if len(shell) != len(labels.part):
        return labels
    part, parents = labels.part.copy(), list(labels.parent)
    for _ in range(int(rng.integers(1, 4))):
        whole = int(rng.integers(len(labels.parent)))
        pieces = np.unique(shell[part == whole])
        if len(pieces) < 2:
            continue
        many = 1 if rng.random() < 0.6 else int(rng.integers(1, len(pieces)))
        taken = rng.choice(pieces, min(many, len(pieces) - 1), replace=False)
        part[(part == whole) & np.isin(shell, taken)] = len(parents)
        parents.append(whole)
    added = len(parents) - len(labels.parent)
    return replace(
        labels,
        part=part,
        parent=np.array(parents),
        kind=np.append(labels.kind, np.zeros(added, dtype=np.int64)),
        axis=np.concatenate([labels.axis, np.tile([0.0, 0.0, 1.0], (added, 1))]),
        origin=np.concatenate([labels.origin, np.zeros((added, 3))]),
        lower=np.append(labels.lower, np.full(added, np.nan)),
        upper=np.append(labels.upper, np.full(added, np.nan)),
        known=np.append(labels.known, np.ones(added, dtype=bool)),
    )


def _fewer(labels: LabelledMesh, rng: np.random.Generator) -> LabelledMesh:
    """No more parts than training takes: parts that carry nothing vanish."""
    while len(labels.parent) > _MOST_PARTS:
        ends = np.setdiff1d(np.flatnonzero(labels.parent >= 0), labels.parent)
        kept = np.ones(len(labels.parent), dtype=bool)
        kept[rng.permutation(ends)[: len(labels.parent) - _MOST_PARTS]] = False
        labels = _chosen(labels, kept, labels.part)
    return labels


def true_shape(mesh: LabelledMesh) -> LabelledShape:
    """With the true joints."""
    own = np.arange(len(mesh.parent))
    known = mesh.known
    still = mesh.kind == 0
    return LabelledShape(
        cloud=part_cloud(mesh.vertices, mesh.triangles, mesh.part),
        parent=np.where(mesh.parent >= 0, mesh.parent, own),
        part=own[known],
        kind=mesh.kind[known],
        axis=mesh.axis[known],
        pivot=mesh.origin[known],
        lower=np.where(still, np.nan, mesh.lower)[known],
        upper=np.where(still, np.nan, mesh.upper)[known],
        candidates=NOTHING,
        name=mesh.name,
    )
