"""Pins: parts of the object that are held in place, or follow another object."""

from __future__ import annotations

from collections.abc import Generator

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ..errors import Refusal
from .condition_arrays import array_or_list
from .motion_tracks import TransformTrack
from .pinned_vertices import PinnedPart
from .rigid_motion import is_still, motion_keys, moves_since_first

__all__ = ["PinReading"]


class PinReading:
    """One pin or follower while it is read: `read_vertices`, then its `track` is filled, then `finish`."""

    def __init__(self, scene: bpy.types.Scene, obj: bpy.types.Object, condition, frames: range):
        """Raises Refusal for what the properties alone show."""
        self._part = PinnedPart.of(obj, condition)
        self._stiffness = "rigid" if condition.pin_hold == "RIGID" else condition.spring_hz
        self._until = condition.lets_go_frame - frames.start + 1 if condition.lets_go else None
        self.track: TransformTrack | None = None
        if condition.kind == "FOLLOW":
            target = condition.target
            # A deleted object may still be referenced, but it is in no scene.
            if target is None or target.name not in scene.objects:
                raise Refusal(
                    rpt_("{} has no target to follow.").format(condition.name),
                    "Choose an object of the scene as its target.",
                )
            if target == obj:
                raise Refusal(
                    rpt_("{} follows its own object.").format(condition.name), "Choose another one as its target."
                )
            self.track = TransformTrack(target, scene, frames)

    def read_vertices(self, obj: bpy.types.Object, positions: NDArray[np.float64]) -> Generator[None, None, None]:
        """`positions` Float64[V,3] world metres of the resting shape."""
        self._vertices = yield from self._part.vertices(obj, positions)
        # The backend turns a pin about the middle of its vertices, which it has as float32.
        self._middle = positions[self._vertices].astype(np.float32).astype(np.float64).mean(axis=0)

    def finish(self) -> dict:
        """The pin of the backend's conditions. Raises Refusal."""
        made = {"vertices": array_or_list(self._vertices), "stiffness": self._stiffness}
        if self._until is not None:
            made["until"] = self._until
        if self.track is None:
            return made
        matrices = self.track.matrices
        try:
            moves = moves_since_first(matrices)
        except np.linalg.LinAlgError:
            raise Refusal(
                rpt_("{} is scaled to nothing along some direction, so nobody can follow it.").format(self.track.name),
                "Give it a scale other than zero (N panel > Item > Scale).",
            ) from None
        # Who follows what stands still is simply pinned.
        return made if is_still(moves) else {**made, "motion": motion_keys(moves, matrices[0, :3, 3], self._middle)}
