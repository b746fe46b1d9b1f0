"""The triangle mesh, validated once at the boundary."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UserError
from .labels import Labels, SlotLabel

__all__ = ["MAXIMUM_VERTICES", "Mesh", "cross", "triangle_areas", "triangle_normals", "validate_mesh"]

# Meshes of this many vertices are refused: analysing them would need more memory than most workstations have.
MAXIMUM_VERTICES = 5_000_000


@dataclass(frozen=True)
class Mesh:
    """A checked triangle mesh: vertices Float[V,3] in metres, triangles Int[F,3] (indices of vertices).

    slots Int[F]: the material slot of each triangle, numbered from 0 by first use; all 0 where none is known. `labels`
    name these slots, and the objects that the triangles are of, where there are names.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    slots: NDArray[np.int64]
    labels: Labels | None = None


def cross(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cross products over the last axis of Float[...,3]; several times faster than the general one of NumPy."""
    result = np.empty_like(first)
    for axis in range(3):
        following, last = (axis + 1) % 3, (axis + 2) % 3
        result[..., axis] = first[..., following] * second[..., last] - first[..., last] * second[..., following]
    return result


def triangle_areas(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Area of each triangle, Float[F], in the squared unit of `points` Float[P,3]."""
    normal = triangle_normals(points, triangles)
    return 0.5 * np.sqrt(np.einsum("fi,fi->f", normal, normal))


def triangle_normals(points: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Normals of triangles, Float[F,3], as long as twice their area."""
    first = points[triangles[:, 0]]
    return cross(points[triangles[:, 1]] - first, points[triangles[:, 2]] - first)


def validate_mesh(
    vertices: ArrayLike, triangles: ArrayLike, slots: ArrayLike | None = None, labels: Labels | None = None
) -> Mesh:
    """The given arrays as a `Mesh`, or a `UserError` that says what is wrong with them.

    Zero-area faces, duplicate and loose vertices and non-manifold edges are all accepted. `slots` Int[F] are any
    numbers from 0; which faces share one is all that matters. `labels` name them by these numbers.
    """
    vertex_array = _as_rows_of_three(vertices, "vertices")
    if not np.issubdtype(vertex_array.dtype, np.number) or np.iscomplexobj(vertex_array):
        raise UserError("bad_vertices.not_real")
    if len(vertex_array) == 0:
        raise UserError("empty_mesh.no_vertices")
    if len(vertex_array) >= MAXIMUM_VERTICES:
        raise UserError("too_many_vertices.mesh", count=len(vertex_array), most=MAXIMUM_VERTICES)
    if len(vertex_array) == 1:
        raise UserError("one_vertex.mesh")

    triangle_array = _as_rows_of_three(triangles, "triangles")
    if len(triangle_array) == 0:
        raise UserError("no_faces.mesh")
    triangle_array = _checked_indices(triangle_array, len(vertex_array))
    slot_array, given = _checked_slots(slots, len(triangle_array))

    vertex_array = np.ascontiguousarray(vertex_array, dtype=np.float64)
    _check_finite(vertex_array)
    _check_area(vertex_array, triangle_array)
    return Mesh(vertex_array, triangle_array, slot_array, None if labels is None else _relabelled(labels, given))


def _as_rows_of_three(values: ArrayLike, what: str) -> NDArray[np.generic]:
    array = np.asarray(values)
    if array.size == 0:
        return np.empty((0, 3))
    if array.ndim != 2 or array.shape[1] != 3:
        raise UserError("bad_shape.vertices" if what == "vertices" else "bad_shape.triangles", shape=str(array.shape))
    return array


def _checked_indices(triangles: NDArray[np.generic], vertex_count: int) -> NDArray[np.int64]:
    if not np.issubdtype(triangles.dtype, np.integer):
        raise UserError("bad_indices.not_integers")
    outside = int(np.count_nonzero(((triangles < 0) | (triangles >= vertex_count)).any(axis=1)))
    if outside:
        raise UserError("index_out_of_range.faces", outside=outside, count=len(triangles))
    return np.ascontiguousarray(triangles, dtype=np.int64)


def _checked_slots(slots: ArrayLike | None, triangle_count: int) -> tuple[NDArray[np.int64], list[int]]:
    """Numbered anew by first use, so that they are dense and the same however a file counts its materials.

    With the numbers that they had.
    """
    if slots is None:
        return np.zeros(triangle_count, dtype=np.int64), [0]
    array = np.asarray(slots)
    if array.shape != (triangle_count,):
        raise UserError("bad_slots.shape", shape=str(array.shape), count=triangle_count)
    if not np.issubdtype(array.dtype, np.integer) or array.min() < 0:
        raise UserError("bad_slots.numbers")
    given, first, slot = np.unique(array, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[slot], given[np.argsort(first)].tolist()


def _relabelled(labels: Labels, given: list[int]) -> Labels:
    """With slots by their new numbers; `given` are those that they had."""
    return replace(labels, slots={new: labels.slots.get(old, SlotLabel()) for new, old in enumerate(given)})


def _check_finite(vertices: NDArray[np.float64]) -> None:
    broken = int(np.count_nonzero(~np.isfinite(vertices).all(axis=1)))
    if broken:
        raise UserError("not_finite.vertices", broken=broken, count=len(vertices))


def _check_area(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> None:
    """Refuse a mesh whose faces all have no area; also one so large that its size cannot be squared."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    with np.errstate(over="ignore"):
        size = float((high - low).max())
    if size > 1e100:
        raise UserError("too_large.mesh", size=size)
    # Relative to the size, so that a mesh in micrometres is as good as one in kilometres.
    tiny = size < 1e-100
    if tiny or triangle_areas((vertices - low) / size, triangles).sum() < 1e-12:
        raise UserError("no_area.mesh")
