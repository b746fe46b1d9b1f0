"""The learned provider: handles by products of exponentials of a latent z = D q, rest exactly at q = 0."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from .base import Array, ReferenceFrame
from .screws import ScrewProduct, Screws, applied, directional_second
from .state_space import StateSpace

__all__ = ["LearnedKinematics", "decode_states"]

KEPT_POINTS = 4  # a step asks again and again for its beginning, its middle and its end


@dataclass(frozen=True)
class _Point:
    """Transforms and derivatives at one q."""

    product: ScrewProduct
    twists: Array  # Float[H,k,6], spatial twists of the reduced coordinates


class LearnedKinematics:
    """Handles of a state space in coordinates q Float[k], without a root: handle 0 stands still."""

    name = "learned"
    constant_jacobian = False

    def __init__(self, twists: Array, frame: ReferenceFrame, directions: Array) -> None:
        """Twists Float[H,K,6] in the normalised frame `frame`; directions D Float[K,k]."""
        used = directions.any(axis=1)  # the other latents stay zero, and their factors the identity
        self._screws, self._directions = Screws(twists[:, used]), directions[used]
        self._frame, self.dof = frame, directions.shape[1]
        self._points: OrderedDict[bytes, _Point] = OrderedDict()

    def _at(self, q: Array) -> _Point:
        key = q.tobytes()
        if key in self._points:
            return self._points[key]
        product = self._screws.product(self._directions @ q)
        twists = np.tensordot(product.spatial, self._directions, axes=([1], [0])).swapaxes(1, 2)
        if len(self._points) >= KEPT_POINTS:
            self._points.popitem(last=False)
        self._points[key] = _Point(product, twists)
        return self._points[key]

    def _as_rows(self, transforms: Array) -> Array:
        """Changes of A_h, Float[H,3,4], as changes of `a`, Float[4H,3]."""
        return self._frame.scale * transforms.swapaxes(1, 2).reshape(-1, 3)

    def rest(self) -> Array:
        return np.zeros(self.dof)

    def handles(self, q: Array) -> Array:
        a = self._as_rows(self._at(q).product.transforms)
        a[3::4] += self._frame.centre
        return a

    def push(self, q: Array, rate: Array) -> Array:
        point = self._at(q)
        return self._as_rows(applied(rate @ point.twists, point.product.transforms))

    def pull(self, q: Array, force: Array) -> Array:
        # The power of forces on the columns of A = (l_1 l_2 l_3 t) under a twist (omega, v):
        # omega . sum_c (l_c x F_c) with l_4 = t, and v . F_4.
        point, forces = self._at(q), force.reshape(-1, 4, 3)
        torque = np.cross(point.product.transforms.swapaxes(1, 2), forces).sum(axis=1)
        wrench = self._frame.scale * np.concatenate([torque, forces[:, 3]], axis=1)
        return np.tensordot(wrench, point.twists, axes=([0, 1], [0, 2]))

    def jacobian(self, q: Array) -> Array:
        point = self._at(q)
        columns = applied(point.twists, point.product.transforms)  # (H, k, 3, 4)
        return self._frame.scale * columns.transpose(0, 3, 2, 1).reshape(-1, self.dof)

    def acceleration(self, q: Array, rate: Array) -> Array:
        return self._as_rows(directional_second(self._at(q).product, self._directions @ rate))

    def curvature(self, q: Array, force: Array) -> Array:
        # F : [S_i] [S_j] A = omega_i . sum_c (([S_j] A)_c x F_c) for i <= j.
        product, forces = self._at(q).product, self._frame.scale * force.reshape(-1, 1, 4, 3)
        columns = applied(product.spatial, product.transforms).swapaxes(2, 3)  # (H, K, 4, 3)
        torque = np.cross(columns, forces).sum(axis=2)
        ordered = np.triu(np.tensordot(product.spatial[:, :, :3], torque, axes=([0, 2], [0, 2])))
        return self._directions.T @ (ordered + np.triu(ordered, 1).T) @ self._directions

    def canonical(self, q: Array) -> Array:
        return q


def decode_states(space: StateSpace, vertices: Array, z: Array) -> Array:
    """The shapes of latents Float[n,K]: world positions Float[n,V,3] (m) for rest vertices Float[V,3] (m)."""
    reference = np.column_stack([space.frame.to_reference(vertices), np.ones(len(vertices))])
    transforms = Screws(space.twists).transforms(z)  # (n, H, 3, 4)
    count, handles = transforms.shape[:2]
    basis = (space.weights[:, :, None] * reference[:, None, :]).reshape(len(vertices), -1)
    stacked = transforms.transpose(1, 3, 0, 2).reshape(4 * handles, count * 3)
    shapes = (basis @ stacked).reshape(len(vertices), count, 3).swapaxes(0, 1)
    return space.frame.centre + space.frame.scale * shapes
