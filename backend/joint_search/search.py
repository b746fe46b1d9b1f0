"""`find_joints`: the joints of a static mesh, for given parts or for parts found by its geometry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UserError
from ..geometry.mesh import Mesh
from ..kinematics.base import Array
from ..kinematics.joint_tree import Joint, JointTree
from .candidates import Progress, ShapeCandidates, find_candidates
from .choosing import Choice, Ranking, choose
from .parted_shape import PartedShape, parted_shape
from .parts import find_parts

__all__ = ["FoundJoints", "JointAlternative", "alternative_of", "find_joints", "joint_of"]

MOST_PARTS = 200
_STILL = 0.5  # likelihood of being fixed from which on a found part is merged with its parent


@dataclass(frozen=True, eq=False)
class JointAlternative:
    """One way in which a part may move, in the mesh's frame: metres and radians."""

    kind: str
    axis: Array
    origin: Array
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class FoundJoints:
    """The joints, and what else was thought of. `label` Int[F]: the part of each face, as the tree counts them."""

    tree: JointTree
    label: NDArray[np.int64]
    choices: dict[int, Choice]  # by part, none of the base
    candidates: ShapeCandidates

    def alternatives(self, part: int) -> list[JointAlternative]:
        """Other ways to move, the likeliest first."""
        found = next(each for each in self.candidates.parts if each.part == part)
        return [alternative_of(self.candidates, found.part, row) for row in self.choices[part].alternatives]


def alternative_of(candidates: ShapeCandidates, part: int, row: int) -> JointAlternative:
    """A candidate in the mesh's frame, as far as it went freely."""
    found = next(each for each in candidates.parts if each.part == part)
    ways, shape = found.motion.proposals, candidates.shape
    turns = bool(ways.turns[row])
    lower, upper = found.reach(row)
    scale = 1.0 if turns else shape.diagonal
    kind = "revolute" if turns else "prismatic"
    return JointAlternative(kind, ways.axis[row], shape.from_frame(ways.pivot[row]), scale * lower, scale * upper)


def find_joints(
    mesh: Mesh,
    labels: ArrayLike | None = None,
    rankings: Sequence[Ranking] = (),
    names: Sequence[str] | None = None,
    parents: NDArray[np.int64] | Callable[[PartedShape], NDArray[np.int64]] | None = None,
    progress: Progress | None = None,
) -> FoundJoints:
    """`labels` Int[F]: the part of each face, by any numbers; without them the parts are found too.

    `names`: one for each label in the order of the numbers; `parents` Int[N] in the same order, -1 of the base, where
    the parents are known, or a function of the shape that predicts them; `rankings`: further log-odds of candidates.
    The same mesh gives the same joints. Raises UserError.
    """
    given = find_parts(mesh.vertices, mesh.triangles, mesh.slots) if labels is None else np.asarray(labels)
    if given.shape != (len(mesh.triangles),) or not np.issubdtype(given.dtype, np.integer):
        raise UserError("bad_labels.shape", shape=str(given.shape), count=len(mesh.triangles))
    label = np.unique(given, return_inverse=True)[1].reshape(-1).astype(np.int64)
    count = int(label.max()) + 1
    if count > MOST_PARTS:
        raise UserError("too_many_parts.object", count=count, most=MOST_PARTS)
    if names is not None and len(names) != count:
        raise UserError("bad_labels.names", names=len(names), count=count)
    found = _searched(mesh, label, rankings, names, parents, progress)
    if labels is not None or names is not None or not (parents is None or callable(parents)):
        return found
    # Handles and feet are found as parts, and then to be fixed: without them joints are plainer to see.
    together = _joined(found)
    return found if together is None else _searched(mesh, together, rankings, names, parents, progress)


def _searched(
    mesh: Mesh,
    label: NDArray[np.int64],
    rankings: Sequence[Ranking],
    names: Sequence[str] | None,
    parents: NDArray[np.int64] | Callable[[PartedShape], NDArray[np.int64]] | None,
    progress: Progress | None,
) -> FoundJoints:
    """The joints of the parts that Int[F] `label` counts from 0."""
    shape = parted_shape(mesh.vertices, mesh.triangles, label)
    candidates = find_candidates(shape, parents(shape) if callable(parents) else parents, progress)
    choices = {choice.part: choice for choice in choose(candidates, rankings)}
    joints = tuple(joint_of(choices[part], candidates) for part in sorted(choices))
    parts = tuple(names) if names is not None else tuple(f"part_{number}" for number in range(shape.count))
    return FoundJoints(JointTree(parts, joints), label, choices, candidates)


def _joined(found: FoundJoints) -> NDArray[np.int64] | None:
    """Int[F]: the parts where those that are fixed count with what they hang on; None where none is, or all are."""
    still = {part: choice.parent for part, choice in found.choices.items() if choice.odds["fixed"] > _STILL}
    if not still or len(still) == len(found.choices):
        return None
    host = np.arange(len(found.tree.parts))
    for part in range(len(host)):
        while int(host[part]) in still:
            host[part] = still[int(host[part])]
    return np.unique(host[found.label], return_inverse=True)[1].reshape(-1)


def joint_of(choice: Choice, candidates: ShapeCandidates) -> Joint:
    """In the frame of the mesh."""
    shape = candidates.shape
    scale = shape.diagonal if choice.kind == "prismatic" else 1.0
    return Joint(
        child=choice.part,
        parent=choice.parent,
        kind=choice.kind,
        axis=choice.axis,
        origin=shape.from_frame(choice.pivot),
        lower=scale * choice.lower,
        upper=scale * choice.upper,
    )
