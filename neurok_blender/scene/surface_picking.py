"""Picking a point of the displayed surface, and dragging it in the view plane."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector
from numpy.typing import NDArray

__all__ = ["Hold", "hold_under", "in_view_plane", "nearest_vertex"]


@dataclass(frozen=True)
class Hold:
    """A place on the surface: corners of its triangle with their shares, and where it is shown in the world (m)."""

    vertices: tuple[int, ...]
    shares: tuple[float, ...]
    place: Vector

    def on(self, positions: NDArray[np.float32]) -> Vector:
        """The same place where the mesh has its vertices at positions Float[V,3]."""
        return Vector(np.asarray(self.shares) @ positions[list(self.vertices)].astype(np.float64))


def hold_under(
    positions: NDArray[np.float64], triangles: NDArray[np.int32], origin: Vector, direction: Vector
) -> Hold | None:
    """First hit of a ray (world) on the surface with vertices Float[V,3] m and triangles Int[F,3].

    Blender's own ray cast first sorts the whole mesh, anew for each shape that is shown: 20 times as long. In
    coordinates x, y across the line only those triangles can meet it that have corners on all of its four sides, which
    leaves next to nothing to look at closely.
    """
    axes = np.array(Vector(direction).to_track_quat("Z", "Y").to_matrix(), np.float64)  # columns: across, across, along
    eye = np.array(origin, np.float64)
    aside = (positions - eye) @ axes[:, :2]
    sides = (aside[:, 0] < 0.0) + 2 * (aside[:, 1] < 0.0).astype(np.uint8)
    first, second, third = (sides[corner] for corner in np.ascontiguousarray(triangles.T))
    near = np.flatnonzero((first & second & third == 0) & (first | second | third == 3))
    corners = triangles[near]
    x, y = np.moveaxis(aside[corners], 2, 0)  # [n,3]
    # Twice the area between the line and each edge, which is the share of the corner across from it.
    shares = np.stack([x[:, i - 2] * y[:, i - 1] - x[:, i - 1] * y[:, i - 2] for i in range(3)], axis=1)
    total = shares.sum(axis=1)
    met = (total != 0.0) & ((shares * np.sign(total)[:, None]) >= 0.0).all(axis=1)
    corners, shares = corners[met], shares[met] / total[met, None]
    places = (shares[:, :, None] * positions[corners]).sum(axis=1)
    depths = (places - eye) @ axes[:, 2]
    if not (depths > 0.0).any():
        return None
    seen = int(np.where(depths > 0.0, depths, np.inf).argmin())
    return Hold(tuple(map(int, corners[seen])), tuple(map(float, shares[seen])), Vector(places[seen]))


def nearest_vertex(hold: Hold) -> int:
    """The vertex that has most of the place."""
    return hold.vertices[int(np.argmax(hold.shares))]


def in_view_plane(region: bpy.types.Region, view: bpy.types.RegionView3D, mouse: Vector, through: Vector) -> Vector:
    """Where the mouse (pixels of the region) is in the plane through a place of the world that faces the view."""
    return view3d_utils.region_2d_to_location_3d(region, view, mouse, through)
