"""The provider "composed": pieces of one object, rigid or soft as what they are made of, moving as one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...bodies.body import Body
from ...bodies.composed_body import Links, build_composed_body, can_bend
from ...dynamics.conditions import Conditions
from ...dynamics.rigid_placement import RigidPlacement
from ...errors import UserError
from ...geometry.part_clouds import part_clouds
from ...kinematics.jointed import Jointed, joint_tree_json
from ...kinematics.joints_json import jointed_mesh
from ...kinematics.rigid import RigidKinematics
from ...materials.material import SHEET
from ..recognition import Recognition
from .composed_forces import composed_forces
from .composed_sliders import ComposedSliders
from .elastic import Elastic
from .forces import Forces
from .provider import AnalysisInput, Support
from .slider_map import SliderMap, root_sliders

__all__ = ["Composed"]


@dataclass(frozen=True, eq=False)
class Composed(Elastic):
    """Soft pieces attached to what is rigid: of one link, or of the parts of a joint tree.

    Standing on one link it is elastic; free or jointed it has a floating frame for each link.
    """

    name, label, icon = "composed", "Pieces", "OUTLINER_OB_GROUP_INSTANCE"
    description = "Rigid pieces keep their shape, soft ones bend where they are attached to these"
    keys = Elastic.keys | {"joints", "rest_spring", "joint_friction"}

    soft: NDArray[np.bool_] = field(kw_only=True)  # Bool[V]
    links: Links | None = field(default=None, kw_only=True)
    drapes: bool = field(default=False, kw_only=True)  # some of it is a sheet, which no weight has settled as drawn

    @classmethod
    def analyze(cls, given: AnalysisInput) -> Self:
        soft = given.composition.soft
        if not soft.any() or (soft.all() and given.joints is None):
            raise UserError("nothing_composed.mesh")
        known, drapes = given.recognition or Recognition(), SHEET in given.composition.behaviours
        if given.joints is None:
            return cls(given.mesh, given.cloud, recognition=known, soft=soft, drapes=drapes)
        jointed = jointed_mesh(given.mesh, given.joints)
        cloud, node_part = part_clouds(given.mesh, jointed.part)
        return cls(given.mesh, cloud, recognition=known, soft=soft, links=Links(jointed, node_part), drapes=drapes)

    def build(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        made_of = conditions.made_of
        return build_composed_body(self.mesh, self.cloud, self.soft, made_of, held, conditions.handles, self.links)

    def forces(self, body: Body, conditions: Conditions, posing: bool = False) -> Forces:
        if isinstance(body.kinematics, RigidKinematics):
            return Forces()
        if body.kinematics.constant_jacobian:
            return super().forces(body, conditions, posing)
        if self.drapes:
            conditions = replace(conditions, settled=False)
        return composed_forces(body, conditions, posing, self.jointed)

    def sliders(self, body: Body, placement: RigidPlacement, forces: Forces) -> SliderMap:
        if isinstance(body.kinematics, RigidKinematics):
            return root_sliders(body)
        if body.kinematics.constant_jacobian:
            return super().sliders(body, placement, forces)
        return ComposedSliders(body, None if self.jointed is None else self.jointed.tree)

    @property
    def bends(self) -> bool:
        """Whether any of its soft pieces is large enough to bend."""
        return can_bend(self.mesh, self.cloud, self.soft, self.links)

    @property
    def jointed(self) -> Jointed | None:  # type: ignore[override]
        """Its parts and joints, where it has any."""
        return None if self.links is None else self.links.jointed

    @property
    def support(self) -> Support:
        """What no joint moves. Joints swing: where they are drawn says nothing of where gravity leaves them."""
        if self.jointed is None:
            return Support()
        return Support(np.flatnonzero(self.jointed.still), self.jointed.bolted, settled=False)

    @property
    def joints(self) -> list[dict[str, Any]]:  # type: ignore[override]
        """For people and panels (JSON)."""
        return [] if self.jointed is None else joint_tree_json(self.jointed.tree)
