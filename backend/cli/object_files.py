"""What a file given as an object holds: a mesh, how it looks, and, of a robot, its joints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..geometry.mesh import Mesh
from ..io import Looks, read_model
from ..kinematics.jointed import Jointed
from ..understanding.providers.registry import AUTOMATIC, understands

__all__ = ["ROBOT_EXTENSIONS", "read_source", "with_joints_of"]

ROBOT_EXTENSIONS = (".urdf",)


def read_source(path: Path) -> tuple[Mesh, Looks | None, Jointed | None]:
    """A mesh file, or a robot (.urdf) with the meshes that it names. Raises UserError."""
    if path.suffix.lower() in ROBOT_EXTENSIONS:
        from ..robots.urdf_read import read_urdf

        mesh, jointed = read_urdf(path)
        return mesh, None, jointed
    return *read_model(path), None


def with_joints_of(conditions: Any, jointed: Jointed | None) -> Any:
    """Conditions (JSON) in which the joints are those of the object's own file, if they ask for no others."""
    if jointed is None or not isinstance(conditions, dict) or conditions.get("joints") is not None:
        return conditions
    if not understands(conditions.get("provider", AUTOMATIC), "joints"):
        return conditions
    return {**conditions, "joints": jointed}
