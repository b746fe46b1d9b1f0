"""F-curves that the add-on makes; from Blender 4.4 on they lie in slots of an action."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

__all__ = ["add_curve", "assign_action", "curves_of", "is_empty", "points_of", "release", "remove_curves", "set_points"]

LINEAR = 1  # bpy.types.Keyframe.interpolation as a number, which foreach_set needs

Animated = bpy.types.Key | bpy.types.Object


def assign_action(owner: Animated, action: bpy.types.Action | None, name: str) -> bpy.types.Action:
    """The action by which `owner` moves: the one that it has, or else `action`, or else a new one."""
    animation = owner.animation_data_create()
    if animation.action is not None:
        return animation.action
    if action is None or not hasattr(action, "slots"):  # without slots an action is for one kind of owner only
        action = bpy.data.actions.new(name)
    animation.action = action
    if hasattr(action, "slots"):  # Blender 4.4 and later
        slot = action.slots.new(id_type=owner.id_type, name=owner.name)
        if not action.layers:
            action.layers.new("Layer").strips.new(type="KEYFRAME")
        action.layers[0].strips[0].channelbag(slot, ensure=True)
        animation.action_slot = slot
    return action


def curves_of(owner: Animated):
    """The collection of the F-curves that move `owner`; None where it has none."""
    animation = owner.animation_data
    if animation is None or animation.action is None:
        return None
    if not hasattr(animation.action, "slots"):
        return animation.action.fcurves
    if animation.action_slot is None or not animation.action.layers:
        return None
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    return None if bag is None else bag.fcurves


def add_curve(curves, path: str, index: int, points: Sequence[float] | NDArray) -> None:
    """A curve with linear interpolation through `points` (frame, value, frame, value ...), in the order of time."""
    curve = curves.new(path, index=index)
    set_points(curve, points)


def points_of(curve: bpy.types.FCurve) -> NDArray[np.float64]:
    """Its points [N,2]: frame and value."""
    points = np.empty(2 * len(curve.keyframe_points), np.float32)
    curve.keyframe_points.foreach_get("co", points)
    return points.reshape(-1, 2).astype(np.float64)


def set_points(curve: bpy.types.FCurve, points: Sequence[float] | NDArray) -> None:
    """Gives the curve other points, as `add_curve` takes them."""
    flat = np.asarray(points, np.float32).reshape(-1)
    curve.keyframe_points.clear()
    curve.keyframe_points.add(len(flat) // 2)
    curve.keyframe_points.foreach_set("co", flat)
    curve.keyframe_points.foreach_set("interpolation", np.full(len(flat) // 2, LINEAR, np.int32))
    curve.update()


def remove_curves(owner: Animated, paths: Iterable[str]) -> None:
    """Takes the curves with these data paths away, unless a copy of the owner moves by them too."""
    curves, unwanted = curves_of(owner), set(paths)
    if curves is not None and not _is_shared(owner):
        for curve in [curve for curve in curves if curve.data_path in unwanted]:
            curves.remove(curve)


def release(owner: Animated, action: bpy.types.Action) -> None:
    """Takes what the action has for `owner` away, unless a copy of the owner moves by it too."""
    animation = owner.animation_data
    if animation is None or animation.action != action:
        return
    if _is_shared(owner):
        animation.action = None
        return
    slot = animation.action_slot if hasattr(action, "slots") else None
    animation.action = None
    if slot is not None:
        animation.last_slot_identifier = ""
        action.slots.remove(slot)
    elif not hasattr(action, "slots"):
        for curve in list(action.fcurves):
            action.fcurves.remove(curve)


def _is_shared(owner: Animated) -> bool:
    """Whether another one of its kind has the same curves."""

    def source(item: Animated) -> tuple:
        animation = item.animation_data
        if animation is None or animation.action is None:
            return ()
        return animation.action, getattr(animation, "action_slot_handle", 0)

    items = bpy.data.shape_keys if isinstance(owner, bpy.types.Key) else bpy.data.objects
    return any(item != owner and source(item) == source(owner) for item in items)


def is_empty(action: bpy.types.Action) -> bool:
    """Whether no curve is left in the action."""
    if not hasattr(action, "slots"):
        return len(action.fcurves) == 0
    return not any(bag.fcurves for layer in action.layers for strip in layer.strips for bag in strip.channelbags)
