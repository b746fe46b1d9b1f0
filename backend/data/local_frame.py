"""A right-handed frame on a face of an object, in which pieces are built and placed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..kinematics.base import Array
from .shapes import Piece

__all__ = ["LocalFrame", "front", "leaning", "upward"]


@dataclass(frozen=True)
class LocalFrame:
    """Local x and y lie on the face, z points out of it."""

    origin: Array  # Float[3]
    axes: Array  # Float[3,3], rows are the local axes in the object frame

    def point(self, x: float, y: float, z: float) -> Array:
        """A local point in the object frame."""
        return self.origin + np.array([x, y, z]) @ self.axes

    def direction(self, x: float, y: float, z: float) -> Array:
        """A local direction in the object frame."""
        return np.array([x, y, z]) @ self.axes

    def at(self, x: float, y: float, z: float = 0.0) -> LocalFrame:
        """The same axes from another local point."""
        return LocalFrame(self.point(x, y, z), self.axes)

    def turned(self, quarter_turns: int) -> LocalFrame:
        """The frame turned about its z, counter-clockwise seen from outside."""
        cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter_turns % 4]
        x, y, z = self.axes
        return LocalFrame(self.origin, np.stack([cosine * x + sine * y, cosine * y - sine * x, z]))

    def place(self, pieces: Piece | Iterable[Piece]) -> list[Piece]:
        """Pieces built about the local origin, in the object frame."""
        if isinstance(pieces, tuple):
            pieces = [pieces]
        return [(self.origin + vertices @ self.axes, triangles) for vertices, triangles in pieces]


def front(origin: ArrayLike) -> LocalFrame:
    """A face that looks along -Y: x to the right of who stands before it, y up."""
    return LocalFrame(np.asarray(origin, dtype=float), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]))


def upward(origin: ArrayLike) -> LocalFrame:
    """A face that looks up: the object's own axes."""
    return LocalFrame(np.asarray(origin, dtype=float), np.eye(3))


def leaning(origin: ArrayLike, angle: float) -> LocalFrame:
    """A face that looks along -Y and leans back by `angle` radians: 0 is `front`, a quarter turn `upward`."""
    cosine, sine = np.cos(angle), np.sin(angle)
    axes = np.array([[1.0, 0.0, 0.0], [0.0, sine, cosine], [0.0, -cosine, sine]])
    return LocalFrame(np.asarray(origin, dtype=float), axes)
