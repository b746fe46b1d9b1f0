"""Refinement keeps surfaces closed, their area and volume, and uses about as few points as it must."""

from __future__ import annotations

import numpy as np
import pytest

from backend.geometry import triangle_areas
from backend.geometry.edges import edge_graph
from backend.geometry.refine import MAXIMUM_ADDED_POINTS, refine
from backend.geometry.topology import signed_volumes
from tests.backend.geometry.shapes import Arrays, box, sheet


def _cylinder(sides: int, radius: float) -> Arrays:
    """Caps that are fans from one rim vertex: slivers of all kinds."""
    angle = np.arange(sides) * 2 * np.pi / sides
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(sides)], axis=1)
    i = np.arange(sides)
    j, k = (i + 1) % sides, np.arange(1, sides - 1)
    zero = np.zeros_like(k)
    triangles = [
        np.stack([i, j, j + sides], axis=1),
        np.stack([i, j + sides, i + sides], axis=1),
        np.stack([zero, k + 1, k], axis=1),
        np.stack([zero + sides, k + sides, k + 1 + sides], axis=1),
    ]
    return np.concatenate([rim, rim + np.array([0, 0, 1])]), np.concatenate(triangles)


def _tetrahedron(seed: int) -> Arrays:
    random = np.random.default_rng(seed)
    corners = random.normal(size=(4, 3)) * [1.0, 10.0 ** -random.uniform(0, 3), 1.0]
    return corners / np.ptp(corners, axis=0).max(), np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])


CASES = {
    "cube": (box(), 0.05),
    "rod": (box((1, 0.01, 0.01)), 0.003),
    "wire": (box((1, 0.001, 0.001)), 0.0012),
    "plate": (box((1, 1, 0.01)), 0.02),
    "foil": (box((1, 0.3, 0.001)), 0.01),
    "post": (_cylinder(64, 0.05), 0.01),
    "disc": (_cylinder(300, 2.5), 0.1),
} | {f"tetrahedron {seed}": (_tetrahedron(seed), 0.05) for seed in range(40)}


@pytest.mark.parametrize("name", CASES)
def test_closed_stays_closed(name: str) -> None:
    (vertices, triangles), limit = CASES[name]
    points, faces, label, used = refine(vertices, triangles, np.zeros(len(vertices), dtype=int), limit)
    assert used == limit
    assert np.array_equal(points[: len(vertices)], vertices)
    assert len(label) == len(points) == len(np.unique(faces))
    edges = edge_graph(faces, len(points))
    assert np.all(edges.faces == 2) and np.all(edges.direction == 0)
    pairs = edges.matrix.tocoo()
    assert np.linalg.norm(points[pairs.row] - points[pairs.col], axis=1).max() <= limit
    area = triangle_areas(vertices, triangles).sum()
    assert triangle_areas(points, faces).sum() == pytest.approx(area, rel=1e-9)
    volume = signed_volumes(vertices, triangles, np.zeros(len(vertices), dtype=int))[0]
    refined_volume = signed_volumes(points, faces, label)[0]
    assert refined_volume == pytest.approx(volume, rel=1e-6, abs=1e-12)
    # A surface evenly covered by triangles with edges of 0.7 limit has 2.4 area / limit^2 points.
    assert len(points) < 8 * area / limit**2 + 100


def test_labels_follow() -> None:
    vertices, triangles = sheet(2, 2)
    both = np.concatenate([vertices, vertices + np.array([0, 0, 1])])
    points, _, label, _ = refine(both, np.concatenate([triangles, triangles + 4]), np.repeat([3, 7], 4), 0.1)
    assert np.array_equal(label, np.where(points[:, 2] > 0.5, 7, 3))


def test_fine_meshes_are_left_alone() -> None:
    vertices, triangles = sheet(60, 60)
    points, faces, _, _ = refine(vertices, triangles, np.zeros(len(vertices), dtype=int), 0.1)
    assert points is vertices
    assert np.array_equal(faces, triangles)


def test_cost_is_bounded() -> None:
    vertices, triangles = box()
    points, _, _, used = refine(vertices, triangles, np.zeros(8, dtype=int), 1e-5)
    assert used > 1e-5
    assert len(points) < 2.5 * MAXIMUM_ADDED_POINTS
