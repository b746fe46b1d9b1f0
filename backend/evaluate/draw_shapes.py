"""Rasteriser of a mesh by points of its surface and a depth buffer, in NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..geometry.mesh import cross
from ..kinematics.base import Array
from .surface import SurfacePoints

__all__ = ["View", "warm_colours"]

_LIGHT = np.array([0.35, -0.55, 0.76])
_COLD, _WARM = np.array([0.62, 0.65, 0.70]), np.array([0.93, 0.36, 0.12])


class View:
    """A look from the front, the right and above at everything that is to be in one row of pictures."""

    def __init__(self, shapes: Array, size: int) -> None:
        """shapes Float[...,3]: all that has to fit; `size` pixels each way."""
        right, forward = np.array([0.80, 0.60, 0.0]), np.array([-0.55, 0.73, -0.40])
        forward -= right * (right @ forward)
        forward /= np.linalg.norm(forward)
        self._axes = np.stack([right, np.cross(right, forward), forward])
        projected = shapes.reshape(-1, 3) @ self._axes.T
        low, high = projected.min(axis=0), projected.max(axis=0)
        self._middle = 0.5 * (low + high)
        self._scale = 0.92 * size / max(float((high - low)[:2].max()), 1e-9)
        self._size = size

    def picture(self, vertices: Array, points: SurfacePoints, colours: Array) -> NDArray[np.uint8]:
        """Pixels UInt8[size,size,3] of a shape by many points of it, with colours Float[n,3] between 0 and 1."""
        corners = vertices[points.corners]
        normal = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-12)[:, None]
        projected = points.on(vertices) @ self._axes.T
        # Both sides of a face are drawn alike, lit as the one that is seen.
        facing = np.sign(-(normal @ self._axes[2]))[:, None] * normal
        light = 0.45 + 0.55 * np.maximum(facing @ _LIGHT, 0.0)
        pixel = self._pixels(projected)
        inside = ((pixel >= 0) & (pixel < self._size)).all(axis=1)
        flat = (pixel[:, 1] * self._size + pixel[:, 0])[inside]
        order = np.lexsort((projected[inside, 2], flat))
        first = np.ones(len(order), dtype=bool)
        first[1:] = flat[order][1:] != flat[order][:-1]
        nearest = order[first]
        image = np.full((self._size * self._size, 3), np.nan)
        image[flat[nearest]] = (colours * light[:, None])[inside][nearest]
        image = _without_holes(image.reshape(self._size, self._size, 3))
        return (255.0 * np.clip(image, 0.0, 1.0)).astype(np.uint8)

    def marked(self, image: NDArray[np.uint8], places: Array, colour: tuple[int, int, int]) -> NDArray[np.uint8]:
        """The picture with a square at each of the places Float[n,3], in front of everything."""
        image = image.copy()
        for column, row in self._pixels(places @ self._axes.T):
            image[max(row - 3, 0) : row + 4, max(column - 3, 0) : column + 4] = colour
        return image

    def _pixels(self, projected: Array) -> NDArray[np.int64]:
        flat = (projected - self._middle)[:, :2] * self._scale * [1.0, -1.0]
        return np.floor(flat + 0.5 * self._size).astype(np.int64)


def _without_holes(image: Array) -> Array:
    """Pixels that no point met: inside a surface (three of four neighbours are met) their mean, else white."""
    for _ in range(2):
        around = np.stack([np.roll(image, step, axis=axis) for axis in (0, 1) for step in (1, -1)])
        met = ~np.isnan(around[..., 0])
        hole = np.isnan(image[..., 0]) & (met.sum(axis=0) >= 3)
        image[hole] = np.nansum(around[:, hole], axis=0) / met[:, hole].sum(axis=0)[:, None]
    return np.where(np.isnan(image), 1.0, image)


def warm_colours(amount: Array) -> Array:
    """Grey for 0 to orange for 1 and above: Float[n] -> Float[n,3]."""
    share = np.clip(amount, 0.0, 1.0)[:, None]
    return (1.0 - share) * _COLD + share * _WARM
