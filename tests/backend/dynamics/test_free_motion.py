"""Flight: falling, spinning and being pushed, against closed forms and an independent integration."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from tests.backend.shapes import bar, block, sphere
from tests.backend.takes import Result, run

GRAVITY = 9.81
PROVIDERS = ["elastic", "rigid"]
WEIGHTLESS = {"gravity": [0, 0, 0], "anchor": "none"}


def _second_moment(take: Result) -> np.ndarray:
    """sum m X X^T about the centre of mass at rest, Float[3,3] kg m^2."""
    body = take.take.members[0].body
    moment = body.moment[:3, :3] - np.outer(body.moment[:3, 3], body.moment[3, :3]) / body.moment[3, 3]
    return moment * body.frame.scale**2


def _rotations(take: Result) -> np.ndarray:
    """Float[T,3,3] of a rigid take."""
    return take.handles[:, 0, :, :3]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("conditions", [{}, {"settle_seconds": 0.2}, {"undamped": True}], ids=str)
def test_free_fall(provider: str, conditions: dict) -> None:
    take = run(bar(), provider, anchor="none", frames=49, **conditions)
    fallen = (take.centres() - take.centres()[0])[1:]
    expected = 0.5 * GRAVITY * take.seconds[1:] ** 2
    assert np.abs(fallen[:, 2] / -expected - 1.0).max() < 1e-3
    assert np.abs(fallen[:, :2]).max() < 1e-3 * expected[-1]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_throw_is_a_parabola(provider: str) -> None:
    throw = np.array([2.0, -1.0, 5.0])
    take = run(
        sphere(300), provider, anchor="none", frames=25, velocities=[{"linear": throw.tolist(), "angular": [1, 2, 3]}]
    )
    seconds = take.seconds[:, None]
    expected = throw * seconds - [0.0, 0.0, 0.5 * GRAVITY] * seconds**2
    assert np.abs(take.centres() - take.centres()[0] - expected).max() < 1e-3 * np.abs(expected).max()


SPIN = np.array([0.02, 4.0, 0.02])  # rad/s, about the middle axis of a brick: it turns over again and again


def _tumble(frames: int, substeps: int | str = "auto") -> Result:
    velocity = {"angular": SPIN.tolist()}
    brick = block((1.0, 0.6, 0.2), (5, 3, 1))
    return run(brick, "rigid", velocities=[velocity], frames=frames, substeps=substeps, **WEIGHTLESS)


@pytest.fixture(scope="module")
def tumbling() -> Result:
    """Twenty seconds."""
    return _tumble(481)


def _inertia(take: Result) -> np.ndarray:
    second = _second_moment(take)
    return np.trace(second) * np.eye(3) - second


def _by_eulers_equations(take: Result) -> Rotation:
    """I w' = (I w) x w in the body, with the orientation's quaternion p' = p w / 2, by Dormand and Prince at 1e-9."""
    inertia = _inertia(take)

    def rates(_: float, state: np.ndarray) -> np.ndarray:
        axis, real, spin = state[:3], state[3], state[4:]
        quaternion = 0.5 * np.append(real * spin + np.cross(axis, spin), -axis @ spin)
        return np.concatenate([quaternion, np.linalg.solve(inertia, np.cross(inertia @ spin, spin))])

    start = np.concatenate([[0.0, 0.0, 0.0, 1.0], SPIN])
    solution = solve_ivp(rates, (0.0, take.seconds[-1]), start, "DOP853", take.seconds, rtol=1e-9, atol=1e-11)
    assert np.ptp(np.sign(solution.y[5])) == 2.0  # it did turn over
    return Rotation.from_quat(solution.y[:4].T)


def _angles_off(take: Result) -> np.ndarray:
    """Radians between a rigid take and Euler's equations, Float[T]."""
    return (Rotation.from_matrix(_rotations(take)) * _by_eulers_equations(take).inv()).magnitude()


def test_tumbling_keeps_energy_and_angular_momentum(tumbling: Result) -> None:
    energy = tumbling.energy[:, 0]
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-10
    turns, inertia, step = _rotations(tumbling), _inertia(tumbling), 1.0 / tumbling.take.fps
    # Angular velocity at mid-frames from the frames alone, momentum in space: L = R I R^T w.
    spin = np.array([Rotation.from_matrix(b @ a.T).as_rotvec() / step for a, b in pairwise(turns)])
    middle = [Rotation.from_rotvec(0.5 * step * w).as_matrix() @ a for w, a in zip(spin, turns[:-1], strict=True)]
    momentum = np.array([r @ inertia @ r.T @ w for r, w in zip(middle, spin, strict=True)])
    assert np.abs(momentum - momentum[0]).max() < 5e-3 * np.linalg.norm(momentum[0])


def test_tumbling_agrees_with_eulers_equations(tumbling: Result) -> None:
    """Four turns over and a dozen about the axis: the brick is never a twentieth of a turn from where it should be."""
    assert _angles_off(tumbling).max() < 0.05 * 2.0 * np.pi


def test_tumbling_converges_at_second_order() -> None:
    coarse, fine = (_angles_off(_tumble(97, substeps)).max() for substeps in (4, 8))
    assert 3.5 < coarse / fine < 4.5


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("substeps", ["auto", 1, 3, 7])
@pytest.mark.parametrize("duration", [1, 5])
def test_a_poke_gives_its_impulse(provider: str, substeps: str | int, duration: int) -> None:
    """Momentum gained = impulse, whatever the steps are; the window may end inside one of them."""
    impulse = np.array([3.0, -2.0, 1.0])
    poke = {"point": [0.9, 0.05, 0.0], "impulse": impulse.tolist(), "radius": 0.05, "start": 2, "duration": duration}
    take = run(bar(), provider, frames=12, fps=30, substeps=substeps, pokes=[poke], settle_seconds=0.5, **WEIGHTLESS)
    centres = take.centres()
    assert np.abs(centres[1] - centres[0]).max() < 1e-12  # not before frame 2
    velocity = (centres[11] - centres[8]) * 30.0 / 3.0
    assert np.abs(take.take.members[0].summary["mass"] * velocity - impulse).max() < 1e-6 * np.linalg.norm(impulse)


def test_a_pokes_speed_is_its_impulse_over_the_mass() -> None:
    poke = {"point": [0.9, 0.05, 0.0], "speed": [0.1, 0.2, -0.3], "radius": 0.05}
    centres = run(bar(), "elastic", frames=8, pokes=[poke], density=300.0, **WEIGHTLESS).centres()
    assert (centres[7] - centres[6]) * 24.0 == pytest.approx([0.1, 0.2, -0.3], rel=1e-6)


@pytest.mark.parametrize("settle", [0.3, 2.0])
def test_damping_leaves_spin_and_flight_alone(settle: float) -> None:
    """An elastic sphere settles to its spinning shape and goes on, with the angular momentum that it had."""
    take = run(
        sphere(300),
        "elastic",
        frames=97,
        settle_seconds=settle,
        stiffness_hz=8.0,
        velocities=[{"linear": [1, 0, 0], "angular": [0, 0, 3.0]}],
        **WEIGHTLESS,
    )
    assert np.abs(take.centres()[-1] - take.centres()[0] - [4.0, 0.0, 0.0]).max() < 1e-6
    momentum = []
    for before, after in ((0, 1), (95, 96)):
        old, new = (take.positions[frame] - take.centres()[frame] for frame in (before, after))
        momentum.append(np.cross(0.5 * (old + new), (new - old) * 24.0)[:, 2].sum())
    assert momentum[1] == pytest.approx(momentum[0], rel=0.01)
