"""Smooth deformations of space that keep volume: bend, twist, squash and shear along an axis, and lattices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..kinematics.base import Array

__all__ = ["Bend", "Lattice", "Shear", "Squash", "Step", "Swell", "Twist", "deformed", "posed"]

Step = Callable[[Array, Array], Array]
_LEAST = 1e-6


def posed(vertices: Array, steps: list[Step], values: Array) -> Array:
    """Vertices Float[V,3] after all steps, each with its own column of values Float[n,steps]: Float[n,V,3]."""
    return deformed(np.repeat(vertices[None], len(values), axis=0), steps, values)


def deformed(places: Array, steps: list[Step], values: Array) -> Array:
    """The same for places Float[n,V,3] that differ from state to state already."""
    # Several at once go less far each, so that what they do together stays in bounds.
    values = values * max(len(steps), 1) ** -0.4
    for number, step in enumerate(steps):
        places = step(places, values[:, number])
    return places


@dataclass(frozen=True)
class Twist:
    """Turns about the vertical through the origin, by `angle` radians per unit of height above `base` at value 1."""

    angle: float
    base: float

    def __call__(self, places: Array, value: Array) -> Array:
        turn = self.angle * value[:, None] * (places[..., 2] - self.base)
        cosine, sine = np.cos(turn), np.sin(turn)
        result = places.copy()
        result[..., 0] = cosine * places[..., 0] - sine * places[..., 1]
        result[..., 1] = sine * places[..., 0] + cosine * places[..., 1]
        return result


@dataclass(frozen=True)
class Bend:
    """Bends the vertical axis above `base` to an arc in the direction (cos, sin) of `heading`, `curvature` at value 1.

    What is below the base stays where it is. Lengths of the axis are kept, volume too where the section is symmetric.
    """

    curvature: float
    heading: float
    base: float

    def __call__(self, places: Array, value: Array) -> Array:
        way = np.array([np.cos(self.heading), np.sin(self.heading)])
        curvature = self.curvature * value[:, None]
        height = np.maximum(places[..., 2] - self.base, 0.0)
        aside = places[..., :2] @ way
        angle = curvature * height
        # sin(a)/a and (1 - cos(a))/a times the height, which stay finite for a straight axis.
        half = 0.5 * angle
        ratio = np.where(np.abs(half) < _LEAST, 1.0, np.sin(half) / np.where(np.abs(half) < _LEAST, 1.0, half))
        rise = height * ratio * np.cos(half)
        lean = height * ratio * np.sin(half)
        result = places.copy()
        change = lean + (np.cos(angle) - 1.0) * aside
        result[..., :2] += change[..., None] * way
        result[..., 2] += rise - height - np.sin(angle) * aside
        return result


@dataclass(frozen=True)
class Squash:
    """Makes shorter and wider, or longer and thinner, by the factor exp(amount * value), with the volume kept exactly.

    The stretch grows from nothing at `base` over the height `soft`, so that a foot that is held stays as it is.
    """

    amount: float
    base: float
    soft: float

    def __call__(self, places: Array, value: Array) -> Array:
        height = np.maximum(places[..., 2] - self.base, 0.0)
        most = np.exp(self.amount * value[:, None]) - 1.0
        share = np.minimum(height / self.soft, 1.0) if self.soft > 0 else np.ones_like(height)
        # dz'/dz = 1 + most * share, integrated; the section shrinks by its square root.
        grown = most * np.where(height < self.soft, 0.5 * height * share, height - 0.5 * self.soft)
        result = places.copy()
        result[..., 2] += grown
        result[..., :2] *= 1.0 / np.sqrt(1.0 + most * share)[..., None]
        return result


@dataclass(frozen=True)
class Shear:
    """Slides layers sideways by `amount` * value * (height above `base`) ** power, in the direction of `heading`."""

    amount: float
    heading: float
    base: float
    power: float

    def __call__(self, places: Array, value: Array) -> Array:
        move = self.amount * value[:, None] * np.maximum(places[..., 2] - self.base, 0.0) ** self.power
        result = places.copy()
        result[..., 0] += move * np.cos(self.heading)
        result[..., 1] += move * np.sin(self.heading)
        return result


@dataclass(frozen=True)
class Swell:
    """Pushes outwards from a centre, smoothly within `radius`: a dent or a bulge of `amount` at value 1."""

    centre: Array
    way: Array
    radius: float
    amount: float
    base: float

    def __call__(self, places: Array, value: Array) -> Array:
        offset = places - self.centre
        near = np.exp(-np.einsum("nvi,nvi->nv", offset, offset) / self.radius**2)
        free = np.clip((places[..., 2] - self.base) / self.radius, 0.0, 1.0)
        return places + (self.amount * value[:, None] * near * free)[..., None] * self.way


@dataclass(frozen=True)
class Lattice:
    """Moves the middle control points of a 3 x 3 x 3 Bernstein lattice about the box low..high by Float[27,3].

    What is below the box's floor stays still where the lattice's lowest layer does not move.
    """

    low: Array
    size: Array
    moves: Array

    def __call__(self, places: Array, value: Array) -> Array:
        t = np.clip((places - self.low) / self.size, 0.0, 1.0)
        basis = np.stack([(1.0 - t) ** 2, 2.0 * t * (1.0 - t), t**2], axis=-1)
        plane = (basis[..., 0, :, None] * basis[..., 1, None, :]).reshape(*t.shape[:2], 9)
        shares = (plane[..., :, None] * basis[..., 2, None, :]).reshape(*t.shape[:2], 27)
        return places + value[:, None, None] * (shares @ self.moves)
