"""Default values of a new condition, by the size of its object."""

from __future__ import annotations

import bpy

from .surface import box_corners, box_size, lowest_point

__all__ = ["set_condition_defaults"]

# So 1.5 m/s for Blender's own primitives, which are 2 m large.
SPEED_PER_SIZE = 0.75
# What the wind bends it bends alike at every size if it blows faster on what is larger: 3 m/s for the primitives.
WIND_PER_SIZE = 1.5
MOST_WIND = 30.0  # m/s; more is a hurricane


def set_condition_defaults(context: bpy.types.Context, obj: bpy.types.Object, condition) -> None:
    """Pokes have a place and so are made elsewhere."""
    size = box_size(obj, box_corners(obj))
    match condition.kind:
        case "VELOCITY":
            condition.linear = (SPEED_PER_SIZE * size, 0.0, 0.0)
        case "GROUND":
            # The world's floor, or lower where the object reaches below it: it must not begin inside.
            condition.height = min(0.0, lowest_point(obj))
        case "WIND":
            blowing = [item for item in context.view_layer.objects if item.field and item.field.type == "WIND"]
            condition.use_force_fields = bool(blowing)
            # What the scene's own fields blow is enough.
            condition.velocity = (0.0 if blowing else min(WIND_PER_SIZE * size, MOST_WIND), 0.0, 0.0)
        case "FOLLOW":
            others = [item for item in context.selected_objects if item != obj]
            condition.target = others[0] if len(others) == 1 else None
