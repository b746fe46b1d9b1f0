"""Conversion of a robot's file, or of a mesh with a file of joints, to URDF, MJCF or USD."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..dynamics.conditions import read_conditions
from ..errors import UserError
from ..io.json_file import read_json
from ..robots.joints_file import read_jointed
from ..robots.robot import DENSITY, Robot
from ..robots.robot_write import check_robot_output, write_robot
from .object_files import read_source
from .referenced_files import with_files

__all__ = ["convert"]


def convert(
    source: Path, joints: Path | None, output: Path, density: float | None, name: str | None, fixed_base: bool
) -> str:
    """`source` is a robot (.urdf), a file of joints (.json) or a mesh whose joints are in the file `joints`.

    `density` in kg/m^3, of what has no mass; `fixed_base`: whether the roots are bolted to the world. Returns what was
    written, one line. Raises UserError.
    """
    check_robot_output(output)
    if density is not None and not 0.0 < density < np.inf:
        raise UserError("bad_option.density", density=density)
    if source.suffix.lower() == ".json":
        mesh, jointed = read_jointed(source)
    else:
        found = read_source(source)
        mesh, jointed = found.mesh, found.jointed
        if joints is not None:
            jointed = with_files(read_conditions({"joints": str(joints)}), Path(), mesh).joints
    if jointed is None:
        raise UserError("no_joints.file", file=source.name)
    own = read_json(source, "joints").get("name") if source.suffix.lower() == ".json" else None
    jointed = jointed.with_base(fixed_base)
    robot = Robot.of(name or own or source.stem, mesh, jointed, density or DENSITY)
    notes = write_robot(output, robot)
    moving = len(robot.tree.coordinates)
    line = f"{output}: {len(robot.links)} links, {moving} joints that move."
    return "\n".join([line, *(f"Note: {note}" for note in notes)])
