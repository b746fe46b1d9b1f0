"""Memory of the takes in MB, and freeing it together with the worker."""

from __future__ import annotations

from ..scene.takes import SceneTake
from .state import session

__all__ = ["megabytes_of_takes", "release"]


def _bytes_of(take: SceneTake) -> int:
    """Of what grows with the mesh and the frames: weights, shapes, and the coordinates that are kept."""
    motion, snapshot = take.motion, take.snapshot
    arrays = (snapshot.world, snapshot.triangles, snapshot.original)
    weights = 0 if motion.weights is None else motion.weights.nbytes
    return sum(each.nbytes for each in arrays) + weights + sum(shape.nbytes for shape in motion.shapes)


def megabytes_of_takes() -> float:
    return sum(map(_bytes_of, session.takes.values())) / 1e6


def release() -> None:
    """Drops all takes and ends the worker. Analyses stay: they are small, and to repeat them would start the worker."""
    session.forget_everything_shown()
    session.close_runner()
