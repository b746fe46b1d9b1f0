"""Pokes: an impulse spread over a soft disc of the surface."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ..body import Body
from ..dynamics.actor import PokeForce
from ..dynamics.conditions import Conditions
from ..geometry.mesh import triangle_areas
from ..kinematics.base import Array

__all__ = ["pokes_of", "soft_row"]


def _vertex_areas(body: Body) -> Array:
    """A third of the faces around each vertex, Float[V] m^2."""
    triangles = body.mesh.triangles
    area = np.repeat(triangle_areas(body.mesh.vertices, triangles) / 3.0, 3)
    return np.bincount(triangles.ravel(), weights=area, minlength=len(body.mesh.vertices))


def soft_row(body: Body, point: Array, radius: float) -> tuple[Array, float]:
    """The averaged basis row Float[4H] over a soft disc on the surface, and the distance of its centre from it (m)."""
    areas = _vertex_areas(body)
    away = np.linalg.norm(body.mesh.vertices - point, axis=1)
    inside = np.flatnonzero(away < radius)
    inside = inside[areas[inside] > 0.0]
    surface = np.flatnonzero(body.cloud.surface)
    distance, nearest = cKDTree(body.cloud.position[surface]).query(point)
    if len(inside) >= 3:
        fall_off = areas[inside] * (1.0 - (away[inside] / radius) ** 2) ** 2
        return fall_off @ body.vertex_basis(inside) / fall_off.sum(), float(away.min())
    # A disc smaller than the faces: the point itself, on the part that is nearest.
    owner = surface[nearest]
    on_surface = point if distance < body.cloud.spacing else body.cloud.position[owner]
    return body.basis_at(on_surface[None], np.array([owner]))[0], float(distance)


def pokes_of(body: Body, conditions: Conditions, warnings: list[str]) -> tuple[PokeForce, ...]:
    forces, frame = [], 1.0 / conditions.fps
    for number, poke in enumerate(conditions.pokes, 1):
        row, distance = soft_row(body, poke.point, poke.radius)
        if distance > poke.radius + body.cloud.spacing:
            warnings.append(f"Poke {number} is {distance:.3g} m away from the object; its nearest point is pushed.")
        impulse = poke.impulse if poke.impulse is not None else poke.speed * body.total_mass
        seconds = poke.duration * frame
        force = np.outer(row, impulse) / seconds
        begin = (poke.start - 1) * frame
        if begin >= (conditions.frames - 1) * frame:
            warnings.append(f"Poke {number} starts at frame {poke.start}, after the last frame.")
        if not body.moves(row):
            warnings.append(f"Poke {number} is on a held part and moves nothing.")
        forces.append(PokeForce(force, begin, begin + seconds))
    return tuple(forces)
