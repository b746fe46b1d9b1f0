"""How much memory takes hold, and giving it back."""

from __future__ import annotations

from ..scene.takes import SceneTake
from .state import session

__all__ = ["megabytes_of_takes", "release"]


def _bytes_of(take: SceneTake) -> int:
    """Of what grows with the mesh and the frames: weights, handles, and the coordinates that are kept."""
    handles = take.take.handles
    snapshot = take.snapshot
    arrays = (take.take.weights, snapshot.world, snapshot.triangles, snapshot.original)
    return sum(array.nbytes for array in arrays) + (len(handles) * handles[0].nbytes if handles else 0)


def megabytes_of_takes() -> float:
    return sum(map(_bytes_of, session.takes.values())) / 1e6


def release() -> None:
    """Drops all takes and ends the worker. What was found out about meshes stays: it is small, and so the worker is
    not started again at once to find it out."""
    session.forget_everything_shown()
    session.close_runner()
