"""Compiled searches of surfaces that change their shape: against the NumPy code, and against what is plain to see."""

from __future__ import annotations

import numpy as np
import pytest

from backend.dynamics.contact_shape import ContactShape
from backend.dynamics.moving_surface import MovingSurface
from backend.dynamics.self_contact import THICKNESS, SelfContactSearch
from backend.geometry import validate_mesh
from backend.geometry.collision_surface import CollisionSurface, collision_surface
from backend.geometry.near_surface import NearSurface
from backend.kinematics.base import Array
from tests.backend.geometry.shapes import ball, box, sheet, torus
from tests.backend.shapes import folded_sheet


def _surface_of(mesh: tuple[Array, np.ndarray]) -> tuple[CollisionSurface, Array]:
    checked = validate_mesh(*mesh)
    surface = collision_surface(checked)
    return surface, checked.vertices[surface.vertices]


@pytest.mark.parametrize(
    "mesh", [box((1.0, 0.7, 0.4)), torus(40, 20), ball(12), sheet(6, 6)], ids=["box", "torus", "ball", "sheet"]
)
def test_points_find_what_the_uncompiled_search_finds_of_a_bent_surface(mesh: tuple[Array, np.ndarray]) -> None:
    surface, places = _surface_of(mesh)
    bent = places * [1.1, 0.8, 1.2] + 0.02 * np.sin(7.0 * places[:, [1, 2, 0]])
    around = np.random.default_rng(0).uniform(bent.min(axis=0) - 0.1, bent.max(axis=0) + 0.1, (200, 3))
    points, reach = np.vstack([bent, around]), np.full(len(bent) + 200, 0.06)
    moving = MovingSurface(surface, places)
    moving.move(bent)
    found = moving.features(points, reach)
    expected = NearSurface(surface.triangles, surface.closed, places).moved(bent).features(points, reach)
    assert len(found) > len(bent)
    assert np.array_equal(found.point, expected.point)
    assert np.allclose(found.gap, expected.gap, atol=1e-12)
    off = found.gap != 0.0  # a point of the surface itself has any of the directions there
    assert np.allclose(found.normal[off], expected.normal[off], atol=1e-7)
    at = np.einsum("ck,cki->ci", found.share, bent[surface.triangles[found.triangle]])
    assert np.allclose(np.linalg.norm(points[found.point] - at, axis=1), np.abs(found.gap), atol=1e-12)


def _folds(mesh: tuple[Array, np.ndarray], moved: Array, reach: float) -> np.ndarray:
    surface, places = _surface_of(mesh)
    basis = np.hstack([places, np.ones((len(places), 1)), np.zeros((len(places), 4))])
    shape = ContactShape(basis, surface, places, rigid=False)
    groups = SelfContactSearch(shape, float(np.ptp(places, axis=0).max()), 1e-3, None).groups
    look = groups.look(moved - places, np.zeros_like(moved), reach)
    return moved[groups.marked(look, moved, 5e-3) > 0.0]


def test_halves_of_a_folded_sheet_are_found_where_they_are_near() -> None:
    mesh = folded_sheet(0.2, 5, 30)
    _, places = _surface_of(mesh)
    assert len(_folds(mesh, places, 0.19)) == 0
    flat = np.unique(np.round(places[places[:, 0] < 0.7], 9), axis=0)
    near = np.unique(np.round(_folds(mesh, places, 0.21), 9), axis=0)
    assert {tuple(row) for row in flat} <= {tuple(row) for row in near}


def test_the_two_sides_of_a_squashed_ball_are_no_folds_but_those_of_one_inside_out_are() -> None:
    mesh = ball(12)
    _, places = _surface_of(mesh)
    size = float(np.ptp(places[:, 2]))
    assert len(_folds(mesh, places * [1.2, 1.2, 0.5], 0.4 * THICKNESS * size)) == 0
    assert len(_folds(mesh, places * [1.2, 1.2, -0.02], 0.1 * size)) > 0
