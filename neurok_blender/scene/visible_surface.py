"""The visible surface of objects at the current frame: triangles and colours; and the camera."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ..errors import Refusal
from .coordinates import placed, read_coordinates, read_triangles

__all__ = ["GREY", "VisibleSurface", "camera_kind", "camera_numbers", "visible_surface_of"]

SURFACE_TYPES = {"MESH", "CURVE", "SURFACE", "META", "FONT"}
GREY = (0.6, 0.6, 0.6)
"""Linear colour of what has none."""


@dataclass(frozen=True, eq=False)
class VisibleSurface:
    """Everything of one frame in one piece."""

    vertices: NDArray[np.float32]
    """World, m [V,3]."""
    triangles: NDArray[np.int32]
    """[F,3]"""
    colors: NDArray[np.float32]
    """Linear, of the triangles [F,3]."""
    objects: NDArray[np.int32]
    """Number of the object of each triangle [F], from 1."""

    def has_faces_of(self, other: VisibleSurface) -> bool:
        """Whether nothing but places differs."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in ("triangles", "colors", "objects"))
        return len(self.vertices) == len(other.vertices) and all(np.array_equal(a, b) for a, b in pairs)


def visible_surface_of(context: bpy.types.Context, numbers: Mapping[int, int]) -> VisibleSurface:
    """The objects with these session_uids and their instances, each with its number."""
    vertices, triangles, colors, objects = [], [], [], []
    count = 0
    for instance in context.evaluated_depsgraph_get().object_instances:
        shown = instance.object
        owner = instance.parent.original if instance.is_instance else shown.original
        number = numbers.get(owner.session_uid)
        if number is None or not instance.show_self or shown.type not in SURFACE_TYPES:
            continue
        mesh = shown.to_mesh()
        try:
            if mesh is None or not len(mesh.polygons):
                continue
            faces = read_triangles(mesh)
            vertices.append(placed(read_coordinates(mesh), np.array(instance.matrix_world)).astype(np.float32))
            triangles.append(faces + count)
            colors.append(_colors(shown, mesh, faces))
            objects.append(np.full(len(faces), number, np.int32))
            count += len(vertices[-1])
        finally:
            shown.to_mesh_clear()
    if not vertices:
        nothing, none = np.empty((0, 3), np.float32), np.empty((0, 3), np.int32)
        return VisibleSurface(nothing, none, nothing, np.empty(0, np.int32))
    return VisibleSurface(*(np.concatenate(each) for each in (vertices, triangles, colors, objects)))


def _colors(obj: bpy.types.Object, mesh: bpy.types.Mesh, triangles: NDArray[np.int32]) -> NDArray[np.float32]:
    """Base colours of the materials; without any, the active colour attribute, or grey."""
    count = len(triangles)
    materials = [slot.material for slot in obj.material_slots]
    if any(material is not None for material in materials):
        slots = np.empty(count, np.int32)
        mesh.loop_triangles.foreach_get("material_index", slots)
        base = np.array([GREY if each is None else _base_color(each) for each in materials], np.float32)
        return base[np.clip(slots, 0, len(base) - 1)]
    attribute = mesh.color_attributes.active_color
    if attribute is None:
        return np.tile(np.float32(GREY), (count, 1))
    values = np.empty((len(attribute.data), 4), np.float32)
    attribute.data.foreach_get("color", values.reshape(-1))
    corners = triangles
    if attribute.domain == "CORNER":
        corners = np.empty((count, 3), np.int32)
        mesh.loop_triangles.foreach_get("loops", corners.reshape(-1))
    return values[corners, :3].mean(axis=1)


def _base_color(material: bpy.types.Material) -> tuple[float, ...]:
    """Linear, of the shader; where an image or other nodes decide it, that of the viewport."""
    nodes = material.node_tree.nodes if material.node_tree is not None else ()
    for node in nodes:
        socket = node.inputs.get("Base Color") if node.type == "BSDF_PRINCIPLED" else None
        if socket is not None and not socket.is_linked:
            return tuple(socket.default_value[:3])
    return tuple(material.diffuse_color[:3])


def camera_kind(scene: bpy.types.Scene) -> dict[str, str]:
    """The type of the camera, which holds for all frames. Raises Refusal where it cannot be used."""
    camera = scene.camera
    if camera is None or camera.type != "CAMERA":
        raise Refusal("The scene has no camera.", "Add one (Add > Camera), and make it the active one (Ctrl Numpad 0).")
    if camera.data.type not in ("PERSP", "ORTHO"):
        raise Refusal(
            rpt_("{} is a panoramic camera.").format(camera.name),
            "Make it a perspective or an orthographic one (Camera properties > Lens > Type).",
        )
    return {"type": camera.data.type, "sensor_fit": camera.data.sensor_fit}


def camera_numbers(context: bpy.types.Context) -> dict[str, Any]:
    """The scene's camera at the present frame, by the names of the backend's camera file."""
    camera = context.scene.camera.evaluated_get(context.evaluated_depsgraph_get())
    lens, render = camera.data, context.scene.render
    names: Sequence[str] = ("lens", "ortho_scale", "sensor_width", "sensor_height", "shift_x", "shift_y")
    numbers = {name: float(getattr(lens, name)) for name in (*names, "clip_start", "clip_end")}
    aspect = {name: float(getattr(render, name)) for name in ("pixel_aspect_x", "pixel_aspect_y")}
    return {**numbers, **aspect, "matrix_world": [list(row) for row in camera.matrix_world]}
