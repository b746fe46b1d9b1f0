"""Sheets to simulate, spheres to drape them over, and what is measured on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from backend.engine import analyze, prepare
from backend.geometry.mesh import cross

COTTON = {"which": 0, "material": "fabric"}


def cloth(count: int, size: float = 1.0, columns: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """A square, or a strip of `columns`, in the plane z = 0 around the origin."""
    across = columns or count
    u, v = np.meshgrid(np.arange(count), np.arange(across), indexing="ij")
    places = np.stack([u.ravel(), v.ravel(), np.zeros(count * across)], axis=1) * (size / (count - 1))
    number = np.arange(count * across).reshape(count, across)
    a, b, c, d = (each.ravel() for each in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    return places - places.mean(axis=0), np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def sphere(radius: float, rings: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Around the origin."""
    around = 2 * rings
    polar, turn = np.meshgrid(
        np.linspace(0.0, np.pi, rings + 1)[1:-1], np.arange(around) * 2.0 * np.pi / around, indexing="ij"
    )
    ring = np.stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)], axis=-1)
    vertices = np.concatenate([ring.reshape(-1, 3), [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]]) * radius
    number = np.arange((rings - 1) * around).reshape(rings - 1, around)
    beside = np.roll(number, -1, axis=1)
    top, bottom = len(vertices) - 2, len(vertices) - 1
    quads = [
        np.stack([number[:-1].ravel(), number[1:].ravel(), beside[1:].ravel()], axis=1),
        np.stack([number[:-1].ravel(), beside[1:].ravel(), beside[:-1].ravel()], axis=1),
    ]
    caps = [
        np.stack([np.full(around, top), number[0], beside[0]], axis=1),
        np.stack([np.full(around, bottom), beside[-1], number[-1]], axis=1),
    ]
    return vertices, np.concatenate(quads + caps)


def simulated(mesh: tuple[np.ndarray, np.ndarray], **conditions: Any) -> np.ndarray:
    """Frames Float[T,V,3] of a cotton cloth."""
    return run(mesh, **conditions)[0]


def run(mesh: tuple[np.ndarray, np.ndarray], **conditions: Any) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Frames Float[T,V,3], energies Float[T,3] and the report."""
    analysis = analyze(*mesh, "sheet", name="Cloth")
    take = prepare([analysis], [{"anchor": "none", **conditions}])
    frames = [frame for (frame,) in take.frames(lambda: False)]
    return np.array([frame.points for frame in frames]), np.array([frame.energy for frame in frames]), take.report()


def stretches(mesh: tuple[np.ndarray, np.ndarray], shape: np.ndarray) -> np.ndarray:
    """Of warp and weft: lengths of the edges of squares over those at rest, minus one."""
    vertices, triangles = mesh
    edges = np.unique(np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]]), axis=1), axis=0)
    rest = np.linalg.norm(vertices[edges[:, 1]] - vertices[edges[:, 0]], axis=1)
    straight = rest < 1.2 * rest.min()
    now = np.linalg.norm(shape[edges[:, 1]] - shape[edges[:, 0]], axis=1)
    return now[straight] / rest[straight] - 1.0


def piercings(shape: np.ndarray, triangles: np.ndarray) -> int:
    """How many pairs of an edge and a triangle that share no vertex intersect, exactly."""
    edges = np.unique(
        np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1), axis=0
    )
    low, high = shape[triangles].min(axis=1), shape[triangles].max(axis=1)
    found = 0
    for first in range(0, len(edges), 512):
        part = edges[first : first + 512]
        begin, end = shape[part[:, 0]], shape[part[:, 1]]
        near = (np.minimum(begin, end)[:, None] <= high).all(axis=2) & (np.maximum(begin, end)[:, None] >= low).all(
            axis=2
        )
        edge, face = np.nonzero(near)
        apart = (part[edge][:, :, None] != triangles[face][:, None, :]).all(axis=(1, 2))
        edge, face = edge[apart], face[apart]
        a, b, c = shape[triangles[face]].transpose(1, 0, 2)
        way, normal = end[edge] - begin[edge], cross(b - a, c - a)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.einsum("ni,ni->n", a - begin[edge], normal) / np.einsum("ni,ni->n", way, normal)
            hit = begin[edge] + share[:, None] * way
            inside = (share > 0.0) & (share < 1.0)
            for one, other in ((a, b), (b, c), (c, a)):
                inside &= np.einsum("ni,ni->n", cross(other - one, hit - one), normal) > 0.0
        found += int(inside.sum())
    return found
