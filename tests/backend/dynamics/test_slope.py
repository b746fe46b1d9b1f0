"""Friction and restitution against their closed forms: sticking, sliding, stopping, bouncing.

A slope is made in two ways: by leaning gravity over a flat ground, and by a tilted collider mesh.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.backend.shapes import Arrays, block, box, moved, sphere
from tests.backend.takes import Result, run

GRAVITY = 9.81
THICK = 0.1
PLATE = block((0.4, 0.4, THICK), (4, 4, 2))
LYING = moved(PLATE, (0.0, 0.0, 0.5 * THICK + 1e-4))
STIFF = {"stiffness_hz": 20.0, "settle_seconds": 0.3}
PROVIDERS = ["rigid", "elastic"]


def _leaning(degrees: float) -> list[float]:
    """Gravity as it is on a slope that goes down along x."""
    return [GRAVITY * np.sin(np.radians(degrees)), 0.0, -GRAVITY * np.cos(np.radians(degrees))]


def _slid(provider: str, mesh: Arrays = LYING, seconds: float = 2.0, **conditions: Any) -> Result:
    return run(mesh, provider, anchor="none", frames=round(24 * seconds) + 1, **STIFF, **conditions)


def _way(take: Result) -> np.ndarray:
    """Of the centre of mass since the first frame, Float[T,3] m."""
    return take.centres() - take.centres()[0]


def _expected(degrees: float, friction: float, seconds: float) -> float:
    """Metres down a slope from rest."""
    slope = np.radians(degrees)
    return 0.5 * GRAVITY * (np.sin(slope) - friction * np.cos(slope)) * seconds**2


def _on_a_collider(degrees: float, friction: float) -> dict[str, Any]:
    """The plate on a tilted box, drawn so that it touches, and the conditions."""
    turn = Rotation.from_euler("y", degrees, degrees=True)
    vertices, triangles = box((8.0, 2.0, 0.5), (2.0, 0.0, -0.25))
    slab = {"vertices": turn.apply(vertices), "triangles": triangles, "friction": friction, "restitution": 0.0}
    return {"mesh": (turn.apply(LYING[0]), LYING[1]), "colliders": [slab]}


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("friction", [0.2, 0.5, 0.9])
def test_one_degree_below_the_friction_angle_it_sticks(provider: str, friction: float) -> None:
    """It may lean into the slope as it is let go, but does not creep: 0.1 mm in the last second."""
    degrees = np.degrees(np.arctan(friction)) - 1.0
    take = _slid(provider, gravity=_leaning(degrees), ground={"friction": friction, "restitution": 0.0})
    way = _way(take)[:, 0]
    assert np.abs(way).max() < 0.005
    assert abs(way[-1] - way[24]) < 1e-4


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("friction", [0.2, 0.5, 0.9])
def test_one_degree_above_the_friction_angle_it_slides(provider: str, friction: float) -> None:
    degrees = np.degrees(np.arctan(friction)) + 1.0
    take = _slid(provider, gravity=_leaning(degrees), ground={"friction": friction, "restitution": 0.0})
    assert _way(take)[-1, 0] == pytest.approx(_expected(degrees, friction, 2.0), rel=0.1)


@pytest.mark.parametrize("friction", [0.3, 0.7])
def test_on_a_tilted_collider_it_sticks_and_slides_as_well(friction: float) -> None:
    angle = np.degrees(np.arctan(friction))
    below, above = (_on_a_collider(angle + more, friction) for more in (-1.0, 1.0))
    way = _way(_slid("rigid", **below))
    assert np.linalg.norm(way, axis=1).max() < 0.005
    assert np.linalg.norm(way[-1] - way[24]) < 1e-4
    assert np.linalg.norm(_way(_slid("rigid", **above))[-1]) == pytest.approx(
        _expected(angle + 1.0, friction, 2.0), rel=0.1
    )


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("degrees", "friction"), [(30.0, 0.3), (40.0, 0.5), (15.0, 0.0)])
def test_the_way_down_a_slope(provider: str, degrees: float, friction: float) -> None:
    take = _slid(provider, gravity=_leaning(degrees), ground={"friction": friction, "restitution": 0.0})
    assert _way(take)[-1, 0] == pytest.approx(_expected(degrees, friction, 2.0), rel=0.02)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(("friction", "speed"), [(0.2, 2.0), (0.5, 3.0), (0.8, 2.0)])
def test_a_thrown_plate_stops_after_the_coulomb_distance(provider: str, friction: float, speed: float) -> None:
    """v^2 / (2 mu g), straight ahead; and there it stays."""
    take = _slid(
        provider,
        seconds=2.5 if friction > 0.3 else 1.5,
        ground={"friction": friction, "restitution": 0.0},
        velocities=[{"linear": [speed, 0.0, 0.0]}],
    )
    way = _way(take)
    assert way[-1, 0] == pytest.approx(speed**2 / (2.0 * friction * GRAVITY), rel=0.02)
    assert np.abs(way[:, 1]).max() < 0.005 * way[-1, 0]
    assert np.abs(way[-1] - way[-7]).max() < 1e-5


def test_it_stops_in_any_direction() -> None:
    """Friction knows no axes."""
    for degrees in (0.0, 30.0, 77.0):
        direction = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0])
        plate = moved((Rotation.from_euler("z", degrees, degrees=True).apply(LYING[0]), LYING[1]), (1.0, 2.0, 0.0))
        ground = {"friction": 0.6, "restitution": 0.0}
        take = _slid("rigid", plate, ground=ground, velocities=[{"linear": (2.0 * direction).tolist()}])
        way = _way(take)[-1]
        assert way[:2] == pytest.approx(direction[:2] * 2.0**2 / (2.0 * 0.6 * GRAVITY), rel=0.02, abs=0.002)


def _bounce_height(take: Result, lowest: float) -> float:
    """The first apex above the height at which it touches, from the parabola through the frames of that flight (m).

    An apex lies between frames: of three frames in flight z = z0 + v t - g t^2 / 2 gives v^2 / (2 g) above z0.
    """
    height = take.centres()[:, 2] - lowest
    step = 1.0 / take.take.fps
    fall = np.flatnonzero(np.abs(np.diff(height, 2) / step**2 + GRAVITY) > 1e-3 * GRAVITY)
    hit = int(fall[0])  # frames hit and hit+2 are on either side of the landing
    flight = height[hit + 3 : hit + 6]
    assert np.diff(flight, 2)[0] / step**2 == pytest.approx(-GRAVITY, rel=1e-3)  # up and away
    speed = (flight[2] - flight[0]) / (2.0 * step)
    return float(flight[1] + speed**2 / (2.0 * GRAVITY))


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.7, 0.9, 1.0])
@pytest.mark.parametrize("shape", ["ball", "plate"])
def test_bounce_height_is_the_square_of_the_restitution(shape: str, restitution: float) -> None:
    """From rest at height h: first apex e^2 h. Sampled finely, so that there is a flight to look at after weak ones."""
    mesh, lowest = {"ball": (sphere(800, 0.1), 0.1), "plate": (PLATE, 0.5 * THICK)}[shape]
    take = run(
        moved(mesh, (0.0, 0.0, lowest + 1.0)),
        "rigid",
        anchor="none",
        fps=48,
        frames=40,
        ground={"restitution": restitution},
    )
    assert _bounce_height(take, lowest) == pytest.approx(restitution**2, rel=0.03)


@pytest.mark.parametrize("fps", [24, 60])
@pytest.mark.parametrize("height", [0.3, 3.0])
def test_bounce_height_does_not_hang_on_frame_rate_or_speed(fps: float, height: float) -> None:
    take = run(
        moved(sphere(800, 0.1), (0.0, 0.0, 0.1 + height)),
        "rigid",
        anchor="none",
        fps=fps,
        frames=round(fps * (np.sqrt(2.0 * height / GRAVITY) + 0.4)),
        ground={"restitution": 0.8},
    )
    assert _bounce_height(take, 0.1) == pytest.approx(0.64 * height, rel=0.03)


def test_a_ball_without_restitution_stays_down() -> None:
    ball = moved(sphere(800, 0.1), (0.0, 0.0, 0.6))
    take = run(ball, "rigid", anchor="none", frames=36, ground={"restitution": 0.0})
    height = take.centres()[:, 2] - 0.1
    landed = int(np.argmax(height < 0.005))
    assert landed > 0
    assert height[landed:].max() < 0.005


def test_an_elastic_ball_never_bounces_higher_than_it_fell() -> None:
    """Its own spring throws it up again, with restitution 1 and no damping as well as it can."""
    ball = moved(sphere(300, 0.1), (0.0, 0.0, 0.6))
    take = run(ball, "elastic", anchor="none", frames=60, undamped=True, stiffness_hz=30.0, ground={"restitution": 1.0})
    height = take.centres()[:, 2] - 0.1
    assert height[12:].max() < 0.5 * 1.01
    assert height[12:].max() > 0.1
