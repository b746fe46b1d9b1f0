"""Properties of a condition: the fields of every kind."""

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import PropertyGroup

__all__ = ["CLASSES", "CONDITION_ICONS", "CONDITION_KINDS", "NEUROK_PG_condition"]

# Identifier, name, tooltip, icon, number: the number is what the .blend keeps, so it never changes.
CONDITION_KINDS = (
    ("POKE", "Poke", "A push at one place on the surface", "CURVE_PATH", 0),
    ("VELOCITY", "Velocity", "The object already moves or turns when the simulation starts", "DRIVER_DISTANCE", 1),
    ("PIN", "Pin", "A part of the object stays where it is", "PINNED", 4),
    ("FOLLOW", "Follow", "A part of the object goes along with another object that is animated", "CON_CHILDOF", 5),
    ("GRAVITY", "Gravity", "How much of the scene's gravity the object feels; without this row, all", "SORT_ASC", 6),
    ("WIND", "Wind", "Moving air that pushes on the whole surface", "FORCE_WIND", 3),
    ("GROUND", "Ground", "A level floor that the object lands on", "GRID", 2),
    ("COLLIDERS", "Colliders", "Objects with a Collision modifier stop the object", "MOD_PHYSICS", 7),
)
CONDITION_ICONS = {identifier: icon for identifier, _name, _text, icon, _number in CONDITION_KINDS}


def _can_be_followed(condition, candidate: bpy.types.Object) -> bool:
    """An object cannot follow itself."""
    return candidate is not condition.id_data


class NEUROK_PG_condition(PropertyGroup):
    """One condition of the object; which fields count depends on `kind`."""

    name: StringProperty(name="Name", default="Condition")
    enabled: BoolProperty(name="Use", description="Use this condition in the next simulation", default=True)
    kind: EnumProperty(name="Kind", description="What happens to the object", items=CONDITION_KINDS)

    location: FloatVectorProperty(
        name="Location",
        description="Where on the object the poke lands, measured from the object's origin",
        subtype="TRANSLATION",
        unit="LENGTH",
        size=3,
    )
    vector: FloatVectorProperty(
        name="Velocity",
        description=(
            "Direction and strength of the poke, along the object's own axes: the speed that the whole "
            "object would take if it were rigid and free"
        ),
        subtype="VELOCITY",
        unit="VELOCITY",
        size=3,
        default=(0.0, 0.0, -3.0),
        soft_min=-10.0,
        soft_max=10.0,
    )
    radius: FloatProperty(
        name="Radius",
        description="How far around its place the poke is felt; it fades out towards the rim",
        subtype="DISTANCE",
        unit="LENGTH",
        default=0.1,
        min=1e-4,
        soft_min=0.01,
        soft_max=2.0,
    )
    frame: IntProperty(name="Frame", description="Frame of the timeline at which the poke begins", default=1, min=0)
    duration: IntProperty(
        name="Duration",
        description="For how many frames the poke pushes: short is a flick, long is a shove",
        default=2,
        min=1,
        soft_max=24,
    )

    linear: FloatVectorProperty(
        name="Velocity",
        description="How fast the object flies at the first frame, along the world's axes",
        subtype="VELOCITY",
        unit="VELOCITY",
        size=3,
        soft_min=-20.0,
        soft_max=20.0,
    )
    angular: FloatVectorProperty(
        name="Angular Velocity",
        description="How far the object turns in one second at the first frame, about the world's axes",
        subtype="EULER",
        unit="ROTATION",
        size=3,
        soft_min=-20.0,
        soft_max=20.0,
    )

    pin_source: EnumProperty(
        name="Part",
        description="Which part of the object is held",
        items=(
            ("BASE", "Base", "What it stands on: the lowest hundredth of its height", "TRIA_DOWN_BAR", 0),
            ("GROUP", "Vertex Group", "The vertices of a group, however small their weight", "GROUP_VERTEX", 1),
            ("PAINTED", "Painted", "Vertices painted on the surface with the brush below", "BRUSH_DATA", 2),
        ),
    )
    vertex_group: StringProperty(name="Vertex Group", description="The vertices that are held", default="")
    painted_group: StringProperty(
        name="Painted Vertices",
        description="The vertex group that the brush fills",
        default="",
        options={"HIDDEN"},
    )
    pin_hold: EnumProperty(
        name="Hold",
        description="How firmly the part is held",
        items=(
            ("RIGID", "Rigid", "It does not give way at all", "PINNED", 0),
            ("SPRING", "Spring", "It gives way and springs back", "FORCE_HARMONIC", 1),
        ),
    )
    spring_hz: FloatProperty(
        name="Spring (Hz)",
        description=(
            "How often the object would bounce on this spring in a second (Hz): 1 is a soft rubber band, "
            "5 is a firm grip"
        ),
        default=3.0,
        min=0.01,
        max=1000.0,
        soft_min=0.5,
        soft_max=20.0,
        precision=2,
    )
    lets_go: BoolProperty(
        name="Let Go At", description="From a frame of the timeline on it holds nothing any more", default=False
    )
    lets_go_frame: IntProperty(
        name="Frame", description="Frame of the timeline at which it lets go", default=24, min=0, max=1_000_000
    )
    target: PointerProperty(
        name="Target",
        description=(
            "The object to go along with, from where it is at the first frame on: an animated empty, for example"
        ),
        type=bpy.types.Object,
        poll=_can_be_followed,
    )

    gravity_factor: FloatProperty(
        name="Strength",
        description="Times the scene's gravity (Scene properties > Gravity): 0 floats, 0.17 is the moon, 1 is as there",
        default=1.0,
        min=0.0,
        max=2.0,
        subtype="FACTOR",
    )

    height: FloatProperty(
        name="Height",
        description="Height of the floor in the world",
        subtype="DISTANCE",
        unit="LENGTH",
        default=0.0,
    )
    friction: FloatProperty(
        name="Friction",
        description="How much it holds back what slides on it: 0 is ice, 1 is rubber",
        default=0.5,
        min=0.0,
        soft_max=1.0,
        max=10.0,
    )
    restitution: FloatProperty(
        name="Bounciness",
        description="How much of its speed the object keeps when it hits it: 0 is clay, 1 is a super ball",
        default=0.2,
        min=0.0,
        max=1.0,
    )
    collection: PointerProperty(
        name="Only In",
        description="Only objects of this collection stop the object; empty: all that have a Collision modifier",
        type=bpy.types.Collection,
    )

    velocity: FloatVectorProperty(
        name="Wind",
        description="Speed and direction of the air, along the world's axes",
        subtype="VELOCITY",
        unit="VELOCITY",
        size=3,
        default=(3.0, 0.0, 0.0),
        soft_min=-30.0,
        soft_max=30.0,
    )
    turbulence: FloatProperty(
        name="Gusts",
        description="How unsteady the wind is, as a part of its speed: 0 blows evenly",
        default=0.2,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    use_force_fields: BoolProperty(
        name="Force Fields",
        description=(
            "Add what the visible Wind force fields of the scene blow: along their Z axis, with "
            "their strength in metres a second, their noise as gusts, as far as it reaches the object's middle"
        ),
        default=False,
    )


CLASSES = (NEUROK_PG_condition,)
