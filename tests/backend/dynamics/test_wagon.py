"""A box on four wheels, hinged: it runs on over the floor, and stops in the end."""

from __future__ import annotations

import numpy as np
import pytest

from backend import engine
from backend.data.shapes import box, cylinder, joined, moved, turned

RADIUS, SPEED = 0.15, 3.0
FLOOR = {"height": -1e-3}
PLACES = [(-0.35, -0.3), (-0.35, 0.3), (0.35, -0.3), (0.35, 0.3)]


def _wagon(segments):
    """Vertices, triangles and the condition `joints`."""
    wheel = turned(cylinder(RADIUS, -0.04, 0.04, segments), 0, np.pi / 2.0)
    pieces = [box([-0.5, -0.25, 0.15], [0.5, 0.25, 0.35]), *(moved(wheel, [x, y, RADIUS]) for x, y in PLACES)]
    ends = np.cumsum([0, *(len(vertices) for vertices, _ in pieces)])
    names = ["body", *(f"wheel {number}" for number in range(4))]
    parts = [
        {"name": name, "vertices": list(range(ends[number], ends[number + 1]))} for number, name in enumerate(names)
    ]
    joints = [
        {"child": name, "parent": "body", "type": "continuous", "axis": [0, 1, 0], "origin": [x, y, RADIUS]}
        for name, (x, y) in zip(names[1:], PLACES, strict=True)
    ]
    vertices, triangles = joined(*pieces)
    return vertices, triangles, {"parts": parts, "joints": joints}


def _way(segments, frames, **conditions):
    """Where the body's middle is in each frame, Float[T,3] m."""
    vertices, triangles, joints = _wagon(segments)
    analysis = engine.analyze(vertices, triangles, joints=joints)
    pushed = {"joints": joints, "frames": frames, "ground": FLOOR, "velocities": [{"linear": [SPEED, 0.0, 0.0]}]}
    take = engine.prepare([analysis], [{**pushed, **conditions}])
    middle = vertices[:8].mean(axis=0)
    handles = [frame.handles[0] for (frame,) in take.frames(lambda: False)]
    return np.array([handle[:, :3] @ middle + handle[:, 3] for handle in handles])


@pytest.mark.parametrize("segments", [8, 16])
def test_free_wheels_lose_nothing(segments: int) -> None:
    """Undamped, it goes on at the speed that is left once friction has set the wheels turning.

    Slipping, a wheel of inertia I takes the impulse p = I w / r: (M + 4 I / r^2) v = M v0 with the mass M of it all.
    """
    way = _way(segments, 37, undamped=True)
    speeds = np.diff(way[:, 0]) * 24.0
    corners = 2.0 * np.pi / segments  # a polygon's area and its polar moment over those of the circle around it
    share = 0.5 * (2.0 + np.cos(corners)) / 3.0  # I / (m r^2) of a regular polygon of radius r
    wheels = 4.0 * 0.08 * 0.5 * segments * RADIUS**2 * np.sin(corners)
    mass = 1.0 * 0.5 * 0.2 + wheels
    assert speeds[12:].mean() == pytest.approx(SPEED * mass / (mass + share * wheels), rel=0.02)
    assert np.ptp(speeds[12:]) < 0.02 * SPEED
    assert np.ptp(way[:, 2]) < 3e-3  # the wheels are round


def test_a_wagon_rolls_tens_of_metres_and_stops_in_the_end() -> None:
    speeds = np.diff(_way(16, 49)[:, 0]) * 24.0
    early, late = speeds[8:20].mean(), speeds[-12:].mean()
    slower = (early - late) / ((len(speeds) - 6 - 13.5) / 24.0)  # m/s^2
    assert slower > 0.0
    assert 0.5 * early**2 / slower > 20.0  # m, at a deceleration that does not grow
