"""The provider "rigid": it keeps its shape."""

from __future__ import annotations

from typing import Self

import numpy as np

from ...bodies.body import Body
from ...bodies.rigid_body import build_rigid_body
from ...dynamics.conditions import Conditions
from ...dynamics.rigid_placement import RigidPlacement
from ..recognition import Recognition
from .forces import Forces
from .provider import AnalysisInput, Provider
from .slider_map import SliderMap, root_sliders

__all__ = ["Rigid"]


class Rigid(Provider):
    """One handle, q = (translation in m, rotation vector in rad)."""

    name, label, icon = "rigid", "Rigid", "RIGID_BODY"
    description = "Keeps its shape; flies, turns, lands"
    holdable = False

    @classmethod
    def analyze(cls, given: AnalysisInput) -> Self:
        return cls(given.mesh, given.cloud, recognition=given.recognition or Recognition())

    def build(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        return build_rigid_body(self.mesh, self.cloud, conditions.made_of)

    def sliders(self, body: Body, placement: RigidPlacement, forces: Forces) -> SliderMap:
        return root_sliders(body)
