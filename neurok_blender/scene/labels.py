"""Names of an object and of its materials, with values of their shaders: what tells the backend what it is made of."""

from __future__ import annotations

from typing import Any

import bpy

__all__ = ["labels_of"]

# Value -> what the sockets of Principled BSDF are called, in Blender 4 and before.
_SOCKETS = {
    "metallic": ("Metallic",),
    "roughness": ("Roughness",),
    "transmission": ("Transmission Weight", "Transmission"),
    "alpha": ("Alpha",),
}


def labels_of(obj: bpy.types.Object) -> dict[str, Any]:
    """{"object", "slots": [{"name", "shader", "colour"?, "made_of"?}]} by slot, as the backend reads them."""
    return {"object": obj.name, "slots": [_slot(slot.material) for slot in obj.material_slots]}


def _slot(material: bpy.types.Material | None) -> dict[str, Any]:
    if material is None:
        return {"name": "", "shader": {}}
    said = {"made_of": material.neurok.made_of} if material.neurok.made_of else {}
    nodes = material.node_tree.nodes if material.node_tree is not None else ()
    surface = next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)
    if surface is None:
        return {"name": material.name, "shader": {}, "colour": list(material.diffuse_color[:3]), **said}
    sockets = {name: _unlinked(surface, names) for name, names in _SOCKETS.items()}
    shader = {name: min(max(float(socket.default_value), 0.0), 1.0) for name, socket in sockets.items() if socket}
    slot: dict[str, Any] = {"name": material.name, "shader": shader, **said}
    colour = _unlinked(surface, ("Base Color",))
    if colour is not None:
        slot["colour"] = list(colour.default_value[:3])
    return slot


def _unlinked(node: bpy.types.Node, names: tuple[str, ...]) -> bpy.types.NodeSocket | None:
    """The first socket of these names, unless an image or other nodes decide its value."""
    socket = next((node.inputs[name] for name in names if name in node.inputs), None)
    return None if socket is None or socket.is_linked else socket
