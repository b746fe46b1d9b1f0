"""Halves that a Mirror modifier joins to their image: they are simulated as the whole that is seen.

Moved alone, a half would leave the plane in which it is joined. So the object gets the whole as its mesh, and the
modifier is off, for as long as it has takes; the half is kept beside it and comes back with the last of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ..errors import Refusal
from . import preview
from .base_mesh import BaseCopy
from .coordinates import placed, read_coordinates, read_corners

__all__ = ["half_again", "joining_mirror", "make_whole", "whole_mesh"]


def joining_mirror(obj: bpy.types.Object) -> bpy.types.Modifier | None:
    """The shown Mirror modifier that merges vertices of the mesh with their images."""
    mirrors = [each for each in obj.modifiers if each.type == "MIRROR" and each.show_viewport and each.use_mirror_merge]
    if not mirrors:
        return None
    positions = preview.original_coordinates(obj.data)
    for modifier in mirrors:
        local = positions
        if (other := modifier.mirror_object) is not None:
            to_other = np.linalg.pinv(np.array(other.matrix_world, np.float64)) @ np.array(obj.matrix_world)
            local = placed(positions, to_other)
        from_plane = np.abs(local[:, np.array(modifier.use_axis)])
        if (2.0 * from_plane <= modifier.merge_threshold).any():
            return modifier
    return None


@contextmanager
def whole_mesh(scene: bpy.types.Scene, obj: bpy.types.Object, mirror: bpy.types.Modifier) -> Iterator[bpy.types.Mesh]:
    """Half and image as one evaluated mesh, without other modifiers; to be read while the context is open."""
    with _mirrored_copy(scene, obj, mirror) as copy:
        yield copy.evaluated()


def _mirrored_copy(scene: bpy.types.Scene, obj: bpy.types.Object, mirror: bpy.types.Modifier) -> BaseCopy:
    """Raises Refusal where the mesh has shape keys, which have no image."""
    if obj.data.shape_keys is not None:
        raise Refusal(
            rpt_("{} has shape keys, and is one half that its modifier {} joins to the other.").format(
                obj.name, mirror.name
            ),
            "Mirror the mesh itself (Edit Mode, Mesh > Symmetrize), and turn the modifier off.",
        )
    return BaseCopy(scene, obj, [mirror])


def make_whole(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Gives an object that is one half the whole as its mesh; nothing happens to others. Raises Refusal."""
    mirror, settings = joining_mirror(obj), obj.neurok
    if mirror is None:
        return
    if settings.half is None:
        with _mirrored_copy(context.scene, obj, mirror) as copy:
            whole = copy.new_mesh()
        whole.name = obj.data.name
        settings.half, settings.half_mirror, settings.half_renders = obj.data, mirror.name, mirror.show_render
        settings.whole = _content(whole)
        obj.data = whole
    mirror.show_viewport = mirror.show_render = False
    context.view_layer.update()


def half_again(obj: bpy.types.Object) -> None:
    """Gives the object its half and the modifier back, unless somebody has worked on the whole meanwhile."""
    settings, whole = obj.neurok, obj.data
    if settings.half is None or obj.mode != "OBJECT":
        return
    preview.restore(whole)
    mirror = obj.modifiers.get(settings.half_mirror)
    if mirror is not None and settings.whole == _content(whole):
        obj.data = settings.half
        mirror.show_viewport, mirror.show_render = True, settings.half_renders
        bpy.data.meshes.remove(whole)
    settings.half = None


def _content(mesh: bpy.types.Mesh) -> str:
    """Names vertices, faces and weights."""
    digest = hashlib.blake2b(read_coordinates(mesh).tobytes(), digest_size=16)
    digest.update(read_corners(mesh).tobytes())
    weights = [(each.group, each.weight) for vertex in mesh.vertices for each in vertex.groups]
    digest.update(np.array(weights, np.float32).tobytes())
    return digest.hexdigest()
