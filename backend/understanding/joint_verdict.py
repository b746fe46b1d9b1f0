"""Joint verdict: how likely each joint that a network tells is one, and which of them are told.

A network that is asked how a thing moves finds something that could; whether it truly does, a small perceptron weighs,
fitted to objects with and without joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..geometry.mesh import Mesh
from ..joint_search.score import Score, read_score
from ..kinematics.base import Array
from ..kinematics.confidence import Consistency
from ..kinematics.learned_shape import LearnedShape, learned_shape
from ..learned.infer.engine_choice import WEIGHTS
from .joint_choices import TURNS
from .joint_features import JOINT_COLUMNS, carried_vertices, joint_features
from .joint_proposals import SAME, Proposal, overlaps, vertex_areas, with_proposals

__all__ = [
    "TOLD",
    "VERDICT",
    "AskedJoints",
    "asked_joints",
    "judged",
    "shipped_verdict",
    "surest",
    "with_likely_joints",
]

VERDICT = WEIGHTS.with_name("joint_verdict.npz")
TOLD = 0.6  # probability from which on a joint is told
MOST_PROPOSALS = 60  # that are weighed


@cache
def shipped_verdict() -> Score:
    """Log-odds of a joint being one."""
    return read_score(VERDICT, JOINT_COLUMNS)


@dataclass(frozen=True, eq=False)
class AskedJoints:
    """The joints of a mesh that two networks tell: `shape` has those of both.

    `features` Float[n,F] are of `shape.joint_latents`; `added` Int[P] are the latents of the `proposals` among them.
    """

    shape: LearnedShape
    proposals: tuple[Proposal, ...]
    added: NDArray[np.int64]
    features: Array


def asked_joints(
    mesh: Mesh, shape: LearnedShape, other: LearnedShape, measures: Consistency, proposals: Sequence[Proposal]
) -> AskedJoints:
    """What there is to judge; `other` is what another sampling of the surface gave."""
    area = vertex_areas(mesh)
    new = _new_ones(shape, proposals, area)
    space, added = with_proposals(shape.space, new, area)
    full = learned_shape(space, mesh.vertices, mesh.triangles) if new else shape
    return AskedJoints(full, new, added, joint_features(mesh, full, other, measures, proposals, added))


def _new_ones(shape: LearnedShape, proposals: Sequence[Proposal], area: Array) -> tuple[Proposal, ...]:
    """Those that are no joint of the shape: none turns or slides the same thing."""
    latents = shape.joint_latents
    twists = shape.space.twists[:, latents]
    turns = np.linalg.norm(twists[..., :3], axis=2).max(axis=0, initial=0.0) > TURNS
    overlap = overlaps(carried_vertices(shape, latents), proposals, area, halves=True)
    kinds = np.array([each.turns for each in proposals], dtype=bool)
    known = ((overlap >= SAME) & (turns[:, None] == kinds)).any(axis=0)
    surest = sorted(np.flatnonzero(~known).tolist(), key=lambda number: -proposals[number].moves)[:MOST_PROPOSALS]
    return tuple(proposals[number] for number in sorted(surest))


def judged(
    mesh: Mesh, shape: LearnedShape, other: LearnedShape, measures: Consistency, proposals: Sequence[Proposal] = ()
) -> LearnedShape:
    """The shape with how sure each of its joints is, and with those of the proposals that likely are joints."""
    if shape.space.evidence is None:
        return shape
    asked = asked_joints(mesh, shape, other, measures, proposals)
    latents = asked.shape.joint_latents
    if not len(latents) or not asked.shape.space.twists[:, latents].any():
        return shape
    sure: Array = np.zeros(asked.shape.space.latent_count)
    sure[latents] = expit(shipped_verdict().log_odds(asked.features))
    kept = _likely_proposals(asked, sure)
    chance, of_shape = sure[asked.added], np.delete(sure, asked.added)
    if not kept.any():
        return replace(shape, sure=of_shape)
    likely = tuple(each for each, stays in zip(asked.proposals, kept, strict=True) if stays)
    space, added = with_proposals(shape.space, likely, vertex_areas(mesh))
    final: Array = np.zeros(space.latent_count)
    final[added] = chance[kept]
    final[np.setdiff1d(np.arange(len(final)), added)] = of_shape
    return replace(learned_shape(space, mesh.vertices, mesh.triangles), sure=final)


def _likely_proposals(asked: AskedJoints, sure: Array) -> NDArray[np.bool_]:
    """Which of the proposals are told, Bool[P]; `sure` Float[K] loses what these rule out.

    Of two ways in which the same thing moves the surer one is told.
    """
    chance = sure[asked.added]
    kept = chance >= TOLD
    rivals = np.setdiff1d(np.flatnonzero(sure), asked.added)
    carried = carried_vertices(asked.shape, np.concatenate([asked.added, rivals]))
    for number in np.flatnonzero(kept):
        same = rivals[(carried[len(chance) :] == carried[number]).all(axis=1)]
        if sure[same].max(initial=0.0) >= chance[number]:
            kept[number] = False
        else:
            sure[same] = 0.0
    return kept


def surest(shape: LearnedShape) -> float:
    """How sure the surest joint is that is told, 0 where none is."""
    chance = 0.0 if shape.sure is None else float(shape.sure[shape.joint_latents].max(initial=0.0))
    return chance if chance >= TOLD else 0.0


def with_likely_joints(mesh: Mesh, shape: LearnedShape) -> LearnedShape | None:
    """The shape without the joints that hardly are any; None where nothing else moves."""
    if shape.sure is None:
        return shape
    joints = np.ones(len(shape.sure), dtype=bool) if shape.space.bends is None else ~shape.space.bends
    # Those that the reduction left out, too: nobody judged them, and without the others it would take them.
    unlikely = joints & (shape.sure < TOLD)
    if not unlikely[shape.joint_latents].any():
        return shape
    space = shape.space.without(np.flatnonzero(unlikely).tolist())
    if not space.twists.any():
        return None
    return replace(learned_shape(space, mesh.vertices, mesh.triangles), sure=shape.sure)
