"""Animated USD (.usdc): Z up, metres, frames from 1 at the take's own rate.

What few rigid handles move is a UsdSkel skeleton with an animation; anything else has points at every frame.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from errno import EIO
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from .appearance import Part, Primitive
from .atomic_write import atomic_path
from .morphing import Morphing
from .moving_mesh import MovingMesh
from .skin import Skin, exact_skin
from .usd_materials import UsdMaterials
from .usd_names import display_name, prim_name

if TYPE_CHECKING:
    from pxr import Sdf, Usd, UsdGeom

__all__ = ["check_usd", "write_usdc"]

_MOST_INFLUENCES = 8  # what has more takes less room as points


def check_usd() -> None:
    """Raises UserError where the library is not installed; Blender's own Python does not show its copy."""
    if importlib.util.find_spec("pxr") is None:
        raise UserError("no_usd.missing")


def write_usdc(path: str | Path, objects: Sequence[MovingMesh], fps: float) -> None:
    """A prim for each object under its name, with a mesh for each of its parts."""
    from pxr import Tf, Usd, UsdGeom

    with atomic_path(path) as temporary:
        try:
            stage = Usd.Stage.CreateNew(str(temporary))
            UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
            UsdGeom.SetStageMetersPerUnit(stage, 1.0)
            stage.SetTimeCodesPerSecond(fps)
            stage.SetFramesPerSecond(fps)
            stage.SetStartTimeCode(1)
            stage.SetEndTimeCode(len(objects[0].frames))
            used: set[str] = set()
            for each in objects:
                _Writer(stage, each, used).write()
            stage.SetDefaultPrim(next(iter(stage.GetPseudoRoot().GetChildren())))
            stage.GetRootLayer().Save()
        except Tf.ErrorException as problem:
            raise OSError(EIO, "USD cannot save it") from problem
        # The file stays open, and on Windows cannot be moved, as long as anything holds the stage.
        del stage


class _Writer:
    """One object of a stage."""

    def __init__(self, stage: Usd.Stage, moving: MovingMesh, used: set[str]) -> None:
        self._stage, self._moving, self._skin = stage, moving, exact_skin(moving, _MOST_INFLUENCES)
        self._root = f"/{prim_name(moving.title, used)}"
        self._morphing = Morphing(moving)

    def write(self) -> None:
        from pxr import UsdGeom, UsdSkel

        kind = UsdSkel.Root if self._skin else UsdGeom.Xform
        kind.Define(self._stage, self._root).GetPrim().SetDisplayName(display_name(self._moving.title))
        skeleton = self._skeleton(self._skin) if self._skin else None
        used = {"Rig", "Materials"}
        materials = UsdMaterials(self._stage, f"{self._root}/Materials", self._moving.library)
        for part in self._moving.parts:
            vertices = _span([each.vertices for each in part.primitives])
            if vertices.stop == vertices.start:
                continue
            mesh = self._mesh(part, vertices, prim_name(part.name, used))
            if self._skin:
                self._bind(mesh, self._skin, vertices, skeleton)
            materials.assign(mesh, part, _triangles_of(part), vertices)

    def _mesh(self, part: Part, vertices: slice, name: str) -> UsdGeom.Mesh:
        from pxr import Usd, UsdGeom, Vt

        mesh = UsdGeom.Mesh.Define(self._stage, f"{self._root}/{name}")
        mesh.GetPrim().SetDisplayName(display_name(part.name))
        triangles = self._moving.triangles[_triangles_of(part)] - vertices.start
        mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(triangles), 3, dtype=np.int32)))
        mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(triangles.astype(np.int32).ravel()))
        mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        mesh.CreateDoubleSidedAttr(True)
        points, extent, normals = mesh.CreatePointsAttr(), mesh.CreateExtentAttr(), None
        has_normals = all("NORMAL" in each.attributes for each in part.primitives)
        if has_normals:
            normals = mesh.CreateNormalsAttr()
            mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
        if self._skin:
            points.Set(_vectors(self._skin.rest[vertices]))
            if normals:
                normals.Set(_vectors(_filled(part, vertices, lambda each: each.attributes["NORMAL"])))
        for number in range(len(self._moving.frames)):
            time = Usd.TimeCode(number + 1)
            positions = self._moving.frames[number, vertices]
            extent.Set(_vectors(np.array([positions.min(axis=0), positions.max(axis=0)])), time)
            if not self._skin:
                points.Set(_vectors(positions), time)
                if normals:
                    turned = _filled(part, vertices, partial(self._morphing.normals, number=number))
                    normals.Set(_vectors(turned), time)
        return mesh

    def _skeleton(self, skin: Skin) -> Sdf.Path:
        from pxr import Gf, Usd, UsdSkel, Vt

        skeleton = UsdSkel.Skeleton.Define(self._stage, f"{self._root}/Rig")
        animation = UsdSkel.Animation.Define(self._stage, f"{self._root}/Rig/Motion")
        joints = [f"Handle_{number + 1}" for number in range(len(skin.centres))]
        places = Vt.Matrix4dArray([Gf.Matrix4d().SetTranslate(Gf.Vec3d(*centre)) for centre in skin.centres.tolist()])
        skeleton.CreateJointsAttr(joints)
        skeleton.CreateBindTransformsAttr(places)
        skeleton.CreateRestTransformsAttr(places)
        animation.CreateJointsAttr(joints)
        locations, rotations = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
        animation.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1.0)] * len(joints)))
        for number in range(len(skin.locations)):
            time = Usd.TimeCode(number + 1)
            locations.Set(_vectors(skin.locations[number]), time)
            quaternions = [Gf.Quatf(w, x, y, z) for x, y, z, w in skin.rotations[number].tolist()]
            rotations.Set(Vt.QuatfArray(quaternions), time)
        binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
        binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
        return skeleton.GetPath()

    def _bind(self, mesh: UsdGeom.Mesh, skin: Skin, vertices: slice, skeleton: Sdf.Path) -> None:
        from pxr import Gf, UsdSkel, Vt

        binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
        binding.CreateSkeletonRel().SetTargets([skeleton])
        binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
        columns = skin.joints.shape[1]
        joints = skin.joints[vertices].astype(np.int32).ravel()
        binding.CreateJointIndicesPrimvar(False, columns).Set(Vt.IntArray.FromNumpy(joints))
        weights = np.ascontiguousarray(skin.weights[vertices], dtype=np.float32).ravel()
        binding.CreateJointWeightsPrimvar(False, columns).Set(Vt.FloatArray.FromNumpy(weights))


def _filled(part: Part, vertices: slice, rows_of: Callable[[Primitive], NDArray[np.floating]]) -> NDArray[np.float32]:
    """Rows Float32[N,3] of the part's vertices, each primitive's as `rows_of` gives them."""
    rows = np.zeros((vertices.stop - vertices.start, 3), dtype=np.float32)
    for each in part.primitives:
        rows[each.vertices.start - vertices.start : each.vertices.stop - vertices.start] = rows_of(each)
    return rows


def _span(slices: Sequence[slice]) -> slice:
    """From the first to the last; those of one part lie together."""
    if not slices:
        return slice(0, 0)
    return slice(min(each.start for each in slices), max(each.stop for each in slices))


def _triangles_of(part: Part) -> slice:
    return _span([each.triangles for each in part.primitives])


def _vectors(values: NDArray[np.floating]):
    from pxr import Vt

    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, dtype=np.float32))
