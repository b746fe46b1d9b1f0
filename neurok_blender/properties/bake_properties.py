"""Properties of a baked take, with a ledger of what was made for it; and the settings of the next bake."""

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

__all__ = [
    "BAKE_ICONS",
    "BAKE_KINDS",
    "BAKE_PLACES",
    "CLASSES",
    "BakeChoices",
    "NEUROK_PG_bake",
    "NEUROK_PG_bake_settings",
]

# Identifier, name, tooltip, icon, number: the number is what the .blend keeps, so it never changes.
BAKE_KINDS = (
    ("SHAPE_KEYS", "Shape Keys", "One shape key for each frame: exact, and heavy for long clips", "SHAPEKEY_DATA", 0),
    (
        "COMPRESSED",
        "Compressed Shape Keys",
        "As few shape keys as the tolerance allows, with animated values",
        "KEY_DEHLT",
        1,
    ),
    ("ARMATURE", "Armature", "Bones with vertex groups: light, and what game engines read", "ARMATURE_DATA", 2),
    ("CACHE", "Point Cache", "A file with the place of every vertex at every frame, for long shots", "FILE_CACHE", 3),
)
BAKE_ICONS = {identifier: icon for identifier, _name, _text, icon, _number in BAKE_KINDS}
BAKE_PLACES = (
    ("NEW", "New", "A take of its own; takes at the same frames are switched off", "ADD", 0),
    ("REPLACE", "Replace", "Instead of the take that is chosen in the list", "FILE_REFRESH", 1),
    ("APPEND", "Append", "On the timeline right behind the take that is chosen in the list", "TRIA_RIGHT_BAR", 2),
)


class NEUROK_PG_bake(PropertyGroup):
    """One baked take. All that Clear removes is written down here while it is made."""

    name: StringProperty(name="Name", description="What the take is called", default="NeuROK")
    kind: EnumProperty(name="Kind", description="What the motion is kept as", items=BAKE_KINDS)
    used: BoolProperty(name="Play", description="Let the take play; switched off it does nothing", default=True)
    artists_basis: BoolProperty(options={"HIDDEN"}, description="Whether the shape keys had their basis before")
    complete: BoolProperty(options={"HIDDEN"}, description="Whether the bake has come to its end")
    serial: IntProperty(options={"HIDDEN"}, description="Tells the takes of an object apart, whatever their names")
    take: StringProperty(options={"HIDDEN"}, description="Identifier of the take that was baked")
    frame_start: IntProperty(options={"HIDDEN"}, description="First frame of the timeline")
    frame_end: IntProperty(options={"HIDDEN"}, description="Last frame of the timeline")
    step: IntProperty(options={"HIDDEN"}, description="Frames from one baked shape to the next", default=1)
    count: IntProperty(options={"HIDDEN"}, description="How many shape keys, bones, or shapes in the file there are")
    megabytes: FloatProperty(options={"HIDDEN"}, description="What it takes in the file, 10^6 bytes")
    error: FloatProperty(options={"HIDDEN"}, description="Largest distance from the simulated shape, object space")

    key_prefix: StringProperty(options={"HIDDEN"}, description="What the names of its shape keys begin with")
    key_count: IntProperty(options={"HIDDEN"}, description="How many shape keys were made")
    groups: StringProperty(options={"HIDDEN"}, description="Names of the vertex groups that were made, as JSON")
    modifier: StringProperty(options={"HIDDEN"}, description="Name of the modifier that was made")
    file: StringProperty(options={"HIDDEN"}, description="Path of the file that was written")
    former: StringProperty(
        options={"HIDDEN"},
        description="Files of the takes that it replaced, with their shapes, as JSON; undo needs them",
    )
    action: PointerProperty(type=bpy.types.Action, options={"HIDDEN"}, description="The action with its curves")
    armature: PointerProperty(type=bpy.types.Object, options={"HIDDEN"}, description="The armature that was made")
    former_inverse: FloatVectorProperty(
        options={"HIDDEN"}, description="The object's parent inverse before it got the armature as parent", size=16
    )

    fades_in: BoolProperty(options={"HIDDEN"}, description="Whether a take comes before this one")
    is_followed: BoolProperty(options={"HIDDEN"}, description="Whether a take comes behind this one")
    next_start: IntProperty(options={"HIDDEN"}, description="Where the take behind this one begins")


class BakeChoices:
    """Settings of a bake, of the panel and of the operator."""

    kind: EnumProperty(name="Bake To", description="What the motion is kept as", items=BAKE_KINDS)
    place: EnumProperty(name="Take", description="What happens to existing takes", items=BAKE_PLACES)
    step: IntProperty(
        name="Step",
        description="1 keeps every frame, 2 every second one; between them the motion is straight",
        default=1,
        min=1,
        soft_max=10,
    )
    tolerance: FloatProperty(
        name="Tolerance (%)",
        description="How far a vertex may be from where it was simulated, in hundredths of the object's size",
        default=0.05,
        min=0.0001,
        max=10.0,
        soft_min=0.001,
        soft_max=1.0,
        precision=3,
        step=1,
    )
    influences: IntProperty(
        name="Bones per Vertex",
        description="How many bones may move a vertex at most; game engines and glTF take 4",
        default=4,
        min=1,
        max=8,
    )
    file: StringProperty(
        name="File",
        description="Where the point cache is written; empty: into a folder beside the .blend",
        subtype="FILE_PATH",
    )


class NEUROK_PG_bake_settings(BakeChoices, PropertyGroup):
    """Settings of the next bake."""

    use_start: BoolProperty(
        name="Custom Start", description="Begin at another frame of the timeline than the simulation", default=False
    )
    start: IntProperty(name="Start", description="Frame of the timeline at which the take begins", default=1)


CLASSES = (NEUROK_PG_bake, NEUROK_PG_bake_settings)
