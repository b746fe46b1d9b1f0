"""Posing by hand: an object follows dragged vertices and stays plausible, again and again as they move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .assembly.coordinates import learned_forces
from .assembly.held import held_vertices
from .assembly.springs import hold_of
from .dynamics.conditions import Conditions
from .dynamics.coordinate_energies import CoordinateEnergy
from .dynamics.drags import Drags
from .dynamics.energies import Energy
from .dynamics.inverse_kinematics import InverseKinematics
from .dynamics.neo_hookean import StableNeoHookean
from .dynamics.stiffness import LaggedStiffness
from .errors import UserError
from .kinematics.base import Array
from .kinematics.elastic import ElasticKinematics

if TYPE_CHECKING:
    from .engine import Analysis

__all__ = ["PosedShape", "Posing"]

YOUNG = 1e5  # Pa; only the ratios of stiffness count for a pose
POSE_LIMIT_HZ = 100.0  # no drag pulls learned coordinates far beyond what is plausible


@dataclass(frozen=True)
class PosedShape:
    """The shape for one set of targets: handles Float[H,3,4] on world rest positions, q Float[k], where the dragged
    vertices are (Float[p,3] m), which hard ones could not be brought to their targets (Int), and whether solving for
    the same targets again would not change it.
    """

    handles: Array
    q: Array
    positions: Array
    unmet: np.ndarray
    converged: bool


class Posing:
    """One object that is posed. Each solve starts from the last one, and so costs little while targets move little."""

    def __init__(self, analysis: Analysis, conditions: Conditions) -> None:
        """Of the conditions count what holds the object still and what it is made of. Raises UserError."""
        meets_something = conditions.ground is not None or bool(conditions.colliders)
        held, _ = held_vertices(analysis, conditions, meets_something)
        self.body = analysis.body(conditions, held)
        self.summary: dict[str, Any] = analysis.summarise(self.body, self.body.anchored)
        kinematics, material = self.body.kinematics, self.body.material
        energies: tuple[Energy, ...] = ()
        coordinate_energies: tuple[CoordinateEnergy, ...] = ()
        stiffness = None
        if isinstance(kinematics, ElasticKinematics):
            young = conditions.young or YOUNG
            energy = StableNeoHookean(
                material.gradients, material.cubature_volume, young * material.stiffness, material.poisson
            )
            energies, stiffness = (energy,), LaggedStiffness(kinematics, energy)
        elif self.body.learned is not None:
            coordinate_energies = learned_forces(self.body, self.body.learned, conditions, POSE_LIMIT_HZ).energies
            hold = hold_of(self.body, conditions)
            energies = () if hold is None else (hold,)
        self._solver = InverseKinematics(
            kinematics, material.basis, material.mass, energies, coordinate_energies, stiffness
        )
        self._grabbed: tuple[bytes, bytes] | None = None

    @property
    def weights(self) -> np.ndarray:
        """float32 (V,H)."""
        return self.body.weights

    def solve(self, vertices: np.ndarray, targets: Array, hard: np.ndarray) -> PosedShape:
        """Vertices Int[p] of the mesh, where each is wanted (Float[p,3] m), and which must get there (Bool[p])."""
        count = len(self.body.mesh.vertices)
        if not len(vertices) or vertices.min() < 0 or vertices.max() >= count:
            problem = (
                "No vertex is dragged." if not len(vertices) else f"A vertex is dragged that is none of {count:,}."
            )
            raise UserError("bad_pose", problem, "Drag vertices of this mesh, counted from 0.")
        if not np.isfinite(targets).all() or np.abs(targets).max() > 1e6:
            raise UserError(
                "bad_pose", "A vertex is dragged out of this world.", "Keep targets within 1e6 m of the origin."
            )
        grabbed = vertices.astype(np.int64).tobytes(), hard.astype(bool).tobytes()
        if grabbed != self._grabbed:
            names = tuple(str(place) for place in range(len(vertices)))
            self._solver.grab(Drags(self.body.vertex_basis(vertices), hard.astype(bool), names))
            self._grabbed = grabbed
        pose = self._solver.solve(np.asarray(targets, dtype=np.float64))
        handles = self.body.frame.world_handles(self.body.kinematics.handles(pose.q))
        unmet = np.array([int(name) for name in pose.unmet], dtype=np.int64)
        return PosedShape(handles, pose.q, pose.positions, unmet, pose.converged)
