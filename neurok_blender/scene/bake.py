"""Baking a take into shape keys: one relative key for each frame, faded in and out on the timeline."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ..errors import Refusal
from . import preview
from .curves import KeyCurves
from .mesh_io import check_object, snapshot
from .takes import SceneTake

__all__ = ["bake_shape_keys", "check_bake"]


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


def bake_shape_keys(context: bpy.types.Context, obj: bpy.types.Object | None, take: SceneTake | None) -> int:
    """Adds "Basis", the original mesh, and "NeuROK 0001" and so on; returns how many frames it baked.

    Between frames i and i+1 the values of their two keys add up to 1, so that the shapes blend linearly.
    Before the first and after the last frame the curves hold, and with them the shape.
    """
    check_bake(obj, take)
    if obj.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    now = snapshot(context, obj)
    if not np.array_equal(now.original, take.snapshot.original) or now.fingerprint != take.snapshot.fingerprint:
        raise Refusal(rpt_("{} has changed since it was simulated.").format(obj.name), "Press Simulate again.")
    preview.restore(obj.data)
    obj.shape_key_add(name="Basis", from_mix=False)
    curves = KeyCurves(obj.data.shape_keys, f"{obj.name} NeuROK")
    for index in range(take.frame_count):
        key = obj.shape_key_add(name=f"NeuROK {index + 1:04d}", from_mix=False)
        key.points.foreach_set("co", take.shape(index).reshape(-1))
        curves.add(key, _blend(take.frame_start + index, index > 0, index + 1 < take.frame_count))
    obj.data.update()
    return take.frame_count


def _blend(frame: int, fades_in: bool, fades_out: bool) -> list[tuple[float, float]]:
    """Points (frame, value) of a key's curve: 0, 1, 0, without the side where the motion ends."""
    points = [(float(frame), 1.0)]
    if fades_in:
        points.insert(0, (frame - 1.0, 0.0))
    if fades_out:
        points.append((frame + 1.0, 0.0))
    return points
