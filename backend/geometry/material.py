"""The material cloud of an object: points with volume, sampled from any triangle mesh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..errors import UserError
from ..texts import Text
from .adjacency import edges_through_material, reached_from_surface, tie_pieces
from .cavities import merge_cavities
from .cell_moments import cell_moments
from .geodesic_cells import GeodesicCells, assign_cells
from .interior import COLUMNS_PER_CELL, interior_lattice, share_volume
from .mesh import Mesh
from .node_sampling import NodeSampling, sample_nodes
from .occupancy import Intervals, inside_intervals
from .part_bridges import PartBridges, SurfaceNodes, join_parts
from .topology import Surface, weld_surface

__all__ = ["MaterialCloud", "sample_material"]

# The columns that sample the inside stand askew: along the axes, which most objects are built along, they would see
# each face early or late by the same part of a step everywhere.
_TILT = np.linalg.qr(np.array([[1.0, 0.6, 0.3], [-0.5, 1.0, 0.4], [0.2, -0.7, 1.0]]))[0]


@dataclass(frozen=True)
class MaterialCloud:
    """Material points of an object and the edges between them.

    position Float[N,3] in metres; volume Float[N] in cubic metres, sums to the volume of the material;
    centroid Float[N,3]: of that volume, for surface nodes of closed parts a little inside; spread Float[N,3,3] in
    square metres: mean square distance of that volume from its centroid, by axes; part Int[N]: the connected piece
    of surface a node belongs to (coincident vertices count as connected); solid Bool[N]: of a closed part (else of
    a sheet); surface Bool[N]: on the surface (surface nodes come first); normal Float[N,3]: unit on sheets, zero
    elsewhere; thickness Float[N] in metres: of sheets, zero elsewhere; spacing: typical distance of neighbouring
    nodes in metres; edges Int[E,2]: neighbours through the material of one part, i < j; bridges Int[L,2], bridge_gaps
    Float[L] in metres: what holds parts together; vertex_node Int[V]: for each mesh vertex the node that owns it,
    nearest along the surface.
    """

    position: NDArray[np.float64]
    centroid: NDArray[np.float64]
    spread: NDArray[np.float64]
    volume: NDArray[np.float64]
    part: NDArray[np.int64]
    solid: NDArray[np.bool_]
    normal: NDArray[np.float64]
    thickness: NDArray[np.float64]
    surface: NDArray[np.bool_]
    spacing: float
    edges: NDArray[np.int64]
    bridges: NDArray[np.int64]
    bridge_gaps: NDArray[np.float64]
    vertex_node: NDArray[np.int64]
    part_count: int
    closed_part_count: int
    warnings: tuple[Text, ...]


def sample_material(mesh: Mesh, target_nodes: int = 1500, shell_thickness_ratio: float = 0.02) -> MaterialCloud:
    """Fill closed parts and coat open ones with material points, about `target_nodes` in all.

    Open parts become sheets as thick as `shell_thickness_ratio` times the longest side of the object.
    The same mesh gives the same cloud, byte for byte.
    """
    if target_nodes < 1 or not 0.0 < shell_thickness_ratio < 1.0:
        raise UserError("bad_sampling.nodes", nodes=target_nodes, thickness=shell_thickness_ratio)
    surface = merge_cavities(weld_surface(mesh))
    sampling = sample_nodes(surface, target_nodes)
    cells = assign_cells(sampling)
    solids = _solids(surface, sampling)
    nodes = _nodes(surface, sampling, cells, solids)
    shares = _shares(surface, sampling, cells, solids, nodes, shell_thickness_ratio)
    position, part, count = nodes.position, nodes.part, len(cells.nodes)
    bridges = join_parts(
        SurfaceNodes(
            position,
            part,
            count,
            sampling.points,
            sampling.triangles,
            sampling.component,
            cells.owner,
            sampling.cloud,
            surface.closed,
            sampling.spacing,
        )
    )
    size = surface.size
    return MaterialCloud(
        position=position * size + surface.centre,
        centroid=shares.centroid * size + surface.centre,
        spread=shares.spread * size**2,
        volume=shares.volume * size**3,
        part=part,
        solid=surface.closed[part],
        normal=shares.normal,
        thickness=shares.thickness * size,
        surface=np.arange(len(position)) < count,
        spacing=sampling.spacing * size,
        edges=nodes.edges,
        bridges=bridges.pairs,
        bridge_gaps=bridges.gaps * size,
        vertex_node=_vertex_nodes(mesh, surface, cells, position[:count]),
        part_count=len(surface.closed),
        closed_part_count=int(np.count_nonzero(surface.closed)),
        warnings=_warnings(surface, bridges),
    )


@dataclass(frozen=True)
class _Solids:
    """The surface of the closed parts: triangles Int[t,3] and the part of each, Int[t]; `columns` are inside them."""

    triangles: NDArray[np.int64]
    part: NDArray[np.int64]
    columns: Intervals  # in the tilted frame


@dataclass(frozen=True)
class _Nodes:
    """Nodes in the unit box, those on the surface first: position Float[N,3], part Int[N], edges Int[E,2]."""

    position: NDArray[np.float64]
    part: NDArray[np.int64]
    edges: NDArray[np.int64]


@dataclass(frozen=True)
class _Shares:
    """What each node stands for, in the unit box; see `MaterialCloud`."""

    volume: NDArray[np.float64]
    centroid: NDArray[np.float64]
    spread: NDArray[np.float64]
    normal: NDArray[np.float64]
    thickness: NDArray[np.float64]


def _solids(surface: Surface, sampling: NodeSampling) -> _Solids:
    part = sampling.component[sampling.triangles[:, 0]]
    closed = surface.closed[part]
    triangles, part = sampling.triangles[closed], part[closed]
    step = 2.0 / np.sqrt(3.0) * sampling.spacing / COLUMNS_PER_CELL
    return _Solids(triangles, part, inside_intervals(sampling.points @ _TILT.T, triangles, part, step))


def _nodes(surface: Surface, sampling: NodeSampling, cells: GeodesicCells, solids: _Solids) -> _Nodes:
    """The nodes of the cells and a lattice inside closed parts, with edges through the material."""
    points, component, spacing = sampling.points, sampling.component, sampling.spacing
    solid_cloud = sampling.cloud[surface.closed[component[sampling.cloud]]]
    tilted = points @ _TILT.T
    inner, inner_part = interior_lattice(solids.columns, tilted[solid_cloud], component[solid_cloud], spacing)
    inner = inner @ _TILT
    position = np.concatenate([points[cells.nodes], inner])
    part = np.concatenate([component[cells.nodes], inner_part])
    at_point = np.concatenate([cells.nodes, np.full(len(inner), -1)])

    solid = np.flatnonzero(surface.closed[part])
    through = edges_through_material(
        position[solid],
        part[solid],
        at_point[solid],
        _outward(surface, sampling.normals[cells.nodes], part)[solid],
        spacing,
        points,
        solids.triangles,
        solids.part,
    )
    edges = _distinct_edges(np.concatenate([cells.neighbours, solid[through]]))
    position, part, edges = _without_strays(position, part, edges, len(cells.nodes))
    return _Nodes(position, part, _distinct_edges(np.concatenate([edges, tie_pieces(position, part, edges)])))


def _shares(
    surface: Surface,
    sampling: NodeSampling,
    cells: GeodesicCells,
    solids: _Solids,
    nodes: _Nodes,
    shell_thickness_ratio: float,
) -> _Shares:
    """Sheets by the moments of their cells, closed parts by the columns inside them."""
    position, part = nodes.position, nodes.part
    area, normal, middle, flat = cell_moments(sampling.points, sampling.triangles, cells)
    thickness = shell_thickness_ratio * (~surface.closed[part])
    solid = np.flatnonzero(surface.closed[part])
    sheet = np.flatnonzero(~surface.closed[part])
    inner = len(position) - len(cells.nodes)
    whole_area = np.concatenate([area, np.zeros(inner)])
    volume = whole_area * thickness
    centroid, spread = position.copy(), np.zeros((len(position), 3, 3))
    # Sheets have surface nodes only, and these come first.
    centroid[sheet], across = middle[sheet], normal[sheet]
    spread[sheet] = flat[sheet] + shell_thickness_ratio**2 / 12.0 * across[:, :, None] * across[:, None, :]
    volume[solid], tilted_centroid, tilted_spread = share_volume(
        solids.columns, position[solid] @ _TILT.T, part[solid], whole_area[solid], surface.volume
    )
    centroid[solid], spread[solid] = tilted_centroid @ _TILT, _TILT.T @ tilted_spread @ _TILT
    open_part = ~surface.closed[part]
    normal = np.concatenate([normal, np.zeros((inner, 3))]) * open_part[:, None]
    return _Shares(volume, centroid, spread, normal, thickness)


def _outward(surface: Surface, node_normal: NDArray[np.float64], part: NDArray[np.int64]) -> NDArray[np.float64]:
    """Outward normals Float[N,3], from those of surface nodes Float[S,3]; zero inside the parts."""
    sign = np.where(surface.inside_out, -1.0, 1.0)
    normal = np.zeros((len(part), 3))
    normal[: len(node_normal)] = node_normal
    return normal * sign[part][:, None]


def _distinct_edges(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs Int[E,2] with i < j, each once, in order."""
    pairs = np.sort(pairs, axis=1)
    base = int(pairs.max(initial=0)) + 1
    key = np.unique(pairs[:, 0] * base + pairs[:, 1])
    return np.stack([key // base, key % base], axis=1)


def _without_strays(
    position: NDArray[np.float64], part: NDArray[np.int64], edges: NDArray[np.int64], surface_count: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Without the inner nodes that are not connected to the surface (in corners narrower than the spacing)."""
    kept = reached_from_surface(len(position), surface_count, edges)
    index = np.cumsum(kept) - 1
    return position[kept], part[kept], index[edges[kept[edges].all(axis=1)]]


def _vertex_nodes(mesh: Mesh, surface: Surface, cells: GeodesicCells, places: NDArray[np.float64]) -> NDArray[np.int64]:
    """The owner of each mesh vertex, Int[V]; a vertex without faces follows the node nearest in space."""
    node = cells.owner[surface.vertex_point]
    loose = np.flatnonzero(surface.vertex_point < 0)
    if len(loose):
        unit = (mesh.vertices[loose] - surface.centre) / surface.size
        node[loose] = cKDTree(places).query(unit)[1]
    return node


def _warnings(surface: Surface, bridges: PartBridges) -> tuple[Text, ...]:
    warnings = []
    if bridges.islands > 1:
        warnings.append(Text("mesh.joined_pieces", count=bridges.islands, gap=1e3 * bridges.widest * surface.size))
    loose = int(np.count_nonzero(surface.vertex_point < 0))
    if loose:
        warnings.append(Text("mesh.loose_vertices", count=loose))
    return tuple(warnings)
