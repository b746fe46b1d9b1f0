"""The provider "learned": it moves as a network knows of things like it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from ...bodies.body import Body
from ...bodies.learned_body import build_learned_body
from ...dynamics.conditions import Conditions
from ...dynamics.rigid_placement import RigidPlacement
from ...kinematics.learned_shape import LearnedShape
from ..joint_choices import JointChoices, told_joints, with_choices
from ..recognition import recognise
from .forces import Forces
from .learned_forces import learned_forces
from .provider import AnalysisInput, Provider, Support
from .slider_map import Coordinates, InnerSliders, SliderMap

__all__ = ["Learned"]

POSE_LIMIT_HZ = 100.0  # no drag pulls the coordinates far beyond what is plausible
LEAST_STILL = 0.01  # of the vertices: fewer that never move are not what an object stands on


@dataclass(frozen=True, eq=False)
class Learned(Provider):
    """The state space of a network, reduced to few coordinates."""

    name, label, icon = "learned", "Learned", "OUTLINER_OB_ARMATURE"
    description = (
        "Doors turn, drawers slide, limbs bend: as others of its kind do. Takes ONNX Runtime, which the extension "
        "brings, or PyTorch"
    )
    keys = frozenset({"choices", "rest_spring", "joint_friction", "stiffness_hz", "settle_seconds"})

    shape: LearnedShape

    @classmethod
    def analyze(cls, given: AnalysisInput) -> Self:
        cloud = given.cloud
        recognition = given.recognition or recognise(given.mesh, given.progress)
        assert recognition.shape is not None
        return cls(given.mesh, cloud, recognition.shape, recognition=recognition)

    def build(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        return build_learned_body(self.mesh, self.cloud, self.shape, conditions.density, held, conditions.materials)

    def forces(self, body: Body, conditions: Conditions, posing: bool = False) -> Forces:
        return learned_forces(body, self.shape, conditions, POSE_LIMIT_HZ if posing else None)

    def sliders(self, body: Body, placement: RigidPlacement, forces: Forces) -> SliderMap:
        shape = self.shape
        kinds = tuple("joint" if joint else "bend" for joint in shape.joints)
        names = tuple(
            f"Joint {number}" if kind == "joint" else f"Bend {number}" for number, kind in enumerate(kinds, 1)
        )
        mean = shape.reduction.mean
        return InnerSliders(body, Coordinates(names, kinds, shape.lower, shape.upper), mean, np.ones_like(mean))

    @property
    def support(self) -> Support:
        """What never moves (the frame of a door), where there is much of it."""
        still = np.flatnonzero(self.shape.still)
        return Support(still if len(still) > LEAST_STILL * len(self.mesh.vertices) else None)

    @property
    def choices(self) -> JointChoices:
        return JointChoices(self.shape)

    def with_choices(self, numbers: Sequence[int]) -> Self:
        return replace(self, shape=with_choices(self.shape, numbers, self.mesh))

    @property
    def joints(self) -> list[dict[str, Any]]:
        return told_joints(self.shape)

    @property
    def kept_energy(self) -> float:
        return self.shape.reduction.kept
