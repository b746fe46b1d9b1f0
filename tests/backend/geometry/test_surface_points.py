"""Places on a mesh: an even spread, and the nearest place of a part against brute force."""

from __future__ import annotations

import numpy as np

from backend.geometry.closest_points import closest_on_triangles
from backend.geometry.surface_points import closest_surface_points, quasi_random_points


def soup(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    corners = rng.normal(size=(count, 1, 3)) + 10.0 ** rng.uniform(-2.0, 0.0, (count, 1, 1)) * rng.normal(
        size=(count, 3, 3)
    )
    return corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


def test_an_even_spread_integrates_over_the_surface() -> None:
    vertices, triangles = soup(40)
    places = quasi_random_points(vertices, triangles, 4000)
    corners = vertices[triangles]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    np.testing.assert_allclose(places.area.sum(), area.sum())
    np.testing.assert_allclose(places.barycentric.sum(axis=1), 1.0)
    assert places.barycentric.min() >= 0.0
    found = places.area @ places.interpolated(triangles, vertices)
    np.testing.assert_allclose(found, area @ corners.mean(axis=1), atol=3e-3 * area.sum())
    count = np.bincount(places.triangle, minlength=40)
    np.testing.assert_allclose(count, 4000.0 * area / area.sum(), atol=1.0)


def test_the_nearest_place_of_a_part_by_brute_force() -> None:
    vertices, triangles = soup(60, 1)
    rng = np.random.default_rng(2)
    part = rng.integers(0, 3, 60)
    points, point_part = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    places = closest_surface_points(points, point_part, vertices, triangles, part)
    np.testing.assert_array_equal(part[places.triangle], point_part)
    found = places.interpolated(triangles, vertices)
    corners = vertices[triangles]
    for point, owner, place in zip(points, point_part, found, strict=True):
        own = corners[part == owner]
        every = closest_on_triangles(np.tile(point, (len(own), 1)), own[:, 0], own[:, 1], own[:, 2])
        least = np.linalg.norm(every - point, axis=1).min()
        assert np.linalg.norm(place - point) <= least + 0.02


def test_faces_without_area_are_places_too() -> None:
    """Two corners at one place, all three at one, three in a line: the nearest place is still the nearest."""
    along = [0.0, 1.0, 1.0, 3.0, 3.0, 3.0, 5.0, 6.0, 7.0]
    elsewhere = [[0.0, 9.0, 0.0], [1.0, 9.0, 0.0], [0.0, 10.0, 0.0]]
    vertices = np.vstack([np.column_stack([along, np.zeros((9, 2))]), elsewhere])
    triangles = np.vstack([np.arange(9).reshape(-1, 3), [[0, 3, 6], [9, 10, 11]]])
    points = np.array([[0.4, 1.0, 0.0], [3.1, 0.0, 1.0], [6.2, 0.0, 0.5]])
    part = np.array([0, 0, 0, 0, 1])
    places = closest_surface_points(points, np.zeros(3, int), vertices, triangles, part)
    assert np.isfinite(places.barycentric).all()
    found = places.interpolated(triangles, vertices)
    np.testing.assert_allclose(found[[0, 2]], [[0.4, 0, 0], [6.2, 0, 0]], atol=1e-4)
