"""Features of the joints that a state space tells: what speaks for each being one, by named columns.

What the network said of it, whether another sampling of the surface and the network of joints agree, what it moves and
what that touches, and what else the object has. All are dimensionless.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..geometry.loose_parts import loose_parts
from ..geometry.mesh import Mesh, triangle_areas
from ..geometry.surface_points import quasi_random_points
from ..joint_search.candidate_features import asymmetry
from ..kinematics.base import Array
from ..kinematics.confidence import Consistency
from ..kinematics.learned_shape import LearnedShape
from ..kinematics.screws import Screws
from ..learned.infer.joint_evidence import EVIDENCE
from ..learned.infer.joint_network.candidate_arrays import NOTHING
from ..learned.infer.joint_network.joint_prediction import JOINT_WEIGHTS, averaged_prediction, cached_engine
from ..learned.infer.joint_network.part_cloud import part_cloud
from .joint_proposals import Proposal, overlaps, vertex_areas

__all__ = ["JOINT_COLUMNS", "carried_vertices", "joint_features"]

POINTS = 1500  # of the surface
TOUCHING = 0.03  # of half the longest side: points of the rest so near to what moves
CARRIED = 0.5  # of a vertex's weights: it goes with the joint
TURNS = 1e-6  # rad for one deviation: what turns less slides
TRIED = (0.1, 0.3)  # of the joint's reach: how far it is moved to see whether it comes off
LEAST_PART = 1e-3  # of the area: smaller parts are not asked of the network of joints
MOST_PARTS = 60

_OF_JOINT = (
    "turns",
    "deviation",
    "area_share",
    "size",
    "thin_extent",
    "middle_extent",
    "tallness",
    "lowest",
    "highest",
    "eccentricity",
    "loose_parts_moved",
    "loose_parts_cut",
    "faces_cut",
    "touching",
    "gap",
    "touch_from_axis",
    "axis_vertical",
    "axis_aligned",
    "axis_in_part",
    "asymmetry",
    "comes_off_little",
    "comes_off_far",
    "twins",
    "depth",
    "carries",
    "again_overlap",
    "again_axis",
    "again_place",
    "alternatives",
)
_OF_JOINT_NETWORK = ("network_fixed", "network_turns", "network_slides", "network_root", "network_hangs_on_rest")
_OF_PROPOSALS = ("proposed", "same_proposed", "same_axis", "any_proposed", "proposal_moves", "proposal_kind")
_OF_OBJECT = (
    "joints",
    "joints_again",
    "bends",
    "loose_parts",
    "material_slots",
    "vertices",
    "moved_in_all",
    "stretch",
    "stretched",
    "disagreement",
    "whole",
    "motion",
    "flatness",
    "slenderness",
    "proposals",
)
JOINT_COLUMNS = (*EVIDENCE, *_OF_JOINT, *_OF_JOINT_NETWORK, *_OF_PROPOSALS, *_OF_OBJECT)
"""Names of the features, in the order of the weights file."""


def carried_vertices(shape: LearnedShape, latents: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which vertices go with each of the latents Int[n], Bool[n,V]."""
    moving = shape.space.twists[:, latents].any(axis=2)  # (H, n)
    return (shape.space.weights @ moving > CARRIED).T


@dataclass(frozen=True, eq=False)
class _Told:
    """The n joints of one encoding on points of the surface, in the normalised frame."""

    shape: LearnedShape
    points: Array  # Float[P,3]
    corner: NDArray[np.int64]  # Int[P], a vertex of the triangle of each

    @cached_property
    def latents(self) -> NDArray[np.int64]:
        return self.shape.joint_latents

    @cached_property
    def moved(self) -> NDArray[np.bool_]:
        """Bool[n,P]."""
        return carried_vertices(self.shape, self.latents)[:, self.corner]

    @cached_property
    def screws(self) -> Array:
        """Float[n,6]: those of what each moves."""
        twists = self.shape.space.twists[:, self.latents]
        largest = np.abs(twists).sum(axis=2).argmax(axis=0)
        return twists[largest, np.arange(len(self.latents))]

    @cached_property
    def turns(self) -> NDArray[np.bool_]:
        return np.linalg.norm(self.screws[:, :3], axis=1) > TURNS

    @cached_property
    def axes(self) -> Array:
        """Float[n,3] unit."""
        way = np.where(self.turns[:, None], self.screws[:, :3], self.screws[:, 3:])
        return way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)

    @cached_property
    def feet(self) -> Array:
        """Float[n,3]: the point of each axis that is nearest to the origin."""
        omega, velocity = self.screws[:, :3], self.screws[:, 3:]
        square = np.maximum((omega**2).sum(axis=1, keepdims=True), 1e-12)
        return np.where(self.turns[:, None], np.cross(omega, velocity) / square, 0.0)


def joint_features(
    mesh: Mesh,
    shape: LearnedShape,
    other: LearnedShape,
    measures: Consistency,
    proposals: Sequence[Proposal] = (),
    added: Sequence[int] | NDArray[np.int64] = (),
) -> Array:
    """Float[n,len(JOINT_COLUMNS)] of the joints of `shape`; `other` is what another sampling of the surface gave.

    `proposals`: all of the joint network; `added`: the latents that are of these.
    """
    latents, evidence = shape.joint_latents, shape.space.evidence
    assert evidence is not None
    spread = quasi_random_points(mesh.vertices, mesh.triangles, POINTS)
    places = shape.space.frame.to_reference(spread.interpolated(mesh.triangles, mesh.vertices))
    corner = mesh.triangles[spread.triangle, spread.barycentric.argmax(axis=1)]
    told, again = _Told(shape, places, corner), _Told(other, places, corner)
    shells = loose_parts(mesh.vertices, mesh.triangles)
    rows = [_of_joint(told, again, number, mesh, shells) for number in range(len(latents))]
    own = np.array(rows).reshape(-1, len(_OF_JOINT))
    whole = np.tile([*_of_object(told, again, mesh, shells, measures), np.log1p(len(proposals))], (len(latents), 1))
    of_proposals = _agreement(mesh, told, proposals, np.isin(latents, added))
    features = np.concatenate([evidence[latents], own, _asked(mesh, told), of_proposals, whole], axis=1)
    return np.nan_to_num(features, nan=0.0, posinf=5.0, neginf=-5.0)


def _agreement(mesh: Mesh, told: _Told, proposals: Sequence[Proposal], alone: NDArray[np.bool_]) -> Array:
    """Whether a joint is proposed alone, and what the proposal that moves most of the same says of it, Float[n,6]."""
    rows = np.zeros((len(told.latents), len(_OF_PROPOSALS)))
    rows[:, 0], rows[:, 2], rows[:, 4] = alone, 0.5 * np.pi, -5.0
    if not proposals:
        return rows
    carried = carried_vertices(told.shape, told.latents)
    overlap = overlaps(carried, proposals, vertex_areas(mesh), halves=True)
    alike = told.turns[:, None] == np.array([each.turns for each in proposals])
    for row, (shares, same) in enumerate(zip(overlap, alike, strict=True)):
        rows[row, 3] = shares.max()
        likest = proposals[int(shares.argmax())]
        if same.any() and shares[same].max() > 0.0:
            number = int(np.where(same, shares, -1.0).argmax())
            its = proposals[number].twist[:3] if told.turns[row] else proposals[number].twist[3:]
            cosine = abs(float(told.axes[row] @ its)) / max(float(np.linalg.norm(its)), 1e-12)
            rows[row, 1], rows[row, 2] = shares[number], np.arccos(min(cosine, 1.0))
        rows[row, 4:] = likest.moves, likest.kind if likest.turns == told.turns[row] else 1.0 - likest.kind
    return rows


def _of_joint(told: _Told, again: _Told, number: int, mesh: Mesh, shells: NDArray[np.int64]) -> list[float]:
    moved = told.moved[number]
    if not moved.any() or moved.all():
        moved = np.arange(len(moved)) < 1
    inside, rest = told.points[moved], told.points[~moved]
    low, high = inside.min(axis=0), inside.max(axis=0)
    every = np.stack([told.points.min(axis=0), told.points.max(axis=0)])
    extents = np.sort(high - low)
    size = max(float(np.linalg.norm(high - low)), 1e-3)
    tree = cKDTree(rest)
    gaps = tree.query(inside)[0]
    touching = inside[gaps < max(TOUCHING, 1.5 * gaps.min())]
    axis, foot, turns = told.axes[number], told.feet[number], bool(told.turns[number])
    arm = touching - foot
    from_axis = np.linalg.norm(arm - np.outer(arm @ axis, axis), axis=1) if turns else np.zeros(1)
    middle = 0.5 * (low + high)
    offset = middle - foot
    offset = offset - (offset @ axis) * axis
    uneven = 0.0
    if turns:
        uneven = float(asymmetry(inside, cKDTree(inside), axis[None], foot[None], size)[0])
    carried = carried_vertices(told.shape, told.latents[number : number + 1])[0]
    whole_parts = np.bincount(shells, carried) / np.bincount(shells)
    corners = carried[mesh.triangles].sum(axis=1)
    areas = triangle_areas(mesh.vertices, mesh.triangles)
    part_area = np.bincount(shells[mesh.triangles[:, 0]], areas, len(whole_parts))
    mine = max(float(areas[corners == 3].sum()), 1e-12)
    subset = [(told.moved[each] & ~moved).sum() == 0 for each in range(len(told.latents))]
    superset = [(moved & ~told.moved[each]).sum() == 0 for each in range(len(told.latents))]
    return [
        float(turns),
        float(told.shape.space.prior_scale[told.latents[number]]),
        float(moved.mean()),
        size / 3.5,
        *(extents[:2] / max(extents[2], 1e-6)),
        float((high - low)[2] / size),
        float(low[2] - every[0, 2]),
        float(every[1, 2] - high[2]),
        float(np.linalg.norm(middle[:2])),
        float(np.log1p((whole_parts > CARRIED).sum())),
        float(part_area[(whole_parts > 0.05) & (whole_parts < 0.95)].sum() / areas.sum()),
        float(min(areas[(corners > 0) & (corners < 3)].sum() / mine, 3.0)),
        float(len(touching) / len(inside)),
        float(gaps.min()),
        float(from_axis.mean() / size) if len(from_axis) else 1.0,
        abs(float(axis[2])),
        float(np.abs(axis).max()),
        float(np.linalg.norm(offset) / size) if turns else 0.0,
        min(10.0 * uneven, 2.0),
        *_comes_off(told, number, inside, tree, float(gaps.min())),
        float(np.log1p(_twins(told, extents, size))),
        float(sum(superset) - 1),
        float(sum(subset) - 1),
        *_again(told, again, number, moved),
        float(sum(choice.latent == told.latents[number] for choice in told.shape.space.choices)),
    ]


def _comes_off(told: _Told, number: int, inside: Array, tree: cKDTree, gap: float) -> list[float]:
    """How much farther from the rest what moves is after a little and after much of its motion, the worse way."""
    latent = told.latents[number]
    scale = told.shape.space.prior_scale[latent]
    apart = []
    for share in TRIED:
        ways = [_carried_by(told.screws[number], sign * 3.0 * share * scale, inside) for sign in (1.0, -1.0)]
        apart.append(float(max(tree.query(way)[0].min() for way in ways) - gap))
    return [min(10.0 * each, 3.0) for each in apart]


def _carried_by(screw: Array, value: float, points: Array) -> Array:
    transform = Screws(screw[None, None]).transforms(np.array([[value]]))[0, 0]
    return points @ transform[:, :3].T + transform[:, 3]


def _twins(told: _Told, extents: Array, size: float) -> int:
    """How many other joints move something of the same extents."""
    found = -1
    for moved in told.moved:
        own = told.points[moved]
        found += len(own) > 0 and bool(np.abs(np.sort(np.ptp(own, axis=0)) - extents).max() < 0.06 * size)
    return max(found, 0)


def _again(told: _Told, again: _Told, number: int, moved: NDArray[np.bool_]) -> list[float]:
    """How well the likest joint of the other encoding agrees: overlap, angle of the axes (rad), distance."""
    best = (0.0, 0.5 * np.pi, 1.0)
    for each in range(len(again.latents)):
        its = again.moved[each]
        overlap = (moved & its).sum() / max((moved | its).sum(), 1)
        if overlap <= best[0] or again.turns[each] != told.turns[number]:
            continue
        angle = np.arccos(min(abs(float(told.axes[number] @ again.axes[each])), 1.0))
        apart = told.feet[number] - again.feet[each]
        apart = apart - (apart @ told.axes[number]) * told.axes[number]
        best = (float(overlap), float(angle), float(np.linalg.norm(apart)))
    return list(best)


def _asked(mesh: Mesh, told: _Told) -> Array:
    """What the network of joints says of the part of each joint, Float[n,5]: log-likelihoods."""
    labels = told.shape.space.weights.argmax(axis=1)[mesh.triangles[:, 0]]
    areas = triangle_areas(mesh.vertices, mesh.triangles)
    share = np.bincount(labels, areas, told.shape.space.handle_count) / areas.sum()
    known = np.argsort(-share)[:MOST_PARTS]
    known = np.sort(known[share[known] > LEAST_PART])
    number = np.full(len(share), -1)
    number[known] = np.arange(len(known))
    part = number[labels]
    kept = part >= 0
    unknown = [np.log(0.25), np.log(0.5), np.log(0.25), np.log(0.5), np.log(0.5)]
    if len(known) < 2:
        return np.tile(unknown, (len(told.latents), 1))
    found = averaged_prediction(
        part_cloud(mesh.vertices, mesh.triangles[kept], part[kept]), NOTHING, cached_engine(JOINT_WEIGHTS)
    )
    moving = told.shape.space.twists[:, told.latents].any(axis=2)[known]  # (P, n)
    rows = []
    for latent in range(len(told.latents)):
        mine = moving[:, latent]
        if not mine.any():
            rows.append(unknown)
            continue
        # Of what a joint moves, its own part is what no joint further out moves.
        outer = np.array([(moving[:, other] <= mine).all() and other != latent for other in range(moving.shape[1])])
        alone = mine & ~moving[:, outer & (moving != mine[:, None]).any(axis=0)].any(axis=1)
        part_of = np.flatnonzero(alone if alone.any() else mine)
        own = int(part_of[share[known][part_of].argmax()])
        kinds = found.kinds[own]
        hangs = np.logaddexp.reduce(found.parents[own][~mine]) if (~mine).any() else -10.0
        rows.append([kinds[0], np.logaddexp(kinds[1], kinds[3]), kinds[2], found.parents[own, own], hangs])
    return np.maximum(np.array(rows).reshape(-1, len(_OF_JOINT_NETWORK)), -10.0)


def _of_object(told: _Told, again: _Told, mesh: Mesh, shells: NDArray[np.int64], measures: Consistency) -> list[float]:
    extents = np.sort(np.ptp(told.points, axis=0))
    bends = told.shape.dof - len(told.latents)
    return [
        float(np.log1p(len(told.latents))),
        float(np.log1p(len(again.latents))),
        float(np.log1p(max(bends, 0))),
        float(np.log1p(shells.max())),
        float(np.log1p(mesh.slots.max())),
        float(np.log(len(mesh.vertices))),
        float(told.moved.any(axis=0).mean()),
        min(measures.stretch, 2.0),
        measures.stretched,
        measures.disagreement,
        measures.whole,
        float(np.log(max(measures.motion, 1e-3))),
        float(extents[0] / max(extents[2], 1e-9)),
        float(extents[1] / max(extents[2], 1e-9)),
    ]
