"""The kernels of rigid bodies, loaded into a process, or compiled where this is the first time on a machine."""

from __future__ import annotations

import numpy as np

from ..dynamics.conditions import read_conditions
from ..dynamics.rigid.newton import minimise
from ..understanding.analysis import analyze
from .assemble import assemble
from .shared_world import world_of

__all__ = ["are_loaded", "load"]

_FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
_CORNERS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_FRAMES = 4


def are_loaded() -> bool:
    return bool(minimise.signatures)


def load() -> None:
    """Lets two tiny things fall on the ground and on each other."""
    ground = {"height": -0.001, "friction": 0.5, "restitution": 0.5}
    wanted = read_conditions({"frames": _FRAMES, "ground": ground, "anchor": "none", "provider": "rigid"})
    actors = []
    for height in (0.0, 0.4):
        found = analyze(np.add(_CORNERS, (0.0, 0.0, height)), np.array(_FACES), provider="rigid")
        actors.append(assemble(found, found.made_of(wanted), True).actor)
    world, _warnings = world_of(actors, [wanted, wanted])
    for _ in range(_FRAMES):
        world.next_frame(lambda: False)
