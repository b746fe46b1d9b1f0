"""The provider "rig": the artist's bones as links with ball joints, the artist's weights as the skin."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from ...bodies.body import Body
from ...bodies.rig_body import build_rig_body, node_weights
from ...dynamics.actor import Actor
from ...dynamics.conditions import Conditions
from ...dynamics.initial import fitted_rates
from ...dynamics.rigid_placement import RigidPlacement
from ...errors import UserError
from ...kinematics.base import Array
from ...kinematics.rig import Rig
from ...kinematics.rig_links import rig_links
from ...kinematics.rigged import RiggedLinks, rigged_links
from ...texts import Text
from .following_bones import following_actor
from .forces import Forces
from .joint_forces import POSED, JointFeel, joint_forces
from .joint_sliders import joint_coordinates
from .provider import AnalysisInput, Provider
from .slider_map import InnerSliders, SliderMap

__all__ = ["Rigged"]

BALL_FRICTION = 0.06  # coefficient, of the weight of what a ball carries: muscles and ligaments hold a little
# Ligaments give a little, and dozens of joints that stick and slip sharply are hard to solve together.
LIMBS = JointFeel(limit_hz=40.0, softness=0.02, held_rate=0.5, bears=5.0)
TOLERANCE = 1e-6  # of the size
MOST_FOLLOWED = 2.0 * np.pi * 3.0  # rad/s: faster swings of what friction and damping stop are not followed


@dataclass(frozen=True, eq=False)
class Rigged(Provider):
    """Links of a rig."""

    name, label, icon = "rig", "Rig", "ARMATURE_DATA"
    description = "Bones turn in their joints, and the mesh follows by its weights"
    offered = False
    keys = frozenset({"rest_spring", "joint_friction", "stiffness_hz", "settle_seconds"})

    rig: Rig = field()
    rigged: RiggedLinks = field()
    nodes: Array = field()  # Float[N,L], weights of the nodes of the cloud on the links

    @classmethod
    def analyze(cls, given: AnalysisInput) -> Self:
        rig = given.rig
        if rig is None:
            raise UserError("bad_rig.none")
        if len(rig.bones) != len(given.mesh.vertices):
            raise UserError("bad_rig.other_mesh", given=len(rig.bones), count=len(given.mesh.vertices))
        cloud = given.cloud
        shares = node_weights(rig, given.mesh, cloud)
        links = rig_links(rig, cloud.volume @ shares, rig.dense_weights())
        if len(links.main) < 2:
            raise UserError("bad_rig.one_link")
        given.progress("analyzing", 2, 3)
        nodes = np.zeros((len(shares), len(links.main)))
        np.add.at(nodes.T, links.of_bone, shares.T)
        return cls(given.mesh, cloud, rig, rigged_links(rig, links), nodes)

    def build(self, conditions: Conditions, held: np.ndarray | None) -> Body:
        return build_rig_body(
            self.mesh,
            self.cloud,
            self.rig,
            self.rigged,
            self.nodes,
            conditions.density,
            held,
            conditions.materials,
        )

    def forces(self, body: Body, conditions: Conditions, posing: bool = False) -> Forces:
        """What is held keeps its pose by springs; what is free falls like a puppet without strings."""
        if conditions.rest_spring is None:
            conditions = replace(conditions, rest_spring=body.anchored)
        if conditions.joint_friction is None and conditions.rest_spring is False:
            conditions = replace(conditions, joint_friction=BALL_FRICTION)
        forces = joint_forces(body, self.rigged.tree, conditions, POSED if posing else LIMBS)
        if conditions.undamped or conditions.rest_spring is not False:
            return forces
        return replace(forces, frequency=min(forces.frequency, MOST_FOLLOWED), tolerance=TOLERANCE)

    def actor(self, conditions: Conditions, held: np.ndarray | None, warnings: list[Text]) -> Actor | None:
        """Bones that follow by springs have a solver of their own; the others play their clip."""
        start = conditions.rig
        if start is None or not start.springs:
            return None
        density = conditions.completed().density
        mass = density * float(self.cloud.volume.sum())
        return following_actor(self.rig, start, conditions, mass, 1.0 / conditions.fps)

    def first_rate(self, body: Body, q: Array) -> Array | None:
        """The rates nearest to those of its animation, over the mass."""
        if not self.rig.rates.any():
            return None
        rates = self.rig.rates[self.rigged.links.heaviest]
        places = body.frame.centre + body.frame.scale * _reference(body)
        field_of = np.einsum("pl,lij,pj->pi", _weights(body), rates[:, :, :3], places)
        field_of += _weights(body) @ rates[:, :, 3]
        return fitted_rates(body.kinematics, q, body.material.basis, body.material.mass, field_of)

    def sliders(self, body: Body, placement: RigidPlacement, forces: Forces) -> SliderMap:
        coordinates = joint_coordinates(self.rigged.tree, body.size)
        low, high = coordinates.lower, coordinates.upper
        return InnerSliders(body, coordinates, 0.5 * (low + high), 0.25 * (high - low))

    @property
    def joints(self) -> list[dict[str, Any]]:
        links, rig, tree = self.rigged.links, self.rig, self.rigged.tree
        told = []
        for number in range(1, len(links.main)):
            bone, name = int(links.main[number]), rig.names[links.main[number]]
            own = [joint for joint in tree.moving if joint.name == name]
            told.append(
                {
                    "joint": number - 1,
                    "name": name,
                    "motion": "turns",
                    "kind": "ball" if len(own) > 1 else "revolute" if own else "fixed",
                    "child": name,
                    "parent": rig.names[links.main[links.parent[number]]],
                    "through": links.places[number].round(6).tolist(),
                    "ranges": [[round(joint.lower, 4), round(joint.upper, 4)] for joint in own],
                    "bones": [rig.names[each] for each in np.flatnonzero(links.of_bone == number) if each != bone],
                }
            )
        return told


def _weights(body: Body) -> Array:
    """Of the material points on the links, Float[P,L]."""
    return body.material.basis[:, 3::4]


def _reference(body: Body) -> Array:
    """Reference coordinates of the material points, Float[P,3]: weights of a row sum to one."""
    return body.material.basis.reshape(len(body.material.basis), -1, 4)[:, :, :3].sum(axis=1)
