"""Whether an object moves or deforms, without evaluating its frames."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import bpy

from . import preview

__all__ = ["TransformMotion", "action_curves", "is_animated_at", "may_deform", "transform_motion"]


class TransformMotion(Enum):
    STILL = "still"
    CURVES = "curves"
    """Its own F-curves say all."""
    FRAMES = "frames"
    """Evaluated by Blender, frame by frame."""


TRANSFORM_PATHS = (
    "location",
    "rotation_euler",
    "rotation_quaternion",
    "rotation_axis_angle",
    "scale",
    "delta_location",
    "delta_rotation_euler",
    "delta_rotation_quaternion",
    "delta_scale",
    "rotation_mode",
    "matrix_basis",
    "matrix_local",
    "matrix_world",
)

# Modifiers whose result depends on the mesh and on their own settings alone, unless those name another object.
TIMELESS_MODIFIERS = {
    "ARRAY",
    "BEVEL",
    "BOOLEAN",
    "CAST",
    "COLLISION",
    "CORRECTIVE_SMOOTH",
    "DECIMATE",
    "EDGE_SPLIT",
    "LAPLACIANSMOOTH",
    "MASK",
    "MIRROR",
    "MULTIRES",
    "NODES",
    "NORMAL_EDIT",
    "REMESH",
    "SCREW",
    "SIMPLE_DEFORM",
    "SKIN",
    "SMOOTH",
    "SOLIDIFY",
    "SUBSURF",
    "TRIANGULATE",
    "WEIGHTED_NORMAL",
    "WELD",
    "WIREFRAME",
}
# Nodes that bring in the time or other objects.
TIMED_NODES = {
    "GeometryNodeCollectionInfo",
    "GeometryNodeImageInfo",
    "GeometryNodeImageTexture",
    "GeometryNodeInputSceneTime",
    "GeometryNodeObjectInfo",
    "GeometryNodeSimulationInput",
    "GeometryNodeInputActiveCamera",
}


def transform_motion(obj: bpy.types.Object, scene: bpy.types.Scene) -> TransformMotion:
    """How to find out where the object is at each frame."""
    if _is_led(obj, scene):
        return TransformMotion.FRAMES
    animation = obj.animation_data
    if animation is None:
        return TransformMotion.STILL
    if len(animation.drivers) > 0 or (animation.use_nla and len(animation.nla_tracks) > 0):
        return TransformMotion.FRAMES
    if animation.action is None:
        return TransformMotion.STILL
    if animation.action_influence != 1.0 or animation.action_blend_type != "REPLACE":
        return TransformMotion.FRAMES
    # Deltas are added to the rest, and the mode of rotation changes what numbers mean: Blender knows better.
    paths = {curve.data_path for curve in action_curves(animation)} & set(TRANSFORM_PATHS)
    if not paths:
        return TransformMotion.STILL
    remapped = scene.render.frame_map_old != scene.render.frame_map_new
    return TransformMotion.FRAMES if remapped or "rotation_mode" in paths else TransformMotion.CURVES


def is_animated_at(block: bpy.types.ID, path: str) -> bool:
    """Whether something moves a property of the data-block whose data path begins like this."""
    animation = block.animation_data
    if animation is None:
        return False
    if animation.use_nla and len(animation.nla_tracks) > 0:
        return True
    curves = [*animation.drivers, *(action_curves(animation) if animation.action is not None else ())]
    return any(curve.data_path.startswith(path) for curve in curves)


def action_curves(animation: bpy.types.AnimData) -> list[bpy.types.FCurve]:
    """The F-curves of the action that animate the owner of this animation data."""
    action = animation.action
    if not hasattr(action, "slots"):  # Blender 4.2 and 4.3: all curves of an action animate each of its users
        return list(action.fcurves)
    if animation.action_slot is None:
        return []
    bags = (strip.channelbag(animation.action_slot) for layer in action.layers for strip in layer.strips)
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]


def _is_led(obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Whether something else than its own animation moves the object."""
    if obj.rigid_body is not None and scene.rigidbody_world is not None:
        return True
    if any(not constraint.mute and constraint.influence > 0.0 for constraint in obj.constraints):
        return True
    parent = obj.parent
    if parent is None:
        return False
    return obj.parent_type != "OBJECT" or transform_motion(parent, scene) is not TransformMotion.STILL


def may_deform(obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Whether the evaluated mesh may change, in the object's own space, while time passes."""
    data = obj.data
    keys = getattr(data, "shape_keys", None)
    if _is_animated(data) or (keys is not None and _is_animated(keys)):
        return True
    if isinstance(data, bpy.types.Mesh) and preview.is_posed(data):
        return True
    return any(_may_change(modifier, obj, scene) for modifier in obj.modifiers if modifier.show_viewport)


def _is_animated(block: bpy.types.ID) -> bool:
    animation = block.animation_data
    return animation is not None and (
        animation.action is not None or len(animation.drivers) > 0 or len(animation.nla_tracks) > 0
    )


def _may_change(modifier: bpy.types.Modifier, obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    if modifier.type not in TIMELESS_MODIFIERS or _animates_modifiers(obj):
        return True
    if modifier.type == "NODES" and modifier.node_group is not None and _has_timed_nodes(modifier.node_group, set()):
        return True
    named = [item for item in _named_blocks(modifier) if not isinstance(item, bpy.types.NodeTree)]
    if any(not isinstance(item, bpy.types.Object) for item in named):
        return True
    # Something that keeps still has another effect on what moves past it.
    return bool(named) and (
        transform_motion(obj, scene) is not TransformMotion.STILL
        or any(
            transform_motion(item, scene) is not TransformMotion.STILL
            or bool(item.modifiers)
            or may_deform(item, scene)
            for item in named
        )
    )


def _animates_modifiers(obj: bpy.types.Object) -> bool:
    animation = obj.animation_data
    if animation is None:
        return False
    curves = [*animation.drivers, *(action_curves(animation) if animation.action is not None else ())]
    return len(animation.nla_tracks) > 0 or any(curve.data_path.startswith("modifiers") for curve in curves)


def _named_blocks(modifier: bpy.types.Modifier) -> Iterator[bpy.types.ID]:
    """Data-blocks that the modifier's settings name: objects, collections, textures, node groups."""
    for item in modifier.bl_rna.properties:
        if item.type == "POINTER":
            value = getattr(modifier, item.identifier)
            if isinstance(value, bpy.types.ID):
                yield value
    if modifier.type == "NODES":
        for key in modifier.keys():  # noqa: SIM118 (a modifier is no dictionary)
            if isinstance(modifier[key], bpy.types.ID):
                yield modifier[key]


def _has_timed_nodes(tree: bpy.types.NodeTree, seen: set[str]) -> bool:
    if _is_animated(tree):
        return True
    seen.add(tree.name)
    for node in tree.nodes:
        if node.bl_idname in TIMED_NODES:
            return True
        group = getattr(node, "node_tree", None)
        if group is not None and group.name not in seen and _has_timed_nodes(group, seen):
            return True
    return False
