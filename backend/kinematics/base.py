"""Skinned kinematics, x_v(q) = sum_h w_vh A_h(q) [X_v; 1]: the protocol of providers.

Inside the backend the H handle transforms are kept as one matrix `a` of shape (4H, 3): rows 4h..4h+3 are the
transpose of A_h, so that positions are a plain matrix product, x = basis @ a. Rest positions enter as *reference
coordinates*, centred and divided by the object's size, which keeps every column of the basis near one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Curved", "Kinematics", "ReferenceFrame", "skinning_basis"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ReferenceFrame:
    """Maps world rest positions (metres) to reference coordinates (centred, divided by `scale`)."""

    centre: Array  # Float[3], metres
    scale: float  # metres

    def to_reference(self, positions: Array) -> Array:
        """Float[N,3] metres -> Float[N,3] reference coordinates."""
        return (positions - self.centre) / self.scale

    def rest_handle(self) -> Array:
        """Float[4,3]: the rows of `a` for which one handle of weight one reproduces the rest shape."""
        return np.vstack([self.scale * np.eye(3), self.centre])

    def world_handles(self, handles: Array) -> Array:
        """`a` Float[4H,3] -> Float[H,3,4] transforms that act on world rest positions [X; 1]."""
        transforms = handles.reshape(-1, 4, 3).transpose(0, 2, 1).copy()
        transforms[:, :, :3] /= self.scale
        transforms[:, :, 3] -= transforms[:, :, :3] @ self.centre
        return transforms


def skinning_basis(weights: Array, reference: Array) -> Array:
    """phi_v = w_v (x) [X_v; 1]: weights Float[N,H], reference Float[N,3] -> Float[N,4H]."""
    homogeneous = np.column_stack([reference, np.ones(len(reference))])
    return (weights[:, :, None] * homogeneous[:, None, :]).reshape(len(weights), -1)


class Kinematics(Protocol):
    """What the dynamics needs of a provider. `a` is Float[4H,3], q and its rates are Float[k]."""

    name: str
    dof: int
    constant_jacobian: bool  # a(q) is affine in q and q is mass-orthonormal

    def rest(self) -> Array:
        """q at which the decoded shape is the mesh as it was drawn."""
        ...

    def handles(self, q: Array) -> Array:
        """a(q)."""
        ...

    def push(self, q: Array, rate: Array) -> Array:
        """J(q) rate: Float[k] -> Float[4H,3]."""
        ...

    def pull(self, q: Array, force: Array) -> Array:
        """J(q)^T force: Float[4H,3] -> Float[k]."""
        ...

    def jacobian(self, q: Array) -> Array:
        """J = da/dq as Float[12H,k], rows ordered (handle row, axis)."""
        ...

    def acceleration(self, q: Array, rate: Array) -> Array:
        """D2a(q)[rate, rate]: Float[4H,3]."""
        ...

    def canonical(self, q: Array) -> Array:
        """The same shape written with the best-conditioned coordinates (rotation vectors below pi)."""
        ...


@runtime_checkable
class Curved(Protocol):
    """A provider that knows its own second derivatives."""

    def curvature(self, q: Array, force: Array) -> Array:
        """d(J(q)^T force)/dq for a constant force Float[4H,3]: Float[k,k], symmetric."""
        ...
