"""The line from the held point to the mouse, drawn while a tool runs."""

from __future__ import annotations

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from mathutils import Vector

from ..scene.coordinates import read_coordinates
from ..scene.surface_picking import Hold
from ..session.interactive_session import InteractiveSession

__all__ = ["PullLine"]

COLOR = (1.0, 0.45, 0.1, 0.9)
LINE_PIXELS, DOT_PIXELS = 2.0, 9.0


class PullLine:
    def __init__(self) -> None:
        self._ends: tuple[Vector, Vector] | None = None
        self._handle = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")

    def show(self, hold: Hold, interactive: InteractiveSession, target: Vector) -> None:
        """From the held place, where it is now, to the target (world)."""
        obj = interactive.object
        if obj is not None:
            held = hold.on(read_coordinates(obj.data))
            self._ends = obj.matrix_world @ held, target.copy()

    def hide(self) -> None:
        self._ends = None

    def remove(self) -> None:
        if self._handle is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self._handle, "WINDOW")
            self._handle = None

    def _draw(self) -> None:
        if self._ends is None:
            return
        places = np.array([list(end) for end in self._ends], np.float32)
        scale = bpy.context.preferences.system.ui_scale
        viewport = gpu.state.viewport_get()
        gpu.state.blend_set("ALPHA")
        line = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
        line.bind()
        line.uniform_float("viewportSize", (float(viewport[2]), float(viewport[3])))
        line.uniform_float("lineWidth", LINE_PIXELS * scale)
        line.uniform_float("color", COLOR)
        batch_for_shader(line, "LINES", {"pos": places}).draw(line)
        dot = gpu.shader.from_builtin("UNIFORM_COLOR")
        gpu.state.point_size_set(DOT_PIXELS * scale)
        dot.bind()
        dot.uniform_float("color", COLOR)
        batch_for_shader(dot, "POINTS", {"pos": places}).draw(dot)
        gpu.state.point_size_set(1.0)
        gpu.state.blend_set("NONE")
