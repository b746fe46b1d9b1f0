"""Rigs: bones, the weights by which they carry the vertices of a mesh, and the mesh that they carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..io.gltf_rig import FileRig
from .base import Array
from .rig_limits import BallRange

__all__ = ["Rig", "RigClip", "moved_rig", "placed_rig", "rig_of_file", "turns_of"]


CLOSED = 0.1  # of the largest way between two samples: a clip whose ends are nearer than this is closed
MOST_SEEN = 60  # poses of a clip, for the ranges of joints


@dataclass(frozen=True, eq=False)
class RigClip:
    """An animation of the bones: their world matrices Float[T,B,4,4] at `times` Float[T] (s), evenly spaced."""

    name: str
    times: Array
    matrices: Array

    @property
    def step(self) -> float:
        """Seconds between two samples; 0 of a single one."""
        return float(self.times[1] - self.times[0]) if len(self.times) > 1 else 0.0

    def beginning(self, time: float) -> RigClip:
        """The same with its times counted from that one."""
        return replace(self, times=self.times - time)

    @property
    def seconds(self) -> float:
        """How long it is."""
        return float(self.times[-1] - self.times[0])

    def closed(self) -> RigClip:
        """The same ending as it begins: where it stops a sample short of that, with its first pose once more."""
        if len(self.times) < 3:
            return self
        places = self.matrices[:, :, :3].reshape(len(self.times), -1)
        if np.abs(places[-1] - places[0]).max() < CLOSED * np.abs(np.diff(places, axis=0)).max():
            return self
        return replace(
            self,
            times=np.append(self.times, self.times[-1] + self.step),
            matrices=np.concatenate([self.matrices, self.matrices[:1]]),
        )

    def rates(self, time: float) -> Array:
        """Float[B,3,4]: what each bone carries moves with rates [x; 1] m/s."""
        before, after = max(time - self.step, self.times[0]), min(time + self.step, self.times[-1])
        if after <= before:
            return np.zeros((self.matrices.shape[1], 3, 4))
        change = (self.at(after) - self.at(before)) / (after - before)
        return (change @ np.linalg.inv(self.at(time)))[:, :3]

    def at(self, time: float) -> Array:
        """World matrices Float[B,4,4] at a time (s) within the clip; between samples turns stay turns."""
        place = np.clip((time - self.times[0]) / self.step, 0.0, len(self.times) - 1.0) if self.step else 0.0
        first = min(int(place), max(len(self.times) - 2, 0))
        last = min(first + 1, len(self.times) - 1)
        share = place - first
        blended = (1.0 - share) * self.matrices[first] + share * self.matrices[last]
        if 1e-6 < share < 1.0 - 1e-6:
            lengths = np.linalg.norm(self.matrices[[first, last], :, :3, :3], axis=2)
            blended[:, :3, :3] = turns_of(blended) * ((1.0 - share) * lengths[0] + share * lengths[1])[:, None]
        return blended


@dataclass(frozen=True, eq=False)
class Rig:
    """B bones of a mesh with V vertices, in the pose in which the mesh is drawn.

    parents Int[B], -1 without one; a parent comes before its children. `drawn` Float[B,4,4] are the bones in the world
    (m), `straight` Float[B,3,3] their turns against their parents in the pose that the skin was bound in. Vertex v has
    the weights Float[V,n] on `bones` Int[V,n], and is at `places` Float[V,n,3] (m) as far as each of them alone carries
    it: x_v = sum_n weights_vn places_vn. `rates` Float[B,3,4] move what a bone carries with rates [x; 1] m/s at first.
    `seen` Float[S,B,3,3] are turns against the parents in the animations of the file; `ranges` are those of bones of
    which somebody says how far they turn. `motion` is the clip in which it begins, from that time on.
    """

    names: tuple[str, ...]
    parents: NDArray[np.int64]
    drawn: Array
    straight: Array
    bones: NDArray[np.int64]
    weights: Array
    places: Array
    rates: Array
    seen: Array
    ranges: Mapping[int, BallRange] = field(default_factory=dict)
    motion: RigClip | None = None

    def __post_init__(self) -> None:
        count, (vertices, most) = len(self.names), self.bones.shape
        shapes = (
            (self.parents, (count,)),
            (self.drawn, (count, 4, 4)),
            (self.straight, (count, 3, 3)),
            (self.weights, (vertices, most)),
            (self.places, (vertices, most, 3)),
            (self.rates, (count, 3, 4)),
            (self.seen, (len(self.seen), count, 3, 3)),
        )
        if not count or any(array.shape != shape or not np.isfinite(array).all() for array, shape in shapes):
            raise UserError("bad_rig.arrays")
        if (self.parents >= np.arange(count)).any() or self.bones.min() < 0 or self.bones.max() >= count:
            raise UserError("bad_rig.numbers")
        if self.weights.min() < 0.0 or np.abs(self.weights.sum(axis=1) - 1.0).max() > 1e-4:
            raise UserError("bad_rig.weights")

    @property
    def vertices(self) -> Array:
        """The mesh as drawn, Float[V,3] m."""
        return (self.weights[:, :, None] * self.places).sum(axis=1)

    @property
    def heads(self) -> Array:
        """Float[B,3] m."""
        return self.drawn[:, :3, 3]

    def skinned(self, matrices: Array) -> Array:
        """The mesh Float[V,3] with the bones at world matrices Float[B,4,4]."""
        change = (matrices @ np.linalg.inv(self.drawn))[self.bones]
        places = np.einsum("vnij,vnj->vni", change[..., :3, :3], self.places) + change[..., :3, 3]
        return (self.weights[:, :, None] * places).sum(axis=1)

    def dense_weights(self) -> Array:
        """Float[V,B]."""
        dense = np.zeros((len(self.bones), len(self.names)))
        np.add.at(dense, (np.arange(len(self.bones))[:, None], self.bones), self.weights)
        return dense


def rig_of_file(file: FileRig) -> tuple[Rig, tuple[RigClip, ...]]:
    """The rig of a file in the pose in which it is read, and its clips."""
    clips = tuple(RigClip(*each) for each in file.clips)
    seen = [np.zeros((0, len(file.names), 3, 3))]
    above = np.maximum(file.parents, 0)
    for clip in clips:
        turns = turns_of(clip.matrices[:: max(1, len(clip.times) // MOST_SEEN)])
        seen.append(np.swapaxes(turns[:, above], -1, -2) @ turns)
    rig = Rig(
        file.names,
        file.parents,
        file.drawn,
        turns_of(file.bound),
        file.bones,
        file.weights,
        file.places,
        np.zeros((len(file.names), 3, 4)),
        np.concatenate(seen),
    )
    return rig, clips


def turns_of(matrices: Array) -> Array:
    """The rotations Float[...,3,3] nearest to the linear parts of Float[...,4,4]; mirrors stay mirrors."""
    left, _, right = np.linalg.svd(matrices[..., :3, :3])
    return left @ right


def moved_rig(rig: Rig, matrices: Array, rates: Array) -> Rig:
    """The rig with its bones at world matrices Float[B,4,4], moving with `rates` Float[B,3,4]."""
    change = matrices @ np.linalg.inv(rig.drawn)
    chosen = change[rig.bones]
    places = np.einsum("vnij,vnj->vni", chosen[..., :3, :3], rig.places) + chosen[..., :3, 3]
    return replace(rig, drawn=matrices, places=places, rates=rates)


def placed_rig(rig: Rig, turn: Array, shift: Array) -> Rig:
    """The rig turned by Float[3,3] about the origin and then moved by Float[3] m, with all that it carries."""
    matrices = rig.drawn.copy()
    matrices[:, :3] = turn @ rig.drawn[:, :3]
    matrices[:, :3, 3] += shift
    rates = rig.rates.copy()
    rates[:, :, :3] = turn @ rig.rates[:, :, :3] @ turn.T
    rates[:, :, 3] = rig.rates[:, :, 3] @ turn.T - rates[:, :, :3] @ shift
    clip = rig.motion
    if clip is not None:
        moved = clip.matrices.copy()
        moved[:, :, :3] = turn @ moved[:, :, :3]
        moved[:, :, :3, 3] += shift
        clip = replace(clip, matrices=moved)
    return replace(rig, drawn=matrices, places=rig.places @ turn.T + shift, rates=rates, motion=clip)
