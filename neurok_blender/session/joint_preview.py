"""Trying a joint out: its part, with all that hangs on it, is shown moved; the mesh itself stays as it is drawn."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..scene import preview
from ..scene.coordinates import placed
from ..scene.joint_frames import Frame
from ..scene.joint_parts import face_parts, part_subtree, vertex_parts
from ..scene.mesh_io import snapshot
from ..scene.takes import find_by_uid
from .state import session

__all__ = ["JointPreview"]


class JointPreview:
    """Call `show` as often as wanted, then `end`."""

    def __init__(self, context: bpy.types.Context, obj: bpy.types.Object, number: int):
        """`number`: which part. Raises Refusal where the mesh cannot be read."""
        self._snapshot = snapshot(context, obj, with_joints=False)
        self._mesh_uid = obj.data.session_uid
        session.tested_mesh = self._mesh_uid
        joints, faces = obj.neurok.joints, face_parts(obj.data)
        joint, frame = joints[number], Frame(obj.matrix_world.copy())
        self._slides = joint.kind == "SLIDE"
        self.axis, self.length = frame.axis(joint.axis, turns=not self._slides)
        """The unit axis in the world, and how long there is what is 1 along it in the object."""
        self.place = frame.place(joint.origin)
        part = (
            np.zeros(len(obj.data.vertices), np.int32) if faces is None else vertex_parts(obj.data, faces, len(joints))
        )
        self._moved = np.isin(part, part_subtree(joints, number))
        self._world = placed(self._snapshot.evaluated[self._moved], self._snapshot.to_world)

    def show(self, value: float) -> None:
        """Moves the part by an angle (radians) about the axis, or by a distance (metres of the world) along it."""
        mesh = find_by_uid(bpy.data.meshes, self._mesh_uid)
        if mesh is None:
            return
        shape = self._snapshot.evaluated.astype(np.float64)
        moved = placed(self._world, np.array(self._motion(value)))
        shape[self._moved] = placed(moved, self._snapshot.to_object)
        storage = self._snapshot.storage
        preview.show(mesh, storage(shape.astype(np.float32)), storage.original)

    def end(self) -> None:
        """The mesh is as it was before, bit for bit."""
        session.tested_mesh = 0
        mesh = find_by_uid(bpy.data.meshes, self._mesh_uid)
        if mesh is not None and not mesh.is_editmode:
            preview.restore(mesh)
        session.show_takes(bpy.context.scene.frame_current)

    def _motion(self, value: float) -> Matrix:
        if self._slides:
            return Matrix.Translation(self.axis * value)
        to, back = Matrix.Translation(self.place), Matrix.Translation(-Vector(self.place))
        return to @ Matrix.Rotation(value, 4, self.axis) @ back
