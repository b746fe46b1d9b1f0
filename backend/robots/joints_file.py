"""Files of joints (joints.json): parts with a mesh file each, all in one frame, and the joints between them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import UserError
from ..geometry.mesh import Mesh
from ..io.json_file import read_json
from ..io.reading import read_mesh
from ..kinematics.jointed import Jointed
from ..kinematics.joints_json import jointed_mesh, read_tree

__all__ = ["read_jointed"]


def read_jointed(path: Path) -> tuple[Mesh, Jointed]:
    """The meshes of all parts as one, and its joints. Raises UserError."""
    _, parts = read_tree(value := read_json(path, "joints"))
    meshes = [read_mesh(path.parent / part["mesh"]) for part in parts if "mesh" in part]
    if len(meshes) < len(parts):
        raise UserError("bad_joints.part_without_mesh")
    starts = np.cumsum([0, *(len(each.vertices) for each in meshes)])[:-1]
    triangles = np.concatenate([each.triangles + start for each, start in zip(meshes, starts, strict=True)])
    slots = np.zeros(len(triangles), dtype=np.int64)
    mesh = Mesh(np.concatenate([each.vertices for each in meshes]), triangles, slots)
    return mesh, jointed_mesh(mesh, value, lambda name: read_mesh(path.parent / name))
