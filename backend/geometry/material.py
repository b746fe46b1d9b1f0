"""The material cloud of an object: points with volume, sampled from any triangle mesh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..errors import UserError
from .adjacency import edges_through_material, reached_from_surface, tie_pieces
from .cavities import merge_cavities
from .geodesic_cells import GeodesicCells, assign_cells
from .interior import COLUMNS_PER_CELL, interior_lattice, share_volume
from .mesh import Mesh, cross, triangle_areas
from .node_sampling import sample_nodes
from .occupancy import inside_intervals
from .part_bridges import PartBridges, SurfaceNodes, join_parts
from .topology import Surface, weld_surface

__all__ = ["MaterialCloud", "sample_material"]

# The columns that sample the inside stand askew: along the axes, which most objects are built along, they would see
# each face early or late by the same part of a step everywhere.
_TILT = np.linalg.qr(np.array([[1.0, 0.6, 0.3], [-0.5, 1.0, 0.4], [0.2, -0.7, 1.0]]))[0]


@dataclass(frozen=True)
class MaterialCloud:
    """Material points of an object and what holds them together.

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
    warnings: tuple[str, ...]


def sample_material(mesh: Mesh, target_nodes: int = 1500, shell_thickness_ratio: float = 0.02) -> MaterialCloud:
    """Fill closed parts and coat open ones with material points, about `target_nodes` in all.

    Open parts become sheets as thick as `shell_thickness_ratio` times the longest side of the object.
    The same mesh gives the same cloud, byte for byte.
    """
    if target_nodes < 1 or not 0.0 < shell_thickness_ratio < 1.0:
        raise UserError(
            "bad_sampling",
            f"Cannot sample {target_nodes} nodes on sheets of relative thickness {shell_thickness_ratio}.",
            "Ask for at least one node and a thickness between 0 and 1.",
        )
    surface = merge_cavities(weld_surface(mesh))
    sampling = sample_nodes(surface, target_nodes)
    points, triangles, component = sampling.points, sampling.triangles, sampling.component
    spacing, cloud = sampling.spacing, sampling.cloud
    cells = assign_cells(sampling)
    triangle_part = component[triangles[:, 0]]
    solid_faces = surface.closed[triangle_part]
    tilted = points @ _TILT.T
    intervals = inside_intervals(
        tilted,
        triangles[solid_faces],
        triangle_part[solid_faces],
        2.0 / np.sqrt(3.0) * spacing / COLUMNS_PER_CELL,
    )

    solid_cloud = cloud[surface.closed[component[cloud]]]
    inner, inner_part = interior_lattice(intervals, tilted[solid_cloud], component[solid_cloud], spacing)
    inner = inner @ _TILT
    count = len(cells.nodes)
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
        triangles[solid_faces],
        triangle_part[solid_faces],
    )
    edges = _distinct_edges(np.concatenate([cells.neighbours, solid[through]]))
    position, part, edges = _without_strays(position, part, edges, count)
    edges = _distinct_edges(np.concatenate([edges, tie_pieces(position, part, edges)]))

    area, normal, middle, flat = _cell_moments(points, triangles, cells)
    thickness = shell_thickness_ratio * (~surface.closed[part])
    solid = np.flatnonzero(surface.closed[part])
    sheet = np.flatnonzero(~surface.closed[part])
    whole_area = np.concatenate([area, np.zeros(len(position) - count)])
    volume = whole_area * thickness
    centroid, spread = position.copy(), np.zeros((len(position), 3, 3))
    # Sheets have surface nodes only, and these come first.
    centroid[sheet], across = middle[sheet], normal[sheet]
    spread[sheet] = flat[sheet] + shell_thickness_ratio**2 / 12.0 * across[:, :, None] * across[:, None, :]
    volume[solid], tilted_centroid, tilted_spread = share_volume(
        intervals, position[solid] @ _TILT.T, part[solid], whole_area[solid], surface.volume
    )
    centroid[solid], spread[solid] = tilted_centroid @ _TILT, _TILT.T @ tilted_spread @ _TILT

    bridges = join_parts(
        SurfaceNodes(
            position,
            part,
            count,
            points,
            triangles,
            component,
            cells.owner,
            cloud,
            surface.closed,
            spacing,
        )
    )
    open_part = ~surface.closed[part]
    normal = np.concatenate([normal, np.zeros((len(position) - count, 3))]) * open_part[:, None]
    vertex_node = _vertex_nodes(mesh, surface, cells, position[:count])
    size = surface.size
    return MaterialCloud(
        position=position * size + surface.centre,
        centroid=centroid * size + surface.centre,
        spread=spread * size**2,
        volume=volume * size**3,
        part=part,
        solid=~open_part,
        normal=normal,
        thickness=thickness * size,
        surface=np.arange(len(position)) < count,
        spacing=spacing * size,
        edges=edges,
        bridges=bridges.pairs,
        bridge_gaps=bridges.gaps * size,
        vertex_node=vertex_node,
        part_count=len(surface.closed),
        closed_part_count=int(np.count_nonzero(surface.closed)),
        warnings=_warnings(surface, bridges),
    )


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
    """Without the inner nodes that nothing holds to the surface (in corners narrower than the spacing)."""
    kept = reached_from_surface(len(position), surface_count, edges)
    index = np.cumsum(kept) - 1
    return position[kept], part[kept], index[edges[kept[edges].all(axis=1)]]


def _cell_moments(
    points: NDArray[np.float64], triangles: NDArray[np.int64], cells: GeodesicCells
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Area Float[S], unit normal Float[S,3], centroid Float[S,3] and spread Float[S,3,3] of each cell.

    The normal is the main axis of sum(area n n^T), which does not care which way the faces look;
    of its two directions, the one the faces agree on more. Centroid and spread lie in the plane of the node.
    """
    count = len(cells.nodes)
    first = points[triangles[:, 0]]
    twice = cross(points[triangles[:, 1]] - first, points[triangles[:, 2]] - first)
    area = triangle_areas(points, triangles)
    owners = cells.owner[triangles]
    third = area / 3.0

    def gathered(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return sum(np.bincount(owners[:, corner], values, minlength=count) for corner in range(3))

    unit = np.divide(twice, 2.0 * area[:, None], out=np.zeros_like(twice), where=area[:, None] > 0)
    tensor = np.empty((count, 3, 3))
    for row in range(3):
        for column in range(row, 3):
            tensor[:, row, column] = tensor[:, column, row] = gathered(third * unit[:, row] * unit[:, column])
    normal = np.linalg.eigh(tensor)[1][:, :, 2]
    mean = np.stack([gathered(third * unit[:, axis]) for axis in range(3)], axis=1)
    normal *= np.where(np.einsum("si,si->s", normal, mean) < 0, -1.0, 1.0)[:, None]
    return gathered(third), normal, *_flat_moments(points, triangles, cells, third, normal)


def _flat_moments(
    points: NDArray[np.float64],
    triangles: NDArray[np.int64],
    cells: GeodesicCells,
    third: NDArray[np.float64],
    normal: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centroid Float[S,3] and spread Float[S,3,3] of cells within the plane of their node."""
    owner = cells.owner[triangles].ravel()
    corners = points[triangles]
    # The third of a triangle nearest to a corner has its centroid at 22/36 of that corner and 7/36 of the other two.
    pieces = ((7.0 * corners.sum(axis=1))[:, None] + 15.0 * corners).reshape(-1, 3) / 36.0
    weight, home = np.repeat(third, 3), points[cells.nodes]
    away = pieces - home[owner]
    away -= np.einsum("pi,pi->p", away, normal[owner])[:, None] * normal[owner]
    count = len(cells.nodes)

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(owner, weight * values, minlength=count) / np.maximum(
            np.bincount(owner, weight, minlength=count), 1e-300
        )

    shift = np.stack([mean(away[:, axis]) for axis in range(3)], axis=1)
    spread = np.empty((count, 3, 3))
    for row in range(3):
        for column in range(row, 3):
            spread[:, row, column] = mean(away[:, row] * away[:, column]) - shift[:, row] * shift[:, column]
            spread[:, column, row] = spread[:, row, column]
    # What is left out within a piece, as if it were round.
    plane = np.eye(3) - normal[:, :, None] * normal[:, None, :]
    spread += (mean(weight) / (4.0 * np.pi))[:, None, None] * plane
    return home + shift, spread


def _vertex_nodes(mesh: Mesh, surface: Surface, cells: GeodesicCells, places: NDArray[np.float64]) -> NDArray[np.int64]:
    """The owner of each mesh vertex, Int[V]; a vertex without faces follows the node nearest in space."""
    node = cells.owner[surface.vertex_point]
    loose = np.flatnonzero(surface.vertex_point < 0)
    if len(loose):
        unit = (mesh.vertices[loose] - surface.centre) / surface.size
        node[loose] = cKDTree(places).query(unit)[1]
    return node


def _warnings(surface: Surface, bridges: PartBridges) -> tuple[str, ...]:
    warnings = []
    if bridges.islands > 1:
        warnings.append(
            f"{bridges.islands} separate pieces were joined where they come nearest; "
            f"the widest gap is {bridges.widest * surface.size:.3g} m."
        )
    loose = int(np.count_nonzero(surface.vertex_point < 0))
    if loose:
        warnings.append(f"{loose} loose vertices without faces follow the nearest material.")
    return tuple(warnings)
