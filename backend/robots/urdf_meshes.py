"""The surfaces of a URDF link: mesh files wherever they lie near the robot's file, boxes, cylinders and spheres."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlparse

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError, blamed
from ..io.reading import MESH_EXTENSIONS, read_mesh
from ..kinematics.base import Array

__all__ = ["found_file", "link_surface"]

LEVELS_UP = 4  # folders above the robot's file in which packages are looked for


def found_file(name: str, folder: Path) -> Path:
    """Where a mesh named in a URDF file of that folder is. Raises UserError.

    "package://robot/meshes/arm.stl" is meshes/arm.stl in a folder named robot at or above the file, or wherever above
    the file the rest of the path leads somewhere: packages of others are seldom installed where robots are posed.
    """
    address = urlparse(name)
    if address.scheme in ("http", "https"):
        raise UserError("missing_mesh.network", mesh=name)
    path = PurePosixPath(unquote(f"{address.netloc}{address.path}") if address.scheme else name.replace("\\", "/"))
    inside = PurePosixPath(*path.parts[1:]) if address.scheme in ("package", "model") else path
    above = [folder, *list(folder.resolve().parents)[:LEVELS_UP]]
    tried = [Path(path)] if path.is_absolute() else [place / rest for place in above for rest in (path, inside)]
    tried += [place / path.name for place in (folder, folder / "meshes")]
    for candidate in tried:
        if candidate.is_file():
            return candidate
    raise UserError("missing_mesh.not_found", mesh=name, folder=folder)


def _read(path: Path) -> tuple[Array, NDArray[np.int64]]:
    if path.suffix.lower() in MESH_EXTENSIONS:
        mesh = read_mesh(path)
        if path.suffix.lower() == ".glb":  # turned to Z up by our reader; a URDF takes meshes as they are
            return mesh.vertices[:, [0, 2, 1]] * [1.0, 1.0, -1.0], mesh.triangles
        return mesh.vertices, mesh.triangles
    import trimesh

    try:
        loaded = trimesh.load(path, force="mesh", process=False)
        return np.array(loaded.vertices, dtype=np.float64), np.array(loaded.faces, dtype=np.int64)
    except Exception as problem:  # whatever the readers of many formats say of a file, or of what they need and miss
        raise UserError("unknown_format.link_mesh", file=path.name, known=" ".join(MESH_EXTENSIONS)) from problem


def _shape(geometry: Any, folder: Path) -> tuple[Array, NDArray[np.int64]]:
    if geometry.mesh is not None:
        with blamed("within.mesh", file=geometry.mesh.filename):
            vertices, triangles = _read(found_file(geometry.mesh.filename, folder))
        scale = np.ones(3) if geometry.mesh.scale is None else np.broadcast_to(geometry.mesh.scale, 3)
        return vertices * scale, triangles[:, ::-1] if np.prod(scale) < 0.0 else triangles
    from trimesh import creation

    if geometry.box is not None:
        made = creation.box(extents=geometry.box.size)
    elif geometry.cylinder is not None:
        made = creation.cylinder(radius=geometry.cylinder.radius, height=geometry.cylinder.length, sections=32)
    else:
        made = creation.icosphere(subdivisions=2, radius=geometry.sphere.radius)
    return np.array(made.vertices, dtype=np.float64), np.array(made.faces, dtype=np.int64)


def link_surface(seen: Sequence[Any], felt: Sequence[Any], folder: Path) -> tuple[Array, NDArray[np.int64]]:
    """Vertices in the link's frame and triangles of its visuals, or of its collision shapes where it has no visuals."""
    vertices, triangles, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)], 0
    for each in seen or felt:
        if each.geometry is None:
            continue
        points, faces = _shape(each.geometry, folder)
        if each.origin is not None:
            points = points @ each.origin[:3, :3].T + each.origin[:3, 3]
        vertices.append(points)
        triangles.append(faces + count)
        count += len(points)
    return np.concatenate(vertices), np.concatenate(triangles)
