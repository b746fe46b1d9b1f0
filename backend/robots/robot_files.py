"""Shared by the robot writers: numbers with all their digits, and the mesh files of the links."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..io.atomic_write import atomic_write
from .robot import Robot

__all__ = ["FOREVER", "numbers", "write_meshes", "write_xml"]

FOREVER = 1e6  # rad or m: a limit where a format wants one and there is none


def numbers(values: float | Iterable[float]) -> str:
    """With as many digits as bring back the same numbers."""
    return " ".join(repr(float(value)) for value in np.atleast_1d(np.asarray(values, dtype=np.float64)))


def write_xml(path: Path, root: ElementTree.Element) -> None:
    """Indented, complete or not at all."""
    ElementTree.indent(root)
    with atomic_write(path) as stream:
        ElementTree.ElementTree(root).write(stream, encoding="utf-8", xml_declaration=True)
        stream.write(b"\n")


def _write_obj(path: Path, vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> None:
    with atomic_write(path) as stream:
        np.savetxt(stream, vertices, fmt="v %.9g %.9g %.9g")
        np.savetxt(stream, triangles + 1, fmt="f %d %d %d")


def write_meshes(path: Path, robot: Robot) -> tuple[str, dict[int, str], dict[int, str]]:
    """Meshes and hulls of the links in a folder beside the file at `path`, in the links' frames.

    Gives the folder's name, and by part the files of meshes and of hulls in it.
    """
    folder = path.with_name(f"{path.stem}_meshes")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UserError("cannot_write.make_folder", folder=folder, reason=problem.strerror or problem) from problem
    visuals, hulls = {}, {}
    for part, name in enumerate(robot.links):
        for files, found, file in (
            (visuals, robot.visual(part), f"{name}.obj"),
            (hulls, robot.hull(part), f"{name}_hull.obj"),
        ):
            if found is not None:
                _write_obj(folder / file, *found)
                files[part] = file
    return folder.name, visuals, hulls
