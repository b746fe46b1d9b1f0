"""What is near to points: against brute force, without ghosts at inner edges and without missing a corner."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.bench.penetration import distances, winding_numbers
from backend.geometry.near_surface import Features, NearSurface
from tests.backend.geometry.shapes import Arrays, ball, blocks, box, joined, sheet, soup, torus

TABLE = box((2.0, 1.0, 0.1))


def near(mesh: Arrays, points: object, reach: float, closed: bool = True) -> Features:
    vertices, triangles = mesh
    points = np.atleast_2d(np.asarray(points, dtype=float))
    surface = NearSurface(triangles, np.full(len(triangles), closed), vertices)
    found = surface.features(points, np.full(len(points), reach))
    check(found, mesh, points, reach, closed)
    return found


def check(found: Features, mesh: Arrays, points: np.ndarray, reach: float, closed: bool) -> None:
    """What Features promises: places on the surface, unit normals along the way there, order."""
    size = np.ptp(mesh[0], axis=0).max()
    place = np.einsum("ck,cki->ci", found.share, mesh[0][mesh[1][found.triangle]])
    assert np.all(found.share >= 0.0) and np.allclose(found.share.sum(axis=1), 1.0)
    assert np.allclose(np.linalg.norm(found.normal, axis=1), 1.0)
    assert np.allclose(points[found.point] - place, found.gap[:, None] * found.normal, atol=1e-8 * size)
    assert np.all(np.abs(found.gap) <= reach * (1 + 1e-9))
    assert np.all(np.diff(found.point) >= 0)
    assert np.all(np.diff(np.abs(found.gap))[np.diff(found.point) == 0] >= 0)
    assert closed or np.all(found.gap >= 0.0)


def brute_minima(mesh: Arrays, point: np.ndarray, reach: float) -> np.ndarray:
    """The places Float[n,3] where the distance to an unsided surface is least among all triangles that hold them."""
    vertices, triangles = mesh
    places, gaps = [], []
    for corners in vertices[triangles]:
        place = closest(point, corners)
        places.append(place)
        gaps.append(np.linalg.norm(point - place))
    places, gaps = np.array(places), np.array(gaps)
    minima: list[np.ndarray] = []
    for place, gap in zip(places, gaps, strict=True):
        if gap > reach or any(np.linalg.norm(place - other) < 1e-6 for other in minima):
            continue
        holding = [
            k for k, corners in enumerate(vertices[triangles]) if np.linalg.norm(place - closest(place, corners)) < 1e-9
        ]
        if gaps[holding].min() > gap - 1e-9:
            minima.append(place)
    # Of those in one direction the nearest.
    distinct: list[np.ndarray] = []
    for place in sorted(minima, key=lambda place: np.linalg.norm(point - place)):
        if all(direction(point, place) @ direction(point, other) < np.cos(np.radians(15.0)) for other in distinct):
            distinct.append(place)
    return np.array(distinct).reshape(-1, 3)


def direction(point: np.ndarray, place: np.ndarray) -> np.ndarray:
    return (point - place) / np.linalg.norm(point - place)


def closest(point: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The closest point of one triangle: the foot of the perpendicular if it is inside, else the best on a side."""
    a, b, c = corners
    foot = a + np.linalg.lstsq(np.column_stack([b - a, c - a]), point - a, rcond=None)[0] @ np.array([b - a, c - a])
    shares = np.linalg.lstsq(np.vstack([corners.T, np.ones(3)]), np.append(foot, 1.0), rcond=None)[0]
    if np.all(shares >= 0.0):
        return foot
    sides = [(a, b), (b, c), (c, a)]
    best = [s + np.clip((point - s) @ (e - s) / ((e - s) @ (e - s)), 0.0, 1.0) * (e - s) for s, e in sides]
    return min(best, key=lambda place: np.linalg.norm(point - place))


def test_gliding_over_a_table_meets_one_thing_at_a_time() -> None:
    """Over the edge between the two triangles of the top, over a corner of them, over the rim and beyond."""
    along = np.linspace(-1.2, 1.2, 481)
    for y in (0.0, 0.25, 0.5):
        found = near(TABLE, np.column_stack([along, np.full(481, y), np.full(481, 0.06)]), 0.25)
        assert np.array_equal(found.point, np.arange(481))
        beyond = np.maximum(np.abs(along) - 1.0, 0.0)
        assert np.allclose(found.gap, np.hypot(0.01, beyond), atol=1e-12)
        assert np.allclose(found.normal[beyond == 0.0], [0, 0, 1], atol=1e-9)


def test_the_lower_side_of_a_table_is_not_met_through_it() -> None:
    found = near(TABLE, [[0.3, 0.2, 0.06], [0.3, 0.2, -0.06]], 0.5)
    assert np.allclose(found.gap, 0.01)
    assert np.allclose(found.normal, [[0, 0, 1], [0, 0, -1]])


def test_inside_a_table_the_nearest_way_out_alone_counts() -> None:
    found = near(TABLE, [[0.3, 0.2, 0.02], [0.99, 0.2, 0.01]], 0.5)
    assert np.allclose(found.gap, [-0.03, -0.01])
    assert np.allclose(found.normal, [[0, 0, 1], [1, 0, 0]])


def test_on_the_surface_the_normal_is_that_of_the_place() -> None:
    found = near(TABLE, [[0.3, 0.2, 0.05], [1.0, 0.1, 0.05], [1.0, 0.5, 0.05]], 0.1)
    assert np.allclose(found.gap, 0.0)
    half, third = np.sqrt(1 / 2), np.sqrt(1 / 3)
    assert np.allclose(found.normal, [[0, 0, 1], [half, 0, half], [third, third, third]])


@pytest.mark.parametrize("closed", [True, False])
def test_the_corner_of_floor_and_wall_has_two_minima(closed: bool) -> None:
    vertices = np.array([[0, -1, 0], [0, 1, 0], [1, -1, 0], [1, 1, 0], [0, -1, 1], [0, 1, 1.0]])
    corner = vertices, np.array([[0, 2, 3], [0, 3, 1], [0, 1, 5], [0, 5, 4]])
    found = near(corner, [[0.02, 0.3, 0.01], [0.02, 0.0, 0.03]], 0.1, closed)
    assert found.point.tolist() == [0, 0, 1, 1]
    assert np.allclose(found.gap, [0.01, 0.02, 0.02, 0.03])
    assert np.allclose(found.normal, [[0, 0, 1], [1, 0, 0], [1, 0, 0], [0, 0, 1]])


def test_a_niche_in_a_solid_is_met_on_all_its_sides() -> None:
    filled = np.ones((3, 3, 3), dtype=bool)
    filled[1, 1, 1:] = False
    niche = blocks(filled, *[np.arange(4.0)] * 3)
    found = near(niche, [1.5, 1.4, 1.3], 0.55)
    assert np.allclose(found.gap, [0.3, 0.4, 0.5, 0.5])
    assert np.allclose(found.normal[:2], [[0, 0, 1], [0, 1, 0]])


def test_beyond_the_rim_of_a_one_sided_floor_there_is_nothing() -> None:
    floor = sheet(2, 2)
    found = near(floor, [[0.5, 0.5, -0.1], [1.1, 0.5, -0.1], [1.1, 0.5, 0.1], [0.5, 0.5, 0.1]], 0.5, closed=True)
    assert found.point.tolist() == [0, 2, 3]
    assert np.allclose(found.gap, [-0.1, np.sqrt(0.02), 0.1])
    assert np.allclose(found.normal[[0, 2]], [0, 0, 1])


def test_a_sheet_has_two_sides() -> None:
    found = near(sheet(5, 5), [[0.5, 0.3, -0.1], [0.5, 0.3, 0.1], [0.5, 0.3, 0.0]], 0.5, closed=False)
    assert np.allclose(found.gap, [0.1, 0.1, 0.0])
    assert np.allclose(found.normal, [[0, 0, -1], [0, 0, 1], [0, 0, 1]])


SOLIDS = {
    "torus": torus(24, 12),
    "ball": ball(10),
    "stairs": blocks(np.tril(np.ones((4, 4), dtype=bool))[:, None], np.arange(5.0), [0.0, 1.0], np.arange(5.0)),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_sign_and_distance_of_solids(name: str) -> None:
    mesh = SOLIDS[name]
    random = np.random.default_rng(0)
    low, high = mesh[0].min(axis=0) - 0.2, mesh[0].max(axis=0) + 0.2
    points = random.uniform(low, high, (600, 3))
    found = near(mesh, points, 10.0)
    nearest = np.flatnonzero(np.diff(found.point, prepend=-1))
    assert np.array_equal(found.point[nearest], np.arange(600))
    signed = distances(points, mesh) * np.where(winding_numbers(points, mesh) > 0.5, -1.0, 1.0)
    assert np.allclose(found.gap[nearest], signed, atol=1e-9)
    inside = signed < 0
    assert 0 < inside.sum() < 600
    assert np.all(np.bincount(found.point, minlength=600)[inside] == 1)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(["soup", "hull", "fan", "grid"]))
def test_minima_of_random_surfaces(seed: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    if kind == "soup":
        mesh = soup(8, 0.4, seed)
    elif kind == "hull":
        mesh = ball(3)[0] * random.uniform(0.3, 1.0, (14, 1)), ball(3)[1]
    elif kind == "fan":
        around = random.integers(3, 8)
        rim = np.column_stack([np.cos(np.arange(around)), np.sin(np.arange(around)), random.normal(0, 0.5, around)])
        steps = np.arange(1, around)
        mesh = np.vstack([rim, [0, 0, 0]]), np.column_stack([np.full(around - 1, around), steps - 1, steps])
    else:
        vertices, triangles = sheet(3, 3)
        mesh = vertices + random.normal(0, 0.3, (9, 1)) * [0, 0, 1], triangles
    reach = float(random.uniform(0.1, 1.5))
    # Some of the points stand straight over vertices and edges, where rounding decides to whom they belong.
    above = np.concatenate([mesh[0][:4], mesh[0][mesh[1][:3, :2]].mean(axis=1)]) + np.array([0, 0, 0.1])
    points = np.concatenate([random.normal(0, 0.7, (4, 3)), above])
    found = near(mesh, points, reach, closed=False)
    for number, point in enumerate(points):
        expected = brute_minima(mesh, point, reach)
        rows = found.point == number
        places = np.einsum("ck,cki->ci", found.share[rows], mesh[0][mesh[1][found.triangle[rows]]])
        apart = np.linalg.norm(expected[:, None] - places[None], axis=2)
        assert len(expected) == len(places)
        assert np.all(apart.min(axis=0, initial=np.inf) < 1e-6) and np.all(apart.min(axis=1, initial=np.inf) < 1e-6)


def test_moved_is_as_good_as_new() -> None:
    vertices, triangles = torus(20, 10)
    turned = vertices @ np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0] * [1.0, 2.0, 0.5] + [5, 0, 0]
    closed = np.ones(len(triangles), dtype=bool)
    points = turned[::3] + np.random.default_rng(4).normal(0, 0.05, (len(turned[::3]), 3))
    reach = np.full(len(points), 0.2)
    moved = NearSurface(triangles, closed, vertices).moved(turned).features(points, reach)
    fresh = NearSurface(triangles, closed, turned).features(points, reach)
    assert np.array_equal(moved.point, fresh.point)
    assert np.allclose(moved.gap, fresh.gap) and np.allclose(moved.normal, fresh.normal)


def test_each_point_has_its_own_reach() -> None:
    vertices, triangles = TABLE
    surface = NearSurface(triangles, np.ones(12, dtype=bool), vertices)
    points = np.array([[0.1, 0.2, 0.1], [0.1, 0.2, 0.1], [0.1, 0.2, 0.1]])
    assert surface.features(points, np.array([0.04, 0.06, 0.0])).point.tolist() == [1]


def test_nothing_near_and_nothing_asked() -> None:
    assert len(near(TABLE, [[5.0, 0, 0], [0, 0, 5.0]], 0.1)) == 0
    assert len(near(TABLE, np.empty((0, 3)), 0.1)) == 0


def test_overlapping_solids_never_contradict_each_other() -> None:
    pair = joined(box(), box(centre=(0.7, 0.0, 0.0)))
    points = np.random.default_rng(5).uniform([-0.7, -0.7, -0.7], [1.4, 0.7, 0.7], (800, 3))
    found = near(pair, points, 0.6)
    inside = winding_numbers(points, pair) > 0.5
    assert np.array_equal(np.unique(found.point[found.gap < 0]), np.flatnonzero(inside))
    assert np.all(np.bincount(found.point, minlength=800)[inside] == 1)


def test_a_hollow_ball_is_met_from_both_sides_of_its_wall() -> None:
    outer, inner = ball(40), ball(40, 0.8)
    hollow = joined(outer, (inner[0], inner[1][:, ::-1]))
    radius = np.array([0.7, 0.85, 0.95, 1.1])
    found = near(hollow, radius[:, None] * np.array([1.0, 0.0, 0.0]), 0.15)
    assert found.point.tolist() == [0, 1, 2, 3]
    assert np.allclose(found.gap, [0.1, -0.05, -0.05, 0.1], atol=0.02)
    assert np.allclose(found.normal[:, 0], [-1, -1, 1, 1], atol=0.02)


def test_flattened_faces_lead_nobody_astray() -> None:
    """A vertex in the middle of a long edge on one side of it: the sliver between is only its edges."""
    vertices = np.array([[0, 0, 0], [2, 0, 0], [1, 0, 0], [1, 1, 0], [1, -1, 0.0]])
    mesh = vertices, np.array([[0, 1, 3], [0, 2, 1], [0, 4, 2], [2, 4, 1]])
    along = np.linspace(0.05, 1.95, 39)
    for height in (0.1, -0.1):
        points = np.column_stack([along, np.zeros(39), np.full(39, height)])
        found = near(mesh, points, 0.2, closed=False)
        assert np.array_equal(found.point, np.arange(39))
        assert np.allclose(found.gap, 0.1)


def test_a_floor_of_two_triangles_a_kilometre_wide() -> None:
    vertices, triangles = sheet(2, 2, 1000.0, 1000.0)
    points = np.random.default_rng(6).uniform(0, 1000, (500, 3)) * [1, 1, 0] + [0, 0, 1e-3]
    points[:50, 1] = points[:50, 0]  # over the diagonal
    found = near((vertices, triangles), points, 0.01)
    assert np.array_equal(found.point, np.arange(500))
    assert np.allclose(found.gap, 1e-3, rtol=1e-9) and np.allclose(found.normal, [0, 0, 1], atol=1e-9)


def test_a_dense_collider() -> None:
    mesh = torus(200, 125)
    points = np.random.default_rng(7).uniform(-1.4, 1.4, (60, 3)) * [1, 1, 0.25]
    found = near(mesh, points, 0.03)
    exact = distances(points, mesh)
    assert np.array_equal(np.unique(found.point), np.flatnonzero(exact <= 0.03))
    nearest = np.flatnonzero(np.diff(found.point, prepend=-1))
    assert np.allclose(np.abs(found.gap[nearest]), exact[exact <= 0.03])


def test_deep_inside_is_looked_for_farther_than_outside() -> None:
    mesh = ball(24)
    surface = NearSurface(mesh[1], np.ones(len(mesh[1]), dtype=bool), mesh[0])
    points = np.random.default_rng(8).uniform(-1.2, 1.2, (500, 3))
    found = surface.features(points, np.full(500, 0.05), np.full(500, 0.7))
    signed = distances(points, mesh) * np.where(winding_numbers(points, mesh) > 0.5, -1.0, 1.0)
    assert np.array_equal(found.point, np.flatnonzero((signed > -0.7) & (signed < 0.05)))
    assert np.allclose(found.gap, signed[found.point])


def test_far_reaching_questions_are_answered_piece_by_piece() -> None:
    mesh = ball(40)
    points = np.random.default_rng(9).uniform(-1.2, 1.2, (300, 3))
    found = near(mesh, points, 3.0)
    nearest = np.flatnonzero(np.diff(found.point, prepend=-1))
    assert np.array_equal(found.point[nearest], np.arange(300))
    one_by_one = [near(mesh, point, 3.0).gap[0] for point in points[:20]]
    assert np.allclose(found.gap[nearest][:20], one_by_one)


@pytest.mark.parametrize("seed", range(12))
def test_voxels_that_share_edges_and_corners(seed: int) -> None:
    """Four faces at an edge, two solids at a corner: inside is inside all the same."""
    random = np.random.default_rng(seed)
    mesh = blocks(random.random((3, 3, 3)) < 0.5, *[np.arange(4.0)] * 3)
    points = random.uniform(-0.3, 3.3, (400, 3))
    found = near(mesh, points, 1.5)
    inside = winding_numbers(points, mesh) > 0.5
    assert np.array_equal(np.unique(found.point[found.gap < 0]), np.flatnonzero(inside))


def test_its_points_in_a_box() -> None:
    vertices, triangles = torus(60, 30)
    surface = NearSurface(triangles, np.ones(len(triangles), dtype=bool), vertices)
    low, high = surface.bounds
    assert np.array_equal(low, vertices.min(axis=0)) and np.array_equal(high, vertices.max(axis=0))
    for low, high in (([0.2, -0.1, -1.0], [1.5, 0.3, 0.2]), ([2.0] * 3, [3.0] * 3)):
        inside = ((vertices >= low) & (vertices <= high)).all(axis=1)
        assert np.array_equal(surface.points_in(np.array(low), np.array(high)), np.flatnonzero(inside))
