"""Fewer shape keys than frames, with animated values, within a tolerance."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np

from .compress import Compression
from .shape_keys import KeyBake
from .skinned import SkinnedTake, object_size

__all__ = ["CompressedBake", "allowed_distance"]


def allowed_distance(drawn: np.ndarray, percent: float) -> float:
    """The tolerance in metres of the object's own space."""
    return 0.01 * percent * object_size(drawn)


class CompressedBake(KeyBake):
    def _steps(self, context: bpy.types.Context) -> Iterator[None]:
        drawn = self.take.snapshot.evaluated
        handles = [self.take.take.handles[index] for index in self.indices]
        skinned = SkinnedTake(self.take.decoder, handles, drawn)
        yield
        compression = Compression(skinned, allowed_distance(drawn, self.options.tolerance))
        yield from compression.steps()
        self._begin_keys()
        self.total = max(compression.count, 1)
        frames = [self.frame(index) for index in self.indices]
        for number in range(compression.count):
            moved = self.take.decoder.blend(_as_transforms(compression.shapes[number]))
            values = compression.values[:, number]
            key = self._add_key(self.take.snapshot.storage(drawn + moved), np.column_stack([frames, values]))
            key.slider_min, key.slider_max = (-1.0 if values.min() < 0.0 else 0.0), 1.0
            self.done += 1
            yield
        self.entry.error = compression.error


def _as_transforms(shape: np.ndarray) -> np.ndarray:
    """[4H,3] as [H,3,4]."""
    return shape.reshape(-1, 4, 3).transpose(0, 2, 1)
