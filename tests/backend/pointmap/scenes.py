"""Cameras and surfaces for pointmaps, and what is seen of them found the slow way: a ray for each pixel."""

from __future__ import annotations

import numpy as np

from backend.pointmap.camera import Camera
from backend.pointmap.render import GREY, Surface

__all__ = ["looking", "rays", "slow_depth", "surface"]


def looking(origin: tuple[float, float, float], target: tuple[float, float, float], **settings) -> Camera:
    """A camera that looks from one place to another, 90 pixels wide and 60 high unless told."""
    back = np.subtract(origin, target) / np.linalg.norm(np.subtract(origin, target))
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[:3] = np.stack([right, np.cross(back, right), back, origin], axis=1)
    return Camera(**{"width": 90, "height": 60, "matrix_world": matrix, **settings})


def surface(vertices, triangles) -> Surface:
    """Of one object, grey."""
    triangles = np.asarray(triangles)
    return Surface(
        np.asarray(vertices, dtype=np.float64),
        triangles,
        np.tile(GREY, (len(triangles), 1)),
        np.ones(len(triangles), dtype=int),
    )


def rays(camera: Camera) -> tuple[np.ndarray, np.ndarray]:
    """Where the line of sight through each pixel's centre begins and how it goes on while z grows by 1, [P,3] each."""
    rows, columns = np.mgrid[: camera.height, : camera.width]
    K = camera.intrinsics
    across = [(columns + 0.5 - K[0, 2]) / K[0, 0], (rows + 0.5 - K[1, 2]) / K[1, 1]]
    flat, one = np.stack([*across, np.zeros(rows.shape)], axis=-1).reshape(-1, 3), np.array([0.0, 0.0, 1.0])
    if camera.orthographic:
        return flat, np.broadcast_to(one, flat.shape)
    return np.zeros_like(flat), flat + one


def slow_depth(drawn: Surface, camera: Camera) -> tuple[np.ndarray, np.ndarray]:
    """z where each line of sight first meets a triangle between the clips (else 0), and which, Float[H,W], Int[H,W].

    Möller and Trumbore's formula, each ray with each triangle.
    """
    origins, ways = rays(camera)
    a, b, c = np.moveaxis(camera.to_camera(drawn.vertices)[drawn.triangles], 1, 0)
    best, which = np.full(len(ways), np.inf), np.full(len(ways), -1)
    for number in range(len(a)):
        ab, ac = b[number] - a[number], c[number] - a[number]
        p = np.cross(ways, ac)
        determinant = p @ ab
        with np.errstate(divide="ignore", invalid="ignore"):
            to = origins - a[number]
            u = np.einsum("px,px->p", to, p) / determinant
            q = np.cross(to, ab)
            v = np.einsum("px,px->p", ways, q) / determinant
            z = q @ ac / determinant
            hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (z >= camera.clip_start) & (z < camera.clip_end) & (z < best)
        best[hit], which[hit] = z[hit], number
    best[np.isinf(best)] = 0.0
    shape = (camera.height, camera.width)
    return best.reshape(shape), which.reshape(shape)
