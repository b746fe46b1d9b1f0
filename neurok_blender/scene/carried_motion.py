"""The motion of an object that is animated itself, as it is to that animation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..job.motion import Shape, StreamedMotion

__all__ = ["CarriedMotion"]


class CarriedMotion:
    """`motion`: shapes as they are to the object's place at the first frame, those that came by the last `update`.

    With the world D_t of the object since then, x' = D_t^-1 x, so that its own animation brings every shape back to
    where it was simulated.
    """

    def __init__(self, world: StreamedMotion, moves: NDArray[np.float64]):
        """`moves` Float64[T,4,4]: D_t of each frame."""
        self._world, self._back = world, np.linalg.inv(moves)
        self.motion = StreamedMotion(world.weights, world.has_points, world.fps, world.frame_count)
        self._share = None if world.weights is None else _partition(world.weights)

    def update(self) -> None:
        """Takes over the shapes that have come since."""
        done = len(self.motion.shapes)
        for number, shape in enumerate(self._world.shapes[done:], done):
            self.motion.shapes.append(self._carried(shape, self._back[min(number, len(self._back) - 1)]))

    def _carried(self, shape: Shape, back: NDArray[np.float64]) -> Shape:
        linear, offset = back[:3, :3], back[:3, 3]
        handles = points = None
        if shape.points is not None:
            points = shape.points @ linear.T + (offset if shape.handles is None else 0.0)
            points = points.astype(np.float32)
        if shape.handles is not None:
            handles = linear @ shape.handles.astype(np.float64)
            handles[:, :, 3] += self._share[:, None] * offset
            handles = handles.astype(np.float32)
        return Shape(handles, points)


def _partition(weights: NDArray[np.float32]) -> NDArray[np.float64]:
    """c Float64[H] with W c = 1, which moves all vertices alike; the rows of W need not add up to one."""
    wide = weights.astype(np.float64)
    return np.linalg.lstsq(wide.T @ wide, wide.sum(axis=0), rcond=None)[0]
