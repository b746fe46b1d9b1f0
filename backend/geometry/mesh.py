"""The triangle mesh, validated once at the boundary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import UserError

__all__ = ["MAXIMUM_VERTICES", "Mesh", "cross", "triangle_areas", "triangle_normals", "validate_mesh"]

# Meshes of this many vertices are refused: analysing them would need more memory than most workstations have.
MAXIMUM_VERTICES = 5_000_000


@dataclass(frozen=True)
class Mesh:
    """A checked triangle mesh: vertices Float[V,3] in metres, triangles Int[F,3] (indices of vertices).

    slots Int[F]: the material slot of each triangle, numbered from 0 by first use; all 0 where none is known.
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    slots: NDArray[np.int64]


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


def validate_mesh(vertices: ArrayLike, triangles: ArrayLike, slots: ArrayLike | None = None) -> Mesh:
    """The given arrays as a `Mesh`, or a `UserError` that says what is wrong with them.

    Zero-area faces, duplicate and loose vertices and non-manifold edges are all accepted. `slots` Int[F] are any
    numbers from 0; which faces share one is all that matters.
    """
    vertex_array = _as_rows_of_three(vertices, "vertices")
    if not np.issubdtype(vertex_array.dtype, np.number) or np.iscomplexobj(vertex_array):
        raise UserError("bad_vertices", "The vertex coordinates are not real numbers.", "Export the mesh again.")
    if len(vertex_array) == 0:
        raise UserError("empty_mesh", "The mesh has no vertices.", "Choose an object that has a mesh with faces.")
    if len(vertex_array) >= MAXIMUM_VERTICES:
        raise UserError(
            "too_many_vertices",
            f"The mesh has {len(vertex_array):,} vertices, fewer than {MAXIMUM_VERTICES:,} are possible.",
            "Simulate a decimated copy and transfer its motion to the full mesh.",
        )
    if len(vertex_array) == 1:
        raise UserError("one_vertex", "The mesh has a single vertex.", "Choose an object that has faces.")

    triangle_array = _as_rows_of_three(triangles, "triangles")
    if len(triangle_array) == 0:
        raise UserError(
            "no_faces",
            "The mesh has no faces.",
            "Add faces, or convert the curve or points to a mesh with faces.",
        )
    triangle_array = _checked_indices(triangle_array, len(vertex_array))
    slot_array = _checked_slots(slots, len(triangle_array))

    vertex_array = np.ascontiguousarray(vertex_array, dtype=np.float64)
    _check_finite(vertex_array)
    _check_area(vertex_array, triangle_array)
    return Mesh(vertex_array, triangle_array, slot_array)


def _as_rows_of_three(values: ArrayLike, what: str) -> NDArray[np.generic]:
    array = np.asarray(values)
    if array.size == 0:
        return np.empty((0, 3))
    if array.ndim != 2 or array.shape[1] != 3:
        raise UserError(
            "bad_shape",
            f"The {what} have the shape {array.shape} where rows of three numbers are needed.",
            "Triangulate the mesh and export it again.",
        )
    return array


def _checked_indices(triangles: NDArray[np.generic], vertex_count: int) -> NDArray[np.int64]:
    if not np.issubdtype(triangles.dtype, np.integer):
        raise UserError("bad_indices", "The vertex indices of the faces are not integers.", "Export the mesh again.")
    outside = int(np.count_nonzero(((triangles < 0) | (triangles >= vertex_count)).any(axis=1)))
    if outside:
        raise UserError(
            "index_out_of_range",
            f"{outside:,} of {len(triangles):,} faces use vertices that do not exist.",
            "Export the mesh again; the file or the selection is incomplete.",
        )
    return np.ascontiguousarray(triangles, dtype=np.int64)


def _checked_slots(slots: ArrayLike | None, triangle_count: int) -> NDArray[np.int64]:
    """Numbered anew by first use, so that they are dense and the same however a file counts its materials."""
    if slots is None:
        return np.zeros(triangle_count, dtype=np.int64)
    array = np.asarray(slots)
    if array.shape != (triangle_count,):
        raise UserError(
            "bad_slots",
            f"The material slots have the shape {array.shape} where each of {triangle_count:,} triangles needs one.",
            "Give one slot for each triangle, or leave the slots out.",
        )
    if not np.issubdtype(array.dtype, np.integer) or array.min() < 0:
        raise UserError(
            "bad_slots",
            "The material slots of the faces are not whole numbers from 0.",
            "Number the materials from 0, or leave the slots out.",
        )
    _, first, slot = np.unique(array, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[slot]


def _check_finite(vertices: NDArray[np.float64]) -> None:
    broken = int(np.count_nonzero(~np.isfinite(vertices).all(axis=1)))
    if broken:
        raise UserError(
            "not_finite",
            f"{broken:,} of {len(vertices):,} vertices have coordinates that are not finite numbers.",
            "Delete these vertices or undo the operation that made them, then try again.",
        )


def _check_area(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> None:
    """Refuse a mesh whose faces all have no area; also one so large that its size cannot be squared."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    with np.errstate(over="ignore"):
        size = float((high - low).max())
    if size > 1e100:
        raise UserError(
            "too_large",
            f"The mesh is {size:.1e} metres long.",
            "Apply a scale that brings it to a sensible size.",
        )
    # Relative to the size, so that a mesh in micrometres is as good as one in kilometres.
    tiny = size < 1e-100
    if tiny or triangle_areas((vertices - low) / size, triangles).sum() < 1e-12:
        raise UserError(
            "no_area",
            "The faces of the mesh have no area: all of them are collapsed to lines or points.",
            "Check the scale of the object, or merge by distance and fill the faces again.",
        )
