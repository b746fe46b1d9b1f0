"""What acts on the coordinates of jointed parts: limits, their own friction and damping, what settles the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...bodies.body import Body
from ...dynamics.conditions import Conditions
from ...dynamics.coordinate_energies import (
    CoordinateEnergy,
    Dissipation,
    JointFriction,
    JointLimits,
    LimitDamping,
    RayleighDamping,
    RestSpring,
)
from ...dynamics.leading_coordinates import LeadingKinematics
from ...kinematics.base import Array
from ...kinematics.joint_tree import JointTree
from .forces import Forces
from .learned_forces import inner_metric, settling

__all__ = ["FURNITURE", "POSED", "JointFeel", "joint_forces"]

UNDAMPED_LIMIT_HZ = 30.0  # of a joint on its limit, at most, where every bounce is followed in time
MOST_GIVE = 0.02  # rad, or of the size: how far a limit bends under the weight of what the joint carries
BEARING_FRICTION = 0.01  # of the weight of what turns, where nothing else is said
RUNS_ON = 0.3  # of the root of the damping rate of other joints
SHARPER = 2.0  # times the frequency of the fastest swing: periods are right to a third of a percent


@dataclass(frozen=True)
class JointFeel:
    """How joints meet their limits and stick: those of furniture by default.

    limit_hz: How hard a limit is, as the frequency of a joint on it: it stops as hard as a steel stop looks.
    softness: rad, or of the size, over which a limit becomes as stiff as it gets.
    held_rate: rad/s, or sizes a second: what friction holds moves no faster.
    bears: The share of the weight of the whole object that a limit holds up at the reach of what the joint moves,
        besides what hangs on the joint: who falls on a hand falls with all of the body.
    """

    limit_hz: float = 60.0
    softness: float = 1e-3
    held_rate: float = 1e-6
    bears: float = 0.0


POSED = JointFeel(limit_hz=100.0)  # no drag pulls a joint far beyond its limits
FURNITURE = JointFeel()


def joint_forces(body: Body, tree: JointTree, conditions: Conditions, feel: JointFeel = FURNITURE) -> Forces:
    """Of the coordinates of the root and the joints, which are the first ones.

    Of the conditions count rest_spring, joint_friction, settle_seconds, undamped and gravity.

    Joints with friction or damping of their own lose what these take, and the others settle as the conditions say.
    """
    root = body.root
    # What bends on the links stays at rest for all that is said of the joints.
    kinematics = LeadingKinematics(body.kinematics, root + len(tree.coordinates))
    rest, dof = kinematics.rest(), kinematics.dof
    slope = kinematics.jacobian(rest).reshape(len(body.moment), 3, -1)
    mass = np.einsum("aik,ail->kl", slope, np.tensordot(body.moment, slope, axes=1))
    metric = inner_metric(mass, root)
    inertia = np.diag(metric)

    def padded(values: Array, outside: float = 0.0) -> Array:
        return np.concatenate([np.full(root, outside), values])

    turns = np.array([joint.turns for joint in tree.coordinates])
    unit = padded(np.where(turns, 1.0, body.size))  # one rad, or one size
    lower, upper = tree.limits
    limit_hz = min(feel.limit_hz, UNDAMPED_LIMIT_HZ) if conditions.undamped else feel.limit_hz
    softness = np.where(unit > 0.0, unit, 1.0) * feel.softness
    load, path = _load(body, kinematics, conditions)
    # Light as a part may be, its weight on the limit does not bend it by more.
    weight = feel.bears * body.total_mass * float(np.linalg.norm(conditions.gravity))
    borne = np.maximum(load, weight * path.max(axis=0))
    stiffness = np.maximum((2.0 * np.pi * limit_hz) ** 2 * inertia, borne / (MOST_GIVE * np.maximum(unit, 1e-300)))
    stiffness[:root] = 0.0
    limits = JointLimits(padded(lower, -np.inf), padded(upper, np.inf), stiffness, softness)
    energies: list[CoordinateEnergy] = [limits]
    swinging = SHARPER * _fastest_swing(tree, load[root:], inertia[root:])
    if conditions.rest_spring not in (None, False):
        hertz = conditions.stiffness_hz if conditions.rest_spring is True else float(conditions.rest_spring)
        energies.append(RestSpring(hertz, metric, rest))
        swinging = max(swinging, 2.0 * np.pi * hertz)

    dissipations: list[Dissipation] = []
    if conditions.undamped:
        # Undamped, what bounces off a limit is to keep its energy, also where the others give way.
        limited = np.isfinite(lower) | np.isfinite(upper)
        inner = np.linalg.solve(metric[root:, root:], np.diag(np.where(limited, stiffness[root:], 0.0)))
        bouncing = float(np.sqrt(max(np.linalg.eigvals(inner).real.max(), 0.0)))
        return Forces(tuple(energies), (), max(swinging, bouncing))
    friction, damping = padded(_carried(tree, "friction")), padded(_carried(tree, "damping"))
    bare = ((friction == 0.0) & (damping == 0.0)).astype(np.float64)  # the root too
    # What turns for ever has bearings: it runs on, and stops in the end.
    endless = padded(turns & np.isinf(lower) & np.isinf(upper)) * bare
    friction = friction + BEARING_FRICTION * load * endless
    bare = np.where(endless > 0.0, RUNS_ON, bare)
    lost = settling(body, conditions, mass, metric) * np.outer(bare, bare)
    dissipations.append(RayleighDamping(1.0, 0.0, lost + np.diag(damping), np.zeros((dof, dof))))
    dissipations.append(LimitDamping(limits, 2.0 * np.sqrt(stiffness * inertia)))
    if conditions.joint_friction is not None:
        friction = padded(np.ones(dof - root)) * conditions.joint_friction * load
    if friction.any():
        dissipations.append(JointFriction(friction, feel.held_rate * np.where(unit > 0.0, unit, 1.0)))
    return Forces(tuple(energies), tuple(dissipations), swinging)


def _carried(tree: JointTree, what: str) -> Array:
    """Friction or damping of each coordinate Float[k]: its own and that of the joints that follow it."""
    own = np.array([getattr(joint, what) for joint in tree.moving])
    power = 1 if what == "friction" else 2
    return own @ np.abs(tree.coupling) ** power


def _load(body: Body, kinematics: LeadingKinematics, conditions: Conditions) -> tuple[Array, Array]:
    """The weight times the way of what each coordinate moves, Float[k]: what a coefficient of friction is of.

    And the ways |dx/dq| Float[P,k] of the material points.
    """
    jacobian = kinematics.jacobian(kinematics.rest()).reshape(len(body.moment), 3, -1)
    path = np.linalg.norm(np.tensordot(body.material.basis, jacobian, axes=1), axis=1)  # |dx/dq|, (P, k)
    return float(np.linalg.norm(conditions.gravity)) * body.material.mass @ path, path


def _fastest_swing(tree: JointTree, load: Array, inertia: Array) -> float:
    """The highest frequency (rad/s) at which a joint that turns can swing under gravity, alone: w² = g m r / I."""
    turns = np.array([joint.turns for joint in tree.coordinates])
    square = np.where(turns, load / np.maximum(inertia, 1e-300), 0.0)
    return float(np.sqrt(square.max(initial=0.0)))
