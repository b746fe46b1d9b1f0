"""Row of the elastic provider: its inverse kinematics, dragged by points of the surface.

The object is free, also where its base stands still in truth: the points that stand still say so themselves, and an
automatic anchor holds doors by their lower edge. The springs are ten times as stiff as when an artist drags, which
measured better from twelve points and from many. Of many points it takes an even choice: as many as say all that the
coordinates can follow, since a step costs the cube of their number.
"""

from __future__ import annotations

import numpy as np

from .. import engine
from ..dynamics.conditions import Conditions
from ..dynamics.drags import Drags
from ..dynamics.inverse_kinematics import InverseKinematics
from ..dynamics.stiffness import LaggedStiffness
from ..kinematics.base import Array
from ..kinematics.elastic import ElasticKinematics
from ..kinematics.neo_hookean import StableNeoHookean
from .subject import Subject
from .surface import SurfacePoints

__all__ = ["ElasticFit", "ElasticReach"]

_YOUNG = 1e5  # Pa; only ratios of stiffness count for a pose
_DENSITY = 1000.0  # kg/m^3, the same
_SOFTNESS = 1e-3  # of a drag, see `Drags`
_MOST_POINTS = 160
_REGULAR = 1e-6  # of the mean stiffness of the points: what decides where they say nothing


class _ElasticBody:
    """The provider's constants for one object, and the basis of its vertices."""

    def __init__(self, subject: Subject) -> None:
        analysis = engine.analyze(subject.vertices, subject.triangles, "elastic")
        self.body = analysis.body(Conditions(density=_DENSITY), None)
        assert isinstance(self.body.kinematics, ElasticKinematics)
        self.kinematics = self.body.kinematics
        self.rest = self.kinematics.rest()
        self.basis = self.body.vertex_basis(np.arange(len(subject.vertices)))


class ElasticFit:
    """What dragging the points does to the elastic object."""

    def __init__(self, subject: Subject) -> None:
        self._of = of = _ElasticBody(subject)
        material = of.body.material
        stiffness = _YOUNG * material.stiffness
        energy = StableNeoHookean(material.gradients, material.cubature_volume, stiffness, material.poisson)
        lagged = LaggedStiffness(of.kinematics, energy)
        self._solver = InverseKinematics(of.kinematics, material.basis, material.mass, (energy,), stiffness=lagged)
        self._grabbed: SurfacePoints | None = None

    def fit(self, points: SurfacePoints, targets: Array) -> Array:
        points, targets = points.first(_MOST_POINTS), targets[:_MOST_POINTS]
        if self._grabbed is None or not points.same_as(self._grabbed):
            names = tuple(str(number) for number in range(len(points)))
            soft = np.zeros(len(points), dtype=bool)
            self._solver.set_drags(Drags(points.on(self._of.basis), soft, names, _SOFTNESS))
            self._grabbed = points
        self._solver.place(self._of.rest)  # the same answer whatever was asked before
        return self._of.basis @ self._of.kinematics.handles(self._solver.solve(targets).q)


class ElasticReach:
    """The nearest shape that the elastic coordinates can make at all, plausible or not."""

    def __init__(self, subject: Subject) -> None:
        self._of = _ElasticBody(subject)
        self._still = self._of.kinematics.handles(self._of.rest)

    def fit(self, points: SurfacePoints, targets: Array) -> Array:
        rows = points.on(self._of.basis)
        spread = rows @ self._of.kinematics.reduction
        normal = spread.T @ spread
        normal += _REGULAR * np.trace(normal) / len(normal) * np.eye(len(normal))
        q = np.linalg.solve(normal, spread.T @ (targets - rows @ self._still))
        return self._of.basis @ (self._still + self._of.kinematics.reduction @ q)
