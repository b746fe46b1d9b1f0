"""The automatic number of substeps of a frame: by what swings and spins, and by how far things travel near others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .actor import Actor
from .obstacles import Obstacle
from .proximity_bounds import are_near

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
    for number, actor in enumerate(actors):
        if asleep[number]:
            continue
        solver, state = actor.solver, now[number]
        count = max(count, solver.steps_per_second(state) * seconds)
        # Landing and bouncing need short steps; what only breathes on the ground does not.
        calm = alone or solver.speed(state) < BRISK_SPEED * actor.size
        least = max(least, 2 if calm else 4)
        travel = _travel(number, actors, now, obstacles, begin, seconds)
        least = max(least, int(np.ceil(min(travel / TRAVEL_PER_STEP, MOST_SUBSTEPS))))
    return max(least, int(np.clip(np.ceil(count), 1, MOST_FOLLOWING)))


def _travel(
    number: int,
    actors: Sequence[Actor],
    now: Sequence[Any],
    obstacles: Sequence[Obstacle],
    begin: float,
    seconds: float,
) -> float:
    """Object sizes travelled in a frame with something close by, relative to it."""
    if not (obstacles or len(actors) > 1):
        return 0.0
    surface = actors[number].solver.surface(now[number])
    own = float(surface.speeds.max(initial=0.0)) * seconds
    travel = 0.0
    for obstacle in obstacles:
        moved = obstacle.travel(begin, begin + seconds)
        if are_near(surface.bounds, obstacle.box(begin), own + moved):
            travel = max(travel, own + moved)
    for other, actor in enumerate(actors):
        if other != number:
            met = actor.solver.surface(now[other])
            moved = float(met.speeds.max(initial=0.0)) * seconds
            if are_near(surface.bounds, met.bounds, own + moved):
                travel = max(travel, own + moved)
    return travel / actors[number].size
