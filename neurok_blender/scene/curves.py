"""Writing F-curves of shape key values in every Blender from 4.2 on."""

from __future__ import annotations

import bpy

__all__ = ["KeyCurves"]

LINEAR = 1  # bpy.types.Keyframe.interpolation as a number, which foreach_set needs


class KeyCurves:
    """A new action on `keys` that takes value curves, one for each shape key.

    Between calls it is known by its name alone: undo may put others in the place of what Blender has in memory.
    """

    def __init__(self, keys: bpy.types.Key, name: str):
        action = bpy.data.actions.new(name)
        self._name = action.name
        animation = keys.animation_data_create()
        animation.action = action
        if hasattr(action, "slots"):  # Blender 4.4 and later: curves lie in the channels of a slot
            slot = action.slots.new(id_type="KEY", name=keys.name)
            strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
            strip.channelbag(slot, ensure=True)
            animation.action_slot = slot

    def drive(self, keys: bpy.types.Key) -> bool:
        """Whether it is this action by which the shape keys move."""
        animation = keys.animation_data
        return animation is not None and animation.action is not None and animation.action.name == self._name

    def remove(self) -> None:
        """Takes the action out of the file."""
        bpy.data.actions.remove(bpy.data.actions[self._name])

    def add(self, key: bpy.types.ShapeKey, points: list[tuple[float, float]]) -> None:
        """A curve with linear interpolation through `points` (frame, value), in the order of time."""
        curve = self._curves.new(key.path_from_id("value"), index=0)
        curve.keyframe_points.add(len(points))
        curve.keyframe_points.foreach_set("co", [number for point in points for number in point])
        curve.keyframe_points.foreach_set("interpolation", [LINEAR] * len(points))
        curve.update()

    @property
    def _curves(self):
        action = bpy.data.actions[self._name]
        if not hasattr(action, "slots"):
            return action.fcurves
        return action.layers[0].strips[0].channelbag(action.slots[0]).fcurves
