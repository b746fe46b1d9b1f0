"""The worker's request `pointmap`: surfaces frame by frame in one message, files out.

Header: "camera" and "size" as `camera_file` reads them, "output", "exr" (null for none), "fps", "first" (the number
of the first frame) and "names" of the objects. Arrays: "vertices" float32 (sum of V,3) in the world, "vertex_counts"
int32 (T,); "triangles" int32 (sum of F,3), "colors" float32 and "objects" int32 of these, and "triangle_counts" int32,
one for each frame, or a single one where the triangles are the same in all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .. import protocol
from ..errors import UserError
from ..pointmap.camera_file import read_camera
from ..pointmap.moving_surfaces import MovingSurfaces, checked_surface
from ..pointmap.render import Surface
from ..pointmap.render_take import RenderSettings, make_pointmaps

__all__ = ["answer_pointmap"]


def answer_pointmap(message: protocol.Message, progress: Callable[[str, int, int], None]) -> dict[str, Any]:
    """Makes the files; the report. Raises UserError."""
    header = message.header
    moving = _moving(message)
    size, pictures, output = header.get("size"), header.get("exr"), header.get("output")
    texts = isinstance(output, str) and output and (pictures is None or isinstance(pictures, str))
    if not texts or type(header.get("first")) is not int:
        raise _unfit("output")
    if not isinstance(size, list) or len(size) != 2 or not all(type(side) is int for side in size):
        raise _unfit("size")
    wanted = RenderSettings(Path(output), None if pictures is None else Path(pictures), moving.frames, header["first"])
    return make_pointmaps(moving, read_camera(header.get("camera"), (size[0], size[1])), wanted, progress)


def _moving(message: protocol.Message) -> MovingSurfaces:
    vertices, triangles = _array(message, "vertices", "float32", 2), _array(message, "triangles", "int32", 2)
    colors, objects = _array(message, "colors", "float32", 2), _array(message, "objects", "int32", 1)
    of_vertices, of_triangles = (_bounds(message, name) for name in ("vertex_counts", "triangle_counts"))
    frames = len(of_vertices) - 1
    fits = of_vertices[-1] == len(vertices) and of_triangles[-1] == len(triangles) == len(colors) == len(objects)
    if not fits or len(of_triangles) - 1 not in (1, frames):
        raise _unfit("vertex_counts")
    fps, names = message.header.get("fps"), message.header.get("names")
    if not isinstance(fps, int | float) or not isinstance(names, list):
        raise _unfit("names")

    def surface(frame: int) -> Surface:
        drawn = min(frame, len(of_triangles) - 2)
        chosen = slice(of_triangles[drawn], of_triangles[drawn + 1])
        own = vertices[of_vertices[frame] : of_vertices[frame + 1]]
        return checked_surface(own, triangles[chosen], colors[chosen], objects[chosen])

    return MovingSurfaces(frames, float(fps), [str(name) for name in names], surface)


def _array(message: protocol.Message, name: str, dtype: str, dimensions: int) -> np.ndarray:
    array = message.arrays.get(name)
    rows = dimensions == 1 or (array is not None and array.shape[-1] == 3)
    if array is None or array.dtype.name != dtype or array.ndim != dimensions or not rows:
        raise _unfit(name)
    return array


def _bounds(message: protocol.Message, name: str) -> np.ndarray:
    """Where each frame's rows begin and, last, where they end."""
    counts = _array(message, name, "int32", 1)
    if not len(counts) or counts.min() < 0:
        raise _unfit(name)
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _unfit(name: str) -> UserError:
    return UserError("bad_request.pointmap", key=name)
