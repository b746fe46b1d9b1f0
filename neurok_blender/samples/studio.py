"""A small photo studio for a scene that has no camera: backdrop, lamp, camera, a calm solid-view render."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector

from ..scene.materials import material
from .meshes import make_mesh, sheet

__all__ = ["View", "add_studio"]


@dataclass(frozen=True)
class View:
    """Where the camera stands and looks (m), its lens (mm), and the backdrop's linear colour."""

    eye: Sequence[float]
    target: Sequence[float]
    lens: float
    backdrop: tuple[float, float, float]


def _backdrop(view: View) -> bpy.types.Mesh:
    """A floor that curves up into a wall, wide enough that no edge is in the picture."""
    corner, wall, radius = 2.2, 4.0, 1.2
    angles = np.linspace(-np.pi / 2.0, 0.0, 24)
    bend = np.stack([corner + radius * np.cos(angles), radius + radius * np.sin(angles)], axis=1)
    profile = np.concatenate([[[-6.0, 0.0]], bend, [[corner + radius, wall]]])
    grid = np.stack([np.insert(profile, 0, x, axis=1) for x in (-8.0, 8.0)], axis=1)
    return make_mesh("Backdrop", [sheet(grid, "Backdrop")], {"Backdrop": material("Backdrop", view.backdrop, 1.0)})


def _aim(placed: bpy.types.Object, eye: Sequence[float], target: Sequence[float]) -> None:
    placed.location = eye
    placed.rotation_euler = (Vector(target) - Vector(eye)).to_track_quat("-Z", "Y").to_euler()


def _light_render(scene: bpy.types.Scene) -> None:
    """Workbench with studio light, cavities and soft-edged shadow; it needs no graphics card."""
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = 960, 720  # the views are framed for 4:3
    scene.display.render_aa = "5"
    scene.display.light_direction = (-0.35, 0.85, 0.50)
    scene.display.shadow_focus = 0.5
    shading = scene.display.shading
    shading.light = "STUDIO"
    shading.studio_light = "paint.sl"
    shading.color_type = "MATERIAL"
    shading.show_cavity = True
    shading.cavity_type = "BOTH"
    shading.show_shadows = True
    shading.shadow_intensity = 0.35
    shading.show_specular_highlight = True
    scene.view_settings.view_transform = "Standard"


def add_studio(context: bpy.types.Context, view: View) -> None:
    """Adds the studio to the scene in a collection of its own and makes its camera the scene's."""
    scene = context.scene
    studio = bpy.data.collections.new("Studio")
    scene.collection.children.link(studio)
    camera = bpy.data.cameras.new("Studio Camera")
    camera.lens = view.lens
    lamp = bpy.data.lights.new("Studio Sun", "SUN")
    lamp.energy = 3.0
    for name, data in (("Studio Camera", camera), ("Studio Sun", lamp), ("Backdrop", _backdrop(view))):
        studio.objects.link(bpy.data.objects.new(name, data))
    studio.objects["Backdrop"].display.show_shadows = False  # it receives them; casting takes time for nothing
    # The wall faces the camera, so that its curve is level in the picture.
    sight = Vector(view.target) - Vector(view.eye)
    studio.objects["Backdrop"].rotation_euler.z = np.arctan2(-sight.x, sight.y)
    _aim(studio.objects["Studio Camera"], view.eye, view.target)
    _aim(studio.objects["Studio Sun"], (-2.0, -3.0, 4.0), (0.0, 0.0, 0.3))
    scene.camera = studio.objects["Studio Camera"]
    _light_render(scene)
