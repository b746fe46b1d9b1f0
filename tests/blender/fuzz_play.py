"""What the fuzz test's steps share: the drawn shape that travels with each mesh, and hands on objects."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

import bmesh
import bpy
import numpy as np

__all__ = [
    "DRAWN",
    "MOST_OBJECTS",
    "Play",
    "is_refusal",
    "kept_shape",
    "mesh_objects",
    "note_drawn",
    "push_undo",
    "randomize",
    "shape_in_blender",
]

# The shape that the artist has drawn, in an attribute of the test's own: Blender carries it through undo, files,
# copies and edit mode as it does the coordinates, so it tells at any time what the mesh must be without a pose.
DRAWN = "fuzz_drawn"
MOST_OBJECTS = 4


@dataclass
class Play:
    """One run of steps. Simulations and sample scenes take long, so there are only so many."""

    folder: Path
    simulations: int = 8
    samples: int = 1


def mesh_objects() -> list[bpy.types.Object]:
    """Those of the scene, in the order of their names."""
    return sorted((obj for obj in bpy.context.scene.objects if obj.type == "MESH"), key=lambda obj: obj.name)


def coordinates(mesh: bpy.types.Mesh) -> np.ndarray:
    found = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", found.reshape(-1))
    return found


def note_drawn(mesh: bpy.types.Mesh) -> None:
    """The mesh, which shows no pose and is not in edit mode, is drawn as it is now."""
    attribute = mesh.attributes.get(DRAWN) or mesh.attributes.new(DRAWN, "FLOAT_VECTOR", "POINT")
    attribute.data.foreach_set("vector", coordinates(mesh).reshape(-1))


def kept_shape(mesh: bpy.types.Mesh) -> np.ndarray | None:
    """What `note_drawn` has kept, Float32[V,3]; None for a mesh that it never saw."""
    if mesh.is_editmode:
        edited = bmesh.from_edit_mesh(mesh)
        layer = edited.verts.layers.float_vector.get(DRAWN)
        return None if layer is None else np.array([vertex[layer] for vertex in edited.verts], np.float32)
    attribute = mesh.attributes.get(DRAWN)
    if attribute is None:
        return None
    found = np.empty((len(mesh.vertices), 3), np.float32)
    attribute.data.foreach_get("vector", found.reshape(-1))
    return found


def shape_in_blender(mesh: bpy.types.Mesh) -> np.ndarray:
    """Coordinates as they stand, in edit mode those that are edited, Float32[V,3]."""
    if mesh.is_editmode:
        return np.array([vertex.co for vertex in bmesh.from_edit_mesh(mesh).verts], np.float32)
    return coordinates(mesh)


def push_undo(message: str) -> None:
    """Blender does so itself after a button of the interface has changed a value."""
    bpy.ops.ed.undo_push(message=message)


def is_refusal(error: RuntimeError) -> bool:
    """Whether an operator has said a sentence, and not fallen over."""
    return "Traceback" not in str(error)


def randomize(rng: Random, group: bpy.types.bpy_struct, skip: frozenset[str] = frozenset()) -> str:
    """Sets one of a group's numbers, switches, choices or objects to something that its button offers; says which."""
    kinds = ("FLOAT", "INT", "BOOLEAN", "ENUM")
    others = [item for item in group.bl_rna.properties if item.type == "POINTER" and item.fixed_type.name == "Object"]
    if others and rng.random() < 0.2:
        chosen = rng.choice(others)
        setattr(group, chosen.identifier, rng.choice([None, *bpy.context.scene.objects]))
        return chosen.identifier
    properties = [item for item in group.bl_rna.properties if item.type in kinds and not item.is_readonly]
    # Blender does not list the choices that the backend tells: those of a menu made by a function.
    properties = [item for item in properties if item.type != "ENUM" or len(item.enum_items)]
    chosen = rng.choice([item for item in properties if item.identifier not in skip])
    setattr(group, chosen.identifier, _random_value(rng, chosen))
    return chosen.identifier


def _random_value(rng: Random, item: bpy.types.Property):
    if item.type == "ENUM":
        # Joints are there where they were looked for, and that chooses them.
        slow = ("LEARNED", "ARTICULATED")
        return rng.choice([choice.identifier for choice in item.enum_items if choice.identifier not in slow])
    if item.type == "BOOLEAN":
        return rng.random() < 0.7
    draw = rng.randint if item.type == "INT" else rng.uniform
    # Nobody slides further than this, and what is slow to simulate for other reasons is no business of this test.
    low, high = max(item.soft_min, -100), min(item.soft_max, 5000 if item.type == "FLOAT" else 30)
    return [draw(low, high) for _ in range(item.array_length)] if item.is_array else draw(low, high)
