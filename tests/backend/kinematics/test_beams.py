"""Frequencies of a bar against Euler and Bernoulli's beam: f = (b L)^2 / (2 pi L^2) sqrt(E I / (rho A))."""

from __future__ import annotations

import numpy as np
import pytest

from backend import engine
from tests.backend.shapes import bar
from tests.backend.takes import analysed

YOUNG, DENSITY, LENGTH, THICKNESS = 2.0e6, 800.0, 1.0, 0.1
CLAMPED_FREE, FREE_FREE = 1.87510407, 4.73004074  # first roots of cos(b L) cosh(b L) = -1 and = 1


def _beam(root: float) -> float:
    """Hz."""
    bending = YOUNG * THICKNESS**4 / 12.0 / (DENSITY * THICKNESS**2)
    return root**2 / (2.0 * np.pi * LENGTH**2) * np.sqrt(bending)


def _frequencies(**conditions: object) -> np.ndarray:
    """All eigenfrequencies in Hz, ascending."""
    take = engine.prepare(
        analysed(bar(LENGTH, THICKNESS), "elastic"), {"young": YOUNG, "density": DENSITY, **conditions}
    )
    return np.sqrt(take._simulation.stepper.stiffness.squared_frequencies) / (2.0 * np.pi)


def test_cantilever() -> None:
    """The square section bends alike in two directions; the points sampled in it are not quite as symmetric."""
    clamped = np.flatnonzero(bar(LENGTH, THICKNESS)[0][:, 0] < 1e-9)
    first, second, third = _frequencies(anchor={"vertices": clamped.tolist()})[:3]
    expected = _beam(CLAMPED_FREE)
    assert first == pytest.approx(expected, rel=0.03)
    assert second == pytest.approx(expected, rel=0.05)
    assert third > 4.0 * expected  # the next root is 6.27 times as high


def test_free_bar() -> None:
    """First six rigid motions without energy, then bending.

    A free bar bends in one and a half waves where the cantilever bends in a quarter: shear and rotary inertia, which
    Euler and Bernoulli leave out, already take 3.6 % (Timoshenko), and gradients taken over a neighbourhood of nodes
    see the shorter waves weakened by some more.
    """
    frequencies = _frequencies(anchor="none")
    assert frequencies[:6].max() < 1e-4 * frequencies[6]
    assert frequencies[6] == pytest.approx(_beam(FREE_FREE), rel=0.08)
    assert frequencies[7] == pytest.approx(_beam(FREE_FREE), rel=0.08)
    assert frequencies[8] > 2.0 * frequencies[7]  # 2.76 times by theory, less by shear


def test_stiffness_in_hertz_is_the_lowest_frequency() -> None:
    for anchor, rigid in (("none", 6), ("auto", 0)):
        take = engine.prepare(analysed(bar(), "elastic"), {"stiffness_hz": 4.5, "anchor": anchor})
        frequencies = np.sqrt(take._simulation.stepper.stiffness.squared_frequencies) / (2.0 * np.pi)
        assert frequencies[rigid] == pytest.approx(4.5, rel=1e-6)


def test_young_and_density_scale_as_in_the_formula() -> None:
    soft = _frequencies(anchor="none")[6]
    stiff = np.sqrt(
        engine.prepare(
            analysed(bar(2.0 * LENGTH, 2.0 * THICKNESS), "elastic"),
            {"young": 9.0 * YOUNG, "density": 4.0 * DENSITY, "anchor": "none"},
        )._simulation.stepper.stiffness.squared_frequencies[6]
    ) / (2.0 * np.pi)
    assert stiff == pytest.approx(soft * 3.0 / 2.0 / 2.0, rel=1e-3)  # sqrt(9), sqrt(1/4) and 1/length
