"""Wind: pressure by area and normal, downwind motion, the same gusts for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from backend.dynamics.conditions import Wind
from backend.dynamics.wind import AIR_DENSITY, WindForce
from tests.backend.shapes import block, moved, sheet
from tests.backend.takes import Result, run

STEADY = {"velocity": [0.0, 0.0, 3.0], "turbulence": 0.0}
LIGHT = {"density": 10.0, "gravity": [0, 0, 0]}


def _plate(closed: bool, wind: Wind) -> WindForce:
    """One surface point of 2 square metres that looks along z, on a single affine handle."""
    gradients = np.concatenate([np.eye(3), np.zeros((3, 1))], axis=1)[None]
    area = np.array([[0.0, 0.0, 2.0]])
    basis, mass = np.array([[0.0, 0.0, 0.0, 1.0]]), np.array([1e9])
    return WindForce(wind, basis, gradients, area, np.array([closed]), mass, 1.0, 0)


REST = np.vstack([np.eye(3), np.zeros(3)])


@pytest.mark.parametrize("speed", [3.0, -3.0])
def test_pressure_is_half_rho_v_squared_a(speed: float) -> None:
    """A sheet is pushed from either side, a solid's face only from outside."""
    wind = Wind(np.array([0.0, 0.0, speed]), 0.0)
    expected = 0.5 * AIR_DENSITY * speed * abs(speed) * 2.0
    assert _plate(False, wind).force(REST, np.zeros((4, 3)), 0.0, 0.01)[3] == pytest.approx([0.0, 0.0, expected])
    solid = _plate(True, wind).force(REST, np.zeros((4, 3)), 0.0, 0.01)[3]
    assert solid == pytest.approx([0.0, 0.0, expected if speed < 0.0 else 0.0])


def test_only_the_relative_normal_speed_counts() -> None:
    wind = Wind(np.array([5.0, 0.0, 3.0]), 0.0)
    rate = np.zeros((4, 3))
    rate[3] = [0.0, 7.0, 1.0]
    force = _plate(False, wind).force(REST, rate, 0.0, 0.01)[3]
    assert force == pytest.approx([0.0, 0.0, 0.5 * AIR_DENSITY * 2.0**2 * 2.0])
    rate[3, 2] = 3.0  # moving with the wind
    assert not _plate(False, wind).force(REST, rate, 0.0, 0.01)[3].any()


def test_pressure_follows_the_turned_and_stretched_surface() -> None:
    """Turned by a right angle about y the plate looks along x; stretched twice along y it is twice as large."""
    wind = Wind(np.array([3.0, 0.0, 0.0]), 0.0)
    deformation = np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 0.0], [-1.0, 0.0, 0.0]])
    force = _plate(False, wind).force(np.vstack([deformation.T, np.zeros(3)]), np.zeros((4, 3)), 0.0, 0.01)[3]
    assert force == pytest.approx([0.5 * AIR_DENSITY * 9.0 * 4.0, 0.0, 0.0])


def test_a_long_step_cannot_overshoot_the_air() -> None:
    """A feather of a gram in one step of a second gains less than the wind's speed."""
    gradients = np.concatenate([np.eye(3), np.zeros((3, 1))], axis=1)[None]
    mass = 1e-3
    feather = WindForce(
        Wind(np.array([0.0, 0.0, 10.0]), 0.0),
        np.array([[0.0, 0.0, 0.0, 1.0]]),
        gradients,
        np.array([[0.0, 0.0, 1.0]]),
        np.array([False]),
        np.array([mass]),
        1.0,
        0,
    )
    gained = feather.force(REST, np.zeros((4, 3)), 0.0, 1.0)[3, 2] / mass
    assert 0.0 < gained <= 10.0


def test_turbulence_has_the_strength_asked_for() -> None:
    """The root mean square of the gusts, over space and time, is that share of the wind's speed in each direction."""
    wind = WindForce(
        Wind(np.array([4.0, 0.0, 0.0]), 0.5),
        np.zeros((1, 4)),
        np.zeros((1, 3, 4)),
        np.ones((1, 3)),
        np.array([False]),
        np.ones(1),
        1.0,
        7,
    )
    places = np.random.default_rng(0).uniform(-3.0, 3.0, (400, 3))
    gusts = np.concatenate([wind.air(places, seconds) for seconds in np.linspace(0.0, 20.0, 60)]) - [4.0, 0.0, 0.0]
    assert np.sqrt((gusts**2).mean()) == pytest.approx(2.0, rel=0.4)
    assert np.abs(gusts.mean(axis=0)).max() < 0.3


def _blown(**conditions: object) -> Result:
    vertices, triangles = sheet(15, 15)
    edge = np.flatnonzero(vertices[:, 0] < 1e-9).tolist()
    return run((vertices, triangles), anchor={"vertices": edge}, frames=24, **{**LIGHT, "wind": STEADY, **conditions})


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_held_sheet_is_blown_downwind(direction: float) -> None:
    take = _blown(wind={"velocity": [0.0, 0.0, 3.0 * direction], "turbulence": 0.0})
    free = take.positions[0, :, 0] > 0.9
    assert (direction * take.positions[-1, free, 2]).min() > 0.05


def test_a_free_plate_reaches_the_winds_speed_and_no_more() -> None:
    """Drag of one face point after another: m v' = rho/2 (u - v)^2 A, v = u x / (1 + x) with x = rho A u t / (2 m)."""
    take = run(sheet(15, 15), "rigid", anchor="none", frames=49, wind=STEADY, **LIGHT)
    x = 0.5 * AIR_DENSITY * 1.0 * 3.0 * 2.0 / take.take.summary["mass"]
    rise = take.centres()[:, 2] - take.centres()[0, 2]
    speed = (rise[-1] - rise[-2]) * 24.0
    assert speed == pytest.approx(3.0 * x / (1.0 + x), rel=0.03)


def test_a_solid_is_blown_along() -> None:
    """rho/2 v^2 A on the windward face alone; along its edges the averaged normals take off some."""
    cube = block((0.4, 0.4, 0.4), (14, 14, 14))
    take = run(cube, "rigid", anchor="none", gravity=[0, 0, 0], density=100.0, frames=13, wind=STEADY)
    half_a_second = 0.5 * AIR_DENSITY * 9.0 * 0.16 / take.take.summary["mass"] * 0.5
    assert (take.centres()[-1, 2] - take.centres()[-2, 2]) * 24.0 == pytest.approx(half_a_second, rel=0.15)


def test_the_same_seed_gives_the_same_frames_and_another_one_others() -> None:
    gusty = {"velocity": [0.0, 0.0, 3.0], "turbulence": 0.5}
    first, again, other = (_blown(wind=gusty, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.positions, again.positions)
    assert np.abs(first.positions - other.positions).max() > 1e-3


def test_wind_does_not_depend_on_which_way_faces_are_wound() -> None:
    vertices, triangles = sheet(15, 15)
    mixed = triangles.copy()
    mixed[::2] = mixed[::2, ::-1]
    one, two = (
        run((vertices, faces), anchor="none", frames=12, wind=STEADY, **LIGHT) for faces in (triangles, mixed)
    )
    assert two.centres()[-1, 2] == pytest.approx(one.centres()[-1, 2], rel=1e-3)


def test_wind_moves_a_thing_that_lies_elsewhere() -> None:
    take = run(moved(sheet(15, 15), (50.0, -20.0, 3.0)), "rigid", anchor="none", frames=25, wind=STEADY, **LIGHT)
    assert take.centres()[-1, 2] > 3.2
