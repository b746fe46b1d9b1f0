"""The provider "composed": pieces of one object, rigid or soft as what they are made of, moving as one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ...bodies.body import Body
from ...bodies.composed_body import build_composed_body
from ...dynamics.conditions import Conditions
from ...dynamics.rigid_placement import RigidPlacement
from ...errors import UserError
from ...kinematics.elastic import ElasticKinematics
from ..recognition import Recognition
from .composed_forces import composed_forces
from .composed_sliders import ComposedSliders
from .elastic import Elastic
from .forces import Forces
from .provider import AnalysisInput
from .slider_map import SliderMap

__all__ = ["Composed"]


@dataclass(frozen=True, eq=False)
class Composed(Elastic):
    """Soft pieces attached to what is rigid. Standing on that it is elastic, free it has a floating frame."""

    name, label, icon = "composed", "Pieces", "OUTLINER_OB_GROUP_INSTANCE"
    description = "Rigid pieces keep their shape, soft ones bend where they are attached to these"

    soft: NDArray[np.bool_] = field(kw_only=True)  # Bool[V]

    @classmethod
    def analyze(cls, given: AnalysisInput) -> Self:
        soft = given.composition.soft
        if not soft.any() or soft.all():
            raise UserError("nothing_composed.mesh")
        return cls(given.mesh, given.cloud, recognition=given.recognition or Recognition(), soft=soft)

    def build(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        return build_composed_body(
            self.mesh,
            self.cloud,
            self.soft,
            conditions.density,
            held,
            regions=conditions.materials,
            young=conditions.young,
            poisson=conditions.poisson,
            handles=conditions.handles,
        )

    def forces(self, body: Body, conditions: Conditions, posing: bool = False) -> Forces:
        if isinstance(body.kinematics, ElasticKinematics):
            return super().forces(body, conditions, posing)
        return composed_forces(body, conditions, posing)

    def sliders(self, body: Body, placement: RigidPlacement, forces: Forces) -> SliderMap:
        if isinstance(body.kinematics, ElasticKinematics):
            return super().sliders(body, placement, forces)
        return ComposedSliders(body)
