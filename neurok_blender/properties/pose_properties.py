"""Properties of the sliders that pose an object; they can be keyed."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty
from bpy.types import PropertyGroup

from .listeners import slider_changed

__all__ = ["CLASSES", "NEUROK_PG_coordinate", "coordinate_values"]


class NEUROK_PG_coordinate(PropertyGroup):
    """One slider of the pose; 0 is the rest shape, 1 and -1 are as far as is plausible either way."""

    name: StringProperty(name="Name", description="What this slider moves")
    kind: EnumProperty(
        name="Kind",
        description="How this coordinate moves the object",
        items=(
            ("JOINT", "Joint", "Turns or slides a rigid part", "DRIVER_ROTATIONAL_DIFFERENCE", 0),
            ("BEND", "Bend", "Bends a limb or a stalk", "MOD_SIMPLEDEFORM", 1),
            ("MODE", "Mode", "Sways or bends the whole object", "MOD_WAVE", 2),
            ("TURN", "Turn", "Turns a part about its joint", "DRIVER_ROTATIONAL_DIFFERENCE", 3),
            ("SLIDE", "Slide", "Slides a part along its joint", "DRIVER_DISTANCE", 4),
            ("VALUE", "Coordinate", "Moves the object as the provider of an extension says", "PLUGIN", 5),
        ),
    )
    value: FloatProperty(
        name="Value",
        description="How far it is moved: 0 is as drawn, 1 and -1 are as far as is plausible. Right-click to key it",
        subtype="FACTOR",
        min=-1.0,
        max=1.0,
        update=slider_changed,
    )
    lower: FloatProperty(name="Lower End", description="Of the coordinate itself, at -1", options={"HIDDEN"})
    upper: FloatProperty(name="Upper End", description="Of the coordinate itself, at 1", options={"HIDDEN"})
    # The same as `value`, which alone is keyed, in the units of a joint.
    angle: FloatProperty(
        name="Angle",
        description="How far the joint is turned, within its ends. Key Pose keys it",
        subtype="ANGLE",
        unit="ROTATION",
        precision=2,
        step=100,
        get=lambda self: self.coordinate,
        set=lambda self, angle: self.slide_to(angle),
        options={"SKIP_SAVE"},
    )
    distance: FloatProperty(
        name="Distance",
        description="How far the joint has slid, within its ends. Key Pose keys it",
        subtype="DISTANCE",
        unit="LENGTH",
        precision=4,
        get=lambda self: self.coordinate,
        set=lambda self, distance: self.slide_to(distance),
        options={"SKIP_SAVE"},
    )
    locked: BoolProperty(
        name="Keep", description="Random poses leave this slider where it is", default=False, options=set()
    )

    @property
    def coordinate(self) -> float:
        """The value of the generalized coordinate, as the backend has it."""
        return self.coordinate_at(self.value)

    def coordinate_at(self, value: float) -> float:
        """The same for another value of the slider."""
        return value * self.upper if value >= 0.0 else -value * self.lower

    def slide_to(self, coordinate: float) -> None:
        """Sets the slider to a coordinate."""
        end = self.upper if coordinate >= 0.0 else -self.lower
        self.value = max(-1.0, min(1.0, coordinate / end)) if end > 0.0 else 0.0


def coordinate_values(obj: bpy.types.Object) -> list[float]:
    """The coordinates as the backend calls them."""
    return [each.coordinate for each in obj.neurok.coordinates]


CLASSES = (NEUROK_PG_coordinate,)
