"""Barrier, friction and restitution laws by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from backend.dynamics.contact import Contact, Friction, Ground, Patch, least_impulse
from tests.backend.differences import numerical_derivative

SIZE, WEIGHT = 2.0, 30.0


def _contact(heights: list[float], ground: Ground | None = None) -> tuple[Contact, np.ndarray]:
    """Samples at the given heights above z = 0, one handle whose translation row moves them all; and `a` at rest."""
    points = np.column_stack([np.arange(len(heights)), np.zeros(len(heights)), heights])
    rest = np.vstack([np.eye(3), np.zeros(3)])
    basis = np.column_stack([points, np.ones(len(points))])
    return Contact(basis, rest, ground or Ground(0.0, 0.5, 0.2), SIZE, WEIGHT, 0.0), rest


@pytest.fixture
def patch() -> Patch:
    contact, rest = _contact([0.5, 0.6])
    return contact.patch(contact.gaps(rest), np.array([[0.0] * 3] * 3 + [[0.0, 0.0, -100.0]]), 0.1)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.9, 0.999])
def test_barrier_slope_and_curvature_by_differences(patch: Patch, share: float) -> None:
    gap = np.array([share * patch.contact.margin])
    step = 1e-4 * gap[0]
    slope = numerical_derivative(patch.barrier_value, gap, step)
    assert patch.barrier_slope(gap) == pytest.approx(slope, rel=1e-5, abs=1e-6 * WEIGHT)
    curvature = numerical_derivative(lambda at: patch.barrier_slope(at)[0], gap, step)
    assert patch.barrier_curvature(gap) == pytest.approx(curvature, rel=1e-5)
    assert patch.barrier_slope(gap)[0] < 0.0 < patch.barrier_curvature(gap)[0]


def test_barrier_begins_smoothly_and_never_lets_through(patch: Patch) -> None:
    margin = patch.contact.margin
    begin = np.array([margin * (1.0 - 1e-9)])
    scale = patch.contact.stiffness
    assert abs(patch.barrier_value(begin)) < 1e-15 * scale
    assert abs(patch.barrier_slope(begin)[0]) < 1e-12 * scale * margin
    assert abs(patch.barrier_curvature(begin)[0]) < 1e-7 * scale
    assert patch.barrier_value(np.array([margin, 2.0 * margin])) == 0.0
    assert patch.barrier_value(np.array([0.0])) == np.inf
    assert patch.barrier_value(np.array([-1.0])) == np.inf
    assert -patch.barrier_slope(np.array([1e-6 * margin]))[0] > 1e3 * WEIGHT


def test_one_sample_carries_the_weight_at_about_half_the_margin(patch: Patch) -> None:
    gaps = np.linspace(0.01, 0.99, 500) * patch.contact.margin
    balance = gaps[np.abs(-patch.barrier_slope(gaps) - WEIGHT).argmin()]
    assert 0.3 < balance / patch.contact.margin < 0.7


def _friction() -> Friction:
    random = np.random.default_rng(2)
    return Friction(np.array([0, 2, 3]), random.uniform(1.0, 5.0, 3), random.normal(size=(3, 2)), 0.01)


@pytest.mark.parametrize("slip", [0.0, 0.003, 0.009, 0.02, 1.0])  # the smoothing ends at 0.01
def test_friction_derivatives_by_differences(slip: float) -> None:
    friction = _friction()
    positions = np.zeros((5, 3))
    angle = np.array([0.3, 2.0, -1.0])
    positions[friction.samples, :2] = friction.origin + slip * np.column_stack([np.cos(angle), np.sin(angle)])
    scale = friction.limit.max()
    gradient, hessian = friction.gradient(positions), friction.hessian(positions)
    slope = numerical_derivative(friction.value, positions)[friction.samples]
    assert np.allclose(gradient, slope, rtol=1e-5, atol=3e-4 * scale)
    for place, sample in enumerate(friction.samples):
        curvature = numerical_derivative(lambda at, place=place: friction.gradient(at)[place], positions)
        # At no slip the third derivative jumps: differences are off by step / smoothing there.
        assert np.allclose(hessian[place], curvature[:, sample], rtol=1e-4, atol=1e-3 * scale / friction.smoothing)
        assert np.linalg.eigvalsh(hessian[place])[0] > -1e-9 * scale / friction.smoothing


def test_friction_opposes_slip_with_the_coulomb_limit_and_no_more() -> None:
    friction = _friction()
    for slip in (0.001, 0.005, 0.02, 3.0):
        positions = np.zeros((5, 3))
        positions[friction.samples, :2] = friction.origin + np.array([slip, 0.0])
        force = -friction.gradient(positions)
        assert not force[:, 1:].any()
        assert (force[:, 0] < 0.0).all()
        assert (-force[:, 0] <= friction.limit * (1.0 + 1e-12)).all()
        if slip >= friction.smoothing:
            assert np.allclose(-force[:, 0], friction.limit)


def test_friction_limit_is_the_coefficient_times_the_barriers_force() -> None:
    contact, rest = _contact([0.5, 0.6], Ground(0.0, 0.4, 0.0))
    patch = contact.patch(contact.gaps(rest), np.array([[0.0] * 3] * 3 + [[0.0, 0.0, -100.0]]), 0.1)
    now = np.array([[0.0, 0.0, 0.5 * contact.margin], [1.0, 0.0, 0.1]])
    friction = patch.friction(now, now, 0.02)
    assert friction is not None
    assert friction.samples.tolist() == [0]  # the other one is above the margin
    assert friction.limit[0] == pytest.approx(-0.4 * patch.barrier_slope(np.array([0.5 * contact.margin]))[0])
    assert friction.smoothing == pytest.approx(contact.rest_speed * 0.02)


def test_a_sample_drawn_below_the_ground_takes_its_own_height_as_floor() -> None:
    contact, rest = _contact([-0.1, 0.3])
    assert contact.depth_at_start == pytest.approx(0.1)
    gaps = contact.gaps(rest)
    assert gaps[0] == pytest.approx(contact.margin)
    assert gaps[1] == pytest.approx(0.3)


def test_patch_holds_what_can_be_reached_within_the_step() -> None:
    contact, rest = _contact([0.01, 0.5, 3.0])
    still, falling = np.zeros((4, 3)), np.zeros((4, 3))
    falling[3, 2] = -6.0
    gaps = contact.gaps(rest)
    assert contact.patch(gaps, still, 0.01).samples.tolist() == [0]
    assert contact.patch(gaps, falling, 0.1).samples.tolist() == [0, 1]
    assert contact.patch(gaps, still, 0.01, np.array([2])).samples.tolist() == [0, 2]


def test_rebound_only_for_fast_and_fresh_touches() -> None:
    contact, rest = _contact([0.5] * 4, Ground(0.0, 0.5, 0.6))
    patch = contact.patch(contact.gaps(rest), np.array([[0.0] * 3] * 3 + [[0.0, 0.0, -100.0]]), 0.1)
    margin = contact.margin
    before, after = np.zeros((4, 3)), np.zeros((4, 3))
    before[:, 2] = [2 * margin, 0.5 * margin, 2 * margin, 2 * margin]
    after[:, 2] = [0.5 * margin, 0.5 * margin, 0.5 * margin, 2 * margin]
    approach = np.array([-3.0, -3.0, -contact.rest_speed, -3.0])  # fast; was there; slow; does not touch
    result = patch.rebound(before, approach, after)
    assert result is not None
    touching, speed = result
    assert touching.tolist() == [0, 1, 2]
    assert speed == pytest.approx([1.8, 0.0, 0.0])


def test_least_impulse_meets_its_conditions() -> None:
    """Karush-Kuhn-Tucker: no contact is left too slow, none pulls, and only those at the limit push."""
    random = np.random.default_rng(4)
    normal = random.normal(size=(5, 9))
    root = random.normal(size=(9, 9))
    mass = root @ root.T + np.eye(9)
    lacking = random.normal(size=5)
    change = least_impulse(normal, np.linalg.solve(mass, normal.T), lacking)
    slack = normal @ change - lacking
    impulse, *_ = np.linalg.lstsq(normal.T, mass @ change, rcond=None)
    assert np.allclose(normal.T @ impulse, mass @ change, atol=1e-7)
    assert slack.min() > -1e-6
    assert impulse.min() > -1e-7
    assert abs(slack @ impulse) < 1e-6
    assert lacking.max() > 0.0
    assert not least_impulse(normal, np.linalg.solve(mass, normal.T), -np.abs(lacking)).any()
