"""Writing F-curves of shape key values in every Blender from 4.2 on."""

from __future__ import annotations

import bpy

__all__ = ["KeyCurves"]

LINEAR = 1  # bpy.types.Keyframe.interpolation as a number, which foreach_set needs


class KeyCurves:
    """A new action on `keys` that takes value curves, one for each shape key."""

    def __init__(self, keys: bpy.types.Key, name: str):
        action = bpy.data.actions.new(name)
        animation = keys.animation_data_create()
        if hasattr(action, "slots"):  # Blender 4.4 and later: curves lie in the channels of a slot
            slot = action.slots.new(id_type="KEY", name=keys.name)
            strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
            self._curves = strip.channelbag(slot, ensure=True).fcurves
            animation.action = action
            animation.action_slot = slot
        else:
            self._curves = action.fcurves
            animation.action = action

    def add(self, key: bpy.types.ShapeKey, points: list[tuple[float, float]]) -> None:
        """A curve with linear interpolation through `points` (frame, value), in the order of time."""
        curve = self._curves.new(key.path_from_id("value"), index=0)
        curve.keyframe_points.add(len(points))
        curve.keyframe_points.foreach_set("co", [number for point in points for number in point])
        curve.keyframe_points.foreach_set("interpolation", [LINEAR] * len(points))
        curve.update()
