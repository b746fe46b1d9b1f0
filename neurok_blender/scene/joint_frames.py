"""Joint axes and pivots between object space and world space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from mathutils import Matrix, Vector
from numpy.typing import NDArray

__all__ = ["Frame", "joint_length", "six_of", "symmetric"]


@dataclass(frozen=True)
class Frame:
    """The world matrix of an object: its joints from object space to world space and back."""

    matrix: Matrix

    def place(self, origin: Sequence[float]) -> Vector:
        return self.matrix @ Vector(origin)

    def place_back(self, place: Sequence[float]) -> Vector:
        return self.matrix.inverted_safe() @ Vector(place)

    def axis(self, axis: Sequence[float], turns: bool) -> tuple[Vector, float]:
        """The unit axis in the world, and how long there is what is 1 along it in the object."""
        own = Vector(axis)
        own = own.normalized() if own.length > 0.0 else Vector((0.0, 0.0, 1.0))
        along = self.matrix.to_3x3() @ own
        # What is mirrored turns the other way round.
        sign = -1.0 if turns and self.matrix.is_negative else 1.0
        return sign * along.normalized(), along.length

    def axis_back(self, axis: Sequence[float], turns: bool) -> tuple[Vector, float]:
        """The unit axis in the object, and how long in the world is what is 1 along it."""
        own = (self.matrix.to_3x3().inverted_safe() @ Vector(axis)).normalized()
        own = -own if turns and self.matrix.is_negative else own
        return own, (self.matrix.to_3x3() @ own).length


def joint_length(joint, frame: Frame) -> float:
    """How long in the world is what is 1 of the joint's value; turns are the same everywhere."""
    return frame.axis(joint.axis, turns=False)[1] if joint.kind == "SLIDE" else 1.0


def symmetric(six: Sequence[float]) -> NDArray[np.float64]:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=np.float64)


def six_of(matrix: NDArray[np.float64]) -> list[float]:
    return [float(matrix[place]) for place in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
