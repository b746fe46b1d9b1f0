"""Baking a take into shape keys: one relative key for each frame, faded in and out on the timeline."""

from __future__ import annotations

import time
from math import inf

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ..errors import Refusal
from . import preview
from .curves import KeyCurves
from .mesh_io import check_object, snapshot
from .takes import SceneTake

__all__ = ["ShapeKeyBake", "bake_shape_keys", "check_bake"]


def check_bake(obj: bpy.types.Object | None, take: SceneTake | None) -> None:
    """Raises Refusal where a take cannot be baked, as far as that shows without reading the mesh."""
    check_object(obj)
    if obj.data.users > 1:
        raise Refusal(
            rpt_("Other objects share the mesh of {}.").format(obj.name),
            "Make it single-user first (Object > Relations > Make Single User > Object & Data), then simulate again.",
        )
    if take is None or take.frame_count == 0:
        raise Refusal(rpt_("There is no simulated motion for {}.").format(obj.name), "Press Simulate first.")


class ShapeKeyBake:
    """Adds "Basis", the original mesh, and "NeuROK 0001" and so on, a few at a time, so that no window stands still.

    Call `advance` until all `total` frames are `done`, or `cancel`, which leaves the mesh as it was. Between frames i
    and i+1 the values of their two keys add up to 1, so that the shapes blend linearly. Before the first and after the
    last frame the curves hold, and with them the shape.
    """

    def __init__(self, context: bpy.types.Context, obj: bpy.types.Object | None, take: SceneTake | None):
        """Raises Refusal."""
        check_bake(obj, take)
        if obj.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        now = snapshot(context, obj)
        if not np.array_equal(now.original, take.snapshot.original) or now.fingerprint != take.snapshot.fingerprint:
            raise Refusal(rpt_("{} has changed since it was simulated.").format(obj.name), "Press Simulate again.")
        self.done, self.total = 0, take.frame_count
        self._take = take
        preview.restore(obj.data)
        obj.shape_key_add(name="Basis", from_mix=False)
        self._curves = KeyCurves(obj.data.shape_keys, f"{obj.name} NeuROK")

    def advance(self, budget_seconds: float) -> bool:
        """Goes on for at most about `budget_seconds`; whether all frames are there. Raises Refusal."""
        obj, take = self._object(), self._take
        until = time.monotonic() + budget_seconds
        while self.done < self.total:
            index = self.done
            key = obj.shape_key_add(name=f"NeuROK {index + 1:04d}", from_mix=False)
            key.points.foreach_set("co", take.shape(index).reshape(-1))
            self._curves.add(key, _blend(take.frame_start + index, index > 0, index + 1 < self.total))
            self.done += 1
            if time.monotonic() >= until:
                break
        obj.data.update()
        return self.done == self.total

    def cancel(self) -> None:
        """Takes everything away that it has made."""
        obj = self._take.object
        if obj is not None and self._is_ours(obj):
            self._curves.remove()
            obj.shape_key_clear()

    def _object(self) -> bpy.types.Object:
        obj = self._take.object
        if obj is None:
            raise Refusal("The object is no longer there.", "Undo brings it back.")
        if not self._is_ours(obj) or obj.mode != "OBJECT":
            raise Refusal(rpt_("{} was changed while it was baked.").format(obj.name), "Bake again.")
        return obj

    def _is_ours(self, obj: bpy.types.Object) -> bool:
        """Whether the shape keys are those that were made here, and no others."""
        keys = obj.data.shape_keys
        return keys is not None and len(keys.key_blocks) == 1 + self.done and self._curves.drive(keys)


def bake_shape_keys(context: bpy.types.Context, obj: bpy.types.Object | None, take: SceneTake | None) -> int:
    """The same at once, for scripts: how many frames were baked. Raises Refusal."""
    bake = ShapeKeyBake(context, obj, take)
    bake.advance(inf)
    return bake.total


def _blend(frame: int, fades_in: bool, fades_out: bool) -> list[tuple[float, float]]:
    """Points (frame, value) of a key's curve: 0, 1, 0, without the side where the motion ends."""
    points = [(float(frame), 1.0)]
    if fades_in:
        points.insert(0, (frame - 1.0, 0.0))
    if fades_out:
        points.append((frame + 1.0, 0.0))
    return points
