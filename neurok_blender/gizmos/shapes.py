"""Shapes of the gizmos as triangles Float32[3T,3], three corners a triangle."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONE_LENGTH", "Triangles", "arc", "ball", "circle", "cone", "cylinder", "square", "tube"]

SIDES = 12
# The cone's length as a multiple of its radius.
CONE_LENGTH = 3.0
TUBE_SIDES = 6
# A circle has this many corners.
CIRCLE_CORNERS = 72

Z = np.array([0.0, 0.0, 1.0])

Triangles = NDArray[np.float32]


def _between(rings: NDArray[np.float64]) -> Triangles:
    """The skin over rings of corners [R,S,3], each ring joined to the next and closed in itself."""
    near, far = rings[:-1], rings[1:]
    near_next, far_next = np.roll(near, -1, axis=1), np.roll(far, -1, axis=1)
    corners = np.stack([near, near_next, far_next, near, far_next, far], axis=2)
    return np.ascontiguousarray(corners.reshape(-1, 3), dtype=np.float32)


def _circle(radius: float, height: float, sides: int = SIDES) -> NDArray[np.float64]:
    angles = np.linspace(0.0, 2.0 * math.pi, sides, endpoint=False)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(sides, height)], axis=1)


def cylinder() -> Triangles:
    """Of radius 1 from z = 0 to z = 1."""
    return _between(np.stack([_circle(1.0, 0.0), _circle(1.0, 1.0)]))


def cone() -> Triangles:
    """Of radius 1, its point at the origin and its foot at z = -CONE_LENGTH."""
    foot = -CONE_LENGTH
    return _between(np.stack([_circle(0.0, 0.0), _circle(1.0, foot), _circle(0.0, foot)]))


def ball() -> Triangles:
    """Of radius 1 around the origin."""
    slopes = np.linspace(0.0, math.pi, 7)
    return _between(np.stack([_circle(math.sin(slope), math.cos(slope)) for slope in slopes]))


def tube(path: NDArray[np.float64], normal: NDArray[np.float64], thickness: float, closed: bool) -> Triangles:
    """Around a path [N,3] in a plane with this normal; `thickness` is the tube's radius."""
    if closed:
        before, after = np.roll(path, 1, axis=0), np.roll(path, -1, axis=0)
    else:
        before, after = np.vstack([path[:1], path[:-1]]), np.vstack([path[1:], path[-1:]])
    along = after - before
    side = np.cross(along / np.linalg.norm(along, axis=1, keepdims=True), normal)
    angles = np.linspace(0.0, 2.0 * math.pi, TUBE_SIDES, endpoint=False)
    out = np.cos(angles)[None, :, None] * side[:, None, :] + np.sin(angles)[None, :, None] * normal
    rings = path[:, None, :] + thickness * out
    return _between(np.concatenate([rings, rings[:1]]) if closed else rings)


def circle(thickness: float) -> Triangles:
    """A tube around z, of radius 1."""
    return tube(_circle(1.0, 0.0, CIRCLE_CORNERS), Z, thickness, closed=True)


def arc(thickness: float, sweep: float, growth: float) -> Triangles:
    """A tube around z from the direction of x on, of radius 1 that grows by `growth` a turn; `sweep` in radians."""
    turns = abs(sweep) / (2.0 * math.pi)
    angles = np.linspace(0.0, sweep, max(2, math.ceil(CIRCLE_CORNERS * turns) + 1))
    radius = 1.0 + growth * np.abs(angles) / (2.0 * math.pi)
    path = np.stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros_like(angles)], axis=1)
    return tube(path, Z, thickness, closed=False)


def square(thickness: float) -> Triangles:
    """The outline of the square from -1 to 1 in x and y."""
    path = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
    return tube(path, Z, thickness, closed=True)
