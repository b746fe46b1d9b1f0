"""Inverse kinematics of one object whose joints move by given choices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..dynamics.conditions import Conditions
from ..dynamics.drags import Drags
from ..dynamics.energies import Energy
from ..dynamics.inverse_kinematics import InverseKinematics, Pose
from ..kinematics.base import Array
from ..simulation.anchors import held_vertices
from ..simulation.spring_targets import hold_of
from ..understanding.analysis import Analysis
from .sliders import Sliders

__all__ = ["Grip", "PoseSolver"]

NOISE = 0.02  # s, over the size: what an object of a recognised kind is expected to miss a point by


@dataclass(frozen=True)
class Grip:
    """Which vertices Int[p] of the mesh are dragged, and which of them must get to their targets (Bool[p])."""

    vertices: np.ndarray
    hard: np.ndarray

    def same(self, other: Grip | None) -> bool:
        return (
            other is not None
            and np.array_equal(self.vertices, other.vertices)
            and np.array_equal(self.hard, other.hard)
        )


class PoseSolver:
    """Each solve starts from the last one, and so costs little while targets move little."""

    def __init__(self, analysis: Analysis, conditions: Conditions, choices: tuple[int, ...]) -> None:
        """`choices` are the numbers of joint alternatives, see `understanding.joint_choices`. Raises UserError."""
        self.choices, self._alternatives = choices, analysis.model.choices
        analysis = analysis.with_choices(choices)
        meets_something = conditions.ground is not None or bool(conditions.colliders)
        held, _ = held_vertices(analysis, conditions, meets_something)
        self.body = analysis.body(conditions, held)
        self.summary: dict[str, Any] = analysis.summarise(self.body, self.body.anchored)
        self._model, material = analysis.model, self.body.material
        self._forces = self._model.forces(self.body, conditions, posing=True)
        energies: tuple[Energy, ...] = ()
        elasticity = self._forces.elasticity
        if elasticity is not None:
            energies = (elasticity.energy,)
        elif (hold := hold_of(self.body, conditions)) is not None:
            energies = (hold,)
        self._solver = InverseKinematics(
            self.body.kinematics,
            material.basis,
            material.mass,
            energies,
            self._forces.energies,
            None if elasticity is None else elasticity.stiffness,
        )
        self._grip: Grip | None = None

    @cached_property
    def sliders(self) -> Sliders:
        return Sliders(self.body, self._model.sliders(self.body, self._solver.placement, self._forces))

    @property
    def q(self) -> Array:
        """The last pose."""
        return self._solver.q

    def begin_at(self, values: Array) -> None:
        """Lets the next grip begin where the sliders are."""
        if (q := self.sliders.pose(values, self._solver.q)) is not None:
            self._solver.place(q)
            self._grip = None

    def solve(self, grip: Grip, targets: Array) -> Pose:
        if not grip.same(self._grip):
            names = tuple(str(place) for place in range(len(grip.vertices)))
            self._solver.set_drags(Drags(self.body.vertex_basis(grip.vertices), grip.hard, names))
            self._grip = grip
        return self._solver.solve(targets)

    def missed(self, pose: Pose) -> float:
        """By how much the points are missed, nats."""
        return 0.5 * float(((pose.distances / (NOISE * self.body.size)) ** 2).sum())

    def nats(self, pose: Pose) -> float:
        """How unlikely the choices are where the points are dragged like that."""
        assert self._alternatives is not None and self._model.choices is not None
        return self.missed(pose) + self._model.choices.pose_nats(pose.q) + self._alternatives.nats(self.choices)
