"""Pointmaps as OpenEXR pictures: one file a frame, several layers, 32 bits a channel."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import UserError
from .camera import Camera
from .render import Picture

__all__ = ["exr_path", "prepare_folder", "write_exr"]


def prepare_folder(folder: Path) -> None:
    """Makes the folder, and sees whether there is anything to write with. Raises UserError."""
    try:
        import OpenEXR  # noqa: F401
    except ImportError as problem:
        raise UserError("no_openexr.missing") from problem
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise _cannot_write(folder, problem) from problem


def exr_path(folder: Path, frame: int) -> Path:
    """Of a frame of the timeline."""
    return folder / f"pointmap_{frame:04d}.exr"


def write_exr(path: Path, picture: Picture, camera: Camera) -> None:
    """Layers: R, G, B linear with the mask as A; position.X/Y/Z; depth.Z; object.V, the number of the object.

    What makes pixels of points is beside them: "intrinsics" and "extrinsics", row by row. Raises UserError.
    """
    import OpenEXR

    layers = {"A": picture.mask, "depth.Z": picture.depth, "object.V": picture.objects}
    layers |= {name: picture.colors[:, :, axis] for axis, name in enumerate("RGB")}
    layers |= {f"position.{name}": picture.points[:, :, axis] for axis, name in enumerate("XYZ")}
    header = {
        "compression": OpenEXR.ZIP_COMPRESSION,
        "type": OpenEXR.scanlineimage,
        "pixelAspectRatio": camera.pixel_aspect_x / camera.pixel_aspect_y,
        "intrinsics": " ".join(f"{number:.17g}" for number in camera.intrinsics.ravel()),
        "extrinsics": " ".join(f"{number:.17g}" for number in camera.extrinsics.ravel()),
    }
    pixels = {name: np.ascontiguousarray(layer, dtype=np.float32) for name, layer in layers.items()}
    try:
        OpenEXR.File(header, pixels).write(str(path))
    except (OSError, RuntimeError) as problem:
        raise _cannot_write(path, problem) from problem


def _cannot_write(path: Path, problem: Exception) -> UserError:
    reason = getattr(problem, "strerror", None) or problem
    return UserError("cannot_write.file", path=path, reason=reason)
