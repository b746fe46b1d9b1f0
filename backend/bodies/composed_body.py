"""A body of rigid and soft pieces: what is rigid moves as one, and soft groups bend, attached along their contact.

Every group has handles of its own, so that none goes without. The first handle of each link is constant over it; the
others are zero where the object is rigid, which so keeps its shape exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..errors import UserError
from ..geometry.material import MaterialCloud
from ..geometry.mesh import Mesh
from ..geometry.restricted_cloud import restricted_cloud
from ..geometry.surface_points import closest_surface_points
from ..kinematics.articulated import ArticulatedKinematics
from ..kinematics.base import Array, Kinematics, ReferenceFrame, skinning_basis
from ..kinematics.composed import ComposedKinematics, PieceOnLink, StillLink
from ..kinematics.elastic import ElasticKinematics, Material, build_elastic, material_points
from ..kinematics.interpolation import interpolate
from ..kinematics.jointed import Jointed
from ..kinematics.node_material import MadeOf, NodeMaterial, nearest_vertices, node_material
from ..kinematics.rooted import ROOT_DOF, RootedKinematics
from .body import Body
from .jointed_body import link_matter
from .point_masses import holds
from .rigid_body import build_rigid_body
from .soft_groups import SoftGroup, soft_groups

__all__ = ["Links", "build_composed_body", "can_bend"]

HANDLES = 20  # of all groups together, where nobody says how many
FLOATING_HANDLES = 8  # the same where a link moves: each step then solves for all coordinates anew
FEWEST, MOST = 2, 10  # of one group, with the constant one
SPECK = 8  # nodes that are not held: what has no more is too small for anybody to see it bend
CONTACT = 0.25  # node spacings: nodes this near to what is rigid move with it
SEAM = 1e-4  # of the size: soft vertices this near to a rigid one are attached to it


@dataclass(frozen=True, eq=False)
class _Bent:
    """A soft group as an elastic solid of its own: H handles, the first of them constant."""

    group: SoftGroup
    kinematics: ElasticKinematics
    material: Material
    nodal: Array  # Float[n,H], of the group's nodes
    weights: Array  # Float[v,H], of `vertices`
    vertices: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Links:
    """Links and their joints, and which link each node of the cloud is on, Int[N]."""

    jointed: Jointed
    node_part: NDArray[np.int64]


def can_bend(mesh: Mesh, cloud: MaterialCloud, soft_vertices: NDArray[np.bool_], links: Links | None = None) -> bool:
    """Whether some soft group has enough matter to bend, and is not only specks that move with what carries them."""
    nearest = nearest_vertices(mesh, cloud)
    link = np.zeros(len(nearest), dtype=np.int64) if links is None else links.node_part
    groups = _groups(mesh, cloud, soft_vertices, nearest, link)
    return any(_loose(group) > SPECK for group in groups)


def _groups(
    mesh: Mesh,
    cloud: MaterialCloud,
    soft_vertices: NDArray[np.bool_],
    nearest: NDArray[np.int64],
    node_link: NDArray[np.int64],
) -> list[SoftGroup]:
    """Soft groups of nodes whose nearest vertices are Int[N] and whose links Int[N]."""
    soft = soft_vertices[nearest]
    touches = soft & _near_rigid(mesh, cloud, soft_vertices)
    return soft_groups(cloud, soft, touches, node_link, float(np.ptp(mesh.vertices, axis=0).max()))


def _loose(group: SoftGroup) -> int:
    """How many of its nodes are not held."""
    return len(np.setdiff1d(group.nodes, group.held))


def build_composed_body(
    mesh: Mesh,
    cloud: MaterialCloud,
    soft_vertices: NDArray[np.bool_],
    made_of: MadeOf,
    held_vertices: NDArray[np.int64] | None,
    handles: int | None = None,
    links: Links | None = None,
) -> Body:
    """`soft_vertices` Bool[V] bend, the others are rigid; `held_vertices` Int[n] do not move (None: a free root; none
    of them: the root is held, whatever it looks like).

    `handles`: of all groups together (None: as many as they need). `links`: where there are any; a link is what is
    rigid of a part, and what is soft on it. Raises UserError.
    """
    size = float(np.ptp(mesh.vertices, axis=0).max())
    frame = ReferenceFrame(np.average(cloud.position, axis=0, weights=cloud.volume), size)
    nodes = node_material(mesh, cloud, made_of)
    nearest = nearest_vertices(mesh, cloud)
    jointed = None if links is None else links.jointed
    part = np.zeros(len(mesh.vertices), dtype=np.int64) if jointed is None else jointed.part
    node_link = part[nearest] if links is None else links.node_part
    still = np.ones(len(part), dtype=bool) if jointed is None else jointed.still
    stands, sprung = holds(mesh, held_vertices, ~soft_vertices & still)
    stands = stands or (held_vertices is not None and not len(held_vertices))
    if stands and held_vertices is not None:  # what is soft and held is attached there as to what is rigid
        loose = held_vertices[~still[held_vertices]]
        soft_vertices, sprung = soft_vertices.copy(), loose if len(loose) else None
        soft_vertices[held_vertices[still[held_vertices]]] = False
    groups = _groups(mesh, cloud, soft_vertices, nearest, node_link)
    wanted = _handles_of_each(len(groups), handles, floating=not stands or jointed is not None)
    made = (_bent(mesh, cloud, frame, nodes, group, soft_vertices, wanted) for group in groups)
    layout = _Layout(1 if jointed is None else len(jointed.tree.parts), [each for each in made if each is not None])
    if not layout.bent and jointed is None:
        if stands:  # then nothing of it moves at all
            raise UserError("nothing_composed.mesh")
        return build_rigid_body(mesh, cloud, made_of)
    weights, nodal = layout.weights(part, node_link)
    material = _material(mesh, cloud, frame, nodes, node_link, jointed, layout)
    centre = material.mass @ material.basis @ layout.rest(frame) / material.mass.sum()
    return Body(
        mesh,
        cloud,
        frame,
        _kinematics(layout, frame, jointed, None if stands else centre),
        material,
        weights,
        nodal,
        None,
        held_vertices is not None,
        size,
        root=0 if stands else ROOT_DOF,
        sprung=sprung,
        part=None if jointed is None else jointed.part,
        folds=True,
        carriers=tuple(layout.constant),
    )


def _kinematics(layout: _Layout, frame: ReferenceFrame, jointed: Jointed | None, free: Array | None) -> Kinematics:
    """`free` Float[3] m: the centre of mass about which a free root turns; None where the object stands."""
    if free is None and jointed is None:
        return layout.elastic(0, frame)  # its link stands still: no floating frame
    links = StillLink(frame) if jointed is None else ArticulatedKinematics(jointed.tree, frame)
    pieces = [PieceOnLink(link, layout.elastic(link, frame)) for link in range(layout.links)]
    composed = ComposedKinematics(links, pieces, frame)
    return composed if free is None else RootedKinematics(composed, free, composed.shift)


def _handles_of_each(groups: int, handles: int | None, floating: bool) -> int | None:
    """How many handles a group has, with its constant one; None: as its energy decides."""
    if handles is not None:
        return max(FEWEST, 1 + handles // max(groups, 1))
    if groups == 1 and not floating:
        return None
    return int(np.clip(1 + (FLOATING_HANDLES if floating else HANDLES) // max(groups, 1), FEWEST, MOST))


def _bent(
    mesh: Mesh,
    cloud: MaterialCloud,
    frame: ReferenceFrame,
    made_of: NodeMaterial,
    group: SoftGroup,
    soft_vertices: NDArray[np.bool_],
    wanted: int | None,
) -> _Bent | None:
    """None where there is too little of the group to bend."""
    if _loose(group) <= FEWEST:
        return None
    outside = np.setdiff1d(group.held, group.nodes)
    nodes = np.concatenate([group.nodes, outside])
    own = restricted_cloud(cloud, nodes)
    held = np.isin(nodes, group.held)
    matter = NodeMaterial(made_of.density[nodes], made_of.stiffness[nodes], made_of.poisson[nodes])
    # What it is attached to counts as like it: how stiff that is says nothing of how the group bends.
    matter.stiffness[len(group.nodes) :] = np.median(matter.stiffness[: len(group.nodes)])
    counted = np.arange(len(nodes)) < len(group.nodes)
    kinematics, material, nodal, slopes = build_elastic(own, frame, matter, held, wanted, counted)
    if not kinematics.dof:
        return None
    vertices = np.flatnonzero(soft_vertices & np.isin(cloud.vertex_node, group.nodes))
    owner = own.vertex_node[vertices]
    weights = interpolate(own, mesh.vertices[vertices], owner, nodal, slopes).astype(np.float64)
    weights[:, 0] = 1.0
    weights[:, 1:] *= _fade(mesh, soft_vertices, vertices, cloud.spacing)[:, None]
    return _Bent(group, kinematics, material, nodal[: len(group.nodes)], weights, vertices)


def _near_rigid(mesh: Mesh, cloud: MaterialCloud, soft_vertices: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Bool[N]: nodes that touch faces of what is rigid."""
    rigid = mesh.triangles[~soft_vertices[mesh.triangles].any(axis=1)]
    if not len(rigid):
        return np.zeros(len(cloud.position), dtype=bool)
    one, other = np.zeros(len(cloud.position), dtype=np.int64), np.zeros(len(rigid), dtype=np.int64)
    found = closest_surface_points(cloud.position, one, mesh.vertices, rigid, other)
    away = np.linalg.norm(found.interpolated(rigid, mesh.vertices) - cloud.position, axis=1)
    return away <= CONTACT * cloud.spacing


def _fade(
    mesh: Mesh, soft_vertices: NDArray[np.bool_], vertices: NDArray[np.int64], spacing: float
) -> NDArray[np.float64]:
    """One, and smoothly to zero over a node spacing towards the seams with what is rigid, Float[v]."""
    size = float(np.ptp(mesh.vertices, axis=0).max())
    rigid = mesh.vertices[~soft_vertices]
    if not len(rigid) or not len(vertices):
        return np.ones(len(vertices))
    places = mesh.vertices[vertices]
    seam = places[cKDTree(rigid).query(places)[0] <= SEAM * size]
    if not len(seam):
        return np.ones(len(vertices))
    share = np.clip(cKDTree(seam).query(places)[0] / spacing, 0.0, 1.0)
    return share * share * (3.0 - 2.0 * share)


class _Layout:
    """Where the handles of each link stand among all: its constant one, then those of its groups."""

    def __init__(self, links: int, bent: Sequence[_Bent]) -> None:
        self.links, self.bent = links, sorted(bent, key=lambda each: each.group.link)
        self.constant: list[int] = []
        self.columns: list[slice] = []
        self.count = 0
        for link in range(links):
            self.constant.append(self.count)
            self.count += 1
            for each in self.bent:
                if each.group.link == link:
                    more = each.nodal.shape[1] - 1
                    self.columns.append(slice(self.count, self.count + more))
                    self.count += more

    @property
    def one_hot(self) -> Array:
        """Weights of what is rigid of each link, Float[L,H]."""
        result = np.zeros((self.links, self.count))
        result[np.arange(self.links), self.constant] = 1.0
        return result

    def rest(self, frame: ReferenceFrame) -> Array:
        """The handles where everything is drawn, Float[4H,3]."""
        result = np.zeros((self.count, 4, 3))
        result[self.constant] = frame.rest_handle()
        return result.reshape(-1, 3)

    def rows(self, number: int) -> NDArray[np.int64]:
        """Of `a`, for the handles of group `number` in its own order, the constant one of its link first."""
        first, columns = self.constant[self.bent[number].group.link], self.columns[number]
        return np.r_[4 * first : 4 * first + 4, 4 * columns.start : 4 * columns.stop]

    def weights(self, part: NDArray[np.int64], node_link: NDArray[np.int64]) -> tuple[np.ndarray, Array]:
        """Of the mesh, float32 (V,H), and of the nodes, Float[N,H]; links Int[V] and Int[N]."""
        weights, nodal = self.one_hot[part].astype(np.float32), self.one_hot[node_link]
        for each, columns in zip(self.bent, self.columns, strict=True):
            weights[each.vertices, columns] = each.weights[:, 1:]
            nodal[each.group.nodes, columns] = each.nodal[:, 1:]
        return weights, nodal

    def elastic(self, link: int, frame: ReferenceFrame) -> ElasticKinematics:
        """The coordinates of the groups of a link in turn, in the rows of that link."""
        mine = [number for number, each in enumerate(self.bent) if each.group.link == link]
        first = 4 * self.constant[link]
        last = 4 * (self.constant[link + 1] if link + 1 < self.links else self.count)
        rest = np.zeros((last - first, 3))
        rest[:4] = frame.rest_handle()
        blocks = [np.zeros((last - first, 0))]
        for number in mine:
            own = self.bent[number].kinematics.reduction
            block = np.zeros((last - first, own.shape[1]))
            block[self.rows(number) - first] = own
            blocks.append(block)
        return ElasticKinematics(rest, np.column_stack(blocks))


def _material(
    mesh: Mesh,
    cloud: MaterialCloud,
    frame: ReferenceFrame,
    made_of: NodeMaterial,
    node_link: NDArray[np.int64],
    jointed: Jointed | None,
    layout: _Layout,
) -> Material:
    """Mass of everything and elasticity of the groups, in the handles of the whole."""
    rigid = np.ones(len(cloud.position), dtype=bool)
    for each in layout.bent:
        rigid[each.group.nodes] = False
    points = material_points(cloud).of_nodes(rigid)
    mass, place, link = made_of.density[points.node] * points.volume, points.position, node_link[points.node]
    if jointed is not None:
        mass, place, link = link_matter(mesh, jointed, mass, place, link)
    masses, bases = [mass], [skinning_basis(layout.one_hot[link], frame.to_reference(place))]
    gradients = [np.zeros((0, 3, 4 * layout.count))]
    for number, each in enumerate(layout.bent):
        basis = np.zeros((len(each.material.basis), 4 * layout.count))
        basis[:, layout.rows(number)] = each.material.basis
        gradient = np.zeros((len(each.material.gradients), 3, 4 * layout.count))
        gradient[:, :, layout.rows(number)] = each.material.gradients
        masses.append(each.material.mass)
        bases.append(basis)
        gradients.append(gradient)
    together = (
        np.concatenate([np.zeros(0), *(getattr(each.material, name) for each in layout.bent)])
        for name in ("cubature_volume", "stiffness", "poisson")
    )
    return Material(np.concatenate(masses), np.concatenate(bases), np.concatenate(gradients), *together)
