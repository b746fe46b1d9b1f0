"""What the artist sets, kept in the .blend: on the object, in its list of conditions, and on the scene."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import PropertyGroup

__all__ = [
    "CLASSES",
    "CONDITION_ICONS",
    "CONDITION_KINDS",
    "NEUROK_PG_condition",
    "NEUROK_PG_object",
    "NEUROK_PG_scene",
    "attach",
    "detach",
]

# Identifier, name, tooltip, icon, number: the number is what the .blend keeps, so it never changes.
CONDITION_KINDS = (
    ("POKE", "Poke", "A push at one place on the surface", "CURVE_PATH", 0),
    ("VELOCITY", "Velocity", "The object already moves or turns when the simulation starts", "DRIVER_DISTANCE", 1),
    ("GROUND", "Ground", "A level floor that the object lands on", "GRID", 2),
    ("WIND", "Wind", "Moving air that pushes on the whole surface", "FORCE_WIND", 3),
)
CONDITION_ICONS = {identifier: icon for identifier, _name, _text, icon, _number in CONDITION_KINDS}


class NEUROK_PG_condition(PropertyGroup):
    """One thing that happens to the object; which fields count depends on `kind`."""

    name: StringProperty(name="Name", default="Condition")
    enabled: BoolProperty(name="Use", description="Let this condition act in the next simulation", default=True)
    kind: EnumProperty(name="Kind", description="What happens to the object", items=CONDITION_KINDS)

    location: FloatVectorProperty(
        name="Place",
        description="Where on the object the poke lands, measured from the object's origin",
        subtype="TRANSLATION",
        unit="LENGTH",
        size=3,
    )
    vector: FloatVectorProperty(
        name="Push",
        description=(
            "Direction and strength of the poke, along the object's own axes: the speed that the whole "
            "object would take if it were rigid and free"
        ),
        subtype="VELOCITY",
        unit="VELOCITY",
        size=3,
        default=(0.0, 0.0, -1.5),
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
        name="Speed",
        description="How fast the object flies at the first frame, along the world's axes",
        subtype="VELOCITY",
        unit="VELOCITY",
        size=3,
        soft_min=-20.0,
        soft_max=20.0,
    )
    angular: FloatVectorProperty(
        name="Spin",
        description="How far the object turns in one second at the first frame, about the world's axes",
        subtype="EULER",
        unit="ROTATION",
        size=3,
        soft_min=-20.0,
        soft_max=20.0,
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
        description="How much the floor holds back what slides on it: 0 is ice, 1 is rubber",
        default=0.5,
        min=0.0,
        soft_max=1.0,
        max=10.0,
    )
    restitution: FloatProperty(
        name="Bounce",
        description="How much of its speed the object keeps when it hits the floor: 0 is clay, 1 is a super ball",
        default=0.2,
        min=0.0,
        max=1.0,
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


class NEUROK_PG_object(PropertyGroup):
    """How one object moves and what happens to it."""

    provider: EnumProperty(
        name="Moves As",
        description="What the object can do when something pushes it",
        items=(
            ("AUTO", "Automatic", "Look at the shape and choose", "VIEWZOOM", 0),
            ("ELASTIC", "Elastic", "Bends and wobbles and comes back to its shape", "MOD_SIMPLEDEFORM", 1),
            ("RIGID", "Rigid", "Keeps its shape; flies, turns, lands", "RIGID_BODY", 2),
            (
                "LEARNED",
                "Learned",
                "Doors turn, drawers slide, limbs bend: as others of its kind do. The backend's Python needs PyTorch",
                "OUTLINER_OB_ARMATURE",
                3,
            ),
        ),
    )
    anchor: EnumProperty(
        name="Held",
        description="What of the object stays where it is",
        items=(
            ("AUTO", "Automatic", "Held at its base, unless it is thrown or falls on a ground", "PINNED", 0),
            ("NONE", "Not at All", "The object is free to fall and fly", "UNPINNED", 1),
            ("GROUP", "By Vertex Group", "The vertices of a group stay where they are", "GROUP_VERTEX", 2),
        ),
    )
    anchor_group: StringProperty(name="Vertex Group", description="The vertices that stay where they are", default="")
    density: FloatProperty(
        name="Density (kg/m³)",
        description="Weight of the material, kilograms per cubic metre: cork 200, wood 700, water 1000, stone 2500",
        default=1000.0,
        min=0.1,
        soft_min=10.0,
        soft_max=8000.0,
        precision=1,
        step=1000,
    )
    stiffness_hz: FloatProperty(
        name="Stiffness (Hz)",
        description=(
            "How often the object sways back and forth in a second (Hz) after a push: 1 is floppy, 3 is rubbery, "
            "10 is stiff"
        ),
        default=3.0,
        min=0.05,
        soft_min=0.5,
        soft_max=15.0,
        precision=2,
    )
    settle_seconds: FloatProperty(
        name="Settles In",
        description="How long it takes until a wobble has died away",
        subtype="TIME_ABSOLUTE",
        unit="TIME_ABSOLUTE",
        default=2.0,
        min=0.05,
        soft_min=0.2,
        soft_max=20.0,
    )
    settled: BoolProperty(
        name="Drawn Shape Is Settled",
        description=(
            "The shape as drawn already hangs under its own weight, so it stays as it is until something "
            "happens. Turn it off to let a held object sag first"
        ),
        default=True,
    )
    conditions: CollectionProperty(type=NEUROK_PG_condition)
    active_condition: IntProperty(name="Active Condition", default=0, min=0)
    found: StringProperty(
        name="Found",
        description="What the last analysis found out about the object, as JSON",
        options={"HIDDEN"},
    )


class NEUROK_PG_scene(PropertyGroup):
    """Which frames are simulated, and how carefully."""

    frame_start: IntProperty(
        name="Start", description="Frame of the timeline at which the simulation starts", default=1, min=0
    )
    frame_count: IntProperty(
        name="Frames",
        description="How many frames are simulated, the first one included",
        default=120,
        min=2,
        soft_max=1000,
        max=100_000,
    )
    quality: EnumProperty(
        name="Quality",
        description="How finely time is cut; finer is slower and calmer",
        items=(
            ("AUTO", "Automatic", "As many steps a frame as the motion needs", 0),
            ("FINE", "Fine", "At least 4 steps a frame", 1),
            ("FINEST", "Finest", "At least 8 steps a frame, for hard hits", 2),
        ),
    )


CLASSES = (NEUROK_PG_condition, NEUROK_PG_object, NEUROK_PG_scene)


def attach() -> None:
    """Adds `Object.neurok` and `Scene.neurok`; the classes are registered before."""
    bpy.types.Object.neurok = PointerProperty(type=NEUROK_PG_object)
    bpy.types.Scene.neurok = PointerProperty(type=NEUROK_PG_scene)


def detach() -> None:
    del bpy.types.Scene.neurok
    del bpy.types.Object.neurok
