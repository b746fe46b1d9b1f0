"""Cameras of all kinds in a scene, and where Blender itself sees a point."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

__all__ = ["KINDS", "add_camera", "blender_pixels", "pixel_errors", "set_render"]

# What an artist can set of a camera, and of the render: lens, fit, shift, aspect, percentage.
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": ({}, {}),
    "long lens": ({"lens": 135.0}, {}),
    "upright picture": ({}, {"resolution_x": 480, "resolution_y": 720}),
    "square sensor": ({"sensor_width": 24.0, "sensor_height": 24.0}, {"resolution_x": 640, "resolution_y": 640}),
    "vertical fit": ({"sensor_fit": "VERTICAL", "sensor_height": 20.0}, {}),
    "vertical fit, upright": ({"sensor_fit": "VERTICAL"}, {"resolution_x": 333, "resolution_y": 777}),
    "horizontal fit, upright": ({"sensor_fit": "HORIZONTAL"}, {"resolution_x": 333, "resolution_y": 777}),
    "shifted": ({"shift_x": 0.21, "shift_y": -0.13}, {}),
    "shifted, upright": ({"shift_x": 0.21, "shift_y": -0.13}, {"resolution_x": 480, "resolution_y": 720}),
    "shifted, vertical fit": ({"shift_x": -0.1, "shift_y": 0.3, "sensor_fit": "VERTICAL"}, {}),
    "broad pixels": ({"shift_x": 0.1, "shift_y": 0.1}, {"pixel_aspect_x": 1.6}),
    "tall pixels": ({"shift_x": 0.1, "shift_y": 0.1}, {"pixel_aspect_y": 1.8}),
    "broad pixels, vertical fit": ({"sensor_fit": "VERTICAL", "shift_y": 0.2}, {"pixel_aspect_x": 1.6}),
    "tall pixels, upright": ({"shift_x": 0.2}, {"pixel_aspect_y": 1.3, "resolution_x": 500, "resolution_y": 620}),
    "a quarter": ({"shift_x": 0.1}, {"resolution_percentage": 25, "resolution_x": 1920, "resolution_y": 1080}),
    "orthographic": ({"type": "ORTHO", "ortho_scale": 7.0}, {}),
    "orthographic, upright": ({"type": "ORTHO", "ortho_scale": 7.0}, {"resolution_x": 480, "resolution_y": 720}),
    "orthographic, vertical fit": ({"type": "ORTHO", "ortho_scale": 5.0, "sensor_fit": "VERTICAL"}, {}),
    "orthographic, shifted": (
        {"type": "ORTHO", "ortho_scale": 9.0, "shift_x": 0.2, "shift_y": -0.1},
        {"pixel_aspect_y": 1.5},
    ),
}


def set_render(scene: bpy.types.Scene, **settings: Any) -> None:
    """The default size of pointmaps, but for what is told."""
    render = scene.render
    render.resolution_x, render.resolution_y, render.resolution_percentage = 720, 480, 100
    render.pixel_aspect_x = render.pixel_aspect_y = 1.0
    for name, value in settings.items():
        setattr(render, name, value)


def add_camera(scene: bpy.types.Scene, location=(4.0, -7.0, 3.0), target=(0.0, 0.0, 0.0), **settings: Any):
    """The scene's camera, which looks from one place to another and leans to its side a little."""
    data = bpy.data.cameras.new("Camera")
    for name, value in settings.items():
        setattr(data, name, value)
    camera = bpy.data.objects.new("Camera", data)
    scene.collection.objects.link(camera)
    camera.location = location
    camera.rotation_euler = (Vector(target) - Vector(location)).to_track_quat("-Z", "Y").to_euler()
    camera.rotation_euler.rotate_axis("Z", 0.1)
    scene.camera = camera
    bpy.context.view_layer.update()
    return camera


def blender_pixels(scene: bpy.types.Scene, camera: bpy.types.Object, points: np.ndarray) -> np.ndarray:
    """(u, v) from the upper left corner and the distance along the axis, Float[N,3], as Blender has them."""
    render = scene.render
    width = render.resolution_x * render.resolution_percentage // 100
    height = render.resolution_y * render.resolution_percentage // 100
    seen = np.array([world_to_camera_view(scene, camera, Vector(point)) for point in points])
    return np.stack([seen[:, 0] * width, (1.0 - seen[:, 1]) * height, seen[:, 2]], axis=1)


def pixel_errors(scene: bpy.types.Scene, camera: bpy.types.Object, pointmap, frame: int, count: int) -> np.ndarray:
    """How far the points of a pointmap's frame, seen by Blender, are from the centres of their pixels, Float[N]."""
    rows, columns = np.nonzero(pointmap["mask"][frame])
    chosen = np.random.default_rng(0).choice(len(rows), min(count, len(rows)), replace=False)
    rows, columns = rows[chosen], columns[chosen]
    points = pointmap["points"][frame][rows, columns].astype(np.float64)
    to_world = np.linalg.inv(pointmap["extrinsics"][frame])
    world = points @ to_world[:3, :3].T + to_world[:3, 3]
    seen = blender_pixels(scene, camera, world)
    return np.hypot(seen[:, 0] - columns - 0.5, seen[:, 1] - rows - 0.5)
