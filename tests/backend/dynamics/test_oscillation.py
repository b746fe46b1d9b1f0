"""Held objects that swing: frequency, energy over a long time, and how fast they settle."""

from __future__ import annotations

import numpy as np
import pytest

from tests.backend.shapes import bar
from tests.backend.takes import Result, run

BAR = bar()
CLAMPED = np.flatnonzero(BAR[0][:, 0] < 1e-9).tolist()
TIP = np.flatnonzero(BAR[0][:, 0] > 1.0 - 1e-9)


def _plucked(**conditions: object) -> Result:
    """A small slanting tap at the tip, in the first frame, without gravity: both bending directions are excited."""
    tap = {"point": [1.0, 0.05, 0.0], "speed": [0.0, 0.04, 0.04], "radius": 0.08, "duration": 1}
    return run(BAR, anchor={"vertices": CLAMPED}, gravity=[0, 0, 0], pokes=[tap], **conditions)


def _coordinate(take: Result, mode: int) -> np.ndarray:
    """The amplitude of one eigenmode of the rest stiffness over time, Float[T]; coordinates are mass-orthonormal."""
    rule = take.take._world.actors[0].solver.rule
    handles = take.take.members[0].body.kinematics.handles(np.zeros(take.q.shape[1]))
    reduction = take.take.members[0].body.kinematics.reduction
    hessian = np.einsum("ab,aicj,cd->bidj", reduction, rule.energy.hessian(handles), reduction, optimize=True)
    return take.q @ np.linalg.eigh(hessian.reshape(take.q.shape[1], -1))[1][:, mode]


def _frequency(wave: np.ndarray, fps: float) -> float:
    """Hz, by the first and the last upward crossing of zero."""
    up = np.flatnonzero((wave[:-1] < 0.0) & (wave[1:] >= 0.0))
    crossing = up - wave[up] / (wave[up + 1] - wave[up])
    return fps * (len(crossing) - 1) / (crossing[-1] - crossing[0])


@pytest.mark.parametrize("hertz", [3.0, 1.0])
def test_small_undamped_oscillation_has_the_frequency_asked_for(hertz: float) -> None:
    """The bar bends in two directions whose frequencies differ a little: the softer one is what the user names."""
    take = _plucked(frames=121, stiffness_hz=hertz, undamped=True)
    softest = _coordinate(take, 0)
    assert np.abs(softest).max() > 1e-5
    assert _frequency(softest, 24.0) == pytest.approx(hertz, rel=0.01)


@pytest.mark.parametrize("seconds", [0.5, 1.0, 2.0, 4.0])
def test_settles_in_the_time_asked_for(seconds: float) -> None:
    """The lowest mode keeps 5 % of its amplitude after `settle_seconds`: the energy decays at twice that rate."""
    take = _plucked(frames=round(48 * seconds) + 1, fps=48, settle_seconds=seconds)
    begin = 3  # the tap ends at frame 2
    energy, time = take.energy[begin:, 2], take.seconds[begin:]
    decay = -0.5 * np.polyfit(time, np.log(energy), 1)[0]
    assert decay == pytest.approx(-np.log(0.05) / seconds, rel=0.05)


def test_damping_never_feeds_energy() -> None:
    take = _plucked(frames=73)
    assert np.diff(take.energy[3:, 2]).max() <= 1e-9 * take.energy[:, 2].max()


@pytest.mark.parametrize("stiffness", [{"young": 1e6}, {"stiffness_hz": 1.0}, {"stiffness_hz": 3.0}], ids=str)
def test_an_undamped_swinging_bar_keeps_its_energy(stiffness: dict) -> None:
    """Ten seconds at 24 frames a second, falling from the horizontal; the softest hangs nearly straight down."""
    take = run(BAR, anchor={"vertices": CLAMPED}, undamped=True, frames=241, **stiffness)
    kinetic, _, total = take.energy.T
    if "young" in stiffness:
        assert take.positions[:, TIP, 2].min() < -0.8
    assert kinetic.max() > 0.0
    assert np.abs(total - total[0]).max() < 0.01 * kinetic.max()


def test_reported_energy_is_that_of_the_motion_seen() -> None:
    """Kinetic energy against differences of positions, potential energy against the work of gravity at the ends."""
    take = run(BAR, anchor={"vertices": CLAMPED}, undamped=True, frames=49, fps=240, stiffness_hz=2.0)
    material = take.take.members[0].body.material
    handles = np.array([take.take.members[0].body.kinematics.handles(q) for q in take.q])
    positions = np.einsum("pa,tai->tpi", material.basis, handles)
    speed = (positions[2:] - positions[:-2]) * 120.0
    kinetic = 0.5 * np.einsum("p,tpi,tpi->t", material.mass, speed, speed)
    assert np.allclose(kinetic, take.energy[1:-1, 0], rtol=0.02, atol=0.01 * kinetic.max())
    elastic = np.array([take.take._world.actors[0].solver.rule.energy.value(a) for a in handles])
    height = np.einsum("p,tp->t", material.mass, positions[:, :, 2] - positions[0, :, 2])
    assert np.allclose(take.energy[:, 1], elastic + 9.81 * height, atol=1e-6 * np.abs(elastic).max())
    assert np.allclose(take.energy[:, 2], take.energy[:, 0] + take.energy[:, 1])


def test_static_sag_of_a_settled_load() -> None:
    """A stiff damped cantilever comes to rest at rho g A L^4 / (8 E I); stiffness is off by twice what frequency is."""
    young = 2e8
    take = run(BAR, anchor={"vertices": CLAMPED}, young=young, frames=49, settle_seconds=0.2)
    expected = 1000.0 * 9.81 * 0.01 / (8.0 * young * 0.1**4 / 12.0)
    sag = BAR[0][TIP, 2].mean() - take.positions[-1, TIP, 2].mean()
    assert sag == pytest.approx(expected, rel=0.06)
