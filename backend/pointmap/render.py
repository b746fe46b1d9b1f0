"""Rendering of one frame: position, object and colour of each pixel's surface point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .camera import Camera
from .clip import clipped
from .rasterise import NOTHING, nearest

__all__ = ["GREY", "Picture", "Surface", "render"]

GREY = (0.6, 0.6, 0.6)
"""Linear colour of what has none."""
# A light behind the camera's left shoulder, in camera space, and the share of it that comes from everywhere.
_LIGHT = np.array([0.35, 0.5, 0.8]) / np.linalg.norm([0.35, 0.5, 0.8])
_EVERYWHERE = 0.35


@dataclass(frozen=True, eq=False)
class Surface:
    """The triangles of one frame, with colours and object numbers."""

    vertices: NDArray[np.floating]
    """Float[V,3], world, m."""
    triangles: NDArray[np.integer]
    """Int[F,3]; both sides are seen."""
    colors: NDArray[np.floating]
    """Linear, of the triangles Float[F,3]."""
    objects: NDArray[np.integer]
    """To which object the triangles belong, Int[F], from 1."""


@dataclass(frozen=True, eq=False)
class Picture:
    """The rendered images; 0 where no surface is seen."""

    points: NDArray[np.float32]
    """Of the surface behind each pixel's centre, camera space, Float[height,width,3], m."""
    objects: NDArray[np.uint16]
    """Of which object, Int[height,width], from 1."""
    colors: NDArray[np.float32]
    """Linear, shaded flat, Float[height,width,3]."""

    @property
    def mask(self) -> NDArray[np.uint8]:
        """1 where something is seen."""
        return (self.objects > 0).astype(np.uint8)

    @property
    def depth(self) -> NDArray[np.float32]:
        """The distance along the camera's axis, z, Float[height,width], m."""
        return self.points[:, :, 2]


def render(surface: Surface, camera: Camera) -> Picture:
    """Exact for every pixel's centre: positions come from the corners of the very triangle, in double precision."""
    seen = camera.to_camera(np.asarray(surface.vertices, dtype=np.float64))
    corners, owner = clipped(seen[surface.triangles], camera.clip_start, camera.clip_end)
    flat = camera.project(corners.reshape(-1, 3)).reshape(-1, 3, 2)
    z = corners[:, :, 2]
    nearness, least = (-z, -camera.clip_end) if camera.orthographic else (1.0 / z, 1.0 / camera.clip_end)
    shown = nearest(flat, nearness, least, camera.height, camera.width).ravel()
    pixels = np.flatnonzero(shown != NOTHING)
    triangle = shown[pixels]
    rows, columns = np.divmod(pixels, camera.width)
    centres = np.stack([columns + 0.5, rows + 0.5], axis=1)
    shares = _shares(flat[triangle], centres)
    if not camera.orthographic:
        # Shares of the picture's triangle are not those of the triangle in space: what is near counts for more.
        shares *= nearness[triangle]
        shares /= shares.sum(axis=1, keepdims=True)
    count = camera.height * camera.width
    points = np.zeros((count, 3), dtype=np.float32)
    points[pixels] = np.einsum("pc,pcx->px", shares, corners[triangle])
    objects, colors = np.zeros(count, dtype=np.uint16), np.zeros((count, 3), dtype=np.float32)
    objects[pixels] = surface.objects[owner][triangle]
    colors[pixels] = (surface.colors[owner] * _light(corners))[triangle]
    size = (camera.height, camera.width)
    return Picture(points.reshape(*size, 3), objects.reshape(size), colors.reshape(*size, 3))


def _shares(flat: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Barycentric coordinates Float[P,3] of points in triangles of the picture Float[P,3,2], none below 0."""
    a, b, c = np.moveaxis(flat, 1, 0)
    to_b, to_c, to = b - a, c - a, centres - a
    area = to_b[:, 0] * to_c[:, 1] - to_b[:, 1] * to_c[:, 0]
    area[area == 0.0] = np.inf  # a sliver that rounding let cover a pixel: its first corner is as good as any
    of_b = (to[:, 0] * to_c[:, 1] - to[:, 1] * to_c[:, 0]) / area
    of_c = (to_b[:, 0] * to[:, 1] - to_b[:, 1] * to[:, 0]) / area
    shares = np.clip(np.stack([1.0 - of_b - of_c, of_b, of_c], axis=1), 0.0, 1.0)
    return shares / shares.sum(axis=1, keepdims=True)


def _light(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """How bright triangles Float[F,3,3] are, Float[F,1]; their two sides alike."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.maximum(np.linalg.norm(normal, axis=1), 1e-300)
    facing = np.abs(normal @ _LIGHT) / length
    return (_EVERYWHERE + (1.0 - _EVERYWHERE) * facing)[:, None]
