"""The collision surface of a mesh: the mesh itself while it is small, else a decimation onto its own vertices."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .cavities import merge_cavities
from .decimation import decimated
from .edges import edge_keys
from .mesh import Mesh, triangle_normals
from .ragged_arrays import run_starts
from .topology import Surface, weld_surface

__all__ = ["CollisionSurface", "collision_surface"]

# Edges are sharp where the normals of their faces differ by more than 25 degrees; the others are met by points
# against triangles.
_SMOOTH = np.cos(np.radians(25.0))


@dataclass(frozen=True)
class CollisionSurface:
    """The surface that contact is detected on.

    vertices Int[p]: vertices of the mesh, of several at one place the first. triangles Int[f,3] and edges Int[e,2]
    point into them; closed parts are wound outward (the walls of their cavities towards the cavity). closed Bool[f]:
    face of a watertight part, which has one side; the others have two. The edges are those that another edge can
    meet: rims, and sharp ones that stand out, on one-sided faces to the one side. hollow Int[h,2]: sharp edges that the
    faces rise from, seen from the side they are wound to; on two-sided faces those are among the edges too.
    """

    vertices: NDArray[np.int64]
    triangles: NDArray[np.int64]
    closed: NDArray[np.bool_]
    edges: NDArray[np.int64]
    hollow: NDArray[np.int64]

    def with_sides(self, one_sided: bool) -> CollisionSurface:
        """The same surface with all of its faces one-sided, whether closed or not, or all of them two-sided."""
        edges = np.unique(np.concatenate([self.edges, self.hollow]), axis=0)
        if one_sided:
            count = len(self.vertices)
            edges = edges[~np.isin(edges @ [count, 1], self.hollow @ [count, 1])]
        return replace(self, closed=np.full(len(self.triangles), one_sided), edges=edges)


def collision_surface(mesh: Mesh, most: int = 2000, fine: float = np.inf) -> CollisionSurface:
    """The surface of a mesh with at most about `most` vertices.

    Edges that stand out by more than `fine` metres count as sharp whatever their angle: what lies across them between
    its own vertices would sink in as far.
    """
    surface = merge_cavities(weld_surface(mesh))
    closed = surface.closed[surface.triangle_component]
    triangles = _outward(surface)
    # Vertices at one place: the first of them in the mesh.
    member = np.flatnonzero(surface.vertex_point >= 0)
    vertex = np.empty(len(surface.points), dtype=np.int64)
    vertex[surface.vertex_point[member][::-1]] = member[::-1]
    points = surface.points
    if len(points) > most:
        kept, triangles, closed = decimated(points, triangles, closed, surface.component, surface.area, most)
        vertex, points = vertex[kept], points[kept]
    return CollisionSurface(vertex, triangles, closed, *_edges_that_meet(points, triangles, closed, fine))


def _outward(surface: Surface) -> NDArray[np.int64]:
    """The triangles with the closed parts that look inwards turned over."""
    turned = surface.triangles.copy()
    flip = surface.inside_out[surface.triangle_component]
    turned[flip] = turned[flip][:, ::-1]
    return turned


def _edges_that_meet(
    points: NDArray[np.float64], triangles: NDArray[np.int64], closed: NDArray[np.bool_], fine: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The edges, and the hollow ones, of a `CollisionSurface`; lower end first."""
    start, opposite = triangles.ravel(), triangles[:, [2, 0, 1]].ravel()
    key = edge_keys(triangles, len(points))
    order = np.argsort(key, kind="stable")
    key, opposite = key[order], opposite[order]
    head = run_starts(key)
    faces = np.diff(np.append(head, len(key)))
    edges = np.stack([key[head] // len(points), key[head] % len(points)], axis=1)
    meets = faces != 2

    two = np.flatnonzero(faces == 2)
    normal = triangle_normals(points, triangles)
    length = np.sqrt(np.einsum("fi,fi->f", normal, normal))
    normal /= np.where(length > 0.0, length, 1.0)[:, None]
    one, other = order[head[two]] // 3, order[head[two] + 1] // 3
    # Faces of a sheet may be wound against each other; what counts is the angle between them.
    against = (start[order[head[two]]] == start[order[head[two] + 1]]) & ~closed[one]
    cosine = np.einsum("ei,ei->e", normal[one], normal[other]) * np.where(against, -1.0, 1.0)
    beyond = points[opposite[head[two] + 1]] - points[edges[two, 0]]
    rising = np.einsum("ei,ei->e", normal[one], beyond) > 0.0
    # How far the edge stands above a straight line across it, from one opposite corner to the other.
    along = np.linalg.norm(points[edges[two, 1]] - points[edges[two, 0]], axis=1)
    narrow = np.minimum(length[one], length[other]) / np.where(along > 0.0, along, 1.0)
    rise = 0.5 * narrow * np.sqrt(np.maximum(0.0, 1.0 - np.clip(cosine, -1.0, 1.0) ** 2))
    sharp = (cosine < _SMOOTH) | (rise > fine)
    meets[two] = sharp & ~(rising & closed[one])
    return edges[meets], edges[two[sharp & rising]]
