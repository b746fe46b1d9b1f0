"""Takes of objects whose state spaces are made by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from backend import engine
from backend.geometry.material import sample_material
from backend.geometry.mesh import validate_mesh
from backend.kinematics.base import Array
from backend.kinematics.learned_shape import LearnedShape, learned_shape
from backend.kinematics.plausible_range import plausible_range
from backend.kinematics.reduction import reduced
from backend.kinematics.state_space import StateSpace
from backend.understanding.providers.learned import Learned
from backend.understanding.recognition import Recognition

__all__ = ["Run", "analysed", "run"]

Arrays = tuple[Array, np.ndarray]


def analysed(arrays: Arrays, space: StateSpace, every_latent: bool = False) -> engine.Analysis:
    """What `engine.analyze` gives for the provider learned, had the network said this."""
    mesh = validate_mesh(*arrays)
    shape = learned_shape(space, mesh.vertices, mesh.triangles)
    if every_latent:
        reduction = reduced(space, mesh.vertices, mesh.triangles, kept=1.0)
        dof = reduction.directions.shape[1]
        lower, upper = plausible_range(space, reduction, mesh.vertices, mesh.triangles)
        shape = LearnedShape(space, reduction, np.ones(dof, dtype=bool), lower, upper)
    return engine.Analysis(Learned(mesh, sample_material(mesh), shape, recognition=Recognition(shape, 0.9)), 0.0)


@dataclass(frozen=True)
class Run:
    """q Float[T,k], energy Float[T,3] J, positions Float[T,V,3] m, and the report."""

    q: Array
    energy: Array
    positions: Array
    report: dict[str, Any]


def run(analysis: engine.Analysis, conditions: dict[str, Any]) -> Run:
    take = engine.prepare([analysis], [conditions])
    frames = [frame for (frame,) in take.frames(lambda: False)]
    handles = np.array([frame.handles for frame in frames])
    rest = np.column_stack([analysis.mesh.vertices, np.ones(len(analysis.mesh.vertices))])
    positions = np.einsum("vh,thij,vj->tvi", take.members[0].motion.weights.astype(np.float64), handles, rest)
    q, energy = np.array([frame.q for frame in frames]), np.array([frame.energy for frame in frames])
    return Run(q, energy, positions, take.report())
