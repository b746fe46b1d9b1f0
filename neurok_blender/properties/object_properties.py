"""Properties of objects and scenes, with all their lists."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import PropertyGroup

from . import (
    bake_properties,
    condition_properties,
    ik_target_properties,
    joint_properties,
    piece_properties,
    pose_properties,
    take_properties,
)
from .bake_properties import NEUROK_PG_bake, NEUROK_PG_bake_settings
from .condition_properties import NEUROK_PG_condition
from .ik_target_properties import NEUROK_PG_reach
from .joint_properties import NEUROK_PG_joint
from .listeners import piece_changed, take_changed
from .piece_properties import NEUROK_PG_piece, NEUROK_PG_window
from .pose_properties import NEUROK_PG_coordinate
from .provider_menu import menu
from .take_properties import NEUROK_PG_take

__all__ = [
    "CLASSES",
    "NEUROK_PG_object",
    "NEUROK_PG_scene",
    "attach",
    "detach",
]


def _provider_items(settings, _context):
    return menu.items(settings.provider_name if settings is not None else "")


def _provider_chosen(settings, _context):
    settings.provider_name = settings.provider.lower()


def _values_given(settings, _context):
    settings.matter = "OWN"


class NEUROK_PG_object(PropertyGroup):
    """Settings of one object: provider, material, anchor, conditions, joints, takes."""

    provider: EnumProperty(
        name="Moves As",
        description="What the object can do when something pushes it",
        items=_provider_items,
        default=0,
        update=_provider_chosen,
    )
    provider_name: StringProperty(
        name="Provider Name",
        description="What the backend calls the chosen provider, which may come from an extension",
        options={"HIDDEN"},
    )
    anchor: EnumProperty(
        name="Support",
        description="What the object stands on or hangs from",
        items=(
            ("AUTO", "Automatic", "As its name, its shape and its weight tell", "VIEWZOOM", 0),
            (
                "FLOOR",
                "Stands",
                "It stands by itself on a floor at its lowest point, and may tip over",
                "MESH_PLANE",
                3,
            ),
            ("BASE", "Anchored Base", "Its base stays where it is", "PINNED", 4),
            ("HUNG", "Hangs", "It hangs from its top, which stays where it is", "TRIA_UP_BAR", 5),
            ("NONE", "Free", "Nothing holds it: it falls and flies", "UNPINNED", 1),
            ("GROUP", "Vertex Group", "The vertices of a group stay where they are", "GROUP_VERTEX", 2),
        ),
    )
    anchor_group: StringProperty(name="Vertex Group", description="The vertices that stay where they are", default="")
    matter: EnumProperty(
        name="Made Of",
        description="Where the weight, the stiffness and the damping of the object come from",
        items=(
            (
                "AUTO",
                "Materials",
                "What the names of the object and of its materials tell, each piece by itself; where they tell "
                "nothing, something rubbery",
                "MATERIAL",
                0,
            ),
            ("OWN", "Custom Values", "The numbers below, for the whole object", "PREFERENCES", 1),
        ),
    )
    stiffness: FloatProperty(
        name="Stiffness",
        description="Factor on how stiff the object is: 0.01 is much softer than its material, 100 much stiffer",
        default=1.0,
        min=0.01,
        max=100.0,
        precision=2,
    )
    size: FloatProperty(
        name="Simulated Size",
        description="The longest side with which the object is simulated; 0: as it is drawn",
        subtype="DISTANCE",
        unit="LENGTH",
        default=0.0,
        min=0.0,
        max=1e4,
    )
    density: FloatProperty(
        name="Density (kg/m³)",
        description="Weight of the material, kilograms per cubic metre: cork 200, wood 700, water 1000, stone 2500",
        default=1000.0,
        min=0.1,
        soft_min=10.0,
        soft_max=8000.0,
        precision=1,
        step=1000,
        update=_values_given,
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
        update=_values_given,
    )
    settle_seconds: FloatProperty(
        name="Damping Time",
        description="Time until oscillations have died away",
        subtype="TIME_ABSOLUTE",
        unit="TIME_ABSOLUTE",
        default=2.0,
        min=0.05,
        soft_min=0.2,
        soft_max=20.0,
        update=_values_given,
    )
    settled: BoolProperty(
        name="Drawn Shape at Rest",
        description=(
            "The shape as drawn already hangs under its own weight, so it stays as it is until something "
            "happens. Turn it off to let a held object sag first"
        ),
        default=True,
    )
    half: PointerProperty(
        name="Half", description="The mesh as drawn, where its mirrored whole is simulated", type=bpy.types.Mesh
    )
    half_mirror: StringProperty(name="Mirror", description="The modifier that makes the half whole", options={"HIDDEN"})
    half_renders: BoolProperty(name="Mirror Renders", description="Whether that modifier renders", options={"HIDDEN"})
    whole: StringProperty(name="Whole", description="Names the content of the whole", options={"HIDDEN"})
    conditions: CollectionProperty(type=NEUROK_PG_condition)
    coordinates: CollectionProperty(
        name="Sliders",
        description="The pose of the object, one number for each way it can move",
        type=NEUROK_PG_coordinate,
    )
    starts_posed: BoolProperty(
        name="Start as Posed",
        description=(
            "The simulation, and live mode, start from the pose that the sliders have at the first frame instead of "
            "the drawn shape"
        ),
        default=False,
    )
    active_condition: IntProperty(name="Active Condition", default=0, min=0)
    separate: EnumProperty(
        name="Loose Parts",
        description="Whether loose parts of the mesh move as bodies of their own",
        items=(
            ("AUTO", "Automatic", "Separate where the names tell so: a chain, a key ring", "VIEWZOOM", 0),
            ("SEPARATE", "Separate Bodies", "Each loose part moves by itself and hits the others", "MOD_EXPLODE", 1),
            ("JOINED", "One Body", "Loose parts that nearly touch are joined", "OBJECT_DATA", 2),
        ),
    )
    pieces: CollectionProperty(
        name="Pieces", description="What somebody says of pieces of the object", type=NEUROK_PG_piece
    )
    joints: CollectionProperty(name="Parts and Joints", description="One entry a part", type=NEUROK_PG_joint)
    active_joint: IntProperty(name="Active Joint", description="The part that is chosen in the list", default=0, min=0)
    joint_source: EnumProperty(
        name="Parts",
        description="What counts as one part when joints are looked for",
        items=(
            ("AUTO", "Automatic", "Parts are looked for too", "VIEWZOOM", 0),
            ("LOOSE", "Loose Parts", "Faces that hang together are one part", "OUTLINER_DATA_POINTCLOUD", 1),
            ("MATERIALS", "Materials", "Faces of one material are one part", "MATERIAL", 2),
            ("GROUPS", "Vertex Groups", "Faces of one vertex group are one part", "GROUP_VERTEX", 3),
            ("LISTED", "Parts in the List", "The parts stay as they are; their joints are found anew", "PRESET", 4),
        ),
    )
    reaches: CollectionProperty(
        name="IK Targets", description="What parts of the object reach for", type=NEUROK_PG_reach
    )
    show_joints: BoolProperty(
        name="Show Joint", description="Show the axis of the chosen joint in the 3D view, to drag it", default=True
    )
    bakes: CollectionProperty(name="Takes", description="The baked takes of the object", type=NEUROK_PG_bake)
    active_bake: IntProperty(name="Active Take", description="The take that is chosen in the list", default=0, min=0)
    bake: PointerProperty(name="Bake", description="Settings of the next bake", type=NEUROK_PG_bake_settings)
    takes_part: BoolProperty(
        name="Takes Part",
        description="Simulate the object where several are selected",
        default=True,
    )
    takes: CollectionProperty(
        name="Takes", description="What was simulated, recorded and posed of the object", type=NEUROK_PG_take
    )
    active_take: IntProperty(
        name="Active Take", description="The take that plays", default=0, min=0, update=take_changed
    )
    writes_attributes: BoolProperty(
        name="Attributes",
        description=(
            "While a take plays, the mesh has the attributes velocity, stretch and piece, for Geometry Nodes, shaders "
            "and exports"
        ),
        default=False,
        update=take_changed,
    )
    ways: StringProperty(
        name="Ways",
        description="How joints move whose shape leaves that open, as JSON",
        options={"HIDDEN"},
    )
    found: StringProperty(
        name="Found",
        description="What the last analysis found out about the object, as JSON",
        options={"HIDDEN"},
    )


class NEUROK_PG_material(PropertyGroup):
    """Settings of one Blender material."""

    made_of: StringProperty(
        name="Made Of",
        description="The physical material of all that has this Blender material, as the backend calls it; empty: none",
        options={"HIDDEN"},
        update=piece_changed,
    )


class NEUROK_PG_scene(PropertyGroup):
    """What is simulated, its frame range and quality."""

    scope: EnumProperty(
        name="Simulate",
        description="Which objects one press of Simulate moves",
        items=(
            ("SELECTED", "Selected", "The selected mesh objects", "RESTRICT_SELECT_OFF", 0),
            (
                "COLLECTION",
                "Collection",
                "The visible mesh objects of the active collection and of those in it",
                "OUTLINER_COLLECTION",
                1,
            ),
        ),
    )
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


CLASSES = (
    *condition_properties.CLASSES,
    *joint_properties.CLASSES,
    *piece_properties.CLASSES,
    *ik_target_properties.CLASSES,
    *pose_properties.CLASSES,
    *bake_properties.CLASSES,
    *take_properties.CLASSES,
    NEUROK_PG_object,
    NEUROK_PG_material,
    NEUROK_PG_scene,
)


ATTACHED = {
    bpy.types.Object: NEUROK_PG_object,
    bpy.types.Material: NEUROK_PG_material,
    bpy.types.Scene: NEUROK_PG_scene,
    bpy.types.WindowManager: NEUROK_PG_window,
}


def attach() -> None:
    """Adds `neurok` to types of Blender; the classes are registered before."""
    for kind, group in ATTACHED.items():
        kind.neurok = PointerProperty(type=group)


def detach() -> None:
    for kind in ATTACHED:
        del kind.neurok
