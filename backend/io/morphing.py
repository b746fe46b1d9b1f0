"""Morph targets: each frame as offsets from the first one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .appearance import Primitive
from .moving_mesh import MovingMesh
from .normals import surface_normals, turned_with_surface

__all__ = ["Morphing"]


class Morphing:
    """Positions and normals of an object at its frames, counted from 0."""

    def __init__(self, moving: MovingMesh) -> None:
        self._moving = moving
        self._drawn = np.asarray(moving.rest, dtype=np.float64)
        self._surface: dict[int, NDArray[np.float64]] = {}

    def moved(self, primitive: Primitive, number: int) -> NDArray[np.float32]:
        """How far the vertices of a primitive are from where they are at the first frame."""
        frames, rows = self._moving.frames, primitive.vertices
        return frames[number, rows].astype(np.float32) - frames[0, rows].astype(np.float32)

    def normals(self, primitive: Primitive, number: int) -> NDArray[np.float64]:
        """The drawn normals of a primitive, turned with its surface."""
        rows = primitive.vertices
        before, after = self._of_surface(-1)[rows], self._of_surface(number)[rows]
        return turned_with_surface(primitive.attributes["NORMAL"], before, after)

    def _of_surface(self, number: int) -> NDArray[np.float64]:
        """The surface's own normals at a frame, or at -1 those it was drawn with; the last few are kept."""
        if number not in self._surface:
            positions = self._drawn if number < 0 else self._moving.frames[number]
            kept = {key: value for key, value in self._surface.items() if key <= 0}
            self._surface = {**kept, number: surface_normals(positions, self._moving.triangles)}
        return self._surface[number]
