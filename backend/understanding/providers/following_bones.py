"""Bones of a rig that follow their animation: the springs of the conditions for the bones of the rig."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...dynamics.actor import Actor
from ...dynamics.conditions import Conditions, RigStart
from ...dynamics.solver import Gravity
from ...dynamics.spring_bones import SpringBones, Springs
from ...errors import UserError
from ...kinematics.base import Array
from ...kinematics.rig import Rig, RigClip

__all__ = ["following_actor"]

SHORTEST = 1e-3  # of the size: a bone without a length points along its own axis so far


def following_actor(rig: Rig, start: RigStart, conditions: Conditions, mass: float, frame_seconds: float) -> Actor:
    """Raises UserError where the rig has no such bones, or no animation."""
    clip = rig.motion
    if clip is None:
        raise UserError("bad_rig.no_motion")
    clip = clip.closed() if start.loop else clip
    size = float(np.ptp(rig.vertices, axis=0).max())
    solver = SpringBones(rig.parents, _played(clip, start.loop), _springs(rig, start, size), rig.skinned, mass, size)
    state = solver.start(conditions.gravity, clip.seconds if start.loop else None, frame_seconds)
    return Actor(
        solver, state, Gravity(conditions.gravity), size, conditions.friction, conditions.restitution, sleep_speed=None
    )


def _played(clip: RigClip, loop: bool) -> Callable[[float], Array]:
    """World matrices Float[B,4,4] of the bones so many seconds after the beginning; it stays at the end, or loops."""
    first, length = float(clip.times[0]), clip.seconds

    def at(time: float) -> Array:
        return clip.at(first + (time - first) % length if loop and length > 0.0 else time)

    return at


def _springs(rig: Rig, start: RigStart, size: float) -> Springs:
    """Of each bone that is named or hangs on one; the last one that counts is the nearest above."""
    given = np.full(len(rig.names), -1)
    for number, spring in enumerate(start.springs):
        if spring.bone not in rig.names:
            raise UserError("bad_rig.unknown_bone", bone=spring.bone, known=", ".join(rig.names))
        given[rig.names.index(spring.bone)] = number
    for bone, parent in enumerate(rig.parents):
        if given[bone] < 0 and parent >= 0:
            given[bone] = given[parent]
    bones = np.flatnonzero(given >= 0)
    chosen = [start.springs[given[bone]] for bone in bones]
    return Springs(
        bones,
        np.array([_tip(rig, int(bone), size) for bone in bones]),
        np.array([2.0 * np.pi * each.frequency for each in chosen]),
        np.array([each.damping for each in chosen]),
        np.array([each.gravity for each in chosen]),
    )


def _tip(rig: Rig, bone: int, size: float) -> Array:
    """Where a bone ends, in its own axes (m, as it is drawn): at what hangs on it, or what it carries."""
    hanging = np.flatnonzero(rig.parents == bone)
    inverse = np.linalg.inv(rig.drawn[bone])
    carried = (rig.weights * (rig.bones == bone)).sum(axis=1)
    if len(hanging):
        target = rig.heads[hanging].mean(axis=0)
    elif carried.sum() > 0.0:
        target = 2.0 * (carried @ rig.vertices / carried.sum()) - rig.heads[bone]
    else:
        target = rig.heads[bone]
    tip = inverse[:3, :3] @ target + inverse[:3, 3]
    scale = float(np.cbrt(abs(np.linalg.det(rig.drawn[bone][:3, :3]))))
    return tip if np.linalg.norm(tip) * scale > SHORTEST * size else np.array([0.0, SHORTEST * size / scale, 0.0])
