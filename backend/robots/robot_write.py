"""Robot writers by file extension: URDF, MuJoCo's MJCF and USD Physics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..errors import UserError
from .mjcf_write import write_mjcf
from .robot import Robot
from .urdf_write import write_urdf
from .usd_physics_write import write_usd_physics

__all__ = ["ROBOT_OUTPUTS", "check_robot_output", "write_robot"]

# Each writes a file and returns sentences about what its format could not say.
_WRITERS: dict[str, Callable[[Path, Robot], list[str]]] = {
    ".urdf": write_urdf,
    ".xml": write_mjcf,
    ".usda": write_usd_physics,
    ".usdc": write_usd_physics,
}
ROBOT_OUTPUTS = tuple(_WRITERS)


def check_robot_output(path: Path) -> None:
    """Raises UserError where nothing can be written, before any work is done."""
    if path.suffix.lower() not in ROBOT_OUTPUTS:
        remedy = f"Use one of {' '.join(ROBOT_OUTPUTS)}."
        raise UserError("unknown_format", f"The file {path.name} has no known extension of a robot.", remedy)
    if not path.parent.is_dir():
        raise UserError("cannot_write", f"There is no folder {path.parent}.", "Choose a folder that exists.")


def write_robot(path: Path, robot: Robot) -> list[str]:
    """Writes the robot; sentences about what the format could not say. Raises UserError."""
    check_robot_output(path)
    return _WRITERS[path.suffix.lower()](path, robot)
