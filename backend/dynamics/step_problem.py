"""Protocol of one object's incremental potential in a step that is solved together with what it touches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..kinematics.base import Array
from .state import State

__all__ = ["PointRows", "StepProblem"]


@dataclass(frozen=True)
class PointRows:
    """d(points)/d(local coordinates) for c points of one object.

    Elastic objects move points by  frame @ (rows @ v)  with v Float[n,3] (`dense` None); others by `dense`.
    """

    rows: Array | None = None  # Float[c,n]
    frame: Array | None = None  # Float[3,3]
    dense: Array | None = None  # Float[c,3,k]

    def along(self, place: np.ndarray, direction: Array) -> Array:
        """Columns Float[k,m]: how points `place` Int[m] move along directions Float[m,3]."""
        if self.dense is not None:
            return np.einsum("mik,mi->km", self.dense[place], direction)
        assert self.rows is not None and self.frame is not None
        turned = direction @ self.frame
        return (self.rows[place].T[:, None, :] * turned.T[None, :, :]).reshape(-1, len(place))


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
        """Float[k,k], positive definite, in local coordinates, without D D^T; not to be changed by the caller."""
        ...

    def solved(self, right: Array) -> Array:
        """matrix^-1 right Float[k] or Float[k,m], without D D^T, in local coordinates."""
        ...

    @property
    def added_columns(self) -> Array | None:
        """Columns D Float[k,b] in local coordinates: Newton's matrix is `matrix()` + D D^T. None: there are none."""
        ...

    def to_local(self, vector: Array) -> Array:
        """A vector Float[k], or columns Float[k,m], in local coordinates."""
        ...

    def to_world(self, vector: Array) -> Array:
        """And back."""
        ...

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
