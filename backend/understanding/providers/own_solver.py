"""An object that a solver of one's own moves: it has no coordinates, and so no body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from ...bodies.body import Body
from ...dynamics.actor import Actor
from ...dynamics.conditions import Conditions
from ...dynamics.rigid_placement import RigidPlacement
from ...errors import UserError
from ...geometry.material import MaterialCloud
from ...geometry.mesh import Mesh
from ...texts import Text
from .forces import Forces
from .provider import AnalysisInput, Provider
from .slider_map import SliderMap

__all__ = ["ActorBuilder", "OwnSolver"]

ActorBuilder = Callable[[Mesh, MaterialCloud, Conditions, np.ndarray | None], Actor]


@dataclass(frozen=True, eq=False)
class OwnSolver(Provider):
    """`build_actor` makes the solver, its first state and the forces on it; `title` is its name in summaries."""

    label: ClassVar[str] = "Own Solver"
    description: ClassVar[str] = "Moved by a solver of a script"

    build_actor: ActorBuilder
    title: str

    @property
    def name(self) -> str:
        return self.title

    @classmethod
    def analyze(cls, given: AnalysisInput) -> Self:
        raise ValueError("only a script can make an object with a solver of its own")

    def actor(self, conditions: Conditions, held: np.ndarray | None, warnings: list[Text]) -> Actor:
        return self.build_actor(self.mesh, self.cloud, conditions, held)

    def build(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        raise _no_coordinates()

    def sliders(self, body: Body, placement: RigidPlacement, forces: Forces) -> SliderMap:
        raise _no_coordinates()


def _no_coordinates() -> UserError:
    return UserError("no_kinematics.own_solver")
