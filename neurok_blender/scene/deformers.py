"""Storing a simulated shape underneath modifiers that deform the mesh.

Modifiers of the base mesh (an armature, a lattice, a cast; see `base_mesh`) map stored to shown coordinates:
shown_v = D(stored)_v. The backend works on what is shown, so a simulated shape has to be stored as
D^-1. Near the drawn pose, for modifiers that move each vertex by itself,

    stored = original + J_v^-1 (target - evaluated),     J_v = dD_v / dstored_v   (3 x 3)

which is exact for armatures, where D_v is affine. J comes from three evaluations with the mesh shifted
along x, y and z; one more, with the mesh bent, tells whether the modifiers are of this kind at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ..errors import Refusal
from .base_mesh import BaseCopy, below_count
from .coordinates import read_coordinates

__all__ = ["StorageMap", "measure_storage_map"]

Float32 = NDArray[np.float32]

# Part of the object's size: the shift that measures J, the bend that tries it, the error allowed there.
SHIFT = 1e-2
BEND = 0.1
ALLOWED_ERROR = 1e-2


@dataclass(frozen=True, eq=False)
class StorageMap:
    """From a shape as shown to the coordinates to store, both Float32[V,3] in object space.

    `inverse` is J^-1 Float32[V,3,3], or None where no modifier moves anything and both are the same.
    """

    original: Float32
    evaluated: Float32
    inverse: Float32 | None

    def __call__(self, shown: Float32) -> Float32:
        if self.inverse is None:
            return shown
        return self.original + np.einsum("vij,vj->vi", self.inverse, shown - self.evaluated)


def measure_storage_map(
    scene: bpy.types.Scene, obj: bpy.types.Object, original: Float32, evaluated: Float32
) -> StorageMap:
    """Finds the map for the object as it stands: `original` is what its modifiers get, `evaluated` what they show.

    Raises Refusal where its modifiers have no usable inverse.
    """
    if np.array_equal(original, evaluated):
        return StorageMap(original, evaluated, None)
    size = float(np.ptp(original, axis=0).max()) or 1.0
    with BaseCopy(scene, obj, obj.modifiers[: below_count(obj)]) as copy:
        jacobian = np.empty((len(original), 3, 3), np.float64)
        for axis in range(3):
            shift = np.zeros(3, np.float32)
            shift[axis] = SHIFT * size
            shifted = read_coordinates(copy.evaluated(original + shift))
            jacobian[:, :, axis] = (shifted.astype(np.float64) - evaluated) / shift[axis]
        if np.abs(np.linalg.det(jacobian)).min() < 1e-6:
            raise _refusal(obj)
        inverse = np.linalg.inv(jacobian).astype(np.float32)
        storage = StorageMap(original, evaluated, inverse)
        target = evaluated + _bend(evaluated)
        error = np.abs(read_coordinates(copy.evaluated(storage(target))) - target).max()
    if error > ALLOWED_ERROR * float(np.ptp(evaluated, axis=0).max()):
        raise _refusal(obj)
    return storage


def _bend(positions: Float32) -> Float32:
    """A displacement Float32[V,3] that bends the shape along its longest side."""
    extent = np.ptp(positions, axis=0)
    along = int(extent.argmax())
    place = (positions[:, along] - positions[:, along].min()) / (extent[along] or 1.0)
    displacement = np.zeros_like(positions)
    displacement[:, (along + 1) % 3] = BEND * extent[along] * place**2
    return displacement


def _refusal(obj: bpy.types.Object) -> Refusal:
    names = ", ".join(each.name for each in obj.modifiers[: below_count(obj)] if each.show_viewport)
    return Refusal(
        rpt_("The modifiers of {} deform it in a way that a simulated shape cannot be stored under.").format(obj.name),
        rpt_("Apply them, or turn them off in the viewport while you simulate and bake: {}.").format(names),
    )
