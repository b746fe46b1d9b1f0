"""Memory of the takes in MB, and freeing it together with the worker."""

from __future__ import annotations

import bpy

from ..scene.takes import SceneTake
from .state import session
from .take_list import sync

__all__ = ["is_unsaved", "megabytes_of_takes", "release"]


def _bytes_of(take: SceneTake) -> int:
    """Of what grows with the mesh and the frames: weights, shapes, and the coordinates that are kept."""
    snapshot = take.snapshot
    return sum(each.nbytes for each in (snapshot.world, snapshot.triangles, snapshot.original)) + take.nbytes


def megabytes_of_takes() -> float:
    held = {take.uid: take for take in (*session.shelf.values(), *session.takes.values())}
    return sum(map(_bytes_of, held.values())) / 1e6


def is_unsaved() -> bool:
    """Whether a take would be lost with the memory."""
    return any(not each.file for obj in bpy.data.objects for each in obj.neurok.takes)


def release() -> None:
    """Drops the motions of all takes and ends the worker; what has a file beside the .blend can be chosen again.

    Analyses stay: they are small, and to repeat them would start the worker.
    """
    session.forget_everything_shown()
    sync()
    session.close_runner()
