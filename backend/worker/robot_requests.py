"""The worker's requests `write_robot` and `read_robot`: jointed objects as files, and files as jointed objects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import protocol
from ..errors import UserError
from ..geometry.mesh import validate_mesh
from ..kinematics.inertia import Inertia
from ..kinematics.joint_tree import Joint, JointTree
from ..robots.robot import Robot
from ..robots.robot_read import read_robot
from ..robots.robot_write import check_robot_output, write_robot
from .joints_message import joints_of
from .requests import array_of, text_of

__all__ = ["answer_read", "answer_write"]


def answer_write(message: protocol.Message) -> dict[str, Any]:
    """Header: "joints" as of `analyze`, "output", "name", "density" (kg/m^3), "fixed_base", "colours" of the parts.

    The answer names what the format cannot hold.
    """
    header = message.header
    density = header.get("density")
    if not isinstance(density, int | float) or not 0.0 < density < np.inf:
        raise UserError("bad_request.density", request=message.type)
    output = Path(text_of(message.type, header, "output"))
    check_robot_output(output)
    mesh = validate_mesh(array_of(message, "vertices", "float32"), array_of(message, "triangles", "int32"))
    jointed = joints_of(message)
    jointed.check_fits(mesh)
    jointed = jointed.with_base(bool(header.get("fixed_base")))
    colours = header.get("colours")
    if isinstance(colours, list) and len(colours) == len(jointed.tree.parts):
        jointed = replace(jointed, colours=tuple(colour and tuple(map(float, colour)) for colour in colours))
    return {"notes": write_robot(output, Robot.of(text_of(message.type, header, "name"), mesh, jointed, density))}


def answer_read(message: protocol.Message) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header: "file". The answer has parts and joints as that of `joints` has them, and the array "part" Int[V].

    Parents of -1 are the world. "masses" and "colours" have what the file says of each part, or null.
    """
    mesh, jointed = read_robot(Path(text_of(message.type, message.header, "file")))
    arrays = {
        "vertices": mesh.vertices.astype(np.float32),
        "triangles": mesh.triangles.astype(np.int32),
        "part": jointed.part.astype(np.int32),
    }
    tree = jointed.tree
    joints = [_joint_entry(joint, tree) for joint in tree.joints]
    masses = [None if each is None else _mass_entry(each) for each in jointed.inertias]
    return {"parts": list(tree.parts), "joints": joints, "masses": masses, "colours": jointed.colours}, arrays


def _mass_entry(inertia: Inertia) -> dict[str, Any]:
    tensor = inertia.tensor
    six = [tensor[place] for place in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return {"mass": inertia.mass, "centre": inertia.centre.tolist(), "inertia": [float(each) for each in six]}


def _joint_entry(joint: Joint, tree: JointTree) -> dict[str, Any]:
    def finite(value: float) -> float | None:
        return float(value) if np.isfinite(value) else None

    follows = next((mimic for mimic in tree.mimics if mimic.child == joint.child), None)
    return {
        "name": joint.name,
        "child": joint.child,
        "parent": joint.parent,
        "type": joint.kind,
        "axis": joint.axis.tolist(),
        "origin": joint.origin.tolist(),
        "lower": finite(joint.lower),
        "upper": finite(joint.upper),
        "friction": joint.friction,
        "damping": joint.damping,
        "effort": finite(joint.effort),
        "velocity": finite(joint.velocity),
        "follows": None if follows is None else {"leader": follows.leader, "ratio": follows.ratio},
    }
