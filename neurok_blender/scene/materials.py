"""Materials of one colour."""

from __future__ import annotations

import bpy

__all__ = ["material"]


def material(name: str, colour: tuple[float, float, float], roughness: float = 0.6) -> bpy.types.Material:
    """A material of linear `colour`, the same in the solid view, in renders and in exports."""
    made = bpy.data.materials.new(name)
    if made.node_tree is None:  # from Blender 5.0 on it is there, and asking for it warns
        made.use_nodes = True
    made.diffuse_color = (*colour, 1.0)
    made.roughness = roughness
    surface = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    surface.inputs["Base Color"].default_value = (*colour, 1.0)
    surface.inputs["Roughness"].default_value = roughness
    return made
