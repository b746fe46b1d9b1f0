"""How large each kind of bake would be, found out a little at a time while the panel shows it."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..takes import SceneTake
from .affine import is_one_bone
from .armature import BYTES_PER_BONE_FRAME, BYTES_PER_WEIGHT
from .base import BYTES_PER_VERTEX, baked_indices
from .compress import MOST_POINT_FRAMES, Compression
from .compressed import allowed_distance
from .take_numbers import TakeNumbers

__all__ = ["BakeSizes", "Sizes"]

LARGE = 300.0  # megabytes; above, a point cache is suggested


@dataclass(frozen=True)
class Sizes:
    """Megabytes (10^6 bytes) by kind; None where it is not known yet, or where that kind of bake is refused."""

    shape_keys: float
    compressed: float | None
    compressed_count: int
    armature: float | None
    cache: float
    bones_are_exact: bool
    refused: tuple[str, ...] = ()

    def of(self, kind: str) -> float | None:
        return getattr(self, kind.lower())

    @property
    def suggestion(self) -> str | None:
        """What most would want; None while that is not known."""
        if "COMPRESSED" in self.refused:
            return "CACHE"
        if self.compressed is None:
            return None
        if self.bones_are_exact:
            return "ARMATURE"
        if self.compressed <= 0.5 * self.shape_keys:
            return "COMPRESSED" if self.compressed < LARGE else "CACHE"
        return "SHAPE_KEYS" if self.shape_keys < LARGE else "CACHE"


class BakeSizes:
    """`wanted` only takes note, for panels; `tick` works."""

    def __init__(self) -> None:
        self._key: tuple = ()
        self._take: weakref.ref[SceneTake] | None = None
        self._work: Iterator[None] | None = None
        self.sizes: Sizes | None = None

    def wanted(self, take: SceneTake, step: int, tolerance: float, influences: int) -> Sizes | None:
        """The sizes found so far for this take."""
        key = (id(take), take.frame_count, step, tolerance, influences)
        if key != self._key:
            self._key, self._take, self.sizes = key, weakref.ref(take), None
            self._work = self._find(*key[1:])
        return self.sizes

    @property
    def is_working(self) -> bool:
        return self._work is not None

    def tick(self, budget_seconds: float = 0.010) -> bool:
        """True where there is something new to show."""
        if self._work is None:
            return False
        before, until = self.sizes, time.monotonic() + budget_seconds
        while self._work is not None:
            if next(self._work, self) is self:
                self._work = None
            if time.monotonic() >= until:
                break
        return self.sizes is not before

    def _find(self, frame_count: int, step: int, tolerance: float, influences: int) -> Iterator[None]:
        take = None if self._take is None else self._take()
        if take is None:
            return
        indices = baked_indices(frame_count, step)
        has_points, weights = take.motion.has_points, take.decoder.weights
        vertex_count = len(take.snapshot.original)
        one = BYTES_PER_VERTEX * 1e-6 * vertex_count
        whole = one * len(indices)
        armature, refused = None, ()
        if has_points:
            refused = ("ARMATURE", "COMPRESSED") if len(indices) > MOST_POINT_FRAMES else ("ARMATURE",)
        else:
            bones = weights.shape[1]
            armature = min(bones, influences) * vertex_count * BYTES_PER_WEIGHT * 1e-6
            armature += 1e-6 * BYTES_PER_BONE_FRAME * bones * len(indices)
        self.sizes = Sizes(whole, None, 0, armature, whole, False, refused)
        if "COMPRESSED" in refused:
            return
        yield
        numbers = TakeNumbers.of(take, indices)
        yield from numbers.prepare()
        compression = Compression(numbers, allowed_distance(numbers.drawn, tolerance))
        for _ in compression.steps(only_sample=True):
            yield
        exact = False
        if not has_points:
            linear = np.array([take.motion.shapes[index].handles for index in indices], np.float64)[..., :3]
            plain = weights.min() > -1e-4 and np.abs(weights.sum(axis=1) - 1.0).max() < 1e-3
            few = int((weights > 1e-4).sum(axis=1).max()) <= influences
            exact = bool(plain) and few and is_one_bone(linear, 1e-4)
        count = len(compression.shapes)
        self.sizes = Sizes(whole, one * max(count, 1), count, armature, whole, exact, refused)
