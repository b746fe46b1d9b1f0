"""Training examples of the candidate scores: features of candidates and pairs of pieces with their labels.

From procedural families and from real objects with joints alike; where no joint is known the candidates alone are the
signal. Everything is in the frame of `PartedShape`: the middle of the box at 0, the diagonal 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....geometry.mesh import triangle_areas
from ....joint_search.candidates import ShapeCandidates, find_candidates
from ....joint_search.parted_shape import parted_shape
from ....joint_search.parts import pieces_of
from ....joint_search.piece_pairs import pair_features, touching_pairs
from ....joint_search.proposals import Proposals
from ....kinematics.base import Array
from .true_parts import TrueParts, true_parts

if TYPE_CHECKING:
    from ....data.moving_object import MovingObject

__all__ = ["JointExample", "PairExample", "goodness", "joint_examples", "pair_example", "with_fixed_pieces"]

_MOST_PARTS = 24
_MOST_PIECES = 120
_SAME_TURN = np.radians(6.0)
_SAME_PLACE = 0.025  # of the diagonal
_KIND_ALONE = 0.002  # what a candidate of the right kind is worth wherever it is
_PIECE_SHARE = 0.35  # of its part: larger pieces are no ornament
_PURE = 0.98  # of a piece's surface that is of one part


@dataclass(frozen=True, eq=False)
class JointExample:
    """Candidates of one part with a known joint: `features` Float[C+1,F]; `worth` Float[C+1] from 0 to 1, the last of

    being fixed.
    """

    features: Array
    worth: Array


@dataclass(frozen=True, eq=False)
class PairExample:
    """Pieces that touch: features Float[E,F], and Bool[E] whether both are of one part."""

    features: Array
    together: NDArray[np.bool_]


def goodness(proposals: Proposals, kind: str, axis: Array, origin: Array) -> Array:
    """Float[C+1]: how near each candidate is to the true joint, 1 where it is the same, 0 where of another kind."""
    worth = np.zeros(len(proposals.axis) + 1)
    if kind == "fixed":
        worth[-1] = 1.0
        return worth
    turns = kind != "prismatic"
    angle = np.arccos(np.clip(np.abs(proposals.axis @ axis), 0.0, 1.0))
    away = np.linalg.norm(np.cross(origin - proposals.pivot, proposals.axis), axis=1)
    near = np.exp(-((angle / _SAME_TURN) ** 2) - (turns * away / _SAME_PLACE) ** 2)
    worth[:-1] = (proposals.turns == turns) * (_KIND_ALONE + (1.0 - _KIND_ALONE) * near)
    return worth


def with_fixed_pieces(thing: MovingObject, truth: TrueParts, rng: np.random.Generator) -> TrueParts:
    """Some small loose pieces count as parts of their own, which are fixed: handles and knobs often are."""
    label, shell = truth.label.copy(), thing.shell[thing.triangles[:, 0]]
    area = triangle_areas(thing.vertices, thing.triangles)
    hosts = []
    for _ in range(int(rng.integers(1, 4))):
        host = int(rng.integers(len(truth.kinds)))
        own = label == host
        chosen = own & (shell == rng.choice(shell[own]))
        if area[chosen].sum() <= _PIECE_SHARE * area[own].sum() and (own & ~chosen).any():
            label[chosen] = len(truth.kinds) + len(hosts)
            hosts.append(host)
    count = len(hosts)
    return replace(
        truth,
        label=label,
        kinds=(*truth.kinds, *["fixed"] * count),
        spans=np.concatenate([truth.spans, np.zeros(count)]),
        axes=np.concatenate([truth.axes, np.tile([0.0, 0.0, 1.0], (count, 1))]),
        origins=np.concatenate([truth.origins, np.zeros((count, 3))]),
        parents=np.concatenate([truth.parents, np.array(hosts, dtype=np.int64)]),
        single=np.concatenate([truth.single, np.ones(count, dtype=bool)]),
    )


def joint_examples(thing: MovingObject, truth: TrueParts | None = None) -> list[JointExample]:
    """Of all parts that hang on another by one joint; none of an object with a single part or very many."""
    truth = true_parts(thing) if truth is None else truth
    if not 2 <= len(truth.kinds) <= _MOST_PARTS:
        return []
    found = find_candidates(parted_shape(thing.vertices, thing.triangles, truth.label))
    return [
        _example(found, truth, number, of)
        for number in range(len(found.parts))
        if (of := _joint_of(found, truth, number)) is not None
    ]


def _joint_of(found: ShapeCandidates, truth: TrueParts, number: int) -> int | None:
    """The part whose true joint is that of a part and what it was found to hang on; None where there is none.

    Where the base was taken to hang on what truly hangs on it, that is the same joint the other way round.
    """
    part, parent = found.parts[number].part, found.parts[number].parent
    of = part if truth.parents[part] >= 0 else parent if truth.parents[parent] == part else None
    return of if of is not None and truth.single[of] else None


def _example(found: ShapeCandidates, truth: TrueParts, number: int, of: int) -> JointExample:
    own, origin = found.parts[number], found.shape.to_frame(truth.origins[of])
    return JointExample(own.features, goodness(own.motion.proposals, truth.kinds[of], truth.axes[of], origin))


def pair_example(thing: MovingObject) -> PairExample | None:
    """Example of the loose pieces of an object; None where there is only one, or too many."""
    truth = true_parts(thing)
    piece = pieces_of(thing.vertices, thing.triangles)
    count, parts = int(piece.max()) + 1, len(truth.kinds)
    if not 2 <= count <= _MOST_PIECES:
        return None
    area = triangle_areas(thing.vertices, thing.triangles) + 1e-12
    table = np.bincount(piece * parts + truth.label, area, count * parts).reshape(count, parts)
    shape = parted_shape(thing.vertices, thing.triangles, piece, coarse=True)
    pairs = touching_pairs(shape)
    pure = (table.max(axis=1) / table.sum(axis=1) > _PURE)[pairs].all(axis=1)
    if not pure.any():
        return None
    slots = int(thing.slot.max()) + 1
    slot = np.bincount(piece * slots + thing.slot, area, count * slots).reshape(count, slots).argmax(axis=1)
    part = table.argmax(axis=1)[pairs[pure]]
    return PairExample(pair_features(shape, slot, pairs[pure]), part[:, 0] == part[:, 1])
