"""Frequencies against closed forms: beams of Euler and Bernoulli, Leissa's free plate, Lamb's sphere."""

from __future__ import annotations

import numpy as np
import pytest

from backend import engine
from backend.bodies.elastic_body import build_elastic_body
from backend.dynamics.stiffness import LaggedStiffness
from backend.kinematics.neo_hookean import StableNeoHookean
from backend.kinematics.node_material import MadeOf
from tests.backend.shapes import Arrays, bar, block, sheet, sphere
from tests.backend.takes import analysed

YOUNG, DENSITY, POISSON = 2.0e6, 800.0, 0.3
CLAMPED_FREE = (1.87510407, 4.69409113)  # roots of cos(b L) cosh(b L) = -1
FREE_FREE = (4.73004074, 7.85320462)  # and of = 1


def _beam(root: float, thickness: float, length: float = 1.0) -> float:
    """f = (b L)^2 / (2 pi L^2) sqrt(E I / (rho A)) of a square section, Hz."""
    return root**2 / (2.0 * np.pi * length**2) * np.sqrt(YOUNG * thickness**2 / (12.0 * DENSITY))


def _frequencies(
    mesh: Arrays,
    held: np.ndarray | None = None,
    young: float = YOUNG,
    density: float = DENSITY,
    handles: int | None = None,
) -> np.ndarray:
    """All eigenfrequencies in Hz, ascending."""
    analysis = analysed(mesh, "elastic")
    body = build_elastic_body(analysis.mesh, analysis.cloud, MadeOf(density, poisson=POISSON), held, handles)
    material = body.material
    energy = StableNeoHookean(
        material.gradients, material.cubature_volume, young * material.stiffness, material.poisson
    )
    return np.sqrt(LaggedStiffness(body.kinematics, energy).squared_frequencies) / (2.0 * np.pi)


@pytest.mark.parametrize(
    ("thickness", "cells"), [(0.1, 20), (0.05, 10), (0.05, 20), (0.05, 60), (0.04, 20), (0.04, 60)]
)
def test_cantilever(thickness: float, cells: int) -> None:
    """Twice the first bending within 3 % and twice the second within 8 %: the section bends alike in two directions.

    Shear and rotary inertia (Timoshenko), which Euler and Bernoulli leave out, take 0.8 % and 5.0 % at 1:10, 0.2 % and
    1.3 % at 1:20.
    """
    mesh = bar(1.0, thickness, cells)
    found = _frequencies(mesh, np.flatnonzero(mesh[0][:, 0] < 1e-9))
    assert found[:2] == pytest.approx(_beam(CLAMPED_FREE[0], thickness), rel=0.03)
    assert found[2:4] == pytest.approx(_beam(CLAMPED_FREE[1], thickness), rel=0.08)


@pytest.mark.parametrize(("thickness", "timoshenko"), [(0.1, (0.9661, 0.9122)), (0.05, (0.9911, 0.9752))])
def test_free_bar(thickness: float, timoshenko: tuple[float, float]) -> None:
    """First six rigid motions without energy, then bending, by Timoshenko's beam (finite elements, 400 of them)."""
    found = _frequencies(bar(1.0, thickness, 40))
    assert found[:6].max() < 1e-4 * found[6]
    expected = [_beam(root, thickness) * share for root, share in zip(FREE_FREE, timoshenko, strict=True)]
    assert found[6:8] == pytest.approx(expected[0], rel=0.03)
    assert found[8] == pytest.approx(expected[1], rel=0.05)


@pytest.mark.parametrize(
    ("mesh", "thickness", "within"), [(sheet(21, 21), 0.02, 0.15), (block((1, 1, 0.05), (20, 20, 1)), 0.05, 0.07)]
)
def test_free_square_plate(mesh: Arrays, thickness: float, within: float) -> None:
    """Omega a^2 sqrt(rho h / D) = 13.47 (twist), 19.60 (saddle), 24.27 (bowl) for Poisson's ratio 0.3.

    A plate has many soft modes, each of which would like weights of its own.
    """
    rigidity = YOUNG * thickness**3 / (12.0 * (1.0 - POISSON**2))
    unit = np.sqrt(rigidity / (DENSITY * thickness)) / (2.0 * np.pi)
    assert _frequencies(mesh, handles=24)[6:9] / unit == pytest.approx([13.468, 19.596, 24.270], rel=within)


def test_free_sphere() -> None:
    """Lamb: five twists at omega R / c_s = 2.501, then five ellipsoids at 2.652 for Poisson's ratio 0.3."""
    unit = np.sqrt(YOUNG / (2.0 * (1.0 + POISSON)) / DENSITY) / (2.0 * np.pi * 0.5)
    found = _frequencies(sphere(2000))[6:] / unit
    assert found[:5] == pytest.approx(2.501, rel=0.02)
    assert found[5:10] == pytest.approx(2.652, rel=0.05)


def test_stiffness_in_hertz_is_the_lowest_frequency() -> None:
    for anchor, rigid in (("none", 6), ("auto", 0)):
        take = engine.prepare([analysed(bar(), "elastic")], [{"stiffness_hz": 4.5, "anchor": anchor}])
        stiffness = take._world.actors[0].solver.rule.cache.stiffness
        assert np.sqrt(stiffness.squared_frequencies[rigid]) / (2.0 * np.pi) == pytest.approx(4.5, rel=1e-6)


def test_young_and_density_scale_as_in_the_formula() -> None:
    soft = _frequencies(bar(1.0, 0.1))[6]
    stiff = _frequencies(bar(2.0, 0.2), None, 9.0 * YOUNG, 4.0 * DENSITY)[6]
    assert stiff == pytest.approx(soft * 3.0 / 2.0 / 2.0, rel=1e-3)  # sqrt(9), sqrt(1/4) and 1/length
