"""How far joints that were found can be trusted, from themselves and from what the learned network says of the object.

No truth is needed: how likely the ways are that were chosen, weighed by how much of the surface they move, and what of
their motion the learned kinematics knows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ..geometry.mesh import Mesh
from ..geometry.surface_points import quasi_random_points
from ..joint_search.search import FoundJoints
from ..kinematics.base import Array
from ..kinematics.confidence import learned_motion, space_motion, unknown_motion
from ..kinematics.jointed import Jointed
from ..kinematics.jointed_space import jointed_space
from ..kinematics.learned_shape import LearnedShape

__all__ = ["JointEvidence", "best_joint_confidence", "joint_confidence", "joint_evidence"]

SURFACE_POINTS = 2000
LEAST = 1e-3  # of a likelihood: less is as good as none

# The logit of the confidence: a constant, and for each of `JointEvidence.measures` what one unit of it adds. Fitted to
# procedural objects and to permissive ones that may train, as `evaluate ik` does (auto.all.logit). There found joints
# are nearer than what is taken without them for one object in five, and these measures do not tell which: the constant
# is that of a bet which is mostly lost.
LOGIT = np.array([-0.938, -0.235, -1.073, 0.255])


@dataclass(frozen=True)
class JointEvidence:
    """Measures of one object's joints; the first two are zero at best."""

    ways: float  # -log of how likely the chosen ways to move are, the mean over the motion's energy
    unconfirmed: float  # share of the motion's energy that the learned kinematics does not know
    learned: float  # confidence of the learned kinematics, 0..1

    @property
    def measures(self) -> Array:
        """What the logit is linear in, Float[4], the constant first."""
        return np.array([1.0, self.ways, self.unconfirmed, self.learned])


def joint_evidence(
    found: FoundJoints, jointed: Jointed, mesh: Mesh, learned: LearnedShape, confidence: float
) -> JointEvidence:
    """Of the joints found in a mesh, and of the learned kinematics of the same mesh with its confidence."""
    space = jointed_space(jointed, mesh.vertices)
    places = quasi_random_points(mesh.vertices, mesh.triangles, SURFACE_POINTS).triangle
    corners = mesh.triangles[places, 0]
    where = space.frame.to_reference(mesh.vertices[corners])
    motion = space_motion(space, np.diag(space.prior_scale), np.zeros(space.latent_count), corners, where)
    energy = (motion**2).sum(axis=0)
    doubt = [-np.log(max(LEAST, found.choices[joint.child].likelihood)) for joint in jointed.tree.moving]
    return JointEvidence(
        ways=float(np.dot(doubt, energy) / max(energy.sum(), 1e-300)),
        unconfirmed=unknown_motion(motion, learned_motion(learned, corners, where)),
        learned=confidence,
    )


def joint_confidence(evidence: JointEvidence) -> float:
    """0..1; above one half the found joints are the better bet."""
    return float(expit(LOGIT @ evidence.measures))


def best_joint_confidence(learned: float) -> float:
    """What joints could reach that nothing speaks against, beside learned kinematics of such a confidence."""
    return joint_confidence(JointEvidence(0.0, 0.0, learned))
