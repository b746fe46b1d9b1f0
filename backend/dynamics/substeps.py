"""The automatic number of substeps of a frame: by what swings and spins, and by how far things travel near others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kinematics.base import Array
from .actor import Actor
from .obstacles import Obstacle
from .solver import Surface

__all__ = ["substep_count"]

TRAVEL_PER_STEP = 0.06  # object sizes that may be travelled in one step close to something
MOST_SUBSTEPS = 64  # for what travels; what goes farther in one of them looks farther ahead
MOST_FOLLOWING = 32  # for what swings and spins
BRISK_SPEED = 0.5  # object sizes per second: what is faster and can touch something moves in shorter steps


def substep_count(
    actors: Sequence[Actor],
    now: Sequence[Any],
    asleep: Sequence[bool],
    obstacles: Sequence[Obstacle],
    begin: float,
    seconds: float,
    alone: bool,
) -> int:
    """Of the frame of `seconds` from `begin` on; `alone`: there is nothing to touch."""
    count, least = 0.0, 1
    travels = _travels(actors, now, obstacles, begin, seconds)
    for number, actor in enumerate(actors):
        if asleep[number]:
            continue
        solver, state = actor.solver, now[number]
        count = max(count, solver.steps_per_second(state) * seconds)
        # Landing and bouncing need short steps; what only breathes on the ground does not.
        calm = alone or solver.speed(state) < BRISK_SPEED * actor.size
        least = max(least, 2 if calm else 4)
        least = max(least, int(np.ceil(min(travels[number] / TRAVEL_PER_STEP, MOST_SUBSTEPS))))
    return max(least, int(np.clip(np.ceil(count), 1, MOST_FOLLOWING)))


def _travels(
    actors: Sequence[Actor], now: Sequence[Any], obstacles: Sequence[Obstacle], begin: float, seconds: float
) -> Array:
    """Object sizes travelled in a frame relative to something close by, Float[n]; 0 of what takes steps of its own."""
    most = np.zeros(len(actors))
    if not (obstacles or len(actors) > 1):
        return most
    nothing = Surface(np.zeros((0, 3)), np.zeros((0, 3)))
    surfaces = [
        nothing if actor.solver.meets_neighbours else actor.solver.surface(state)
        for actor, state in zip(actors, now, strict=True)
    ]
    means = np.array([surface.velocities.sum(axis=0) / max(len(surface.velocities), 1) for surface in surfaces])
    # What moves along with another one does not travel: only what goes beyond the mean motion of both does.
    own = np.array(
        [
            np.sqrt(((each.velocities - mean) ** 2).sum(axis=1).max(initial=0.0))
            for each, mean in zip(surfaces, means, strict=True)
        ]
    )
    low, high = (np.array(corners) for corners in zip(*(surface.bounds for surface in surfaces), strict=True))
    fastest = np.array([surface.speeds.max(initial=0.0) for surface in surfaces])
    for obstacle in obstacles:
        way = seconds * fastest + obstacle.travel(begin, begin + seconds)
        lowest, highest = obstacle.box(begin)
        near = (np.maximum(low - highest, lowest - high) <= way[:, None]).all(axis=1)
        most = np.maximum(most, np.where(near, way, 0.0))
    for number in range(len(actors)):
        way = seconds * (np.sqrt(((means - means[number]) ** 2).sum(axis=1)) + own + own[number])
        near = (np.maximum(low - high[number], low[number] - high) <= way[:, None]).all(axis=1)
        near[number] = False
        most[number] = max(most[number], float(way[near].max(initial=0.0)))
    return most / [actor.size for actor in actors]
