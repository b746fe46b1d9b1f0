"""Vertices under a round brush on the screen, as far as they are visible.

All of it is arithmetic on whole arrays, done anew only when the view has changed, so that a stroke keeps up with the
mouse on hundreds of thousands of vertices.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from .base_mesh import base_mesh
from .coordinates import read_coordinates, read_triangles

__all__ = ["BrushSurface", "BrushView", "Camera"]

DEPTH_WINDOW = 2.0  # what lies deeper than the surface under the mouse by more than so many radii is another part

Pixel = tuple[float, float]


@dataclass(frozen=True, eq=False)
class BrushSurface:
    """The surface of the base mesh in world space: `positions` and `normals` Float32[V,3].

    `corners` are the first, second and third vertices of the triangles, Int[F] each: taken apart, arithmetic on them
    is twenty times as fast as along rows of three.
    """

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]
    corners: tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]

    @classmethod
    def of(cls, context: bpy.types.Context, obj: bpy.types.Object) -> BrushSurface:
        """Raises Refusal where the base mesh cannot be read."""
        depsgraph = context.evaluated_depsgraph_get()
        with base_mesh(depsgraph, obj) as mesh:
            local, triangles = read_coordinates(mesh), read_triangles(mesh)
            normals = np.empty_like(local)
            mesh.vertex_normals.foreach_get("vector", normals.reshape(-1))
        to_world = np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
        linear = to_world[:3, :3]
        if np.linalg.det(linear) < 0.0:  # mirrored: what went round one way goes round the other
            triangles = triangles[:, ::-1]
        # Normals go to the world by the inverse transpose; n^T L^-1 in rows.
        outward = normals @ np.linalg.pinv(linear).astype(np.float32)
        positions = local @ linear.T.astype(np.float32) + to_world[:3, 3].astype(np.float32)
        return cls(positions, outward, tuple(np.ascontiguousarray(column, np.intp) for column in triangles.T))


@dataclass(frozen=True, eq=False)
class Camera:
    """How a 3D view looks: its matrices [4,4] and its size in pixels."""

    projection: NDArray[np.float64]
    """From the world to the clip space."""
    view: NDArray[np.float64]
    """From the world to the eye, which looks along -Z."""
    is_perspective: bool
    width: int
    height: int

    @classmethod
    def of(cls, region: bpy.types.Region, view: bpy.types.RegionView3D) -> Camera:
        matrices = (np.array(matrix, dtype=np.float64) for matrix in (view.perspective_matrix, view.view_matrix))
        return cls(*matrices, view.is_perspective, region.width, region.height)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Camera)
            and (self.is_perspective, self.width, self.height) == (other.is_perspective, other.width, other.height)
            and np.array_equal(self.projection, other.projection)
            and np.array_equal(self.view, other.view)
        )


class BrushView:
    """A surface as one camera sees it. Pixels are counted from the lower left of the region."""

    def __init__(self, surface: BrushSurface, camera: Camera):
        self.camera, self._corners = camera, surface.corners
        projection, view = camera.projection.astype(np.float32), camera.view.astype(np.float32)
        rows = [projection[row, :3] @ surface.positions.T + projection[row, 3] for row in (0, 1, 3)]
        self._clip_w = rows[2]
        self._before = self._clip_w > 1e-6  # in front of the eye
        safe = np.where(self._before, self._clip_w, 1.0)
        self._x = (rows[0] / safe + 1.0) * (0.5 * camera.width)
        self._y = (rows[1] / safe + 1.0) * (0.5 * camera.height)
        self._depth = -(view[2, :3] @ surface.positions.T + view[2, 3])
        eye = np.linalg.inv(camera.view)
        if camera.is_perspective:
            toward = eye[:3, 3].astype(np.float32) - surface.positions
            self._faces = np.einsum("vi,vi->v", toward, surface.normals) > 0.0
        else:
            self._faces = surface.normals @ eye[:3, 2].astype(np.float32) > 0.0
        # Boxes around the triangles on the screen find the few under the mouse quickly.
        first, second, third = surface.corners
        self._low, self._high = (
            tuple(pick(pick(values[first], values[second]), values[third]) for values in (self._x, self._y))
            for pick in (np.minimum, np.maximum)
        )

    def touched(self, start: Pixel, end: Pixel, radius: float) -> NDArray[np.int64]:
        """Vertices Int64[n] that a brush of `radius` pixels touches on its straight way between two pixels.

        They face the viewer; where the surface under the mouse shows its back, as a sheet may, they show theirs.
        """
        near = np.flatnonzero(self._before & (self._distance(start, end) <= radius))
        if len(near) == 0:
            return near
        hits = [hit for hit in (self._hit(end), self._hit(start)) if hit is not None]
        near = near[self._faces[near] == (hits[0][1] if hits else True)]
        if len(near) == 0:
            return near
        depth = max(hit[0] for hit in hits) if hits else float(self._depth[near].min())
        return near[self._depth[near] <= depth + DEPTH_WINDOW * self._metres(radius, depth)]

    def _distance(self, start: Pixel, end: Pixel) -> NDArray[np.float32]:
        """Of all vertices from the segment between two pixels, Float32[V] pixels."""
        way_x, way_y = end[0] - start[0], end[1] - start[1]
        x, y = self._x - start[0], self._y - start[1]
        length = way_x * way_x + way_y * way_y
        if length > 0.0:
            along = np.clip((x * way_x + y * way_y) / length, 0.0, 1.0)
            x, y = x - along * way_x, y - along * way_y
        return np.hypot(x, y)

    def _hit(self, pixel: Pixel) -> tuple[float, bool] | None:
        """Depth (m) of the surface under a pixel, and whether it faces the viewer; None where there is none."""
        x, y = pixel
        (low_x, low_y), (high_x, high_y) = self._low, self._high
        found = np.flatnonzero((low_x <= x) & (x <= high_x) & (low_y <= y) & (y <= high_y))
        corners = np.stack([corner[found] for corner in self._corners], axis=1)
        corners = corners[self._before[corners].all(axis=1)]
        a_x, b_x, c_x = (self._x[corners[:, place]].astype(np.float64) for place in range(3))
        a_y, b_y, c_y = (self._y[corners[:, place]].astype(np.float64) for place in range(3))
        area = (b_x - a_x) * (c_y - a_y) - (c_x - a_x) * (b_y - a_y)
        shares = np.stack(
            [
                (b_x - x) * (c_y - y) - (c_x - x) * (b_y - y),
                (c_x - x) * (a_y - y) - (a_x - x) * (c_y - y),
                (a_x - x) * (b_y - y) - (b_x - x) * (a_y - y),
            ]
        ) / np.where(area == 0.0, 1.0, area)
        inside = np.flatnonzero((area != 0.0) & (shares >= 0.0).all(axis=0))
        if len(inside) == 0:
            return None
        depths = self._depth[corners[inside]].astype(np.float64)
        if self.camera.is_perspective:  # there the inverse of the depth goes evenly over the screen
            depth = 1.0 / (shares[:, inside].T / depths).sum(axis=1)
        else:
            depth = (shares[:, inside].T * depths).sum(axis=1)
        first = int(depth.argmin())
        return float(depth[first]), bool(area[inside[first]] > 0.0)

    def _metres(self, pixels: float, depth: float) -> float:
        """How long so many pixels are at a depth (m)."""
        across = np.linalg.norm(self.camera.projection[0, :3])  # clip units a metre
        w = depth if self.camera.is_perspective else 1.0
        return 2.0 * pixels * w / (self.camera.width * across)
