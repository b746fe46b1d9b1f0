"""Skinned kinematics of few coordinates, given by handle transforms alone: derivatives are differences.

Five-point stencils, f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h with steps of a thousandth of the range: f' is
right to about 1e-12, f'' along a rate to about 1e-10.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import numpy as np

from .base import Array, ReferenceFrame

__all__ = ["SkinningKinematics"]

FIRST_STEP = 1e-3  # of the range of a coordinate
SECOND_STEP = 1e-2
KEPT_SLOPES = 4  # a step asks for the same ones again and again


class SkinningKinematics:
    """At rest where q is zero. `transforms` takes q Float[k] to Float[H,3,4], in metres about the frame's centre."""

    constant_jacobian = False

    def __init__(self, name: str, frame: ReferenceFrame, transforms: Callable[[Array], Array], reach: Array) -> None:
        """`reach` Float[k]: half the range of each coordinate."""
        self.name, self.dof = name, len(reach)
        self._frame, self._transforms, self._reach = frame, transforms, reach
        self._slopes: OrderedDict[bytes, Array] = OrderedDict()

    def rest(self) -> Array:
        return np.zeros(self.dof)

    def handles(self, q: Array) -> Array:
        transforms = np.asarray(self._transforms(q), dtype=np.float64)
        rows = transforms.transpose(0, 2, 1).copy()
        rows[:, :3] *= self._frame.scale
        rows[:, 3] += self._frame.centre
        return rows.reshape(-1, 3)

    def jacobian(self, q: Array) -> Array:
        key = q.tobytes()
        if key not in self._slopes:
            if len(self._slopes) >= KEPT_SLOPES:
                self._slopes.popitem(last=False)
            steps = np.diag(FIRST_STEP * self._reach)
            slopes = [_slope(self.handles, q, step).ravel() / step.sum() for step in steps]
            self._slopes[key] = np.column_stack(slopes)
        return self._slopes[key]

    def push(self, q: Array, rate: Array) -> Array:
        return (self.jacobian(q) @ rate).reshape(-1, 3)

    def pull(self, q: Array, force: Array) -> Array:
        return self.jacobian(q).T @ force.ravel()

    def acceleration(self, q: Array, rate: Array) -> Array:
        fastest = float(np.abs(rate / self._reach).max())
        if fastest == 0.0:
            return np.zeros_like(self.handles(q))
        length = SECOND_STEP / fastest
        step = length * rate
        near = self.handles(q + step) + self.handles(q - step)
        far = self.handles(q + 2.0 * step) + self.handles(q - 2.0 * step)
        return (16.0 * near - far - 30.0 * self.handles(q)) / (12.0 * length**2)

    def curvature(self, q: Array, force: Array) -> Array:
        steps = np.diag(FIRST_STEP * self._reach)
        matrix = np.column_stack([_slope(lambda at: self.pull(at, force), q, step) / step.sum() for step in steps])
        return 0.5 * (matrix + matrix.T)

    def canonical(self, q: Array) -> Array:
        return q


def _slope(function: Callable[[Array], Array], q: Array, step: Array) -> Array:
    """The difference of a function over a step."""
    near, far = function(q + step) - function(q - step), function(q + 2.0 * step) - function(q - 2.0 * step)
    return (8.0 * near - far) / 12.0
