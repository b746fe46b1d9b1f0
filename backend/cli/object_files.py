"""Object files: a mesh with its appearance, or a robot with its joints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..geometry.mesh import Mesh
from ..io import Appearance, read_model
from ..kinematics.jointed import Jointed
from ..robots.robot_read import ROBOT_EXTENSIONS, read_robot
from ..understanding.providers.registry import AUTOMATIC, understands

__all__ = ["read_source", "with_joints_of"]


def read_source(path: Path) -> tuple[Mesh, Appearance | None, Jointed | None]:
    """A mesh file, or a robot with the meshes that its file names. Raises UserError."""
    if path.suffix.lower() in ROBOT_EXTENSIONS:
        mesh, jointed = read_robot(path)
        return mesh, None, jointed
    return *read_model(path), None


def with_joints_of(conditions: Any, jointed: Jointed | None) -> Any:
    """Conditions (JSON) in which the joints are those of the object's own file, if they ask for no others."""
    if jointed is None or not isinstance(conditions, dict) or conditions.get("joints") is not None:
        return conditions
    if not understands(conditions.get("provider", AUTOMATIC), "joints"):
        return conditions
    return {**conditions, "joints": jointed}
