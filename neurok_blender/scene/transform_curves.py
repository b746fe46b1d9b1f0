"""World matrices of an object from its F-curves, without evaluating the scene at other frames."""

from __future__ import annotations

from collections.abc import Callable

import bpy
from mathutils import Euler, Matrix, Quaternion, Vector

from .object_motion import action_curves

__all__ = ["matrix_function"]


def matrix_function(obj: bpy.types.Object) -> Callable[[int], Matrix]:
    """From a frame to the object's matrix [4,4] in the world, where its motion is `TransformMotion.CURVES`."""
    above = Matrix.Identity(4) if obj.parent is None else obj.parent.matrix_world @ obj.matrix_parent_inverse
    curves = {
        (curve.data_path, curve.array_index): curve for curve in action_curves(obj.animation_data) if not curve.mute
    }

    def values(path: str, frame: int) -> list[float]:
        drawn = getattr(obj, path)
        return [
            curves[path, index].evaluate(frame) if (path, index) in curves else value
            for index, value in enumerate(drawn)
        ]

    def rotation(frame: int) -> Matrix:
        mode = obj.rotation_mode
        if mode == "QUATERNION":
            turned, delta = (
                Quaternion(values(path, frame)).normalized().to_matrix()
                for path in ("rotation_quaternion", "delta_rotation_quaternion")
            )
            return delta @ turned
        if mode == "AXIS_ANGLE":
            angle, *axis = values("rotation_axis_angle", frame)
            return Matrix.Rotation(angle, 3, Vector(axis))
        turned, delta = (
            Euler(values(path, frame), mode).to_matrix() for path in ("rotation_euler", "delta_rotation_euler")
        )
        return delta @ turned

    def matrix(frame: int) -> Matrix:
        place = Vector(values("location", frame)) + Vector(values("delta_location", frame))
        sizes = [a * b for a, b in zip(values("scale", frame), values("delta_scale", frame), strict=True)]
        local = Matrix.Translation(place) @ rotation(frame).to_4x4() @ Matrix.Diagonal((*sizes, 1.0))
        return above @ local

    return matrix
