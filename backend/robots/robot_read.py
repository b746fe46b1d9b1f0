"""Robot readers by file extension."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..errors import UserError
from ..geometry.mesh import Mesh
from ..kinematics.jointed import Jointed

__all__ = ["ROBOT_EXTENSIONS", "read_robot"]


def _read_urdf(path: Path) -> tuple[Mesh, Jointed]:
    from .urdf_read import read_urdf  # yourdfpy and its XML library are slow to import

    return read_urdf(path)


_READERS: dict[str, Callable[[Path], tuple[Mesh, Jointed]]] = {".urdf": _read_urdf}
ROBOT_EXTENSIONS = tuple(_READERS)


def read_robot(path: Path) -> tuple[Mesh, Jointed]:
    """The meshes of all links as one, and the joints. Raises UserError."""
    if path.suffix.lower() not in _READERS:
        raise UserError("unknown_format.robot", file=path.name, known=" ".join(ROBOT_EXTENSIONS))
    return _READERS[path.suffix.lower()](path)
