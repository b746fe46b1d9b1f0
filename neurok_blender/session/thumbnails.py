"""Small pictures of poses to choose from, shaded by hand: no render and no redraw of the view is needed for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import bpy.utils.previews
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .pose_session import Pose

__all__ = ["SIDE", "Thumbnails", "shaded", "thumbnails"]

SIDE = 96  # pixels
MARGIN = 0.08  # of the picture
MOST_TRIANGLES = 20_000  # that are drawn; of larger meshes an even choice
SPARE, LEAST_SAMPLES = 7.0, 3  # places of a triangle that are drawn: for each of its pixels, and at least
LIGHT = np.array([-0.4, -0.6, 0.7]) / np.linalg.norm([-0.4, -0.6, 0.7])
COLOR, DARKEST = np.array([0.85, 0.62, 0.4]), 0.25
# Towards the viewer: from the front, a little from the right and from above.
TOWARDS = np.array([0.45, -0.8, 0.4]) / np.linalg.norm([0.45, -0.8, 0.4])
RIGHT = np.cross([0.0, 0.0, 1.0], TOWARDS) / np.linalg.norm(np.cross([0.0, 0.0, 1.0], TOWARDS))
VIEW = np.stack([RIGHT, np.cross(TOWARDS, RIGHT), TOWARDS])  # rows are right, up and towards the viewer


def shaded(
    positions: NDArray[np.float64], triangles: NDArray[np.int32], frame: tuple[NDArray[np.float64], float] | None = None
) -> NDArray[np.float32]:
    """A picture Float32[SIDE,SIDE,4], lower row first, of a mesh: positions Float[V,3], triangles Int[F,3].

    `frame`: middle Float[3] and half the size of what is to be seen, so that several pictures have one scale.
    """
    if len(triangles) > MOST_TRIANGLES:
        triangles = triangles[np.linspace(0, len(triangles) - 1, MOST_TRIANGLES).astype(int)]
    middle, half = frame if frame is not None else framing([positions])
    corners = positions[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    scale = 0.5 * (1.0 - 2.0 * MARGIN) * SIDE / half
    seen = (corners - middle) @ VIEW.T
    bright = np.abs(normal @ LIGHT) / np.maximum(length, 1e-30)
    # Samples all over each triangle, more than it has pixels.
    pixels = 0.5 * length * np.abs(normal @ TOWARDS) / np.maximum(length, 1e-30) * scale**2
    of = np.repeat(np.arange(len(triangles)), (SPARE * pixels).astype(int) + LEAST_SAMPLES)
    share = np.sort(np.random.default_rng(0).random((len(of), 2)), axis=1)
    share = np.column_stack([share[:, 0], share[:, 1] - share[:, 0], 1.0 - share[:, 1]])
    places = np.einsum("sc,sci->si", share, seen[of])
    column = np.clip(places[:, :2] * scale + 0.5 * SIDE, 0, SIDE - 1).astype(int)
    index = column[:, 1] * SIDE + column[:, 0]
    order = np.argsort(places[:, 2], kind="stable")  # the nearest is written last: it stays
    nearest = np.full(SIDE * SIDE, -1)
    nearest[index[order]] = of[order]
    drawn = nearest >= 0
    picture = np.zeros((SIDE * SIDE, 4), np.float32)
    picture[drawn, :3] = COLOR * (DARKEST + (1.0 - DARKEST) * bright[nearest[drawn], None])
    picture[drawn, 3] = 1.0
    return picture.reshape(SIDE, SIDE, 4)


def framing(shapes: list[NDArray[np.float64]]) -> tuple[NDArray[np.float64], float]:
    """Middle Float[3] and half the size of a frame in which all shapes, Float[V,3] each, are seen."""
    seen = [shape @ VIEW.T for shape in shapes]
    low, high = np.min([each.min(axis=0) for each in seen], axis=0), np.max([each.max(axis=0) for each in seen], axis=0)
    return 0.5 * (low + high) @ VIEW, max(0.5 * float((high - low)[:2].max()), 1e-9)


class Thumbnails:
    """The pictures that Blender holds; freed when pose mode ends. One is drawn at a time, so that nothing waits."""

    def __init__(self) -> None:
        self._pictures: bpy.utils.previews.ImagePreviewCollection | None = None
        self._shapes: list[NDArray[np.float64]] = []
        self.icons: list[int] = []

    def begin(self, pose: Pose) -> None:
        """Pictures of the explored poses are wanted, in their order."""
        self.clear()
        self._triangles = pose.interactive.snapshot.triangles
        self._shapes = [pose.interactive.world_positions(shape) for _values, shape in pose.explored]
        self._frame = framing(self._shapes) if self._shapes else None

    def draw_next(self) -> bool:
        """Draws the next one, if one is missing; true where it did."""
        number = len(self.icons)
        if number >= len(self._shapes):
            return False
        if self._pictures is None:
            self._pictures = bpy.utils.previews.new()
        picture = self._pictures.new(f"pose {number}")
        picture.image_size = picture.icon_size = (SIDE, SIDE)
        pixels = shaded(self._shapes[number], self._triangles, self._frame).reshape(-1)
        picture.image_pixels_float.foreach_set(pixels)
        picture.icon_pixels_float.foreach_set(pixels)
        self.icons.append(picture.icon_id)
        return True

    def clear(self) -> None:
        if self._pictures is not None:
            bpy.utils.previews.remove(self._pictures)
            self._pictures = None
        self._shapes, self.icons = [], []


thumbnails = Thumbnails()
