"""Takes of tiny things that call all kernels of a solver, which compiles them where they are not in Numba's cache."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dynamics.conditions import read_conditions
from ..understanding.analysis import analyze
from .assemble import assemble
from .shared_world import world_of

__all__ = ["drop_rigid_things", "drop_soft_things"]

_CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
_BETWEEN = 0.002  # m


def drop_rigid_things() -> None:
    """Two of them, on the ground and on each other."""
    _drop("rigid", 4, {"friction": 0.5, "restitution": 0.5})


def drop_soft_things() -> None:
    """Two of them, on the ground and on each other, each of which may touch itself."""
    _drop("elastic", 3, {"friction": 0.5}, self_contact=True)


def _drop(provider: str, frames: int, ground: dict[str, float], **conditions: Any) -> None:
    wanted = read_conditions(
        {"frames": frames, "ground": {"height": -0.5 * _BETWEEN, **ground}, "anchor": "none", **conditions}
    )
    actors = []
    for height in (0.0, 1.0 + _BETWEEN):
        found = analyze(np.add(_CORNERS, (0.0, 0.0, height)), _FACES, provider=provider)
        actors.append(assemble(found, found.made_of(wanted), True).actor)
    world, _warnings = world_of(actors, [wanted, wanted])
    for _ in range(frames):
        world.next_frame(lambda: False)
