"""What acts on learned coordinates: springs to the rest shape, the edge of what is plausible, friction, damping.

Under the prior every coordinate has the deviation one. Within two deviations of the prior's mean (less where that tears
the mesh) nothing keeps it but the rest spring; beyond, a limit pushes back like the end of a joint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
from ...dynamics.damping import DECAY_LEFT
from ...dynamics.variational import mass_matrix
from ...kinematics.base import Array
from ...kinematics.learned_shape import LearnedShape
from .forces import FASTEST_FOLLOWED, Forces

__all__ = ["inner_metric", "learned_forces", "settling"]

LIMIT_SOFTNESS = 0.25  # deviations over which a limit becomes as stiff as it gets
LIMIT_HZ = 20.0  # of a coordinate on its limit, at least: soft enough for steps of the frame rate
UNDAMPED_LIMIT_HZ = 10.0  # the same where every bounce is followed in time
LIMIT_OVER_STIFFNESS = 3.0  # and at least so many times the rest spring's
JOINT_FRICTION = 0.1  # coefficient: between an oiled hinge and a wooden drawer
LEAST_GRAVITY = 1.0  # m/s^2: joints rub without gravity too


def learned_forces(body: Body, shape: LearnedShape, conditions: Conditions, limit_hz: float | None = None) -> Forces:
    """Of the conditions count rest_spring, stiffness_hz, joint_friction, settle_seconds, undamped and gravity.

    `limit_hz`: how hard a limit is at least, as the frequency of a coordinate on it; None: as suits a motion.
    """
    kinematics = body.kinematics
    root, rest, dof = body.root, kinematics.rest(), kinematics.dof
    mass = mass_matrix(kinematics, body.moment, rest, rest)
    metric = inner_metric(mass, root)

    sprung = _sprung(shape, conditions)
    hertz = conditions.stiffness_hz
    if isinstance(conditions.rest_spring, float):
        hertz = conditions.rest_spring
    energies: list[CoordinateEnergy] = []
    held = np.concatenate([np.zeros(root, dtype=bool), sprung])
    if sprung.any():
        energies.append(RestSpring(hertz, metric * np.outer(held, held), rest))
    if limit_hz is None:
        limit_hz = UNDAMPED_LIMIT_HZ if conditions.undamped else LIMIT_HZ
    edge = 2.0 * np.pi * max(limit_hz, LIMIT_OVER_STIFFNESS * hertz if sprung.any() else 0.0)
    inertia = np.diag(metric)
    limits = _limits(shape, edge**2 * inertia, root)
    energies.append(limits)

    dissipations: list[Dissipation] = []
    if not conditions.undamped:
        damping = RayleighDamping(1.0, 0.0, settling(body, conditions, mass, metric), np.zeros((dof, dof)))
        dissipations += [damping, LimitDamping(limits, 2.0 * edge * inertia)]
        rubbing = _friction(body, shape, conditions, sprung, root)
        if rubbing.any():
            dissipations.append(JointFriction(rubbing))
    swinging = 2.0 * np.pi * hertz if sprung.any() else 0.0
    # Undamped, what bounces off a limit is to keep its energy.
    followed = edge if conditions.undamped else min(swinging, FASTEST_FOLLOWED)
    return Forces(tuple(energies), tuple(dissipations), followed)


def inner_metric(mass: Array, root: int) -> Array:
    """The inertia Float[k,k] of the inner coordinates at rest, the root following freely; zero in the root's rows."""
    metric = np.zeros_like(mass)
    inner = mass[root:, root:]
    if root:
        coupling = mass[:root, root:]
        # A needle's turn about itself has no inertia.
        inner = inner - coupling.T @ np.linalg.pinv(mass[:root, :root], rcond=1e-10, hermitian=True) @ coupling
    metric[root:, root:] = 0.5 * (inner + inner.T)
    return metric


def settling(body: Body, conditions: Conditions, mass: Array, metric: Array) -> Array:
    """Damping Float[k,k] with which swings come to rest in settle_seconds; `metric`: the inner part of `mass`.

    Whatever its frequency, a swing under the force 2 r G qdot decays like exp(-r t). What springs hold does not fly but
    hangs there, and its swing as a whole settles like all others.
    """
    return 2.0 * DECAY_LEFT / conditions.settle_seconds * (metric if body.sprung is None else mass)


def _sprung(shape: LearnedShape, conditions: Conditions) -> NDArray[np.bool_]:
    """The coordinates that a spring brings back to rest, Bool[k]: what bends does, a door stays where it is left."""
    if conditions.rest_spring is None:
        return ~shape.joints
    return np.full(shape.dof, conditions.rest_spring is not False)


def _limits(shape: LearnedShape, stiffness: Array, root: int) -> JointLimits:
    free = np.full(root, np.inf)
    lower, upper = np.concatenate([-free, shape.lower]), np.concatenate([free, shape.upper])
    return JointLimits(lower, upper, stiffness, LIMIT_SOFTNESS)


def _friction(body: Body, shape: LearnedShape, conditions: Conditions, sprung: NDArray[np.bool_], root: int) -> Array:
    """The generalised force Float[k] of Coulomb friction: what is moved rubs with its weight along its own path."""
    coefficient = conditions.joint_friction
    rubbing = shape.joints & ~sprung if coefficient is None else shape.joints
    if coefficient is None:
        coefficient = JOINT_FRICTION
    jacobian = body.kinematics.jacobian(body.kinematics.rest()).reshape(len(body.moment), 3, -1)
    path = np.linalg.norm(np.tensordot(body.material.basis, jacobian, axes=1), axis=1)  # |dx/dq|, (P, k)
    weight = max(float(np.linalg.norm(conditions.gravity)), LEAST_GRAVITY) * body.material.mass
    rubs = np.concatenate([np.zeros(root), rubbing])
    return coefficient * rubs * (weight @ path)
