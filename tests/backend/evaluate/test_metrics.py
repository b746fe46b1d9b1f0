"""Distances between shapes against what can be said of them in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from backend.errors import UserError
from backend.evaluate.metrics import SAMPLES, ShapeError, Target, mean_error
from backend.evaluate.procrustes import best_placement
from backend.evaluate.surface import sample_surface
from tests.backend.shapes import block, moved, sheet, sphere

RNG = np.random.default_rng(7)


def test_equal_shapes_are_at_distance_zero() -> None:
    vertices, triangles = sphere(400)
    samples = sample_surface(vertices, triangles, SAMPLES, RNG).on(vertices)
    assert Target(samples).error(samples) == ShapeError(0.0, 0.0, 0.0, 0.0)


def test_parallel_planes_are_as_far_apart_as_they_are() -> None:
    vertices, triangles = sheet(4, 4, 2.0, 2.0)
    points = sample_surface(vertices, triangles, SAMPLES, RNG)
    lifted = moved((vertices, triangles), (0.0, 0.0, 0.3))[0]
    error = Target(points.on(lifted)).error(points.on(vertices))
    assert error.cd_l1 == pytest.approx(0.3, rel=1e-9)
    assert error.cd_l1_sum == pytest.approx(0.6, rel=1e-9)
    assert error.cd_l2 == pytest.approx(0.09, rel=1e-9)
    assert error.point_error == pytest.approx(0.3, rel=1e-9)


def test_a_plane_shifted_in_itself_is_near_though_its_points_are_not() -> None:
    """Only the rims differ: the strip that sticks out is at the distance of its points from the rim."""
    vertices, triangles = sheet(4, 4, 2.0, 2.0)
    points = sample_surface(vertices, triangles, SAMPLES, RNG)
    shift = 0.4
    error = Target(points.on(moved((vertices, triangles), (shift, 0.0, 0.0))[0])).error(points.on(vertices))
    strip = shift / 2.0 * (shift / 2.0)  # share of the surface times its mean distance
    assert error.point_error == pytest.approx(shift, rel=1e-9)
    # What lies on the other plane is half a spacing of samples away from the nearest one.
    floor = 0.5 * np.sqrt(4.0 / SAMPLES)
    assert strip < error.cd_l1 < strip + floor


def test_shifted_spheres() -> None:
    """Of two spheres of radius 1 at the distance d each point x is ||x + d e| - 1| away: 2 d^2/3 + ... on average."""
    vertices, triangles = sphere(4000, radius=1.0)
    points = sample_surface(vertices, triangles, SAMPLES, RNG)
    shift = 0.8
    height = np.linspace(-1.0, 1.0, 20001)
    expected = np.abs(np.sqrt(1.0 + shift**2 + 2.0 * shift * height) - 1.0).mean()
    error = Target(points.on(moved((vertices, triangles), (0.0, 0.0, shift))[0])).error(points.on(vertices))
    assert error.cd_l1 == pytest.approx(expected, rel=0.02)
    assert error.cd_l1_sum == pytest.approx(2.0 * error.cd_l1)


def test_samples_lie_where_the_area_is() -> None:
    """A cuboid's faces get points by their area, whatever their triangles are."""
    vertices, triangles = block((2.0, 1.0, 0.5), (8, 2, 1))
    places = sample_surface(vertices, triangles, SAMPLES, RNG).on(vertices)
    on_top = np.isclose(places[:, 2], 0.25).mean()
    assert on_top == pytest.approx(2.0 / (2.0 * (2.0 + 1.0 + 0.5)), abs=0.005)
    centre = places[np.isclose(places[:, 2], 0.25)].mean(axis=0)
    assert centre[:2] == pytest.approx([0.0, 0.0], abs=0.03)


def test_collapsed_faces_are_refused() -> None:
    with pytest.raises(UserError, match="no area"):
        sample_surface(np.zeros((3, 3)), np.array([[0, 1, 2]]), 10, RNG)


def test_mean_of_errors() -> None:
    assert mean_error([ShapeError(1.0, 2.0, 3.0, 4.0), ShapeError(3.0, 4.0, 5.0, 6.0)]) == ShapeError(2, 3, 4, 5)


def test_best_placement_finds_the_motion() -> None:
    points = RNG.normal(size=(12, 3))
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    motion = best_placement(points, points @ turn.T + [1.0, 2.0, 3.0])
    assert motion.turn == pytest.approx(turn, abs=1e-12)
    assert motion.shift == pytest.approx([1.0, 2.0, 3.0])
