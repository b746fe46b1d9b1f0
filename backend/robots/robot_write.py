"""Robots by the extension of the file: .urdf, .xml (MuJoCo's MJCF), .usda and .usdc."""

from __future__ import annotations

from pathlib import Path

from ..errors import UserError
from ..texts import Text
from .mjcf_write import write_mjcf
from .robot import Robot
from .urdf_write import write_urdf

__all__ = ["ROBOT_OUTPUTS", "check_robot_output", "write_robot"]

ROBOT_OUTPUTS = (".urdf", ".xml", ".usda", ".usdc")


def check_robot_output(path: Path) -> None:
    """Raises UserError where nothing can be written, before any work is done."""
    if path.suffix.lower() not in ROBOT_OUTPUTS:
        raise UserError("unknown_format.robot", file=path.name, known=" ".join(ROBOT_OUTPUTS))
    if not path.parent.is_dir():
        raise UserError("cannot_write.missing_folder", folder=path.parent)


def write_robot(path: Path, robot: Robot) -> list[Text]:
    """What the format could not say. Raises UserError."""
    check_robot_output(path)
    if path.suffix.lower() in (".usda", ".usdc"):
        from .usd_physics_write import write_usd_physics

        return write_usd_physics(path, robot)
    (write_urdf if path.suffix.lower() == ".urdf" else write_mjcf)(path, robot)
    return []
