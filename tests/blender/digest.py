"""What a user can see in a file, as one comparable dictionary: every value and every array of every data-block."""

from __future__ import annotations

import hashlib

import bpy

__all__ = ["differences", "digest"]

COLLECTIONS = ("objects", "meshes", "armatures", "actions", "shape_keys", "collections", "scenes", "materials")
SIMPLE = ("BOOLEAN", "INT", "FLOAT", "STRING", "ENUM")
# What differs between two visits of the same state: addresses, caches, who counts as changed, Blender's own counters.
SKIPPED = {
    "rna_type", "is_evaluated", "original", "session_uid", "is_updated", "is_updated_data", "is_runtime_data", "tag",
    "users", "id_data", "bound_box", "matrix_world", "preview", "asset_data", "library_weak_reference",
    "animation_visualization", "shading", "sequencer_colorspace_settings",
    "depsgraph", "is_dirty", "execution_time", "frame_current_final", "name_full", "vertex_groups_active", "dimensions",
    "texspace_location", "texspace_size", "particle_edit", "view_layers", "keying_sets_all", "statistics", "icon",
}  # fmt: skip
DEPTH = 7
# Blender keeps the selection and the pins of a UV map in internal attributes that it adds when somebody reads these
# properties, this digest too; after undo their names may lack that of the map. They say nothing about the file.
UV_SELECTION = {"vertex_selection", "edge_selection", "pin"}
UV_SELECTION_ATTRIBUTES = (".vs.", ".es.", ".pn.")


def digest() -> dict[str, object]:
    """Path -> value. Two states with equal digests cannot be told apart in Blender's editors."""
    bpy.context.view_layer.update()
    found: dict[str, object] = {}
    for name in COLLECTIONS:
        for block in getattr(bpy.data, name):
            # Deep in a scene's tool settings Blender 4.2 has values that it cannot read itself.
            _read(block, f"{name}/{block.name}", found, DEPTH - 1 if name == "scenes" else 0)
    for layer in bpy.context.scene.view_layers:
        active = layer.objects.active
        found["active object"] = active and active.name
        found["selected"] = sorted(each.name for each in layer.objects if each.select_get())
    for obj in bpy.data.objects:
        found[f"objects/{obj.name}/world"] = tuple(round(number, 6) for row in obj.matrix_world for number in row)
        if obj.type == "MESH" and obj.visible_get() and obj.mode == "OBJECT":
            shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
            found[f"objects/{obj.name}/shown"] = _hash([number for each in shown.vertices for number in each.co])
            weights = [[(item.group, item.weight) for item in each.groups] for each in obj.data.vertices]
            found[f"objects/{obj.name}/weights"] = _hash(weights)
    return found


def differences(before: dict[str, object], after: dict[str, object]) -> dict[str, tuple[object, object]]:
    """Path -> both values, where they differ."""
    paths = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    return {path: (before.get(path), after.get(path)) for path in paths}


def _hash(value: object) -> str:
    return hashlib.blake2b(repr(value).encode(), digest_size=12).hexdigest()


def _read(block, path: str, found: dict[str, object], depth: int) -> None:
    for item in block.bl_rna.properties:
        name = item.identifier
        if name in SKIPPED or depth > DEPTH or (name == "vertices" and depth > 0):
            continue
        if name in UV_SELECTION and isinstance(block, bpy.types.MeshUVLoopLayer):
            continue
        try:
            value = getattr(block, name)
        except (AttributeError, RuntimeError):
            continue
        where = f"{path}.{name}"
        if item.type in SIMPLE:
            found[where] = _plain(value)
        elif item.type == "POINTER":
            if value is None or isinstance(value, bpy.types.ID):
                found[where] = value and value.name
                if isinstance(value, bpy.types.NodeTree):
                    continue
            elif value != block:
                _read(value, where, found, depth + 1)
        elif item.type == "COLLECTION":
            _read_items(value, where, found, depth)


def _plain(value) -> object:
    if isinstance(value, (bool, int, float, str, set, frozenset)) or value is None:
        return value
    return tuple(_plain(each) for each in value)


def _read_items(items, where: str, found: dict[str, object], depth: int) -> None:
    try:
        count = len(items)
    except TypeError:
        return
    if count and isinstance(items[0], bpy.types.Attribute):
        items = [each for each in items if not (each.is_internal and each.name.startswith(UV_SELECTION_ATTRIBUTES))]
        count = len(items)
    found[f"{where} count"] = count
    if not count:
        return
    first = items[0]
    if isinstance(first, bpy.types.ID):
        found[where] = [each.name for each in items]
        return
    if count > 64:  # vertices, corners, keyframes: their numbers at once
        numbers = [
            [_plain(getattr(each, item.identifier)) for item in first.bl_rna.properties
             if item.type in SIMPLE and item.identifier not in SKIPPED]
            for each in items
        ]  # fmt: skip
        found[where] = _hash(numbers)
        return
    for number, each in enumerate(items):
        _read(each, f"{where}[{number}]", found, depth + 1)
