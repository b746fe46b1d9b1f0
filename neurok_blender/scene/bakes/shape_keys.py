"""One relative shape key for each frame, faded in and out on the timeline.

The artist's keys play beside: what they change from where they were when it was simulated is added.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
from numpy.typing import NDArray

from ..curves import add_curve, curves_of
from ..preview import key_coordinates
from .base import BYTES_PER_VERTEX, Bake, numbered
from .ledger import foreign_keys, key_name, key_path

__all__ = ["KeyBake", "ShapeKeyBake"]


class KeyBake(Bake):
    """Makes "Basis", the original mesh, where there is none, and keys with the take's name and a number."""

    def _prepare(self, obj: bpy.types.Object) -> None:
        self._artists_keys = foreign_keys(obj)

    def _begin_keys(self) -> None:
        obj, entry = self.take.object, self.entry
        others = [each for each in obj.neurok.bakes if each.key_prefix]
        entry.artists_basis = others[0].artists_basis if others else obj.data.shape_keys is not None
        if obj.data.shape_keys is None:
            obj.shape_key_add(name="Basis", from_mix=False)
        keys = obj.data.shape_keys
        names = {block.name.rpartition(" ")[0] for block in keys.key_blocks}
        entry.key_prefix = next(each for each in numbered(entry.name) if each not in names)
        entry.key_count = 0
        self._action, self._key_total = self._act(keys).name, len(keys.key_blocks)

    def _add_key(self, positions: NDArray[np.float32], points: list[float] | NDArray) -> None:
        """A key that shows `positions` [V,3] (object space, m); its value goes through `points` (frame, value, ...)."""
        obj, entry = self.take.object, self.entry
        name = key_name(entry, entry.key_count)
        entry.key_count += 1
        key = obj.shape_key_add(name=name, from_mix=False)
        storage = self.take.snapshot.storage
        key.points.foreach_set("co", key_coordinates(obj.data, storage(positions), storage.original).reshape(-1))
        add_curve(curves_of(obj.data.shape_keys), key_path(name), 0, points)
        self._key_total += 1
        entry.count = entry.key_count
        entry.megabytes = BYTES_PER_VERTEX * 1e-6 * self._vertex_count * entry.key_count

    def _is_whole(self, obj: bpy.types.Object) -> bool:
        if not self.entry.key_prefix:
            return foreign_keys(obj) == self._artists_keys
        keys = obj.data.shape_keys
        if keys is None or len(keys.key_blocks) != self._key_total:
            return False
        animation = keys.animation_data
        return animation is not None and animation.action is not None and animation.action.name == self._action


class ShapeKeyBake(KeyBake):
    """Between frames i and i+1 the values of their two keys add up to 1, so that the shapes blend linearly.

    Before the first and after the last frame the curves hold, and with them the shape.
    """

    def _steps(self, context: bpy.types.Context) -> Iterator[None]:
        self._begin_keys()
        self.total = len(self.indices)
        frames = [float(self.frame(index)) for index in self.indices]
        for number, index in enumerate(self.indices):
            points = [frames[number], 1.0]
            if number > 0:
                points = [frames[number - 1], 0.0, *points]
            if number + 1 < self.total:
                points += [frames[number + 1], 0.0]
            self._add_key(self.take.decoder(self.take.motion.shapes[index]), points)
            self.done += 1
            yield
