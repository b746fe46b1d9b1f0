"""Colors of the pieces of the active object in the 3D view, drawn over it: nothing of the file is changed."""

from __future__ import annotations

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from ..properties.listeners import piece_view_listeners
from ..scene import preview
from ..scene.bakes.ledger import playing
from ..session.background_analysis import Finding, background_analysis
from .view import nearer

__all__ = ["attach", "colour_icon", "detach"]

SETS = 15  # of the theme's colours of bones, which have icons; the others are empty
OPACITY = 0.55


def colour_icon(number: int) -> str:
    """The icon of the colour that the piece with this number has in the view."""
    return f"COLORSET_{number % SETS + 1:02d}_VEC"


class _Batches:
    """The triangles of each piece of one finding, in object space."""

    def __init__(self) -> None:
        self._finding: Finding | None = None
        self.pieces: list[gpu.types.GPUBatch] = []

    def show(self, finding: Finding, shader: gpu.types.GPUShader) -> None:
        if finding is self._finding:
            return
        self._finding, self.pieces = finding, []
        for number in range(int(finding.piece.max()) + 1):
            corners, triangles = np.unique(finding.shape.triangles[finding.piece == number], return_inverse=True)
            content = {"pos": finding.shape.evaluated[corners]}
            indices = np.ascontiguousarray(triangles.reshape(-1, 3), np.int32)
            self.pieces.append(batch_for_shader(shader, "TRIS", content, indices=indices))

    def forget(self) -> None:
        self._finding, self.pieces = None, []


_batches = _Batches()
_handle: object | None = None


def _shown() -> tuple[bpy.types.Object, Finding] | None:
    """The object whose pieces are to be coloured, standing as it was analysed."""
    obj = bpy.context.active_object
    if not bpy.context.window_manager.neurok.show_pieces or obj is None or obj.type != "MESH":
        return None
    finding = background_analysis.finding_of(obj)
    if finding is None or finding.piece is None or obj.mode != "OBJECT" or not obj.visible_get():
        return None
    return None if preview.is_posed(obj.data) or playing(obj) else (obj, finding)


def _draw() -> None:
    shown = _shown()
    if shown is None:
        _batches.forget()
        return
    obj, finding = shown
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    _batches.show(finding, shader)
    theme = bpy.context.preferences.themes[0].bone_color_sets
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.blend_set("ALPHA")
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(nearer(bpy.context.region_data) @ obj.matrix_world)
        shader.bind()
        for number, batch in enumerate(_batches.pieces):
            shader.uniform_float("color", (*theme[number % SETS].normal, OPACITY))
            batch.draw(shader)
    gpu.state.blend_set("NONE")
    gpu.state.depth_test_set("NONE")


def _redraw() -> None:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def attach() -> None:
    global _handle
    piece_view_listeners.append(_redraw)
    _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def detach() -> None:
    global _handle
    piece_view_listeners.remove(_redraw)
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
    _batches.forget()
