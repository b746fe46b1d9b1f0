"""Wind: drag and lift by area and normal, downwind motion, terminal speed, the same gusts for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from backend.dynamics.conditions import Wind
from backend.dynamics.wind import AIR_DENSITY, TANGENTIAL_SHARE, WindForce
from tests.backend.shapes import block, moved, sheet
from tests.backend.takes import Result, run

STEADY = {"velocity": [0.0, 0.0, 3.0], "turbulence": 0.0}
LIGHT = {"density": 10.0, "gravity": [0, 0, 0]}


def _plate(closed: bool, wind: Wind, mass: float = 1e9) -> WindForce:
    """One surface point of 2 square metres that looks along z, on a single affine handle."""
    gradients = np.concatenate([np.eye(3), np.zeros((3, 1))], axis=1)[None]
    area = np.array([[0.0, 0.0, 2.0]])
    basis = np.array([[0.0, 0.0, 0.0, 1.0]])
    return WindForce(wind, basis, gradients, area, np.array([closed]), np.array([mass]), 1.0, 0, 24.0)


REST = np.vstack([np.eye(3), np.zeros(3)])


@pytest.mark.parametrize("speed", [3.0, -3.0])
def test_pressure_is_half_rho_v_squared_a(speed: float) -> None:
    """A sheet is pushed from either side, a solid's face only from outside."""
    wind = Wind(np.array([0.0, 0.0, speed]), 0.0)
    expected = 0.5 * AIR_DENSITY * speed * abs(speed) * 2.0
    assert _plate(False, wind).mean(REST, np.zeros((4, 3)), 0.0, 0.01)[3] == pytest.approx([0.0, 0.0, expected])
    solid = _plate(True, wind).mean(REST, np.zeros((4, 3)), 0.0, 0.01)[3]
    assert solid == pytest.approx([0.0, 0.0, expected if speed < 0.0 else 0.0])


def test_only_the_relative_speed_counts() -> None:
    wind = Wind(np.array([5.0, 0.0, 3.0]), 0.0, lift=0.8)
    rate = np.zeros((4, 3))
    rate[3] = [0.0, 7.0, 1.0]
    still = Wind(np.array([5.0, -7.0, 2.0]), 0.0, lift=0.8)
    moving = _plate(False, wind).mean(REST, rate, 0.0, 0.01)[3]
    assert moving == pytest.approx(_plate(False, still).mean(REST, np.zeros((4, 3)), 0.0, 0.01)[3])
    rate[3] = wind.velocity  # moving with the wind
    assert not _plate(False, wind).mean(REST, rate, 0.0, 0.01)[3].any()


@pytest.mark.parametrize("degrees", [-90.0, -30.0, 0.0, 5.0, 20.0, 45.0, 70.0, 90.0])
@pytest.mark.parametrize(("drag", "lift"), [(1.0, 0.0), (0.0, 1.5), (1.2, 0.9)])
def test_a_flat_plate_at_an_angle_of_attack(degrees: float, drag: float, lift: float) -> None:
    """Along the wind C_D (sin^3 + s cos^3), across it C_D (sin^2 - s cos sin) cos + C_L sin cos, times rho/2 A v^2."""
    speed, angle = 6.0, np.radians(degrees)
    wind = Wind(speed * np.array([np.cos(angle), 0.0, np.sin(angle)]), 0.0, drag, lift)
    force = _plate(False, wind).mean(REST, np.zeros((4, 3)), 0.0, 0.01)[3]
    sine, cosine, share = abs(np.sin(angle)), np.cos(angle), TANGENTIAL_SHARE
    downwind = wind.velocity / speed
    # Perpendicular to the wind, towards where the lee side of the plate looks.
    side = np.sign(angle) * np.array([-np.sin(angle), 0.0, np.cos(angle)])
    pressure = 0.5 * AIR_DENSITY * 2.0 * speed**2
    along = drag * (sine**3 + share * cosine**3)
    across = drag * (sine**2 * cosine - share * cosine**2 * sine) + lift * sine * cosine
    assert force == pytest.approx(pressure * (along * downwind + across * side), rel=1e-6, abs=1e-6)


def test_lift_does_no_work_on_the_air() -> None:
    random = np.random.default_rng(0)
    for velocity in random.normal(size=(20, 3)):
        lift = _plate(False, Wind(velocity, 0.0, 0.0, 3.0)).mean(REST, np.zeros((4, 3)), 0.0, 0.01)[3]
        assert np.linalg.norm(lift) > 0.0
        assert lift @ velocity == pytest.approx(0.0, abs=1e-6 * np.linalg.norm(lift))


def test_a_solid_is_lifted_only_where_it_faces_the_wind() -> None:
    lifting = Wind(np.array([4.0, 0.0, 3.0]), 0.0, 0.0, 1.0)
    assert not _plate(True, lifting).mean(REST, np.zeros((4, 3)), 0.0, 0.01).any()
    lifting = Wind(np.array([4.0, 0.0, -3.0]), 0.0, 0.0, 1.0)
    facing = _plate(True, lifting).mean(REST, np.zeros((4, 3)), 0.0, 0.01)[3]
    assert facing == pytest.approx(_plate(False, lifting).mean(REST, np.zeros((4, 3)), 0.0, 0.01)[3])
    assert facing[2] < 0.0


def test_pressure_follows_the_turned_and_stretched_surface() -> None:
    """Turned by a right angle about y the plate looks along x; stretched twice along y it is twice as large."""
    wind = Wind(np.array([3.0, 0.0, 0.0]), 0.0)
    deformation = np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 0.0], [-1.0, 0.0, 0.0]])
    force = _plate(False, wind).mean(np.vstack([deformation.T, np.zeros(3)]), np.zeros((4, 3)), 0.0, 0.01)[3]
    assert force == pytest.approx([0.5 * AIR_DENSITY * 9.0 * 4.0, 0.0, 0.0])


@pytest.mark.parametrize("lift", [0.0, 1.0, 50.0])
@pytest.mark.parametrize("step", [1e-3, 1.0 / 48.0, 1.0])
def test_no_step_overshoots_the_air(step: float, lift: float) -> None:
    """A feather of a gram, whatever the step is: its speed relative to the air only ever falls."""
    mass = 1e-3
    feather = _plate(False, Wind(np.array([6.0, 0.0, 8.0]), 0.0, 1.0, lift), mass)
    rate, before = np.zeros((4, 3)), 10.0
    for _ in range(200):
        rate[3] += step / mass * feather.mean(REST, rate, 0.0, step)[3]
        relative = np.linalg.norm(feather.wind.velocity - rate[3])
        assert relative <= before * (1.0 + 1e-12)
        before = relative
    assert rate[3, 2] > 4.0


def test_a_scrap_of_no_mass_beside_a_heavy_block_does_not_outrun_the_air() -> None:
    """Two handles, of 1 t and of a milligram, whose surfaces are alike and are said to have half of all the mass."""
    moment = np.diag(np.repeat([1e3, 1e-6], 4))
    basis = np.zeros((2, 8))
    basis[0, 3] = basis[1, 7] = 1.0
    area, mass = np.tile([0.0, 0.0, 0.1], (2, 1)), np.full(2, 500.0)
    air = Wind(np.array([0.0, 0.0, 10.0]), 0.0)
    wind = WindForce(air, basis, np.zeros((2, 3, 8)), area, np.zeros(2, dtype=bool), mass, 1.0, 0, 24.0, moment)
    handles, rate = np.tile(REST, (2, 1)), np.zeros((8, 3))
    wind._area_vectors = lambda a: area.T  # as drawn, however they move
    before, step = 10.0, 1.0 / 48.0
    for number in range(100):
        rate += step * wind.mean(handles, rate, 0.0, step) / np.diagonal(moment)[:, None]
        relative = abs(10.0 - rate[7, 2])
        assert relative <= before
        before = relative
        # The block feels all of its drag, to which the scrap is nothing.
        expected = 0.5 * AIR_DENSITY * 0.1 * 100.0 * (number + 1) * step / 1e3
        assert rate[3, 2] == pytest.approx(expected, rel=3e-3)
    assert before < 0.5


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
        24.0,
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
    x = 0.5 * AIR_DENSITY * 1.0 * 3.0 * 2.0 / take.take.members[0].summary["mass"]
    rise = take.centres()[:, 2] - take.centres()[0, 2]
    speed = (rise[-1] - rise[-2]) * 24.0
    assert speed == pytest.approx(3.0 * x / (1.0 + x), rel=0.03)


@pytest.mark.parametrize("drag", [1.0, 2.0])
def test_a_falling_sheet_reaches_its_terminal_speed(drag: float) -> None:
    """Still air, flat side down: v = V tanh(g t / V) with V = sqrt(2 m g / (rho A C_D))."""
    still = {"velocity": [0, 0, 0], "drag": drag}
    take = run(sheet(15, 15), "rigid", anchor="none", frames=37, density=10.0, wind=still)
    terminal = np.sqrt(2.0 * take.take.members[0].summary["mass"] * 9.81 / (AIR_DENSITY * drag))
    drop = take.centres()[0, 2] - take.centres()[:, 2]
    expected = terminal**2 / 9.81 * np.log(np.cosh(9.81 * take.seconds / terminal))
    assert (drop[-1] - drop[-2]) * 24.0 == pytest.approx(terminal, rel=0.01)
    assert drop[-1] == pytest.approx(expected[-1], rel=0.03)


def test_a_solid_is_blown_along() -> None:
    """rho/2 v^2 A on the windward face alone; along its edges the averaged normals take off some."""
    cube = block((0.4, 0.4, 0.4), (14, 14, 14))
    take = run(cube, "rigid", anchor="none", gravity=[0, 0, 0], density=100.0, frames=13, wind=STEADY)
    half_a_second = 0.5 * AIR_DENSITY * 9.0 * 0.16 / take.take.members[0].summary["mass"] * 0.5
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
    one, two = (run((vertices, faces), anchor="none", frames=12, wind=STEADY, **LIGHT) for faces in (triangles, mixed))
    assert two.centres()[-1, 2] == pytest.approx(one.centres()[-1, 2], rel=1e-3)


def test_wind_moves_a_thing_that_lies_elsewhere() -> None:
    take = run(moved(sheet(15, 15), (50.0, -20.0, 3.0)), "rigid", anchor="none", frames=25, wind=STEADY, **LIGHT)
    assert take.centres()[-1, 2] > 3.2
