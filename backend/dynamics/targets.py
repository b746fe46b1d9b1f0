"""Prescribed motion of pins, drags and colliders by cubic Hermite interpolation of keys.

Between two keys a motion is a cubic with a rate v at each (Hermite), written so that it also works for rotations: with
d the way from one key to the next, h the seconds between, and u from 0 to 1,

    x(u) = x0 + b1(u) v0 h/3 + b2(u) (d - v0 h/3 - v1 h/3) + b3(u) v1 h/3,    b_i the cumulative Bernstein cubics,

and for rotations the sum is a product of exponentials in the turning frame. Rates are Fritsch and Butland's (harmonic
means, zero where a motion turns back), so nothing overshoots its keys and what is held stays held.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from ..kinematics.base import Array
from .conditions import MotionKey, PathKey

__all__ = ["Path", "RigidMotion", "key_seconds"]


def key_seconds(frames: Array | Sequence[float], fps: float) -> Array:
    """Seconds since the first frame, which is frame 1."""
    return (np.asarray(frames, dtype=np.float64) - 1.0) / fps


def _rates(seconds: Array, ways: Array, *, rest_at_ends: bool) -> Array:
    """Rates at n keys, Float[n,3], from the n - 1 ways between them, Float[n-1,3].

    Inside, Fritsch and Butland's weighted harmonic mean of the two mean rates, which never overshoots.
    """
    rates = np.zeros((len(seconds), 3))
    if len(seconds) == 1:
        return rates
    span = np.diff(seconds)[:, None]
    mean = ways / span
    before, after = mean[:-1], mean[1:]
    first, second = 2.0 * span[1:] + span[:-1], span[1:] + 2.0 * span[:-1]
    same_way = before * after > 0.0
    ratio = np.divide(first, before, where=same_way, out=np.ones_like(before))
    ratio += np.divide(second, after, where=same_way, out=np.ones_like(after))
    rates[1:-1] = np.where(same_way, (first + second) / np.where(same_way, ratio, 1.0), 0.0)
    if not rest_at_ends:
        rates[0], rates[-1] = mean[0], mean[-1]
    return rates


def _between(times: Array, seconds: float) -> tuple[int, Array]:
    """Index of the earlier of the two keys and (b1, b2, b3); outside of the keys the motion stands still."""
    if len(times) == 1:
        return 0, np.zeros(3)
    index = int(np.clip(np.searchsorted(times, seconds, side="right") - 1, 0, len(times) - 2))
    u = float(np.clip((seconds - times[index]) / (times[index + 1] - times[index]), 0.0, 1.0))
    return index, np.array([1.0 - (1.0 - u) ** 3, u * u * (3.0 - 2.0 * u), u**3])


def _pieces(times: Array, ways: Array, *, rest_at_ends: bool) -> Array:
    """The three steps from each key to the next, Float[n-1,3,3]."""
    rates = _rates(times, ways, rest_at_ends=rest_at_ends)
    third = np.diff(times)[:, None] / 3.0
    start, stop = rates[:-1] * third, rates[1:] * third
    return np.stack([start, ways - start - stop, stop], axis=1)


class Path:
    """Path of a cursor: smooth through its keys, constant before the first and after the last."""

    def __init__(self, keys: Sequence[PathKey], fps: float) -> None:
        self._times = key_seconds([key.frame for key in keys], fps)
        self.begin, self.end = float(self._times[0]), float(self._times[-1])  # seconds
        self._places = np.array([key.position for key in keys])
        # What is let go of keeps its speed: no slowing down towards the last key.
        self._pieces = _pieces(self._times, np.diff(self._places, axis=0), rest_at_ends=False)

    def position(self, seconds: float) -> Array:
        """Float[3] metres."""
        index, shares = _between(self._times, seconds)
        return self._places[index] + (shares @ self._pieces[index] if len(self._pieces) else 0.0)


def _ways_of_turning(rotations: Array) -> Array:
    """Rotation vectors that take each key to the next, in the frame of the earlier one, Float[n-1,3].

    The shorter way round; only where both keys turn about one axis and one of them by more than half a turn are turns
    counted as they are written, so that (0, 0, 0) to (0, 0, 4 pi) is two turns.
    """
    keys = Rotation.from_rotvec(rotations)
    ways = (keys[:-1].inv() * keys[1:]).as_rotvec()
    first, second = rotations[:-1], rotations[1:]
    lengths = np.linalg.norm(rotations, axis=1)
    longer = np.maximum(lengths[:-1], lengths[1:])
    one_axis = np.linalg.norm(np.cross(first, second), axis=1) <= 1e-9 * longer**2
    counted = one_axis & (longer > np.pi * (1.0 + 1e-9))
    ways[counted] = (second - first)[counted]
    return ways


def _turning_pieces(times: Array, ways: Array) -> Array:
    """As `_pieces`, but of products of turns: exp(start) exp(middle) exp(stop) = exp(way)."""
    pieces = _pieces(times, ways, rest_at_ends=True)
    start, plain, stop = pieces.transpose(1, 0, 2)
    turns = Rotation.from_rotvec(-start) * Rotation.from_rotvec(ways) * Rotation.from_rotvec(-stop)
    middle = turns.as_rotvec()
    # A turn is known up to whole turns: of all such the one nearest to the plain difference.
    some = np.linalg.norm(middle, axis=1, keepdims=True) > 1e-9
    axis = np.where(some, middle, plain)
    axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-300)
    whole = np.round(np.einsum("ij,ij->i", plain - middle, axis) / (2.0 * np.pi))
    pieces[:, 1] = middle + 2.0 * np.pi * whole[:, None] * axis
    return pieces


class RigidMotion:
    """Prescribed rigid motion about a centre, at rest before its first key and after its last."""

    def __init__(self, keys: Sequence[MotionKey], centre: Array, fps: float) -> None:
        """`centre` Float[3] m: where the drawn thing has the point that it turns about."""
        self._times = key_seconds([key.frame for key in keys], fps)
        self.begin, self.end = float(self._times[0]), float(self._times[-1])  # seconds
        self.centre = centre
        self._places = np.array([key.location for key in keys])
        self._turned = np.array([key.rotation for key in keys])
        self._pieces = _pieces(self._times, np.diff(self._places, axis=0), rest_at_ends=True)
        self._turns = _turning_pieces(self._times, _ways_of_turning(self._turned)) if len(keys) > 1 else None

    def pose(self, seconds: float) -> tuple[Array, Array]:
        """Rotation Float[3,3] and offset Float[3] m: x = R (X - centre) + centre + offset."""
        index, shares = _between(self._times, seconds)
        turned = Rotation.from_rotvec(self._turned[index])
        if self._turns is None:
            return turned.as_matrix(), self._places[index]
        for turn in shares[:, None] * self._turns[index]:
            turned = turned * Rotation.from_rotvec(turn)
        return turned.as_matrix(), self._places[index] + shares @ self._pieces[index]

    def positions(self, rest: Array, seconds: float) -> Array:
        """Where points that are drawn at rest Float[n,3] m are, Float[n,3] m."""
        rotation, offset = self.pose(seconds)
        return (rest - self.centre) @ rotation.T + (self.centre + offset)
