"""The ground: dropping, resting, sliding, bouncing, rolling, sleeping."""

from __future__ import annotations

import numpy as np
import pytest

from tests.backend.shapes import Arrays, bar, block, moved, sphere
from tests.backend.takes import Result, run, volume

GRAVITY = 9.81
DROPPED = {"box": block((0.4, 0.4, 0.4), (4, 4, 4)), "sphere": sphere(400, 0.2)}
PLATE = moved(block((0.4, 0.4, 0.1), (4, 4, 2)), (0.0, 0.0, 0.05 + 1e-4))


def _speeds(take: Result) -> np.ndarray:
    """Fastest vertex between one frame and the next, Float[T-1] m/s."""
    return np.linalg.norm(np.diff(take.positions, axis=0), axis=2).max(axis=1) * take.take.fps


@pytest.fixture(scope="module", params=["elastic", "rigid"])
def provider(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module", params=DROPPED)
def drop(provider: str, request: pytest.FixtureRequest) -> Result:
    """A quarter of a metre down, six seconds."""
    mesh = moved(DROPPED[request.param], (0.0, 0.0, 0.45))
    take = run(mesh, provider, anchor="none", ground={}, frames=144, stiffness_hz=6.0, settle_seconds=0.5)
    assert take.positions[:24, :, 2].min() < 0.01  # it does land
    return take


def test_a_dropped_object_never_sinks_in(drop: Result) -> None:
    assert drop.positions[:, :, 2].min() > -0.002 * drop.take.members[0].summary["size"]


def test_a_dropped_object_comes_to_rest_on_the_ground_and_sleeps(drop: Result) -> None:
    """Within a thousandth of its size of the ground, slower than 1 mm/s over the last second, in the end still."""
    assert 0.0 < drop.positions[-1, :, 2].min() < 0.002 * drop.take.members[0].summary["size"]
    speeds = _speeds(drop)
    assert speeds[-24:].max() < 1e-3
    assert speeds[-1] == 0.0
    assert drop.energy[-1, 0] == 0.0


def test_a_dropped_object_keeps_its_volume(drop: Result) -> None:
    """Poisson's ratio of 0.3 lets it be pressed together, by some tenths as it lands and some per cent at rest."""
    triangles = drop.take.members[0].body.mesh.triangles
    ratio = volume(drop.positions, triangles) / volume(drop.positions[0], triangles)
    assert 0.7 < ratio.min() <= ratio.max() < 1.1
    assert 0.95 < ratio[-1] < 1.01


def test_a_standing_block_is_pressed_together_by_its_own_weight() -> None:
    """Without sideways contraction a column of height L gets shorter by rho g L^2 / (2 E)."""
    young, density, side = 6e4, 1000.0, 0.4
    take = run(
        moved(DROPPED["box"], (0.0, 0.0, 0.5 * side + 5e-4)),
        "elastic",
        anchor="none",
        ground={"friction": 0.0},
        frames=36,
        young=young,
        poisson=0.0,
        density=density,
        settle_seconds=0.3,
    )
    shorter = side - np.ptp(take.positions[-1, :, 2])
    assert shorter == pytest.approx(density * GRAVITY * side**2 / (2.0 * young), rel=0.1)


@pytest.mark.parametrize(("friction", "speed"), [(0.5, 3.0), (0.2, 2.0), (0.8, 2.0)])
def test_a_sliding_box_stops_after_the_coulomb_distance(provider: str, friction: float, speed: float) -> None:
    """v^2 / (2 mu g), straight ahead, and then it stays there."""
    take = run(
        PLATE,
        provider,
        anchor="none",
        frames=72,
        stiffness_hz=15.0,
        settle_seconds=0.5,
        ground={"friction": friction, "restitution": 0.0},
        velocities=[{"linear": [speed, 0, 0]}],
    )
    way = take.centres() - take.centres()[0]
    assert way[-1, 0] == pytest.approx(speed**2 / (2.0 * friction * GRAVITY), rel=0.05)
    assert np.abs(way[:, 1]).max() < 0.01 * way[-1, 0]
    assert _speeds(take)[-12:].max() < 1e-3


def test_without_friction_nothing_stops_it() -> None:
    take = run(PLATE, "rigid", anchor="none", frames=49, ground={"friction": 0.0}, velocities=[{"linear": [2.0, 0, 0]}])
    assert take.centres()[-1, 0] - take.centres()[0, 0] == pytest.approx(4.0, rel=1e-3)


@pytest.mark.parametrize(("friction", "slides"), [(0.5, True), (0.7, False)])
def test_on_a_slope_of_thirty_degrees(friction: float, slides: bool) -> None:
    """tan 30 degrees = 0.577: less friction than that slides with g (sin - mu cos), more holds."""
    slope = np.radians(30.0)
    gravity = [GRAVITY * np.sin(slope), 0.0, -GRAVITY * np.cos(slope)]
    take = run(PLATE, "rigid", anchor="none", frames=49, gravity=gravity, ground={"friction": friction})
    way = take.centres()[-1, 0] - take.centres()[0, 0]
    if slides:
        expected = 0.5 * GRAVITY * (np.sin(slope) - friction * np.cos(slope)) * 2.0**2
        assert way == pytest.approx(expected, rel=0.05)
    else:
        assert abs(way) < 0.01


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_a_ball_bounces_to_the_square_of_the_restitution(restitution: float) -> None:
    """From rest at height h: first apex e^2 h."""
    take = run(
        moved(sphere(800, 0.1), (0.0, 0.0, 1.1)),
        "rigid",
        anchor="none",
        frames=29,
        ground={"friction": 0.5, "restitution": restitution},
    )
    height = take.centres()[:, 2] - 0.1
    landed = int(np.argmax(height < 0.05))
    low = landed + int(np.argmax(np.diff(height[landed:]) > 0.0))
    rise = height[low:]
    falls = np.flatnonzero(np.diff(rise) < 0.0)
    apex = rise[: falls[0] + 1].max() if len(falls) else rise.max()
    assert apex == pytest.approx(restitution**2, rel=0.1, abs=2e-3)


def test_a_rolling_ball_turns_as_it_goes_and_slows_down(provider: str) -> None:
    """It rolls without slipping over more than its own length, ever slower."""
    ball = moved(sphere(800, 0.1), (0.0, 0.0, 0.1005))
    take = run(
        ball,
        provider,
        anchor="none",
        frames=17,
        stiffness_hz=20.0,
        ground={"friction": 0.8},
        velocities=[{"linear": [1.0, 0, 0], "angular": [0, 10.0, 0]}],
    )
    way = take.centres()[:, 0] - take.centres()[0, 0]
    assert way[-1] > 0.4
    # Half a turn takes half a circumference: the vertex drawn on top is down by then.
    half = int(np.argmax(way > np.pi * 0.1))
    assert take.positions[half, ball[0][:, 2].argmax(), 2] < 0.05
    speeds = np.diff(way[::4]) * 6.0
    assert 1.01 > speeds[0] > speeds[-1] > 0.0
    assert np.diff(speeds).max() < 0.02


def test_rolling_resistance() -> None:
    """0.02 g brakes the turning's RMS speed w k, k^2 = I / m; rolling, the ball itself adds R^2 / k^2 to its inertia.

    So dv/dt = 0.02 g k R / (k^2 + R^2), 0.45 of 0.02 g for a ball. An undamped run has none: the difference counts.
    """
    ball = moved(sphere(3000, 0.1), (0.0, 0.0, 0.10015))
    speed = {"linear": [0.5, 0, 0], "angular": [0, 5.0, 0]}
    ways = []
    for undamped in (True, False):
        take = run(
            ball,
            "rigid",
            anchor="none",
            frames=25,
            undamped=undamped,
            ground={"friction": 0.8, "restitution": 0.0},
            velocities=[speed],
        )
        ways.append(take.centres()[-1, 0] - take.centres()[0, 0])
    arm = np.sqrt(0.4) * 0.1
    slower = 0.02 * GRAVITY * arm * 0.1 / (arm**2 + 0.1**2)
    assert 2.0 * (ways[0] - ways[1]) == pytest.approx(slower, rel=0.15)


def _lying(mesh: Arrays) -> Arrays:
    return moved(mesh, (0.0, 0.0, -mesh[0][:, 2].min() + 4e-4))


def test_a_lying_object_stays_where_it_is_until_poked(provider: str) -> None:
    """Rest without jitter, sleep, and waking up when the poke comes."""
    poke = {"point": [0.5, 0.0, 0.1], "speed": [0.0, 0.0, 1.5], "radius": 0.1, "start": 60}
    take = run(
        _lying(bar(1.0, 0.1)),
        provider,
        anchor="none",
        ground={},
        frames=72,
        stiffness_hz=20.0,
        settle_seconds=0.5,
        pokes=[poke],
    )
    moved_away = np.linalg.norm(take.positions - take.positions[0], axis=2).max(axis=1)
    assert moved_away[:59].max() < 0.01
    assert _speeds(take)[40:58].max() < 1e-4
    assert moved_away[60:].max() > 0.05


def test_an_object_drawn_into_the_ground_is_not_thrown_out(provider: str) -> None:
    """It keeps its depth as floor, with a note to the user."""
    take = run(moved(DROPPED["box"], (0.0, 0.0, 0.15)), provider, anchor="none", ground={}, frames=24, stiffness_hz=8.0)
    assert any("inside the ground" in str(warning) for warning in take.report["warnings"])
    lowest = take.positions[:, :, 2].min(axis=1)
    assert lowest.min() > -0.05 - 0.002 * 0.4
    assert take.positions[:, :, 2].max() < 0.36


def test_ground_height_moves_the_floor() -> None:
    take = run(moved(DROPPED["box"], (0.0, 0.0, 0.0)), "rigid", anchor="none", ground={"height": -1.0}, frames=48)
    assert take.positions[-1, :, 2].min() == pytest.approx(-1.0, abs=1e-3)
