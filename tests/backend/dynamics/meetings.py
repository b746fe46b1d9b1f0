"""Runs takes of several objects and keeps what was seen of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend import engine
from tests.backend.geometry.shapes import Arrays
from tests.backend.takes import analysed, decode

__all__ = ["Meeting", "Participant", "meet"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Participant:
    """A mesh, how it moves, and the conditions of its own."""

    mesh: Arrays
    provider: str
    conditions: dict[str, Any]


@dataclass(frozen=True)
class Meeting:
    """What a take of several objects gave.

    By object: positions Float[T,V,3] m, energy Float[T,3] J, centres of mass Float[T,3] m, mass kg. `steps` Int[T]: how
    many steps had been taken at each frame.
    """

    positions: list[Array]
    energy: list[Array]
    centres: list[Array]
    masses: Array
    steps: NDArray[np.int64]
    fps: float
    report: dict[str, Any]

    def velocities(self, first: int, last: int) -> Array:
        """Mean velocity of each centre between two frames (indices from 0), Float[n,3] m/s."""
        return np.array([(centre[last] - centre[first]) * self.fps / (last - first) for centre in self.centres])

    def speeds(self, number: int) -> Array:
        """Of the fastest vertex of an object between frames, Float[T-1] m/s."""
        return np.linalg.norm(np.diff(self.positions[number], axis=0), axis=2).max(axis=1) * self.fps


def meet(participants: Sequence[Participant], **shared: Any) -> Meeting:
    """`shared` are the conditions that all have in common."""
    analyses = [analysed(each.mesh, each.provider) for each in participants]
    take = engine.prepare(analyses, [{**shared, **each.conditions} for each in participants])
    frames, steps = [], []
    for frame in take.frames(lambda: False):
        frames.append(frame)
        steps.append(take.report()["steps"])
    positions, centres, masses = [], [], []
    for number, (each, member) in enumerate(zip(participants, take.members, strict=True)):
        handles = np.array([frame[number].handles for frame in frames])
        # Frame by frame: products of many frames at once may differ in the last bit from frame to frame.
        positions.append(np.concatenate([decode(member.body.weights, one[None], each.mesh[0]) for one in handles]))
        material = member.body.material
        mean = material.mass @ material.basis / material.mass.sum()
        coordinates = np.array([member.body.kinematics.handles(frame[number].q) for frame in frames])
        centres.append(np.einsum("a,tai->ti", mean, coordinates))
        masses.append(material.mass.sum())
    energy = [np.array([frame[number].energy for frame in frames]) for number in range(len(participants))]
    return Meeting(positions, energy, centres, np.array(masses), np.array(steps), take.fps, take.report())
