"""Initial state: the coordinates and rates nearest to the pose and the velocities of the conditions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree

from ..bodies.body import Body
from ..dynamics.conditions import Conditions, checked_vertices
from ..dynamics.initial import fitted_pose, fitted_rates, velocity_field
from ..dynamics.state import State
from ..errors import UserError
from ..kinematics.base import Array
from ..texts import Text

__all__ = ["initial_state"]


POSE_POINTS = 20_000  # more do not change the fit
POSE_TOLERANCE = 0.01  # of the size: a pose that is missed by more is worth a word


def _pose(body: Body, positions: Array, warnings: list[Text]) -> Array:
    if len(positions) != len(body.mesh.vertices):
        raise UserError("bad_conditions.pose_count", given=len(positions), count=len(body.mesh.vertices))
    # Each vertex stands for the material around it.
    vertices = np.arange(len(positions))
    if len(vertices) > POSE_POINTS:
        vertices = np.linspace(0, len(vertices) - 1, POSE_POINTS).astype(np.int64)
    share = np.full(len(vertices), body.total_mass / len(vertices))
    q, error = fitted_pose(body.kinematics, body.vertex_basis(vertices), share, positions[vertices])
    if error > POSE_TOLERANCE * body.size:
        warnings.append(Text("pose.unmet", error=error))
    return q


def _nearest_vertices(body: Body, positions: Array) -> np.ndarray:
    """The mesh vertex nearest to each material point, Int[P]; one of the same part where there are parts."""
    vertices = body.mesh.vertices
    if body.part is None:
        return cKDTree(vertices).query(positions)[1]
    away = 100.0 * body.size
    part = body.material.basis[:, 3::4].argmax(axis=1)
    by_part = np.column_stack([vertices, away * body.part])
    return cKDTree(by_part).query(np.column_stack([positions, away * part]))[1]


def initial_state(
    body: Body, conditions: Conditions, warnings: list[Text], drawn: Callable[[Body, Array], Array | None]
) -> State:
    """Coordinates nearest to the pose and rates nearest to the velocities, over the mass.

    `drawn`: rates Float[k] at q of the motion in which the object is drawn, None of one at rest; velocities add to it.
    """
    q = body.kinematics.rest() if conditions.pose is None else _pose(body, conditions.pose, warnings)
    moving = drawn(body, q)
    rate = np.zeros(body.kinematics.dof) if moving is None else moving
    mass, positions = body.material.mass, body.material.basis @ body.kinematics.handles(q)
    for number, velocity in enumerate(conditions.velocities):
        members = None
        if velocity.vertices is not None:
            chosen = checked_vertices(velocity.vertices, len(body.mesh.vertices), f"velocities[{number}].vertices")
            nearest = _nearest_vertices(body, positions)
            members = np.isin(nearest, chosen)
            if not members.any():
                members = np.zeros(len(mass), dtype=bool)
                members[cKDTree(positions).query(body.mesh.vertices[chosen])[1]] = True
        field = velocity_field(positions, mass, velocity.linear, velocity.angular, members)
        rate = rate + fitted_rates(body.kinematics, q, body.material.basis, mass, field)
    return State(q, rate)
