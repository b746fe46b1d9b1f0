"""Bodies and their posing for tests, made without a take."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from backend.bodies.body import Body
from backend.bodies.elastic_body import build_elastic_body
from backend.bodies.rigid_body import build_rigid_body
from backend.dynamics.energies import StableNeoHookean
from backend.dynamics.inverse_kinematics import InverseKinematics
from backend.dynamics.stiffness import LaggedStiffness
from backend.geometry.material import MaterialCloud, sample_material
from backend.geometry.mesh import Mesh, validate_mesh
from backend.kinematics.node_material import MadeOf
from tests.backend.shapes import Arrays

__all__ = ["body_of", "elastic_energy", "posing"]


@lru_cache(maxsize=16)
def _material(vertices: bytes, triangles: bytes) -> tuple[Mesh, MaterialCloud]:
    mesh = validate_mesh(np.frombuffer(vertices).reshape(-1, 3), np.frombuffer(triangles, np.int64).reshape(-1, 3))
    return mesh, sample_material(mesh)


def body_of(arrays: Arrays, provider: str, held: np.ndarray | None = None, handles: int | None = None) -> Body:
    """A body of 1000 kg/m^3."""
    mesh, cloud = _material(np.asarray(arrays[0], float).tobytes(), np.asarray(arrays[1], np.int64).tobytes())
    if provider == "rigid":
        return build_rigid_body(mesh, cloud, MadeOf(1000.0))
    return build_elastic_body(mesh, cloud, MadeOf(1000.0), held, handles)


def elastic_energy(body: Body) -> StableNeoHookean:
    """The energy of an elastic body with Young's modulus 1e5 Pa and Poisson's ratio 0.3."""
    material = body.material
    return StableNeoHookean(material.gradients, material.cubature_volume, 1e5 * material.stiffness, material.poisson)


def posing(body: Body, kept_matrix: bool = True) -> InverseKinematics:
    """Inverse kinematics of an elastic body."""
    energy, material = elastic_energy(body), body.material
    stiffness = LaggedStiffness(body.kinematics, energy) if kept_matrix else None
    return InverseKinematics(body.kinematics, material.basis, material.mass, (energy,), stiffness=stiffness)
