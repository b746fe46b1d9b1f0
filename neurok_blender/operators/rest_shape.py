"""The rest shape of an object, without takes and bakes."""

from __future__ import annotations

import bpy

from ..scene import preview
from ..scene.bakes.ledger import switch_off, switch_on
from ..scene.mesh_io import MeshShape, look_at
from ..scene.mirrored import make_whole
from ..session.state import session

__all__ = ["drawn_shape"]


def drawn_shape(context: bpy.types.Context, obj: bpy.types.Object) -> MeshShape:
    """The object as it is drawn, whatever take is shown of it. Raises Refusal."""
    played = switch_off(obj)
    preview.restore(obj.data)
    context.view_layer.update()
    try:
        make_whole(context, obj)  # what is found is kept on the faces of the mesh
        return look_at(context, obj, with_joints=False)
    finally:
        switch_on(obj, played)
        session.show_takes(context.scene.frame_current)
