"""Robot writers by file extension: URDF, MuJoCo's MJCF and USD Physics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..errors import UserError
from ..texts import Text
from .mjcf_write import write_mjcf
from .robot import Robot
from .urdf_write import write_urdf
from .usd_physics_write import write_usd_physics

__all__ = ["ROBOT_OUTPUTS", "check_robot_output", "write_robot"]

# Each writes a file and returns sentences about what its format could not say.
_WRITERS: dict[str, Callable[[Path, Robot], list[Text]]] = {
    ".urdf": write_urdf,
    ".xml": write_mjcf,
    ".usda": write_usd_physics,
    ".usdc": write_usd_physics,
}
ROBOT_OUTPUTS = tuple(_WRITERS)


def check_robot_output(path: Path) -> None:
    """Raises UserError where nothing can be written, before any work is done."""
    if path.suffix.lower() not in ROBOT_OUTPUTS:
        raise UserError("unknown_format.robot", file=path.name, known=" ".join(ROBOT_OUTPUTS))
    if not path.parent.is_dir():
        raise UserError("cannot_write.missing_folder", folder=path.parent)


def write_robot(path: Path, robot: Robot) -> list[Text]:
    """Writes the robot; sentences about what the format could not say. Raises UserError."""
    check_robot_output(path)
    return _WRITERS[path.suffix.lower()](path, robot)
