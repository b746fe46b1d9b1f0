"""The body of a rigid object: one handle, and the mass of its material points."""

from __future__ import annotations

import numpy as np

from ..geometry.material import MaterialCloud
from ..geometry.mesh import Mesh
from ..kinematics.base import ReferenceFrame, skinning_basis
from ..kinematics.elastic import material_points
from ..kinematics.node_material import MadeOf, node_material
from ..kinematics.rigid import RigidKinematics
from .body import Body
from .point_masses import matter_of

__all__ = ["build_rigid_body"]


def build_rigid_body(mesh: Mesh, cloud: MaterialCloud, made_of: MadeOf) -> Body:
    """Only the density counts, but all that it is made of has to fit."""
    density = node_material(mesh, cloud, made_of).density
    size = float(np.ptp(mesh.vertices, axis=0).max())
    points = material_points(cloud)
    mass = density[points.node] * points.volume
    frame = ReferenceFrame(np.average(points.position, axis=0, weights=mass), size)
    ones = np.ones((len(cloud.position), 1))
    basis = skinning_basis(ones[points.node], frame.to_reference(points.position))
    weights = np.ones((len(mesh.vertices), 1), dtype=np.float32)
    flat = np.zeros((len(cloud.position), 3, 1))
    kinematics = RigidKinematics(frame)
    return Body(
        mesh, cloud, frame, kinematics, matter_of(mass, basis), weights, ones, flat, False, size, root=kinematics.dof
    )
