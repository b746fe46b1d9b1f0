"""The provider "elastic": it bends, wobbles and comes back to its shape."""

from __future__ import annotations

from typing import Self

import numpy as np

from ...bodies.body import Body
from ...bodies.elastic_body import build_elastic_body
from ...dynamics.conditions import Conditions
from ...dynamics.damping import settle_seconds, settling_damping
from ...dynamics.rigid_placement import RigidPlacement
from ...dynamics.stiffness import LaggedStiffness
from ...errors import UserError
from ...geometry.material import MaterialCloud
from ...kinematics.elastic import ElasticKinematics
from ...kinematics.neo_hookean import StableNeoHookean
from ..recognition import Recognition
from .elastic_sliders import ElasticSliders
from .forces import FASTEST_FOLLOWED, Elasticity, Forces
from .provider import AnalysisInput, Provider
from .slider_map import SliderMap

__all__ = ["Elastic"]

FEWEST_NODES = 8  # of the cloud: below this there is no deformation worth solving
POSE_YOUNG = 1e5  # Pa; only the ratios of stiffness count for a pose
UNDAMPED_MODES = 8  # that an undamped run follows in time


class Elastic(Provider):
    """Affine handles with skinning eigenmodes as weights."""

    name, label, icon = "elastic", "Elastic", "MOD_SIMPLEDEFORM"
    description = "Bends and wobbles and comes back to its shape"
    keys = frozenset(
        {"stiffness_hz", "stiffness", "settle_seconds", "damping", "young", "poisson", "handles", "self_contact"}
    )

    @classmethod
    def analyze(cls, given: AnalysisInput) -> Self:
        if not cls.can_bend(given.cloud):
            raise UserError("too_small.elastic")
        return cls(given.mesh, given.cloud, recognition=given.recognition or Recognition())

    @staticmethod
    def can_bend(cloud: MaterialCloud) -> bool:
        return len(cloud.position) >= FEWEST_NODES

    def build(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        return build_elastic_body(self.mesh, self.cloud, conditions.made_of, held, conditions.handles)

    def forces(self, body: Body, conditions: Conditions, posing: bool = False) -> Forces:
        if posing:
            return Forces(elasticity=Elasticity(*_elasticity(body, conditions.young or POSE_YOUNG)))
        rigid_modes = 0 if body.anchored else 6
        young = conditions.young
        # What goes along with an animation sways as what is held there.
        led = None if body.anchored else conditions.led
        swaying, first = (body, rigid_modes) if led is None else (self.build(conditions, led), 0)
        unit = None
        if young is None or led is not None:
            # Frequencies go with the square root of Young's modulus: one unit solve tells the modulus for the wanted.
            unit = _elasticity(swaying, 1.0)[1].squared_frequencies[first]
        if young is None:
            young = (2.0 * np.pi * conditions.stiffness_hz) ** 2 / unit
        young *= conditions.stiffness
        energy, stiffness = _elasticity(body, young)
        squares = stiffness.squared_frequencies
        if conditions.undamped:
            # Every mode that was excited keeps ringing.
            followed = float(np.sqrt(squares[min(rigid_modes + UNDAMPED_MODES, len(squares) - 1)]))
            return Forces(frequency=followed, elasticity=Elasticity(energy, stiffness))
        # Damped motion is carried by the lowest mode.
        lowest = float(np.sqrt(squares[rigid_modes] if led is None else young * unit))
        seconds = conditions.settle_seconds
        if conditions.damping is not None:
            seconds = settle_seconds(conditions.damping, lowest)
        alpha, beta = settling_damping(seconds, lowest)
        # The first part leaves free flight alone, of which the swing of something that is led has a share.
        settle = (alpha, beta) if led is None else (0.0, beta + alpha / lowest**2)
        followed = lowest if led is None else float(np.sqrt(squares[rigid_modes]))
        return Forces(frequency=min(followed, FASTEST_FOLLOWED), elasticity=Elasticity(energy, stiffness, settle))

    def sliders(self, body: Body, placement: RigidPlacement, forces: Forces) -> SliderMap:
        assert forces.elasticity is not None
        return ElasticSliders(body, placement, forces.elasticity.stiffness)


def _elasticity(body: Body, young: float) -> tuple[StableNeoHookean, LaggedStiffness]:
    """Of the object's own Young's modulus, Pa."""
    kinematics, material = body.kinematics, body.material
    assert isinstance(kinematics, ElasticKinematics)
    energy = StableNeoHookean(
        material.gradients, material.cubature_volume, young * material.stiffness, material.poisson
    )
    return energy, LaggedStiffness(kinematics, energy)
