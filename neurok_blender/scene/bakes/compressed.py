"""Fewer shape keys than frames, with animated values, within a tolerance."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt as rpt_

from ...errors import Refusal
from .compress import MOST_POINT_FRAMES, Compression
from .shape_keys import KeyBake
from .take_numbers import TakeNumbers, object_size

__all__ = ["CompressedBake", "allowed_distance"]


def allowed_distance(drawn: np.ndarray, percent: float) -> float:
    """The tolerance in metres of the object's own space."""
    return 0.01 * percent * object_size(drawn)


class CompressedBake(KeyBake):
    """Of a motion with points, the truncated singular value decomposition of its positions."""

    def _prepare(self, obj: bpy.types.Object) -> None:
        super()._prepare(obj)
        if self.take.motion.has_points and len(self.indices) > MOST_POINT_FRAMES:
            raise Refusal(
                rpt_("{} moves point by point, and {} frames are too many to compress.").format(
                    obj.name, len(self.indices)
                ),
                "Raise the step of the bake, or bake it as Point Cache.",
            )

    def _steps(self, context: bpy.types.Context) -> Iterator[None]:
        drawn = self.take.snapshot.evaluated
        numbers = TakeNumbers.of(self.take, self.indices)
        yield from numbers.prepare()
        compression = Compression(numbers, allowed_distance(drawn, self.options.tolerance))
        yield from compression.steps()
        self._begin_keys()
        self.total = max(len(compression.shapes), 1)
        frames = [self.frame(index) for index in self.indices]
        for number, shape in enumerate(compression.shapes):
            points = np.column_stack([frames, compression.values[:, number]])
            self._add_key(drawn + numbers.moved(shape), points)
            self.done += 1
            yield
        self.entry.error = compression.error
