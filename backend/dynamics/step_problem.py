"""What an object brings to a step that is solved jointly with what it touches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..kinematics.base import Array
from .state import State

__all__ = ["PointRows", "StepProblem", "coupling"]


@dataclass(frozen=True)
class PointRows:
    """d(points)/d(local coordinates) for c points of one object.

    Elastic objects move points by  frame @ (rows @ v)  with v Float[n,3] (`dense` None); others by `dense`.
    """

    rows: Array | None = None  # Float[c,n]
    frame: Array | None = None  # Float[3,3]
    dense: Array | None = None  # Float[c,3,k]

    def expanded(self) -> Array:
        """Float[c,3,k] whichever kind it is."""
        if self.dense is not None:
            return self.dense
        assert self.rows is not None and self.frame is not None
        return (self.rows[:, None, :, None] * self.frame[None, :, None, :]).reshape(len(self.rows), 3, -1)


def coupling(left: PointRows, blocks: Array, right: PointRows) -> Array:
    """sum_c L_c^T H_c R_c, Float[k,l], for blocks H Float[c,3,3]."""
    if left.dense is not None or right.dense is not None:
        first, second = left.expanded(), right.expanded()
        return first.reshape(-1, first.shape[2]).T @ (blocks @ second).reshape(-1, second.shape[2])
    turned = left.frame.T @ blocks @ right.frame
    result = np.zeros((left.rows.shape[1], 3, right.rows.shape[1], 3))
    symmetric = left is right
    for i, k in np.argwhere(np.abs(turned).max(axis=0) > 0.0):
        if symmetric and k < i:
            continue
        part = (left.rows.T * turned[:, i, k]) @ right.rows
        result[:, i, :, k] += part
        if symmetric and k > i:
            result[:, k, :, i] += part
    return result.reshape(3 * left.rows.shape[1], -1)


class StepProblem(Protocol):
    """One object's incremental potential in one step, as a function of its coordinates x at the end (or the middle).

    Newton's matrix and its steps are in *local* coordinates: those of an elastic object turn with it, so that a matrix
    made earlier still fits.
    """

    guess: Array  # where Newton starts, Float[k]
    lagged: bool  # the matrix is kept over iterations and worth renewing

    def handles(self, x: Array) -> Array: ...

    def gradient(self, x: Array, a: Array) -> Array:
        """Of the object's own potential, Float[k]; `a` are its handles at x."""
        ...

    def pull(self, x: Array, force: Array) -> Array:
        """J(x)^T force: Float[4H,3] -> Float[k]."""
        ...

    def linearise(self, x: Array, a: Array) -> None:
        """Newton's matrix at x, where it is cheap enough to be taken at every iterate."""
        ...

    def refresh(self, x: Array) -> bool:
        """Newton's matrix anew at x; true where it had to be made definite."""
        ...

    def matrix(self) -> Array:
        """Float[k,k], positive definite, in local coordinates; not to be changed by the caller."""
        ...

    def solve(self, right: Array) -> Array:
        """matrix^-1 right in world coordinates, Float[k]."""
        ...

    def to_local(self, vector: Array) -> Array: ...

    def to_world(self, vector: Array) -> Array: ...

    def point_rows(self, basis: Array) -> PointRows:
        """For points with basis rows Float[c,4H], at the last linearisation."""
        ...

    def length(self, move: Array) -> float:
        """A step's length over what the solve is to be accurate to."""
        ...

    def finish(self, x: Array) -> State:
        """The state after the step."""
        ...

    def pushed(self, after: State, impulse_rows: Array) -> Array:
        """G^-1 N^T for generalised directions N Float[m,k] at the state `after`: Float[k,m]."""
        ...

    def directions(self, after: State, basis: Array, normal: Array) -> Array:
        """Rows N Float[m,k]: how rates at the state `after` move points with basis Float[m,4H] along normals."""
        ...
