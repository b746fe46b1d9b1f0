"""Contact sheet of a thing: a row of frames for each scene, coloured by material, with the floor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...geometry.mesh import Mesh
from ...kinematics.base import Array
from ..draw_shapes import View
from ..surface import SurfacePoints, sample_surface
from .scenes import Played

__all__ = ["write_sheet"]

_SIZE, _FRAMES = 230, 7  # pixels of a picture, pictures of a row
_POINTS, _FLOOR_POINTS = 60_000, 40_000
_REACH = 2.5  # sizes around the thing that are in the picture at most
_PALETTE = np.array(
    [
        [0.62, 0.65, 0.70],
        [0.80, 0.55, 0.30],
        [0.40, 0.62, 0.40],
        [0.45, 0.55, 0.80],
        [0.80, 0.42, 0.42],
        [0.72, 0.66, 0.36],
    ]
)
_FLOOR_COLOUR = np.array([0.93, 0.93, 0.90])


def write_sheet(path: Path, mesh: Mesh, scenes: dict[str, Played]) -> None:
    """A .png; scenes without any frame are left out."""
    from PIL import Image  # only here: a development tool

    draw = np.random.default_rng(0)
    points = sample_surface(mesh.vertices, mesh.triangles, _POINTS, draw)
    colours = _PALETTE[_slots(mesh, points) % len(_PALETTE)]
    rows = [_row(mesh, points, colours, played) for played in scenes.values() if len(played.positions)]
    if rows:
        Image.fromarray(np.concatenate(rows, axis=0)).save(path)


def _slots(mesh: Mesh, points: SurfacePoints) -> NDArray[np.int64]:
    """The slot of each point, Int[n]: that of the last of the faces at its first corner."""
    slot = np.zeros(len(mesh.vertices), dtype=np.int64)
    slot[mesh.triangles] = mesh.slots[:, None]
    return slot[points.corners[:, 0]]


def _row(mesh: Mesh, points: SurfacePoints, colours: Array, played: Played) -> NDArray[np.uint8]:
    """The first frame, and others at equal distances in time up to the last."""
    rest = mesh.vertices
    low, high = rest.min(axis=0), rest.max(axis=0)
    size = float((high - low).max())
    numbers = np.linspace(0, len(played.positions) - 1, _FRAMES).round().astype(int)
    frames = np.clip(
        np.nan_to_num(played.positions[numbers].astype(np.float64)), low - _REACH * size, high + _REACH * size
    )
    height = float(low[2]) if played.floor is None else played.floor
    across = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float64)
    span_low, span_high = frames.min(axis=(0, 1))[:2] - 0.2 * size, frames.max(axis=(0, 1))[:2] + 0.2 * size
    corners = np.column_stack([span_low + across * (span_high - span_low), np.full(4, height)])
    floor = sample_surface(corners, np.array([[0, 1, 2], [0, 2, 3]]), _FLOOR_POINTS, np.random.default_rng(0))
    view = View(np.concatenate([frames.reshape(-1, 3), corners]), _SIZE)
    both = SurfacePoints(
        np.concatenate([points.corners, floor.corners + len(rest)]), np.concatenate([points.shares, floor.shares])
    )
    painted = np.concatenate([colours, np.tile(_FLOOR_COLOUR, (len(floor), 1))])
    pictures = [view.picture(np.concatenate([frame, corners]), both, painted) for frame in frames]
    return np.concatenate(pictures, axis=1)
