"""The pose of an object along the timeline, as its sliders are keyed."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ..errors import Refusal
from .object_motion import action_curves

__all__ = ["keyed_values", "pose_at"]


def _curves(obj: bpy.types.Object) -> dict[int, bpy.types.FCurve]:
    """The F-curves of those sliders that have one, by their numbers."""
    paths = {slider.path_from_id("value"): number for number, slider in enumerate(obj.neurok.coordinates)}
    known = () if obj.animation_data is None or obj.animation_data.action is None else action_curves(obj.animation_data)
    return {paths[curve.data_path]: curve for curve in known if curve.data_path in paths}


def _values(obj: bpy.types.Object, curves: dict[int, bpy.types.FCurve], frames: Iterable[int]) -> list[list[float]]:
    return [
        [
            slider.coordinate_at(curves[number].evaluate(frame) if number in curves else slider.value)
            for number, slider in enumerate(obj.neurok.coordinates)
        ]
        for frame in frames
    ]


def pose_at(obj: bpy.types.Object, frame: int) -> list[float]:
    """The coordinates as the backend calls them, at a frame of the timeline."""
    return _values(obj, _curves(obj), [frame])[0]


def keyed_values(scene: bpy.types.Scene, obj: bpy.types.Object) -> list[list[float]]:
    """The coordinates at each frame of the scene's simulated range. Raises Refusal where nothing is keyed."""
    curves = _curves(obj)
    if not curves:
        raise Refusal(rpt_("No pose of {} is keyed.").format(obj.name), "Press Key Pose at two frames or more first.")
    start = scene.neurok.frame_start
    return _values(obj, curves, range(start, start + scene.neurok.frame_count))
