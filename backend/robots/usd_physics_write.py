"""Robots as USD with its physics schemas: rigid bodies, joints with limits and damping, masses, convex hulls.

Z up and metres. USD's own schemas know no dry friction of joints and no joints that follow others: friction is
written as the attribute by which PhysX knows it; joints that follow move by themselves, and a note says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

from ..errors import UserError
from ..io.atomic_write import atomic_path
from ..io.usd_names import display_name, prim_name
from ..io.usd_write import check_usd
from ..kinematics.base import Array
from ..kinematics.joint_tree import WORLD, Joint
from ..texts import Text
from .robot import Robot

if TYPE_CHECKING:
    from pxr import Gf, Usd

__all__ = ["write_usd_physics"]


def write_usd_physics(path: str | Path, robot: Robot) -> list[Text]:
    """Writes a .usda or .usdc file; sentences about what the format could not say."""
    check_usd()
    from pxr import Tf, Usd, UsdGeom

    with atomic_path(path) as temporary:
        try:
            stage = Usd.Stage.CreateNew(str(temporary))
            UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
            UsdGeom.SetStageMetersPerUnit(stage, 1.0)
            _Writer(stage, robot).write()
            stage.GetRootLayer().Save()
        except Tf.ErrorException as problem:
            raise UserError("cannot_write.usd", path=path) from problem
        # As long as anything holds the stage, Windows does not let the file be moved.
        del stage
    followers = [robot.joints[mimic.child] for mimic in robot.tree.mimics]
    return [Text("robot.no_followers", joints=", ".join(followers))] if followers else []


class _Writer:
    def __init__(self, stage: Usd.Stage, robot: Robot) -> None:
        self._stage, self._robot = stage, robot
        self._root = f"/{prim_name(robot.name, set())}"
        used: set[str] = {"Joints"}
        self._links = [f"{self._root}/{prim_name(name, used)}" for name in robot.links]

    def write(self) -> None:
        from pxr import Sdf, UsdGeom, UsdPhysics

        root = UsdGeom.Xform.Define(self._stage, self._root).GetPrim()
        root.SetDisplayName(display_name(self._robot.name))
        self._stage.SetDefaultPrim(root)
        scene = UsdPhysics.Scene.Define(self._stage, f"{self._root}/PhysicsScene")
        scene.CreateGravityDirectionAttr((0.0, 0.0, -1.0))
        scene.CreateGravityMagnitudeAttr(9.81)
        UsdPhysics.ArticulationRootAPI.Apply(root)
        UsdGeom.Scope.Define(self._stage, f"{self._root}/Joints")
        for part in range(len(self._robot.links)):
            self._link(part)
        used: set[str] = set()
        for part in self._robot.tree.order:
            joint = self._robot.tree.joint_of(part)
            if joint is not None:
                self._joint(joint, f"{self._root}/Joints/{prim_name(self._robot.joints[part], used)}")
        near = {one: [] for one, _ in self._robot.overlapping}
        for one, other in self._robot.overlapping:
            near[one].append(Sdf.Path(self._links[other]))
        for one, others in near.items():
            pairs = UsdPhysics.FilteredPairsAPI.Apply(self._stage.GetPrimAtPath(self._links[one]))
            pairs.CreateFilteredPairsRel().SetTargets(others)

    def _link(self, part: int) -> None:
        from pxr import Gf, UsdGeom, UsdPhysics

        robot = self._robot
        link = UsdGeom.Xform.Define(self._stage, self._links[part])
        link.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*robot.origin(part).tolist()))
        prim = link.GetPrim()
        prim.SetDisplayName(display_name(robot.tree.parts[part]))
        UsdPhysics.RigidBodyAPI.Apply(prim)
        inertia = robot.inertias[part]
        moments, axes = np.linalg.eigh(inertia.tensor)
        if np.linalg.det(axes) < 0.0:
            axes[:, 2] *= -1.0
        mass = UsdPhysics.MassAPI.Apply(prim)
        mass.CreateMassAttr(float(inertia.mass))
        mass.CreateCenterOfMassAttr(_vector(inertia.centre - robot.origin(part)))
        mass.CreateDiagonalInertiaAttr(_vector(moments))
        mass.CreatePrincipalAxesAttr(_quaternion(Rotation.from_matrix(axes)))
        for name, found, felt in (("visual", robot.visual(part), False), ("collision", robot.hull(part), True)):
            if found is not None:
                self._mesh(f"{self._links[part]}/{name}", *found, felt)

    def _mesh(self, path: str, vertices: Array, triangles: np.ndarray, felt: bool) -> None:
        from pxr import UsdGeom, UsdPhysics, Vt

        mesh = UsdGeom.Mesh.Define(self._stage, path)
        mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(vertices, dtype=np.float32)))
        mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(triangles), 3, dtype=np.int32)))
        mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(triangles.astype(np.int32).ravel()))
        mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        mesh.CreateDoubleSidedAttr(True)
        ends = np.array([vertices.min(axis=0), vertices.max(axis=0)], dtype=np.float32)
        mesh.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(ends))
        if felt:
            mesh.CreatePurposeAttr(UsdGeom.Tokens.guide)
            UsdPhysics.CollisionAPI.Apply(mesh.GetPrim())
            shape = UsdPhysics.MeshCollisionAPI.Apply(mesh.GetPrim())
            shape.CreateApproximationAttr(UsdPhysics.Tokens.convexHull)

    def _joint(self, joint: Joint, path: str) -> None:
        from pxr import Gf, Sdf, UsdPhysics

        kinds = {"fixed": UsdPhysics.FixedJoint, "prismatic": UsdPhysics.PrismaticJoint}
        made = kinds.get(joint.kind, UsdPhysics.RevoluteJoint).Define(self._stage, path)
        made.GetPrim().SetDisplayName(display_name(joint.name or path.rsplit("/", 1)[1]))
        if joint.parent != WORLD:  # without a first body a joint holds on to the world
            made.CreateBody0Rel().SetTargets([Sdf.Path(self._links[joint.parent])])
        made.CreateBody1Rel().SetTargets([Sdf.Path(self._links[joint.child])])
        made.CreateLocalPos0Attr(_vector(self._robot.place(joint)))
        made.CreateLocalPos1Attr(Gf.Vec3f(0.0))
        along = _quaternion(_onto(joint.axis) if joint.moves else Rotation.identity())
        made.CreateLocalRot0Attr(along)
        made.CreateLocalRot1Attr(along)
        if not joint.moves:
            return
        # The joint's x axis is turned onto the axis; angles are in degrees here.
        made.CreateAxisAttr(UsdPhysics.Tokens.x)
        unit = np.degrees(1.0) if joint.turns else 1.0
        if np.isfinite(joint.lower):
            made.CreateLowerLimitAttr(float(unit * joint.lower))
        if np.isfinite(joint.upper):
            made.CreateUpperLimitAttr(float(unit * joint.upper))
        if joint.damping:
            kind = UsdPhysics.Tokens.angular if joint.turns else UsdPhysics.Tokens.linear
            drive = UsdPhysics.DriveAPI.Apply(made.GetPrim(), kind)
            drive.CreateTypeAttr(UsdPhysics.Tokens.force)
            drive.CreateStiffnessAttr(0.0)
            drive.CreateDampingAttr(float(joint.damping / unit))
            drive.CreateTargetVelocityAttr(0.0)
        if joint.friction:
            made.GetPrim().CreateAttribute("physxJoint:jointFriction", Sdf.ValueTypeNames.Float).Set(
                float(joint.friction)
            )


def _onto(axis: Array) -> Rotation:
    """A rotation that takes x onto an axis."""
    other = np.eye(3)[np.abs(axis).argmin()]
    second = np.cross(axis, other)
    second /= np.linalg.norm(second)
    return Rotation.from_matrix(np.column_stack([axis, second, np.cross(axis, second)]))


def _vector(values: Array) -> Gf.Vec3f:
    from pxr import Gf

    return Gf.Vec3f(*np.asarray(values, dtype=np.float64).tolist())


def _quaternion(rotation: Rotation) -> Gf.Quatf:
    from pxr import Gf

    x, y, z, w = rotation.as_quat().tolist()
    return Gf.Quatf(w, x, y, z)
