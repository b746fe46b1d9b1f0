"""The provider "articulated": rigid parts that move by joints, which are given or found in the mesh."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...bodies.body import Body
from ...bodies.jointed_body import build_articulated_body
from ...dynamics.conditions import Conditions
from ...dynamics.rigid_placement import RigidPlacement
from ...geometry.part_clouds import part_clouds
from ...kinematics.jointed import Jointed, joint_tree_json
from ...kinematics.joints_json import jointed_mesh
from ..recognition import Recognition, recognise_joints
from .forces import Forces
from .joint_forces import FURNITURE, POSED, joint_forces
from .joint_sliders import joint_coordinates
from .provider import AnalysisInput, Provider, Support
from .slider_map import InnerSliders, SliderMap

__all__ = ["Articulated"]


@dataclass(frozen=True, eq=False)
class Articulated(Provider):
    """Parts of a joint tree."""

    name, label, icon = "articulated", "Joints", "CONSTRAINT_BONE"
    description = "Rigid parts turn and slide: as the list of joints says, or as is found where it is empty"
    keys = frozenset({"joints", "rest_spring", "joint_friction", "stiffness_hz", "settle_seconds"})

    jointed: Jointed = field()
    node_part: NDArray[np.int64] = field()  # Int[N], the part of each node of the cloud

    @classmethod
    def analyze(cls, given: AnalysisInput) -> Self:
        if given.joints is None:
            jointed, recognition = recognise_joints(given.mesh, given.progress)
        else:
            jointed, recognition = jointed_mesh(given.mesh, given.joints), given.recognition or Recognition()
        cloud, node_part = part_clouds(given.mesh, jointed.part)
        given.progress("analyzing", 2, 3)
        return cls(given.mesh, cloud, jointed, node_part, recognition=recognition)

    def build(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        return build_articulated_body(
            self.mesh, self.cloud, self.node_part, self.jointed, conditions.density, held, conditions.materials
        )

    def forces(self, body: Body, conditions: Conditions, posing: bool = False) -> Forces:
        return joint_forces(body, self.jointed.tree, conditions, POSED if posing else FURNITURE)

    def sliders(self, body: Body, placement: RigidPlacement, forces: Forces) -> SliderMap:
        coordinates = joint_coordinates(self.jointed.tree, body.size)
        low, high = coordinates.lower, coordinates.upper
        return InnerSliders(body, coordinates, 0.5 * (low + high), 0.25 * (high - low))

    @property
    def support(self) -> Support:
        """What no joint moves. Joints swing: where they are drawn says nothing of where gravity leaves them."""
        return Support(np.flatnonzero(self.jointed.still), self.jointed.bolted, settled=False)

    @property
    def joints(self) -> list[dict[str, Any]]:
        return joint_tree_json(self.jointed.tree)
