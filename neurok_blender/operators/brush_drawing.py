"""Drawing of the pin brush: its circle, and dots on painted vertices."""

from __future__ import annotations

import math

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from numpy.typing import NDArray

from ..gizmos.view import nearer

__all__ = ["BrushDrawing"]

DOT_COLOR, PAINT_COLOR, ERASE_COLOR = (1.0, 0.55, 0.1, 1.0), (1.0, 1.0, 1.0, 0.9), (0.45, 0.75, 1.0, 0.9)
DOT_PIXELS, LINE_PIXELS, SIDES = 7.0, 1.5, 48


class BrushDrawing:
    """Draws in every 3D view from `begin` to `end`; the tool sets the contents."""

    def __init__(self) -> None:
        self.region: bpy.types.Region | None = None
        """Where the circle is."""
        self.centre, self.radius = (0.0, 0.0), 0.0
        self.erases = False
        self._dots: gpu.types.GPUBatch | None = None
        self._handles: list[object] = []

    def begin(self) -> None:
        space = bpy.types.SpaceView3D
        self._handles = [
            space.draw_handler_add(self._draw_dots, (), "WINDOW", "POST_VIEW"),
            space.draw_handler_add(self._draw_circle, (), "WINDOW", "POST_PIXEL"),
        ]

    def end(self) -> None:
        for handle in self._handles:
            bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
        self._handles = []

    def show(self, positions: NDArray[np.float32]) -> None:
        """Dots at Float32[n,3], world metres."""
        self._dots = batch_for_shader(_dot_shader(), "POINTS", {"pos": positions}) if len(positions) else None

    def _draw_dots(self) -> None:
        if self._dots is None:
            return
        shader = _dot_shader()
        gpu.state.depth_test_set("LESS_EQUAL")
        gpu.state.point_size_set(DOT_PIXELS * bpy.context.preferences.system.ui_scale)
        with gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(nearer(bpy.context.region_data))
            shader.bind()
            shader.uniform_float("color", DOT_COLOR)
            self._dots.draw(shader)
        gpu.state.point_size_set(1.0)
        gpu.state.depth_test_set("NONE")

    def _draw_circle(self) -> None:
        if bpy.context.region != self.region:
            return
        angles = [2.0 * math.pi * side / SIDES for side in range(SIDES + 1)]
        rim = [
            (self.centre[0] + self.radius * math.cos(angle), self.centre[1] + self.radius * math.sin(angle), 0.0)
            for angle in angles
        ]
        shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
        gpu.state.blend_set("ALPHA")
        shader.bind()
        shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
        shader.uniform_float("lineWidth", LINE_PIXELS * bpy.context.preferences.system.ui_scale)
        shader.uniform_float("color", ERASE_COLOR if self.erases else PAINT_COLOR)
        batch_for_shader(shader, "LINE_STRIP", {"pos": rim}).draw(shader)
        gpu.state.blend_set("NONE")


def _dot_shader() -> gpu.types.GPUShader:
    # Blender 4.5 and later have a shader for points of their own; not every driver draws them with the other one.
    try:
        return gpu.shader.from_builtin("POINT_UNIFORM_COLOR")
    except ValueError:
        return gpu.shader.from_builtin("UNIFORM_COLOR")
