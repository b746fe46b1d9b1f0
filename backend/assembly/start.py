"""The first frame: the closest state to the artist's pose and velocities."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ..body import Body
from ..dynamics.conditions import Conditions
from ..dynamics.initial import fitted_rates, velocity_field
from ..dynamics.state import State
from .held import checked_vertices

__all__ = ["initial_state"]


def initial_state(body: Body, conditions: Conditions) -> State:
    q = body.kinematics.rest()
    rate = np.zeros(body.kinematics.dof)
    mass, positions = body.material.mass, body.material.basis @ body.kinematics.handles(q)
    for number, velocity in enumerate(conditions.velocities):
        members = None
        if velocity.vertices is not None:
            chosen = checked_vertices(velocity.vertices, len(body.mesh.vertices), f"velocities[{number}].vertices")
            nearest = cKDTree(body.mesh.vertices).query(positions)[1]
            members = np.isin(nearest, chosen)
            if not members.any():
                members = np.zeros(len(mass), dtype=bool)
                members[cKDTree(positions).query(body.mesh.vertices[chosen])[1]] = True
        field = velocity_field(positions, mass, velocity.linear, velocity.angular, members)
        rate = rate + fitted_rates(body.kinematics, q, body.material.basis, mass, field)
    return State(q, rate)
