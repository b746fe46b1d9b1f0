"""How far joints that were found can be trusted, from themselves and from what the learned network says of the object.

No truth is needed: how likely the ways are that were chosen, weighed by how much of the surface they move, what the
learned kinematics moves that these joints do not, and the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ..articulation.jointed import Jointed
from ..articulation.jointed_space import jointed_space
from ..geometry.mesh import Mesh
from ..geometry.surface_places import spread_places
from ..kinematics.base import Array
from ..kinematics.confidence import learned_motion, space_motion, unknown_motion
from ..kinematics.learned_shape import LearnedShape
from .finding import FoundJoints

__all__ = ["JointEvidence", "joint_confidence", "joint_evidence"]

SURFACE_POINTS = 2000
LEAST = 1e-3  # of a likelihood: less is as good as none

# The logit of the confidence: a constant, and for each of `JointEvidence.measures` what one unit of it adds.
LOGIT = np.zeros(8)


@dataclass(frozen=True)
class JointEvidence:
    """Measures of one object's joints; the first five are zero at best."""

    kinds: float  # -log of how likely the kinds are, the mean over the motion's energy
    ways: float  # the same of axes and places
    still: float  # how likely what was found fixed moves, the mean over the surface of it
    unconfirmed: float  # share of the motion's energy that the learned kinematics does not know
    missed: float  # share of the learned motion's energy that these joints do not know
    parts: int
    learned: float  # confidence of the learned kinematics, 0..1

    @property
    def measures(self) -> Array:
        """What the logit is linear in, Float[8], the constant first."""
        size = np.log(self.parts)
        return np.array([1.0, self.kinds, self.ways, self.still, self.unconfirmed, self.missed, size, self.learned])


def joint_evidence(
    found: FoundJoints, jointed: Jointed, mesh: Mesh, learned: LearnedShape, confidence: float
) -> JointEvidence:
    """Of the joints found in a mesh, and of the learned kinematics of the same mesh with its confidence."""
    space = jointed_space(jointed, mesh.vertices)
    places = spread_places(mesh.vertices, mesh.triangles, SURFACE_POINTS).triangle
    corners = mesh.triangles[places, 0]
    where = space.frame.to_reference(mesh.vertices[corners])
    motion = space_motion(space, np.diag(space.prior_scale), np.zeros(space.latent_count), corners, where)
    other = learned_motion(learned, corners, where)
    energy = (motion**2).sum(axis=0)
    moving = [found.choices[joint.child] for joint in jointed.tree.moving]
    area = np.bincount(found.label[places], minlength=len(jointed.tree.parts))
    fixed = [joint.child for joint in jointed.tree.joints if not joint.moves]
    return JointEvidence(
        kinds=_mean([-np.log(max(LEAST, 1.0 - choice.odds["fixed"])) for choice in moving], energy),
        ways=_mean([-np.log(max(LEAST, choice.likelihood)) for choice in moving], energy),
        still=_mean([1.0 - found.choices[part].odds["fixed"] for part in fixed], area[fixed]),
        unconfirmed=unknown_motion(motion, other) if learned.reduction.motion > 0.0 else 1.0,
        missed=unknown_motion(other, motion),
        parts=len(jointed.tree.parts),
        learned=confidence,
    )


def joint_confidence(evidence: JointEvidence) -> float:
    """0..1; above one half the found joints are the better bet."""
    return float(expit(LOGIT @ evidence.measures))


def _mean(values: list[float], weights: Array) -> float:
    total = float(np.sum(weights))
    return float(np.dot(values, weights) / total) if total > 0.0 else 0.0
