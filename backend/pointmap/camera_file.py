"""Camera files (JSON) with the names of Blender's own settings; any number may be a list, one value a frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UserError
from .camera import Camera

__all__ = ["DEFAULT_SIZE", "CameraTrack", "read_camera"]

DEFAULT_SIZE = (480, 720)
"""Height and width in pixels where neither the camera nor the command has one."""
LARGEST_SIDE = 16_384  # pixels

POSITIVE = ("lens", "ortho_scale", "sensor_width", "sensor_height", "pixel_aspect_x", "pixel_aspect_y", "clip_start")
NUMBERS = (*POSITIVE, "clip_end", "shift_x", "shift_y")
TYPES = ("PERSP", "ORTHO")
FITS = ("AUTO", "HORIZONTAL", "VERTICAL")
KEYS = {"type", "sensor_fit", "resolution", "resolution_percentage", "matrix_world", *NUMBERS}


@dataclass(frozen=True, eq=False)
class CameraTrack:
    """A camera over time."""

    height: int
    width: int
    fixed: Mapping[str, Any]
    numbers: Mapping[str, np.ndarray]
    """By name: one value or one for each frame, Float[1] or Float[T]."""
    matrices: np.ndarray
    """Float[1,4,4] or Float[T,4,4]."""

    @property
    def frames(self) -> int | None:
        """The number of frames; None of a camera that stands still."""
        counts = {len(values) for values in (self.matrices, *self.numbers.values())} - {1}
        return min(counts, default=None)

    def at(self, frame: int) -> Camera:
        """The camera of a frame, counted from 0; after the last one it stays."""

        def of(values: np.ndarray) -> Any:
            return values[min(frame, len(values) - 1)]

        moving = {name: float(of(values)) for name, values in self.numbers.items()}
        return Camera(width=self.width, height=self.height, matrix_world=of(self.matrices), **self.fixed, **moving)


def read_camera(given: Any, size: tuple[int, int] | None = None) -> CameraTrack:
    """Checks what a camera file holds; `size` (height, width) goes before its resolution. Raises UserError."""
    if not isinstance(given, dict):
        raise UserError("bad_camera.not_object")
    unknown = sorted(set(given) - KEYS)
    if unknown:
        raise UserError("bad_camera.unknown_key", key=unknown[0], known=", ".join(sorted(KEYS)))
    kind = _one_of(given, "type", TYPES)
    height, width = _size(given) if size is None else size
    if not (0 < height <= LARGEST_SIDE and 0 < width <= LARGEST_SIDE):
        raise UserError("bad_camera.size", height=height, width=width, most=LARGEST_SIDE)
    numbers = {name: _row(given, name) for name in NUMBERS if name in given}
    fixed = {"orthographic": kind == "ORTHO", "sensor_fit": _one_of(given, "sensor_fit", FITS)}
    track = CameraTrack(height, width, fixed, numbers, _matrices(given))
    first = track.at(0)
    starts, ends = numbers.get("clip_start", [first.clip_start]), numbers.get("clip_end", [first.clip_end])
    if np.max(starts) >= np.min(ends):
        raise UserError("bad_camera.clip")
    return track


def _one_of(given: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    value = given.get(name, choices[0])
    if value not in choices:
        raise UserError("bad_camera.not_a_choice", key=name, known=", ".join(choices))
    return value


def _size(given: Mapping[str, Any]) -> tuple[int, int]:
    """(height, width) by the camera's resolution, which is (width, height) as in Blender."""
    resolution = given.get("resolution", [DEFAULT_SIZE[1], DEFAULT_SIZE[0]])
    percentage = given.get("resolution_percentage", 100)
    whole: Callable[[Any], bool] = lambda value: type(value) is int and value > 0  # noqa: E731
    if not isinstance(resolution, list) or len(resolution) != 2 or not all(map(whole, (*resolution, percentage))):
        raise UserError("bad_camera.resolution")
    width, height = (side * percentage // 100 for side in resolution)
    return height, width


def _array(value: Any) -> np.ndarray | None:
    """Finite numbers, or None."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return array if array.size and np.isfinite(array).all() else None


def _row(given: Mapping[str, Any], name: str) -> np.ndarray:
    values = _array(given[name])
    if values is None or values.ndim > 1:
        raise UserError("bad_camera.not_a_number", key=name)
    if name in POSITIVE and values.min() <= 0.0:
        raise UserError("bad_camera.not_positive", key=name)
    return np.atleast_1d(values)


def _matrices(given: Mapping[str, Any]) -> np.ndarray:
    matrices = _array(given.get("matrix_world"))
    if matrices is None or matrices.shape[-2:] != (4, 4) or matrices.ndim not in (2, 3):
        raise UserError("bad_camera.no_matrix")
    matrices = matrices.reshape(-1, 4, 4)
    if np.abs(np.linalg.det(matrices[:, :3, :3])).min() < 1e-12:
        raise UserError("bad_camera.flat_matrix")
    return matrices
