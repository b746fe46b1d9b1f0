"""Objects of several materials, and a number of handles that is asked for."""

from __future__ import annotations

import numpy as np
import pytest

from backend import engine
from backend.bodies.body import Body
from backend.bodies.elastic_body import build_elastic_body
from backend.dynamics.conditions import Conditions, Region
from backend.dynamics.stiffness import LaggedStiffness
from backend.errors import UserError
from backend.kinematics.neo_hookean import StableNeoHookean
from backend.kinematics.node_material import MadeOf
from tests.backend.shapes import Arrays, bar, block, box, joined, moved, sphere
from tests.backend.takes import analysed
from tests.sweeps import sweep

GRAVITY = 9.81


def _region(vertices: np.ndarray, **values: float) -> Region:
    return Region(np.flatnonzero(vertices), *(values.get(key) for key in ("density", "young", "stiffness", "poisson")))


def _body(
    mesh: Arrays,
    held: np.ndarray | None,
    regions: list[Region],
    density: float = 1000.0,
    handles: int | None = None,
    **more: float,
) -> Body:
    analysis = analysed(mesh, "elastic")
    made_of = MadeOf(density, regions=regions, **more)
    return build_elastic_body(analysis.mesh, analysis.cloud, made_of, held, handles)


def _energy(body: Body, young: float) -> StableNeoHookean:
    material = body.material
    return StableNeoHookean(material.gradients, material.cubature_volume, young * material.stiffness, material.poisson)


def _sagged(body: Body, young: float, direction: np.ndarray) -> np.ndarray:
    """Displacements of the vertices under a small gravity along `direction`, Float[V,3], scaled to 9.81 m/s^2."""
    kinematics = body.kinematics
    weight = np.outer(body.material.mass @ body.material.basis, GRAVITY * direction)
    matrix = LaggedStiffness(kinematics, _energy(body, young)).matrix((0.0, 0.0))
    q = np.linalg.solve(matrix, kinematics.pull(kinematics.rest(), weight))
    return body.vertex_basis(np.arange(len(body.mesh.vertices))) @ kinematics.push(q, q)


@pytest.mark.parametrize(("ratio", "heavy"), [(1.0, 1.0), (4.0, 1.0), (0.2, 3.0), (30.0, 5.0)])
def test_two_columns_in_series_stretch_as_hookes_law_says(ratio: float, heavy: float) -> None:
    """A bar hangs along x; its lower half is `ratio` times as stiff and `heavy` times as dense.

    Stretch: each column under half its own weight, and the upper one under all of the lower one's.
    """
    mesh, young, density = bar(1.0, 0.1, 20), 1e6, 1000.0
    lower = mesh[0][:, 0] > 0.5
    region = _region(lower, density=heavy * density, stiffness=ratio)
    held = np.flatnonzero(mesh[0][:, 0] < 1e-9)
    body = _body(mesh, held, [region], density, poisson=0.0)
    upper, below = 0.525, 0.475  # the border is halfway between two rows of vertices
    load = density * GRAVITY
    above = load * (upper**2 / 2.0 + heavy * upper * below) / young
    whole = above + load * heavy * below**2 / 2.0 / (ratio * young)
    along = _sagged(body, young, np.array([1.0, 0.0, 0.0]))[:, 0]
    assert along[mesh[0][:, 0] > 1.0 - 1e-9].mean() == pytest.approx(whole, rel=0.04)
    quarter = load * (upper * 0.25 - 0.25**2 / 2.0 + heavy * below * 0.25) / young
    assert along[np.abs(mesh[0][:, 0] - 0.25) < 1e-9].mean() == pytest.approx(quarter, rel=0.05)


def test_masses_of_regions_are_exact() -> None:
    """Two cubes side by side, one of them iron: each is a part, and its mass is its volume times its density."""
    mesh = joined(block((1.0, 1.0, 1.0), (4, 4, 4)), moved(block((1.0, 1.0, 1.0), (4, 4, 4)), (1.1, 0.0, 0.0)))
    right = np.arange(len(mesh[0])) >= len(mesh[0]) // 2
    for provider in ("elastic", "rigid"):
        analysis = analysed(mesh, provider)
        body = analysis.body(Conditions(materials=(_region(right, density=7800.0),)), None)
        assert body.total_mass == pytest.approx(8800.0, rel=1e-6)
        centre = body.material.mass @ (body.material.basis @ body.kinematics.handles(body.kinematics.rest()))
        assert centre[0] / body.total_mass == pytest.approx(1.1 * 7800.0 / 8800.0, abs=0.01)


def test_a_later_region_overrides_an_earlier_one_where_it_says_something() -> None:
    mesh = bar()
    everything, half = np.ones(len(mesh[0]), dtype=bool), mesh[0][:, 0] > 0.5
    body = _body(mesh, None, [_region(everything, density=500.0, poisson=0.4), _region(half, density=2000.0)])
    assert body.total_mass == pytest.approx(0.01 * (0.525 * 500.0 + 0.475 * 2000.0), rel=0.02)
    assert (body.material.poisson == 0.4).all()


def test_a_stiff_head_on_a_soft_neck_moves_as_one() -> None:
    """The outer half of a held bar is a thousand times stiffer: it turns without bending, the root bends."""
    mesh = bar(1.0, 0.1, 20)
    head = mesh[0][:, 0] > 0.5
    held = np.flatnonzero(mesh[0][:, 0] < 1e-9)
    away = _sagged(_body(mesh, held, [_region(head, stiffness=1000.0)]), 1e7, np.array([0.0, 0.0, -1.0]))
    inside = mesh[0][:, 0] > 0.6
    points = np.column_stack([mesh[0][inside], np.ones(inside.sum())])
    fitted = points @ np.linalg.lstsq(points, away[inside], rcond=None)[0]
    strain = np.linalg.lstsq(points, away[inside], rcond=None)[0][:3]
    turned = 0.5 * np.abs(strain - strain.T).max()
    assert np.abs(away[inside] - fitted).max() < 0.01 * np.abs(away).max()
    assert np.abs(strain + strain.T).max() < 0.02 * turned


def test_a_modulus_of_its_own_needs_that_of_the_object() -> None:
    mesh = bar()
    region = _region(mesh[0][:, 0] > 0.5, young=5e6)
    with pytest.raises(UserError, match="Young's modulus"):
        _body(mesh, None, [region])
    body = _body(mesh, None, [region], young=1e6)
    assert set(np.unique(body.material.stiffness)) == {1.0, 5.0}


@pytest.mark.parametrize("handles", sweep([2, 5, 32, 16, 64], 3))
@pytest.mark.parametrize("held", [False, True])
def test_as_many_handles_as_asked_for(handles: int, held: bool) -> None:
    mesh = sphere(500)
    base = np.flatnonzero(mesh[0][:, 2] < -0.45) if held else None
    body = _body(mesh, base, [], handles=handles)
    assert body.weights.shape == (len(mesh[0]), handles)
    assert body.kinematics.dof == 12 * (handles - 1 if held else handles)


def test_a_tiny_object_has_as_many_handles_as_it_can() -> None:
    analysis = engine.analyze(*box((1.0, 1.0, 1.0)), "elastic")
    body = build_elastic_body(analysis.mesh, analysis.cloud, MadeOf(1000.0), None, 64)
    assert 2 <= body.weights.shape[1] <= 64


def test_more_handles_are_never_stiffer() -> None:
    """Each larger set lowers the first frequency, or leaves it; the fit of the cubature is good to a few per cent."""
    mesh = bar()
    held = np.flatnonzero(mesh[0][:, 0] < 1e-9)
    lowest = []
    for handles in (2, 4, 8, 16):
        body = _body(mesh, held, [], handles=handles)
        lowest.append(LaggedStiffness(body.kinematics, _energy(body, 1e6)).squared_frequencies[0])
    assert (np.diff(lowest) < 0.03 * lowest[-1]).all()
    assert lowest[0] > 1.2 * lowest[-1]
