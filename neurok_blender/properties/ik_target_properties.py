"""Properties of an IK target of a part."""

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import PropertyGroup
from mathutils import Matrix

from .listeners import target_changed

__all__ = ["CLASSES", "NEUROK_PG_reach"]


def _part_name(entry) -> str:
    joints = entry.id_data.neurok.joints
    return joints[entry.part].name if 0 <= entry.part < len(joints) else ""


class NEUROK_PG_reach(PropertyGroup):
    """One IK target, usually an empty, and the part that is brought to it."""

    target: PointerProperty(
        name="Target",
        description="The object that the part reaches for: move it, and the others follow",
        type=bpy.types.Object,
        update=target_changed,
    )
    part: IntProperty(name="Number of the Part", description="By its place in the list", default=-1, options={"HIDDEN"})
    part_name: StringProperty(name="Part", description="The part that reaches for the target", get=_part_name)
    enabled: BoolProperty(
        name="Use", description="Let the part reach for this target", default=True, update=target_changed
    )
    turns: BoolProperty(
        name="Rotation",
        description="The part is turned as the target is; without, only its place counts",
        default=True,
        update=target_changed,
    )
    weight: FloatProperty(
        name="Weight",
        description="How much this target counts where not all of them can be reached",
        default=1.0,
        min=0.001,
        soft_max=10.0,
        update=target_changed,
    )
    tip: FloatVectorProperty(
        name="Tip",
        description="The frame that is brought to the target, in the object's axes where the part is drawn",
        size=16,
        default=tuple(value for row in Matrix.Identity(4) for value in row),
        options={"HIDDEN"},
    )
    missing: FloatProperty(
        name="Away",
        description="How far the part was from the target last",
        subtype="DISTANCE",
        unit="LENGTH",
        default=0.0,
        options={"HIDDEN"},
    )
    missing_angle: FloatProperty(
        name="Turned Away",
        description="How much the part was turned away from the target last",
        subtype="ANGLE",
        unit="ROTATION",
        default=0.0,
        options={"HIDDEN"},
    )


CLASSES = (NEUROK_PG_reach,)
