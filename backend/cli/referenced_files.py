"""Files named by conditions and scenes: meshes of colliders, poses and joints, relative to the naming file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..dynamics.conditions import Collider, Conditions
from ..errors import UserError, blamed
from ..geometry.mesh import Mesh
from ..io import read_mesh
from ..io.json_file import read_json
from ..kinematics.base import Array
from ..kinematics.jointed import Jointed
from ..kinematics.joints_json import jointed_mesh, parts_near
from ..robots.robot_read import ROBOT_EXTENSIONS, read_robot

__all__ = ["with_files", "with_meshes", "with_pose_file"]


def with_meshes(colliders: tuple[Collider, ...], folder: Path) -> tuple[Collider, ...]:
    """The colliders with the arrays of the files that they name."""
    return tuple(_with_mesh(collider, number, folder) for number, collider in enumerate(colliders))


def _with_mesh(collider: Collider, number: int, folder: Path) -> Collider:
    if collider.mesh is None:
        return collider
    with blamed("within.condition", where=f"colliders[{number}]"):
        mesh = read_mesh(folder / collider.mesh)
    return replace(collider, mesh=None, vertices=mesh.vertices, triangles=mesh.triangles)


def with_pose_file(value: Any, folder: Path, mesh: Mesh, placed: Callable[[Array], Array] | None = None) -> Any:
    """Conditions (JSON) of an object, with the vertices of the file that they name as its pose.

    `placed` brings vertices Float[V,3] of the file to where the object is.
    """
    if not (isinstance(value, dict) and isinstance(value.get("pose"), str)):
        return value
    with blamed("within.condition", where="pose"):
        pose = read_mesh(folder / value["pose"]).vertices
        if len(pose) != len(mesh.vertices):
            raise UserError(
                "bad_conditions.pose_file", file=value["pose"], count=len(pose), vertices=len(mesh.vertices)
            )
    return {**value, "pose": pose if placed is None else placed(pose)}


def with_files(
    conditions: Conditions, folder: Path, mesh: Mesh, placed: Callable[[Array], Array] | None = None
) -> Conditions:
    """The conditions of an object, with the colliders and joints of the files that they name.

    `placed` brings vertices Float[V,3] from the frame of the mesh file to where the object is.
    """
    joints = conditions.joints
    if joints is not None:
        with blamed("within.condition", where="joints"):
            joints = _joints(joints, folder, mesh)
            joints = joints if placed is None else joints.placed(placed)
    return replace(conditions, colliders=with_meshes(conditions.colliders, folder), joints=joints)


def _joints(given: Any, folder: Path, mesh: Mesh) -> Jointed:
    """The joints of a mesh, which may be those of a file: its parts are then found by where they lie."""
    if not isinstance(given, str):
        return jointed_mesh(mesh, given, lambda name: read_mesh(folder / name))
    path = folder / given
    if path.suffix.lower() in ROBOT_EXTENSIONS:
        robot, jointed = read_robot(path)
        if np.array_equal(robot.vertices, mesh.vertices):
            return jointed
        owner = jointed.part[robot.triangles[:, 0]]
        return replace(jointed, part=parts_near(mesh, robot.vertices, robot.triangles, owner))
    return jointed_mesh(mesh, read_json(path, "joints"), lambda name: read_mesh(path.parent / name))
