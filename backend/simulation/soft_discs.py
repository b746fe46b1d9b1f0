"""Soft discs of the surface, where pokes and drags act: each is one averaged row of the basis."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ..bodies.body import Body
from ..geometry.mesh import triangle_areas
from ..kinematics.base import Array

__all__ = ["SoftDiscs"]


class SoftDiscs:
    """Soft discs of one object. What they need of the whole surface is made once, so that each is quick."""

    def __init__(self, body: Body) -> None:
        self._body = body
        triangles = body.mesh.triangles
        third = np.repeat(triangle_areas(body.mesh.vertices, triangles) / 3.0, 3)
        self._areas = np.bincount(triangles.ravel(), weights=third, minlength=len(body.mesh.vertices))
        self._surface = np.flatnonzero(body.cloud.surface)
        self._nodes = cKDTree(body.cloud.position[self._surface])

    def row(self, point: Array, radius: float) -> tuple[Array, float]:
        """The averaged basis row Float[4H] around a rest point Float[3], and the distance from it to the surface (m).

        Within the radius (m) each vertex counts by the surface around it times (1 - d^2 / r^2)^2.
        """
        body = self._body
        away = body.mesh.vertices - point
        square = np.einsum("vi,vi->v", away, away)
        inside = np.flatnonzero(square < radius**2)
        inside = inside[self._areas[inside] > 0.0]
        distance, nearest = self._nodes.query(point)
        if len(inside) >= 3:
            fall_off = self._areas[inside] * (1.0 - square[inside] / radius**2) ** 2
            return self._averaged(inside, fall_off / fall_off.sum()), float(np.sqrt(square.min()))
        # A disc smaller than the faces: the point itself, on the part that is nearest.
        owner = self._surface[nearest]
        on_surface = point if distance < body.cloud.spacing else body.cloud.position[owner]
        return body.basis_at(on_surface[None], np.array([owner]))[0], float(distance)

    def _averaged(self, vertices: np.ndarray, share: Array) -> Array:
        """sum_v s_v w_v (x) [X_v; 1], Float[4H], without the rows of each vertex: there may be very many."""
        body = self._body
        reference = body.frame.to_reference(body.mesh.vertices[vertices])
        homogeneous = np.column_stack([reference, np.ones(len(vertices))])
        return (body.weights[vertices].T.astype(np.float64) @ (share[:, None] * homogeneous)).ravel()
