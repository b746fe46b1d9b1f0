"""Elasticity of soft pieces as energies of coordinates: slopes against differences, and blind to what the links do."""

from __future__ import annotations

import numpy as np
import pytest

from backend.dynamics.soft_energy import SoftEnergy, SoftViscosity
from backend.kinematics.elastic import ElasticKinematics
from backend.kinematics.neo_hookean import StableNeoHookean

RNG = np.random.default_rng(6)


@pytest.fixture(scope="module")
def elastic() -> SoftEnergy:
    rest = np.zeros((8, 3))
    rest[:3] = np.eye(3)
    reduction = np.zeros((8, 4))
    reduction[4:] = RNG.normal(size=(4, 4))
    gradients = RNG.normal(size=(20, 3, 8))
    gradients[:, :, :4] = np.eye(3, 4)  # of the constant handle
    energy = StableNeoHookean(gradients, np.full(20, 0.05), np.full(20, 3.0), 0.3)
    return SoftEnergy(ElasticKinematics(rest, reduction), energy, slice(2, 14))


def states() -> tuple[np.ndarray, np.ndarray]:
    return 0.05 * RNG.normal(size=15), 0.05 * RNG.normal(size=15)


@pytest.mark.parametrize("what", ["energy", "viscosity"])
def test_slopes_are_those_of_differences(elastic, what):
    before, q = states()
    potential = elastic if what == "energy" else SoftViscosity(elastic, 0.02).at(before, 0.01)
    direction, step = RNG.normal(size=15), 1e-6
    slope = (potential.value(q + step * direction) - potential.value(q - step * direction)) / (2.0 * step)
    assert potential.gradient(q) @ direction == pytest.approx(slope, rel=1e-6)
    assert np.linalg.eigvalsh(potential.hessian(q)).min() > -1e-9


def test_the_second_derivative_is_exact_at_rest(elastic):
    q, direction, step = np.zeros(15), RNG.normal(size=15), 1e-6
    change = (elastic.gradient(q + step * direction) - elastic.gradient(q - step * direction)) / (2.0 * step)
    np.testing.assert_allclose(elastic.hessian(q) @ direction, change, atol=1e-6 * np.abs(change).max())


def test_only_its_own_coordinates_count(elastic):
    q, _ = states()
    other = q.copy()
    other[:2], other[14:] = 3.0, -2.0
    assert elastic.value(other) == elastic.value(q)
    assert not elastic.gradient(other)[:2].any() and not elastic.gradient(other)[14:].any()


def test_nothing_is_lost_where_nothing_changes(elastic):
    before, _ = states()
    resisting = SoftViscosity(elastic, 0.02).at(before, 0.01)
    assert resisting.value(before) == 0.0
    np.testing.assert_allclose(resisting.gradient(before), 0.0, atol=1e-12)
