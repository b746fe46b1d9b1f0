"""Proposals of joint axes and pivots from geometry: boxes, faces, contacts, symmetry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kinematics.base import Array
from .parted_shape import PartedShape

__all__ = ["Proposals", "axes_of", "proposals"]

_SAME_AXIS = np.cos(np.radians(4.0))
_SAME_PLACE = 0.012  # of the diagonal
_MOST_AXES = 9
_FACES = 4  # directions that faces look to, at most
_BUNDLE = np.cos(np.radians(6.0))


@dataclass(frozen=True, eq=False)
class Proposals:
    """C ways to move: `turns` Bool[C] (else it slides), `axis` Float[C,3] unit, `pivot` Float[C,3]."""

    turns: np.ndarray
    axis: Array
    pivot: Array


def _principal(points: Array) -> Array:
    """Float[3,3]: rows from the longest direction to the thinnest."""
    spread = points - points.mean(axis=0)
    return np.linalg.eigh(spread.T @ spread)[1].T[::-1]


def _faces(normals: Array) -> list[Array]:
    """The directions that most of the surface looks to, either way."""
    left = np.ones(len(normals), dtype=bool)
    found = []
    together = np.abs(normals @ normals.T) > _BUNDLE
    for _ in range(_FACES):
        members = (together & left).sum(axis=1) * left
        first = int(members.argmax())
        if members[first] < 0.06 * len(normals):
            break
        own = together[first] & left
        some = normals[own] * np.sign(normals[own] @ normals[first])[:, None]
        found.append(some.mean(axis=0) / np.linalg.norm(some.mean(axis=0)))
        left &= ~own
    return found


def axes_of(shape: PartedShape, part: int, parent: int, contact: Array) -> Array:
    """Float[A,3] unit: those of the object, of the part's faces, of the contact, and of the part's spread."""
    wanted = list(np.eye(3))
    faces = _faces(shape.normals[part])
    wanted += faces
    wanted += [np.cross(one, other) for number, one in enumerate(faces) for other in faces[:number]]
    if len(contact) > 3:
        principal = _principal(contact)
        wanted += [principal[0], principal[2]]
    wanted += list(_principal(shape.points[part]))
    wanted += _faces(shape.normals[parent])[:3]
    axes: list[Array] = []
    for axis in wanted:
        length = float(np.linalg.norm(axis))
        if length < 0.3:
            continue
        unit = axis / length
        if all(abs(unit @ other) < _SAME_AXIS for other in axes):
            axes.append(unit)
        if len(axes) == _MOST_AXES:
            break
    return np.array(axes)


def across(axis: Array, normals: Array) -> Array:
    """Float[2,3]: two directions across an axis, along the part's faces where these stand upright on it."""
    flat = normals - np.outer(normals @ axis, axis)
    length = np.linalg.norm(flat, axis=1)
    flat = flat[length > 0.95]
    if len(flat) < 12:
        flat = np.eye(3) - np.outer(axis, axis)
        first = flat[np.argmax(np.linalg.norm(flat, axis=1))]
    else:
        # The direction that most others are along or across: four-fold, by the mean of exp(4 i angle).
        start = flat[0] / np.linalg.norm(flat[0])
        other = np.cross(axis, start)
        angle = np.arctan2(flat @ other, flat @ start)
        turn = np.angle(np.exp(4j * angle).mean()) / 4.0
        first = np.cos(turn) * start + np.sin(turn) * other
    first = first / np.linalg.norm(first)
    return np.stack([first, np.cross(axis, first)])


def _box_places(low: Array, high: Array) -> Array:
    """Float[9,2]: corners, middles of sides, the centre."""
    steps = np.array([[a, b] for a in (0.5, 0.0, 1.0) for b in (0.5, 0.0, 1.0)])
    return low + steps * (high - low)


def _pivots(own: Array, contact: Array, parent: Array) -> Array:
    """Float[n,2] in the plane across an axis, of points Float[.,2] of the part, of its contact and of its parent."""
    low, high = own.min(axis=0), own.max(axis=0)
    places = [_box_places(low, high)]
    middle, size = 0.5 * (low + high), high - low
    thin = float(size.min())
    # An arm turns about the middle of its round end.
    longer = int(size.argmax())
    reach = np.zeros(2)
    reach[longer] = 0.5 * (size[longer] - thin)
    places.append(np.stack([middle + reach, middle - reach]))
    inset = 0.5 * size - np.minimum(0.5 * thin, 0.12 * size)
    places.append(middle + inset * np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [1, -1], [-1, 1], [-1, -1]]))
    places.append(contact.mean(axis=0)[None])
    places.append(_box_places(contact.min(axis=0), contact.max(axis=0)))
    shared_low, shared_high = np.maximum(low, parent.min(axis=0)), np.minimum(high, parent.max(axis=0))
    if (shared_low <= shared_high).all():
        places.append(_box_places(shared_low, shared_high)[:5])
    places.append(own.mean(axis=0)[None])
    every = np.concatenate(places)
    apart = ((every[:, None] - every) ** 2).sum(axis=2) > _SAME_PLACE**2
    kept: list[int] = []
    for number in range(len(every)):
        if apart[number, kept].all():
            kept.append(number)
    return every[kept]


def proposals(shape: PartedShape, part: int, parent: int, contact: Array) -> Proposals:
    """All axes with all pivots."""
    own, its = shape.points[part], shape.points[parent]
    turns, axes, pivots = [], [], []
    for axis in axes_of(shape, part, parent, contact):
        plane = across(axis, shape.normals[part])
        places = _pivots(own @ plane.T, contact @ plane.T, its @ plane.T)
        along = 0.5 * ((own @ axis).min() + (own @ axis).max())
        turns += [False] + [True] * len(places)
        axes += [axis] * (1 + len(places))
        pivots += [own.mean(axis=0), *(places @ plane + along * axis)]
    return Proposals(np.array(turns), np.array(axes), np.array(pivots))
