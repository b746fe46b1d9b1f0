"""Bones that move as the handles did, with vertex groups: ordinary skinning, as glTF, FBX and USD carry it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_
from numpy.typing import NDArray

from ...errors import Refusal
from ..curves import add_curve, curves_of
from ..joint_parts import face_parts, vertex_parts
from .affine import Track, is_one_bone, one_bone, two_bones
from .base import Bake
from .rig import Bone, add_bones, add_rig
from .skin_fit import SkinFit
from .stack import add_modifier
from .take_numbers import TakeNumbers, object_size

__all__ = ["ArmatureBake"]

RIGID_ERROR = 2e-5  # of a handle's scale along different directions
BONE_LENGTH = 0.1  # of the object's size
WEIGHTS_AT_A_TIME = 1500
# Of Blender's own structures: a vertex in a group, and a keyframe of each of a bone's ten numbers.
BYTES_PER_WEIGHT, BYTES_PER_BONE_FRAME = 8, 10 * 72


class ArmatureBake(Bake):
    """A handle that turns and scales evenly is one bone, exactly; any other is two, see `affine`."""

    def _prepare(self, obj: bpy.types.Object) -> None:
        if self.take.motion.has_points:
            raise Refusal(
                rpt_("{} moves point by point, which bones cannot follow.").format(obj.name),
                "Bake it as Shape Keys, Compressed Shape Keys or Point Cache.",
            )

    def _steps(self, context: bpy.types.Context) -> Iterator[None]:
        snapshot = self.take.snapshot
        skinned = TakeNumbers.of(self.take, self.indices)
        yield from skinned.prepare()
        fit = SkinFit(skinned, self.options.influences)
        for _ in fit.steps():
            yield
        linear, location, centres = _in_world(fit, snapshot.to_world, snapshot.world)
        single = is_one_bone(linear, RIGID_ERROR)
        obj, entry = self.take.object, self.entry
        names = self._part_names(obj, linear.shape[1]) or self._free_names(obj, entry.name, linear.shape[1])
        bones = [bone for name, centre in zip(names, centres, strict=True) for bone in _bones(name, centre, single)]
        rig = add_rig(context, obj, entry, snapshot.to_world)
        add_bones(context, rig, bones, BONE_LENGTH * object_size(snapshot.world))
        self.total = len(names)
        entry.groups = json.dumps(names)
        entry.error, entry.count = fit.error, len(bones)
        weight_count = int((fit.weights > 0.0).sum())
        bone_frames = len(bones) * len(self.indices)
        entry.megabytes = 1e-6 * (weight_count * BYTES_PER_WEIGHT + bone_frames * BYTES_PER_BONE_FRAME)
        self._act(rig)
        yield
        frames = np.array([self.frame(index) for index in self.indices], np.float64)
        for number, name in enumerate(names):
            tracks = (one_bone if single else two_bones)(linear[:, number], location[:, number])
            rig = self.entry.armature
            if single:
                _key(rig, name, frames, tracks)
            else:
                _key(rig, _stretch_name(name), frames, tracks[0])
                _key(rig, name, frames, tracks[1])
            yield from self._fill_group(name, fit.weights[:, number])
            self.done += 1
            yield
        obj, entry = self.take.object, self.entry
        modifier = add_modifier(obj, entry, "ARMATURE")
        modifier.object = entry.armature

    def _fill_group(self, name: str, weights: NDArray[np.float32]) -> Iterator[None]:
        """Vertices with the same weight go in together, which is all of them where parts are rigid."""
        self.take.object.vertex_groups.new(name=name)
        ours = np.flatnonzero(weights)
        values, which = np.unique(weights[ours], return_inverse=True)
        members = np.split(ours[np.argsort(which, kind="stable")], np.cumsum(np.bincount(which))[:-1])
        group = self.take.object.vertex_groups[name]
        for number, (value, vertices) in enumerate(zip(values.tolist(), members, strict=True)):
            group.add(vertices.tolist(), value, "REPLACE")
            if number % WEIGHTS_AT_A_TIME == WEIGHTS_AT_A_TIME - 1:
                yield
                group = self.take.object.vertex_groups[name]

    def _is_whole(self, obj: bpy.types.Object) -> bool:
        entry = self.entry
        return not entry.groups or entry.armature is not None

    def _part_names(self, obj: bpy.types.Object, count: int) -> list[str]:
        """Names of the object's parts, if the handles move exactly these and the names are free; else none."""
        names, faces = [joint.name for joint in obj.neurok.joints], face_parts(obj.data)
        if faces is None or len(names) != count or len(set(names)) < count:
            return []
        moved = self.take.motion.weights.argmax(axis=1)
        if not np.array_equal(moved, vertex_parts(obj.data, faces, count)):
            return []
        wanted = [names, [f"{self.entry.name} {name}" for name in names]]
        return next((each for each in wanted if not set(obj.vertex_groups.keys()) & set(each)), [])

    @staticmethod
    def _free_names(obj: bpy.types.Object, name: str, count: int) -> list[str]:
        taken = set(obj.vertex_groups.keys())
        names = [f"{name} {number + 1:02d}" for number in range(count)]
        return names if not taken & set(names) else ArmatureBake._free_names(obj, f"{name} Bone", count)


def _in_world(
    fit: SkinFit, to_world: NDArray[np.float64], world: NDArray[np.float32]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """What each bone does about its middle: linear [T,J,3,3], location [T,J,3]; and the middles [J,3], world."""
    whole = to_world[:3, :3] @ np.swapaxes(fit.bones, -1, -2)
    weights = fit.weights.astype(np.float64)
    centres = (weights.T @ world) / np.maximum(weights.sum(axis=0), 1e-12)[:, None]
    linear = np.ascontiguousarray(whole[..., :3])
    location = np.einsum("tjab,jb->tja", linear, centres) + whole[..., 3] - centres
    return linear, location, centres


def _stretch_name(name: str) -> str:
    return f"{name} Stretch"


def _bones(name: str, centre: NDArray[np.float64], single: bool) -> list[Bone]:
    """The deforming one has the name of the vertex group."""
    if single:
        return [(name, centre.tolist(), "", True)]
    return [(_stretch_name(name), centre.tolist(), "", False), (name, centre.tolist(), _stretch_name(name), True)]


def _key(rig: bpy.types.Object, bone: str, frames: NDArray[np.float64], track: Track) -> None:
    """Curves for a pose bone's location, quaternion and scale; none for what never changes from rest."""
    path = f'pose.bones["{bpy.utils.escape_identifier(bone)}"]'
    curves = curves_of(rig)
    rests = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    for name, values, rest in zip(("location", "rotation_quaternion", "scale"), track, rests, strict=True):
        if np.abs(values - rest).max() < 1e-9:
            continue
        for axis in range(values.shape[1]):
            add_curve(curves, f"{path}.{name}", axis, np.column_stack([frames, values[:, axis]]))
