"""Properties of a part and of the joint to its parent.

The faces of a part have the number of its entry in the attribute `scene.joint_parts.PART_ATTRIBUTE`. Places and axes
are in object space, so that joints go where the object goes.
"""

import math

from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    StringProperty,
)
from bpy.types import PropertyGroup

from .listeners import joint_changed

__all__ = ["CLASSES", "JOINT_ICONS", "JOINT_KINDS", "NEUROK_PG_joint"]

# Identifier, name, tooltip, icon, number: the number is what the .blend keeps, so it never changes.
JOINT_KINDS = (
    ("FIXED", "Fixed", "The part is fixed to its parent", "PINNED", 0),
    ("HINGE", "Hinge", "The part rotates about the axis, between two limits", "DRIVER_ROTATIONAL_DIFFERENCE", 1),
    ("SLIDE", "Slide", "The part slides along the axis, between two limits", "DRIVER_DISTANCE", 2),
    ("ENDLESS", "Continuous", "The part rotates about the axis without limits: wheels, knobs", "FILE_REFRESH", 3),
)
JOINT_ICONS = {identifier: icon for identifier, _name, _text, icon, _number in JOINT_KINDS}


def _parent_name(joint) -> str:
    joints = joint.id_data.neurok.joints
    return joints[joint.parent].name if 0 <= joint.parent < len(joints) else ""


def _set_parent_name(joint, name: str) -> None:
    """Ignores a parent that is the part itself or one of its children."""
    joints = joint.id_data.neurok.joints
    chosen = joints.find(name) if name else -1
    above, steps = chosen, 0
    while 0 <= above < len(joints) and steps <= len(joints):
        if joints[above] == joint:
            return
        above, steps = joints[above].parent, steps + 1
    if steps <= len(joints):
        joint.parent = chosen


def _leader_name(joint) -> str:
    joints = joint.id_data.neurok.joints
    return joints[joint.leader].name if 0 <= joint.leader < len(joints) else ""


def _set_leader_name(joint, name: str) -> None:
    """Ignores a leader that is the joint itself, or that has a leader."""
    joints = joint.id_data.neurok.joints
    chosen = joints.find(name) if name else -1
    if chosen >= 0 and (joints[chosen] == joint or joints[chosen].leader >= 0):
        return
    joint.leader = chosen


class NEUROK_PG_joint(PropertyGroup):
    """One part, and the joint to its parent."""

    name: StringProperty(name="Name", description="Of the part and of its joint", default="Part", update=joint_changed)
    enabled: BoolProperty(
        name="Use",
        description="Enable this joint; otherwise its part stays fixed to the parent",
        default=True,
        update=joint_changed,
    )
    kind: EnumProperty(
        name="Kind",
        description="How the part moves relative to its parent",
        items=JOINT_KINDS,
        update=joint_changed,
    )
    parent: IntProperty(
        name="Number of the Parent",
        description="The part that this one hangs on, by its place in the list; -1: none",
        default=-1,
        options={"HIDDEN"},
        update=joint_changed,
    )
    parent_name: StringProperty(
        name="Parent",
        description="The part that this one is attached to; none: it is a base",
        get=_parent_name,
        set=_set_parent_name,
    )
    axis: FloatVectorProperty(
        name="Axis",
        description="Direction about which the part turns, or along which it slides, along the object's own axes",
        subtype="XYZ",
        size=3,
        default=(0.0, 0.0, 1.0),
        update=joint_changed,
    )
    origin: FloatVectorProperty(
        name="Pivot",
        description="A place on the axis, measured from the object's origin",
        subtype="TRANSLATION",
        unit="LENGTH",
        size=3,
        update=joint_changed,
    )
    lower_angle: FloatProperty(
        name="From",
        description="How far the part turns against the axis",
        subtype="ANGLE",
        unit="ROTATION",
        default=0.0,
        soft_max=0.0,
        soft_min=-math.pi,
        update=joint_changed,
    )
    upper_angle: FloatProperty(
        name="To",
        description="How far the part turns about the axis",
        subtype="ANGLE",
        unit="ROTATION",
        default=0.5 * math.pi,
        soft_min=0.0,
        soft_max=math.pi,
        update=joint_changed,
    )
    lower_distance: FloatProperty(
        name="From",
        description="How far the part slides against the axis",
        subtype="DISTANCE",
        unit="LENGTH",
        default=0.0,
        soft_max=0.0,
        update=joint_changed,
    )
    upper_distance: FloatProperty(
        name="To",
        description="How far the part slides along the axis",
        subtype="DISTANCE",
        unit="LENGTH",
        default=0.1,
        soft_min=0.0,
        update=joint_changed,
    )
    friction: FloatProperty(
        name="Friction",
        description="What holds the joint until something stronger pushes it, in newton metres, or newtons of a slide",
        default=0.0,
        min=0.0,
        soft_max=10.0,
        precision=3,
        update=joint_changed,
    )
    damping: FloatProperty(
        name="Damping",
        description=(
            "What brakes the joint the more the faster it moves, in newton metre seconds, or newton seconds a metre of "
            "a slide; without friction and damping it settles as the object does"
        ),
        default=0.0,
        min=0.0,
        soft_max=10.0,
        precision=3,
        update=joint_changed,
    )
    title: StringProperty(
        name="Joint",
        description="What files of robots call the joint; else it has the name of its part",
        update=joint_changed,
    )
    bolted: BoolProperty(
        name="Fixed to World",
        description=(
            "This part, which hangs on no other, stays where it is, or moves on the world by this joint. Without, the "
            "object stands or falls with it"
        ),
        default=False,
        update=joint_changed,
    )
    leader: IntProperty(
        name="Number of the Leader",
        description="The part whose joint this one follows, by its place in the list; -1: none",
        default=-1,
        options={"HIDDEN"},
        update=joint_changed,
    )
    leader_name: StringProperty(
        name="Follows",
        description="The part whose joint this one follows; none: it moves by itself",
        get=_leader_name,
        set=_set_leader_name,
    )
    ratio: FloatProperty(
        name="Ratio",
        description="How far this joint goes for each radian or metre of the one that it follows",
        default=1.0,
        update=joint_changed,
    )
    weighed: BoolProperty(
        name="Custom Mass",
        description="The part has the mass that its file gave it; without, that of its mesh, by the density",
        default=False,
        update=joint_changed,
    )
    mass: FloatProperty(
        name="Mass (kg)",
        description="Of the part, kilograms; how it is spread stays as the file had it",
        default=0.0,
        min=0.0,
        precision=4,
        update=joint_changed,
    )
    centre: FloatVectorProperty(
        name="Center of Mass",
        description="Measured from the object's origin",
        subtype="TRANSLATION",
        unit="LENGTH",
        size=3,
        update=joint_changed,
    )
    spread: FloatVectorProperty(
        name="Spread of Mass",
        description="Mean products of the distance from the centre by the object's axes: xx, yy, zz, xy, xz, yz (m²)",
        size=6,
        options={"HIDDEN"},
        update=joint_changed,
    )
    effort: FloatProperty(
        name="Strength",
        description=(
            "What the motor of the joint can do, newton metres, or newtons of a slide; 0: unknown. Files keep it"
        ),
        default=0.0,
        min=0.0,
        update=joint_changed,
    )
    velocity: FloatProperty(
        name="Maximum Velocity",
        description=("How fast the motor of the joint can go, radians or metres a second; 0: unknown. Files keep it"),
        default=0.0,
        min=0.0,
        update=joint_changed,
    )
    alternatives: StringProperty(
        name="Alternatives",
        description="Other ways in which the part may move, the likeliest first, as JSON",
        options={"HIDDEN"},
    )

    @property
    def moves(self) -> bool:
        return self.enabled and self.kind != "FIXED" and (self.parent >= 0 or self.bolted)


CLASSES = (NEUROK_PG_joint,)
