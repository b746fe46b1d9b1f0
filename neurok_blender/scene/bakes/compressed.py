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
        skinned = SkinnedTake.of(self.take, self.indices)
        yield from skinned.prepare()
        compression = Compression(skinned, allowed_distance(drawn, self.options.tolerance))
        yield from compression.steps()
        self._begin_keys()
        self.total = max(len(compression.shapes), 1)
        frames = [self.frame(index) for index in self.indices]
        for number, shape in enumerate(compression.shapes):
            moved = self.take.decoder.blend(_as_transforms(shape))
            points = np.column_stack([frames, compression.values[:, number]])
            self._add_key(self.take.snapshot.storage(drawn + moved), points)
            self.done += 1
            yield
        self.entry.error = compression.error


def _as_transforms(shape: np.ndarray) -> np.ndarray:
    """[4H,3] as [H,3,4]."""
    return shape.reshape(-1, 4, 3).transpose(0, 2, 1)
