"""The base mesh: an object's vertices as they are below the first modifier that builds on them.

Modifiers that move each vertex by itself, as an armature or a lattice does, belong to it: what they show is simulated,
see `deformers`. The first one that makes other vertices or faces, or moves vertices by their neighbours (Subdivision
Surface, Mirror, Geometry Nodes, Smooth), and all behind it go on working on the simulated shape as on the drawn one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ..errors import Refusal
from . import preview
from .coordinates import write_coordinates

__all__ = ["COPY_SCENE", "BaseCopy", "base_mesh", "below_count"]

COPY_SCENE = ".NeuROK base mesh"  # handlers have nothing to do with it

# Modifiers that keep the vertices and move each by itself, or nothing at all.
KEEPS_VERTICES = {
    "ARMATURE",
    "CAST",
    "COLLISION",
    "CURVE",
    "DATA_TRANSFER",
    "DYNAMIC_PAINT",
    "HOOK",
    "LAPLACIANDEFORM",
    "LATTICE",
    "MESH_CACHE",
    "MESH_DEFORM",
    "MESH_SEQUENCE_CACHE",
    "NORMAL_EDIT",
    "PARTICLE_SYSTEM",
    "SHRINKWRAP",
    "SIMPLE_DEFORM",
    "SURFACE",
    "SURFACE_DEFORM",
    "UV_PROJECT",
    "UV_WARP",
    "VERTEX_WEIGHT_EDIT",
    "VERTEX_WEIGHT_MIX",
    "VERTEX_WEIGHT_PROXIMITY",
    "WARP",
    "WAVE",
    "WEIGHTED_NORMAL",
}


def below_count(obj: bpy.types.Object) -> int:
    """How many modifiers, shown or not, stand below the first shown one that builds on the base mesh."""
    modifiers = enumerate(obj.modifiers)
    builders = (place for place, each in modifiers if each.show_viewport and each.type not in KEEPS_VERTICES)
    return next(builders, len(obj.modifiers))


@contextmanager
def base_mesh(depsgraph: bpy.types.Depsgraph, obj: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """The evaluated base mesh without the pose that a take shows, to be read only while the context is open.

    Nothing of the artist's changes. `depsgraph` is that of the viewport, up to date. Raises Refusal where the number of
    vertices or faces is not the object's own.
    """
    count, is_posed = below_count(obj), preview.is_posed(obj.data)
    if count == len(obj.modifiers) and not is_posed:
        evaluated = obj.evaluated_get(depsgraph).data
        _check_counts(obj, evaluated)
        yield evaluated
    elif not (is_posed or obj.data.shape_keys or any(each.show_viewport for each in obj.modifiers[:count])):
        yield obj.data
    else:
        with BaseCopy(depsgraph.scene, obj, obj.modifiers[:count]) as copy:
            evaluated = copy.evaluated()
            _check_counts(obj, evaluated)
            yield evaluated


class BaseCopy:
    """A copy of the object and its mesh, unposed and with these `modifiers` only, evaluated in a scene of its own.

    So the artist's scene is not evaluated anew, which costs what the modifiers above cost; arrays are shared with the
    original until they are written.
    """

    def __init__(self, scene: bpy.types.Scene, obj: bpy.types.Object, modifiers: Sequence[bpy.types.Modifier]):
        self._frame, self._original = (scene.frame_current, scene.frame_subframe), obj
        self._kept = {each.name for each in modifiers}

    def __enter__(self) -> BaseCopy:
        self._scene = bpy.data.scenes.new(COPY_SCENE)
        self._scene.frame_current, self._scene.frame_subframe = self._frame
        self._object = self._original.copy()
        self._object.data = self._mesh = self._original.data.copy()
        for modifier in list(self._object.modifiers):
            if modifier.name not in self._kept:
                self._object.modifiers.remove(modifier)
        self._scene.collection.objects.link(self._object)
        preview.restore(self._mesh)
        return self

    def __exit__(self, *_error: object) -> None:
        self._drop_keys()
        bpy.data.objects.remove(self._object)
        bpy.data.meshes.remove(self._mesh)
        bpy.data.scenes.remove(self._scene)

    def evaluated(self, stored: NDArray[np.float32] | None = None) -> bpy.types.Mesh:
        """What the modifiers make of the mesh, or of `stored` Float32[V,3], its coordinates, in place of it."""
        if stored is not None:
            self._drop_keys()
            write_coordinates(self._mesh, stored)
        layer = self._scene.view_layers[0]
        layer.update()
        return self._object.evaluated_get(layer.depsgraph).data

    def new_mesh(self) -> bpy.types.Mesh:
        """What the modifiers make of the mesh, as a mesh of the file."""
        self.evaluated()
        depsgraph = self._scene.view_layers[0].depsgraph
        shown = self._object.evaluated_get(depsgraph)
        return bpy.data.meshes.new_from_object(shown, preserve_all_data_layers=True, depsgraph=depsgraph)

    def _drop_keys(self) -> None:
        """Blender counts a user too many of copied keys, so that nothing else takes them out of the file."""
        if self._mesh.shape_keys is not None:
            bpy.data.batch_remove([self._mesh.shape_keys])


def _check_counts(obj: bpy.types.Object, evaluated: bpy.types.Mesh) -> None:
    mesh = obj.data
    before = (len(mesh.vertices), len(mesh.loops), len(mesh.polygons))
    after = (len(evaluated.vertices), len(evaluated.loops), len(evaluated.polygons))
    if before != after:
        names = ", ".join(modifier.name for modifier in obj.modifiers if modifier.show_viewport)
        raise Refusal(
            rpt_("The modifiers of {} change its number of vertices or faces.").format(obj.name),
            rpt_("Apply those that do, or turn them off in the viewport while you simulate and bake: {}.").format(
                names
            ),
        )
