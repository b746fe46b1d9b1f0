"""A finished or growing simulation of one mesh, and how a frame of it is put on that mesh."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import bpy
import numpy as np
from numpy.typing import NDArray

from . import preview
from .bakes.ledger import playing
from .decode import Decoder
from .mesh_io import MeshSnapshot
from .take_attributes import remove_attributes, write_attributes

if TYPE_CHECKING:
    from ..job.motion import StreamedMotion

__all__ = ["SceneTake", "find_by_uid"]


def find_by_uid(collection, uid: int):
    """The data-block with this session_uid, which outlives renames and undo; None when it is gone."""
    return next((item for item in collection if item.session_uid == uid), None)


@dataclass(eq=False)
class SceneTake:
    """One take with the mesh that it belongs to. Frame numbers are those of the timeline."""

    object_uid: int
    mesh_uid: int
    snapshot: MeshSnapshot
    frame_start: int
    motion: StreamedMotion
    decoder: Decoder
    uid: str = field(default_factory=lambda: secrets.token_hex(4))
    name: str = ""
    date: str = ""
    """When it was made, as the list of takes has it."""
    piece: NDArray[np.int32] | None = field(default=None, repr=False)
    """Int32[F]: the number of the piece of each triangle, if known."""
    _latest: tuple[int, NDArray[np.float32]] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, obj: bpy.types.Object, snapshot: MeshSnapshot, frame_start: int, motion: StreamedMotion) -> SceneTake:
        decoder = Decoder(motion.weights, snapshot.world, snapshot.to_object)
        return cls(obj.session_uid, obj.data.session_uid, snapshot, frame_start, motion, decoder)

    @property
    def frame_count(self) -> int:
        """How many frames have arrived."""
        return len(self.motion.shapes)

    @property
    def nbytes(self) -> int:
        """Memory that the motion takes."""
        weights = 0 if self.motion.weights is None else self.motion.weights.nbytes
        return weights + sum(shape.nbytes for shape in self.motion.shapes)

    @property
    def frame_end(self) -> int:
        return self.frame_start + self.frame_count - 1

    @property
    def object(self) -> bpy.types.Object | None:
        """The object, while it is there and still has the simulated mesh."""
        obj = find_by_uid(bpy.data.objects, self.object_uid)
        return obj if obj is not None and obj.data and obj.data.session_uid == self.mesh_uid else None

    @property
    def mesh(self) -> bpy.types.Mesh | None:
        return find_by_uid(bpy.data.meshes, self.mesh_uid)

    @property
    def is_edited(self) -> bool:
        """Whether the object is in a mode that works on the mesh itself (edit, sculpt, paint)."""
        obj = self.object
        return obj is not None and obj.mode != "OBJECT"

    def shape(self, index: int) -> NDArray[np.float32]:
        """Coordinates to store [V,3] for frame `index` of the take, counted from 0; not to be written."""
        if self._latest is None or self._latest[0] != index:  # Blender asks for a frame more than once
            self._latest = (index, self.snapshot.storage(self.decoder(self.motion.shapes[index])))
        return self._latest[1]

    def index_at(self, frame: int) -> int:
        """Before the first frame the first shape holds, after the last the last."""
        return min(max(frame - self.frame_start, 0), self.frame_count - 1)

    @property
    def may_show(self) -> bool:
        """Whether the object is there, and neither a baked take that plays nor absolute shape keys are in the way."""
        obj = self.object
        if obj is None or playing(obj):
            return False
        return obj.data.shape_keys is None or obj.data.shape_keys.use_relative

    def fits(self, mesh: bpy.types.Mesh) -> bool:
        """Whether the mesh, under whatever pose is shown on it, is the one that was simulated, and no bake plays."""
        return (
            self.may_show
            and len(mesh.vertices) == len(self.snapshot.original)
            and np.array_equal(preview.original_coordinates(mesh), self.snapshot.original)
        )

    def show(self, frame: int) -> bool:
        """Puts the shape of a frame on the mesh, if the mesh is there, in object mode, and fits."""
        obj = self.object
        if obj is None or obj.mode != "OBJECT" or self.frame_count == 0 or not self.fits(obj.data):
            return False
        index = self.index_at(frame)
        preview.show(obj.data, self.shape(index), self.snapshot.storage.original)
        if obj.neurok.writes_attributes:
            write_attributes(obj.data, self, index)
        else:
            remove_attributes(obj.data)
        return True
