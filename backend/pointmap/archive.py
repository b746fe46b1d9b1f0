"""Pointmaps as an .npz whose arrays are written frame by frame, so that no take is held in memory."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from ..errors import UserError
from ..io.atomic_write import atomic_write
from ..texts import in_english
from .camera import Camera
from .render import Picture

__all__ = ["PointmapArchive", "srgb"]


def srgb(linear: np.ndarray) -> np.ndarray:
    """Linear colours as uint8 of the sRGB curve."""
    linear = np.clip(linear, 0.0, 1.0)
    curved = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.power(linear, 1.0 / 2.4) - 0.055)
    return np.rint(255.0 * curved).astype(np.uint8)


class PointmapArchive:
    """Use it in a `with`, `add` every frame, then `write`. The file appears complete or not at all.

    Arrays: points (T,H,W,3) float32, mask (T,H,W) uint8, depth (T,H,W) float32, rgb (T,H,W,3) uint8,
    objects (T,H,W) uint16, intrinsics (T,3,3), extrinsics (T,4,4), and those that `write` is given.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._frames = 0
        self._shapes: dict[str, tuple[np.dtype, tuple[int, ...]]] = {}
        self._cameras: list[tuple[np.ndarray, np.ndarray]] = []

    def __enter__(self) -> PointmapArchive:
        try:
            # Beside the result: where that fits, this does, which the folder for temporary files need not be.
            self._folder = tempfile.TemporaryDirectory(prefix=f".{self._path.name}.", dir=self._path.parent)
        except OSError as problem:
            raise _cannot_write(self._path, problem) from problem
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def add(self, picture: Picture, camera: Camera) -> None:
        """The next frame. Raises UserError."""
        seen = picture.objects > 0
        rgb = np.zeros(picture.colors.shape, dtype=np.uint8)
        rgb[seen] = srgb(picture.colors[seen])
        arrays = {
            "points": picture.points,
            "mask": picture.mask,
            "depth": picture.depth,
            "rgb": rgb,
            "objects": picture.objects,
        }
        try:
            for name, array in arrays.items():
                with open(Path(self._folder.name, name), "ab") as stream:
                    stream.write(np.ascontiguousarray(array).data)
                self._shapes[name] = (array.dtype, array.shape)
        except OSError as problem:
            raise _cannot_write(self._path, problem) from problem
        self._cameras.append((camera.intrinsics, camera.extrinsics))
        self._frames += 1

    def write(self, beside: Mapping[str, Any], report: Mapping[str, Any]) -> None:
        """Puts the frames together, with small arrays beside them. Raises UserError."""
        intrinsics, extrinsics = zip(*self._cameras, strict=True)
        small = {"intrinsics": np.array(intrinsics), "extrinsics": np.array(extrinsics), **beside}
        small["report"] = np.array(json.dumps(in_english(report)))
        with atomic_write(self._path) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            for name, (dtype, shape) in self._shapes.items():
                with _member(archive, name) as member, open(Path(self._folder.name, name), "rb") as frames:
                    described = {"descr": dtype.str, "fortran_order": False, "shape": (self._frames, *shape)}
                    np.lib.format.write_array_header_1_0(member, described)
                    shutil.copyfileobj(frames, member, 2**20)
            for name, values in small.items():
                with _member(archive, name) as member:
                    np.lib.format.write_array(member, np.asarray(values), allow_pickle=False)


def _member(archive: zipfile.ZipFile, name: str):
    """A fixed date: the time of writing must not show in the bytes."""
    return archive.open(zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0)), "w", force_zip64=True)


def _cannot_write(path: Path, problem: OSError) -> UserError:
    return UserError("cannot_write.file", path=path, reason=problem.strerror or problem)
