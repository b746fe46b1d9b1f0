"""Edges near edges: against a search over both, and on which side of each other sharp edges are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.geometry import validate_mesh
from backend.geometry.collision_surface import collision_surface
from backend.geometry.near_edges import EdgeFeatures, NearEdges, edge_features, wings
from tests.backend.geometry.shapes import Arrays, box, sheet


def turned(mesh: Arrays, axis: int, degrees: float) -> Arrays:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turn = np.roll(np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), (axis, axis), axis=(0, 1))
    return mesh[0] @ turn.T, mesh[1]


def between(first: Arrays, second: Arrays, reach: float) -> EdgeFeatures:
    """The edges of one mesh near those of another, their sides taken from the faces."""
    surfaces = [collision_surface(validate_mesh(*mesh)) for mesh in (first, second)]
    edges = [surface.edges for surface in surfaces]
    sides = [wings(surface.edges, surface.triangles, surface.closed) for surface in surfaces]
    found = edge_features(first[0], edges[0], second[0], edges[1], reach, *sides)
    check(found, first[0], edges[0], second[0], edges[1], reach)
    return found


def check(
    found: EdgeFeatures, a: np.ndarray, edges_a: np.ndarray, b: np.ndarray, edges_b: np.ndarray, reach: float
) -> None:
    """What EdgeFeatures promises of its rows."""
    place_a, place_b = (
        (1.0 - share)[:, None] * positions[edges[rows, 0]] + share[:, None] * positions[edges[rows, 1]]
        for positions, edges, rows, share in (
            (a, edges_a, found.first, found.first_share),
            (b, edges_b, found.second, found.second_share),
        )
    )
    for share in (found.first_share, found.second_share):
        assert np.all((share > 0.0) & (share < 1.0))
    assert np.allclose(np.linalg.norm(found.normal, axis=1), 1.0)
    assert np.allclose(place_a - place_b, found.gap[:, None] * found.normal, atol=1e-9)
    assert np.all(np.abs(found.gap) <= reach)


# A box on its edge, and the same turned about the vertical, so that two edges cross when one is above the other.
ROOF = turned(box(), 0, 45.0)
CROSSED = turned(ROOF, 2, 90.0)
TOP = np.sqrt(0.5)


@pytest.mark.parametrize("gap", [0.05, 0.0, -0.05])
def test_sharp_edges_push_apart_whether_they_touch_or_have_passed(gap: float) -> None:
    above = CROSSED[0] + [0.1, 0.2, 2.0 * TOP + gap], CROSSED[1]
    found = between(above, ROOF, 0.1)
    assert len(found) == 1
    assert np.allclose(found.normal, [[0, 0, 1]]) and np.allclose(found.gap, gap)
    back = between(ROOF, above, 0.1)
    assert np.allclose(back.normal, [[0, 0, -1]]) and np.allclose(back.gap, gap)


def test_edges_on_the_far_side_of_a_thin_board_are_not_met_through_it() -> None:
    board = box((2.0, 2.0, 0.02))
    above = ROOF[0] + [1.0, 0.0, TOP + 0.01 + 0.01], ROOF[1]
    found = between(above, board, 0.1)
    assert len(found) == 1
    assert np.allclose(found.normal, [[0, 0, 1]]) and np.allclose(found.gap, 0.01)


@pytest.mark.parametrize("gap", [0.01, -0.004])
def test_boards_on_each_other_meet_with_the_sides_between_them_alone(gap: float) -> None:
    """However far one looks: their outer sides look away from each other, as edges that have passed do."""
    lower, upper = box((2.0, 1.0, 0.02)), turned(box((2.0, 1.0, 0.02)), 2, 60.0)
    found = between((upper[0] + [0.0, 0.0, 0.02 + gap], upper[1]), lower, 0.2)
    assert len(found) >= 4
    assert np.allclose(found.gap, gap) and np.allclose(found.normal, [0, 0, 1])


def test_an_edge_over_a_flat_side_meets_no_edge() -> None:
    above = CROSSED[0] + [0.0, 0.0, TOP + 0.5 + 0.01], CROSSED[1]
    assert len(between(above, box((4.0, 4.0, 1.0)), 0.1)) == 0


def test_parallel_edges_are_left_to_points_and_faces() -> None:
    assert len(between((ROOF[0] + [0.0, 0.0, 2.0 * TOP + 0.01], ROOF[1]), ROOF, 0.1)) == 0


def test_rims_of_sheets_meet_from_both_sides() -> None:
    upright = turned(sheet(2, 2), 1, 90.0)  # its upper rim runs along y at z = 0
    for height in (0.02, -0.02):
        flat = sheet(2, 2)[0] + [-0.5, 0.5, height], sheet(2, 2)[1]
        found = between(flat, upright, 0.05)
        assert len(found) == 1
        assert np.allclose(found.gap, 0.02) and np.allclose(found.normal, [[0, 0, np.sign(height)]])


def test_nothing_near() -> None:
    assert len(between((ROOF[0] + [5.0, 0, 0], ROOF[1]), ROOF, 0.1)) == 0
    none = np.empty((0, 2), dtype=np.int64)
    assert len(edge_features(ROOF[0], none, ROOF[0], none, 0.1)) == 0


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1))
def test_all_minima_between_random_edges(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.normal(0, 1, (12, 3)), random.normal(0, 1, (14, 3))
    edges_a, edges_b = np.arange(12).reshape(-1, 2), np.arange(14).reshape(-1, 2)
    reach = float(random.uniform(0.05, 1.0))
    found = edge_features(a, edges_a, b, edges_b, reach)
    check(found, a, edges_a, b, edges_b, reach)
    expected = set()
    for i, (p, q) in enumerate(a[edges_a]):
        for j, (r, s) in enumerate(b[edges_b]):
            along = np.column_stack([q - p, r - s])
            shares = np.linalg.lstsq(along, r - p, rcond=None)[0]
            sine = np.linalg.norm(np.cross(q - p, s - r)) / np.linalg.norm(q - p) / np.linalg.norm(s - r)
            gap = np.linalg.norm(p - r + along @ shares)
            if np.all((shares > 0) & (shares < 1)) and gap <= reach and sine > 0.02:
                expected.add((i, j))
    assert expected == set(zip(found.first.tolist(), found.second.tolist(), strict=True))


def test_many_edges_give_what_each_alone_gives() -> None:
    random = np.random.default_rng(1)
    a, b = (middle[:, None] + random.normal(0, 0.02, (len(middle), 2, 3)) for middle in random.random((2, 900, 3)))
    edges = np.arange(1800).reshape(-1, 2)
    found = edge_features(a.reshape(-1, 3), edges, b.reshape(-1, 3), edges, 0.01)
    alone = [edge_features(pair, edges[:1], b.reshape(-1, 3), edges, 0.01) for pair in a]
    assert len(found) > 20
    assert sorted(found.gap) == sorted(gap for one in alone for gap in one.gap)
    kept = NearEdges(b.reshape(-1, 3), edges).features(a.reshape(-1, 3), edges, 0.01)
    assert set(zip(kept.first, kept.second, strict=True)) == set(zip(found.first, found.second, strict=True))


def test_edges_kept_for_many_questions_have_their_sides() -> None:
    surface = collision_surface(validate_mesh(*ROOF))
    sides = wings(surface.edges, surface.triangles, surface.closed)
    kept = NearEdges(ROOF[0], surface.edges, sides)
    above = CROSSED[0] + [0.1, 0.2, 2.0 * TOP - 0.02]
    found = kept.features(above, surface.edges, 0.1, sides)
    assert np.allclose(found.gap, [-0.02]) and np.allclose(found.normal, [[0, 0, 1]])
    assert len(kept.features(above + np.array([0.0, 0.0, 5.0]), surface.edges, 0.1, sides)) == 0
