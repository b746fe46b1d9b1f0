"""Nothing goes through anything: 20 m/s at 24 frames a second (0.83 m a frame) against what is thin or small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from backend.bench.penetration import deepest, surfaces_cross
from tests.backend.dynamics.meetings import Participant, meet
from tests.backend.geometry.shapes import ball as ball_of
from tests.backend.shapes import Arrays, box, moved, sheet
from tests.backend.takes import run

SPEED = 20.0
WEIGHTLESS = {"gravity": [0, 0, 0], "anchor": "none"}
PROVIDERS = ["rigid", "elastic"]
BALL = ball_of(5, 0.1)


def _plane(cells: int = 2) -> Arrays:
    """A square of 4 m in the plane x = 0."""
    vertices, triangles = sheet(cells, cells, 4.0, 4.0)
    return np.roll(vertices - [2.0, 2.0, 0.0], 1, axis=1), triangles


def _farthest_along(positions: np.ndarray) -> float:
    return float(positions[:, :, 0].max())


@pytest.mark.parametrize(
    ("provider", "start"),
    [*(("rigid", start) for start in (0.2, 0.5, 0.83, 1.1, 1.7)), ("elastic", 0.2), ("elastic", 1.1)],
)
def test_a_ball_does_not_pass_a_sheet_without_thickness(provider: str, start: float) -> None:
    """Whatever the distance is, and with it where in a frame the sheet is met."""
    vertices, triangles = _plane()
    thrown = [{"linear": [SPEED, 1.0, 0.5], "angular": [0.0, 5.0, 2.0]}]
    take = run(
        moved(BALL, (-start, 0.3, -0.2)),
        provider,
        colliders=[{"vertices": vertices, "triangles": triangles}],
        frames=9,
        velocities=thrown,
        stiffness_hz=10.0,
        **WEIGHTLESS,
    )
    assert _farthest_along(take.positions) < 1e-3 * 0.2
    assert _farthest_along(take.positions) > -0.15  # it was there


@pytest.mark.parametrize("degrees", [0.0, 30.0, 60.0, 80.0])
@pytest.mark.parametrize("thickness", [1e-4, 1e-3, 0.02])
def test_a_ball_does_not_pass_a_thin_box(thickness: float, degrees: float) -> None:
    """Also at a grazing angle."""
    turn = Rotation.from_euler("y", degrees, degrees=True)
    vertices, triangles = box((thickness, 12.0, 12.0))
    take = run(
        moved(BALL, (-1.0, 0.0, 0.0)),
        "rigid",
        colliders=[{"vertices": turn.apply(vertices), "triangles": triangles}],
        frames=9,
        velocities=[{"linear": [SPEED, 0.0, 0.0]}],
        **WEIGHTLESS,
    )
    off = turn.inv().apply(take.positions.reshape(-1, 3))[:, 0]
    assert off.max() < -0.5 * thickness + 1e-3 * 0.2


@pytest.mark.parametrize("size", [0.004, 0.02])
def test_a_small_thing_does_not_pass_a_thin_box(size: float) -> None:
    """Two hundred times its own size in a frame."""
    vertices, triangles = box((1e-3, 4.0, 4.0))
    take = run(
        moved(ball_of(4, 0.5 * size), (-1.0, 0.1, 0.1)),
        "rigid",
        colliders=[{"vertices": vertices, "triangles": triangles}],
        frames=6,
        velocities=[{"linear": [SPEED, 0.0, 0.0]}],
        **WEIGHTLESS,
    )
    assert _farthest_along(take.positions) < -0.5e-3 + 1e-3 * size


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_sheet_does_not_pass_the_ground_or_an_edge(provider: str) -> None:
    """An open sheet thrown at the ridge of a roof, which no vertex of the sheet hits."""
    ridge = box((1.0, 4.0, 1.0))
    turned = Rotation.from_euler("y", 45.0, degrees=True).apply(ridge[0])
    vertices, triangles = sheet(4, 4, 0.9, 0.9)
    thrown = moved((vertices, triangles), (-0.45 + 0.11, -0.45, 1.5))
    take = run(
        thrown,
        provider,
        anchor="none",
        frames=10,
        velocities=[{"linear": [0.0, 0.0, -SPEED]}],
        colliders=[{"vertices": turned, "triangles": ridge[1]}],
    )
    depths = [deepest((seen, triangles), (turned, ridge[1]), 0.02) for seen in take.positions]
    assert max(depths) < 1e-3 * 0.9
    assert take.positions[-1, :, 2].max() > -0.5


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_sheet_that_is_swung_does_not_pass_a_ball(provider: str) -> None:
    """The collider comes, half a metre in each frame, and takes the ball along."""
    vertices, triangles = _plane(6)
    frames = np.array([moved((vertices, triangles), (-1.3 + 0.5 * number, 0.0, 0.0))[0] for number in range(8)])
    take = run(
        BALL,
        provider,
        colliders=[{"vertices": frames, "triangles": triangles}],
        frames=8,
        stiffness_hz=10.0,
        **WEIGHTLESS,
    )
    gap = take.positions[:, :, 0].min(axis=1) - frames[:, 0, 0]
    assert gap.min() > -1e-3 * 0.2


def _thrown(mesh: Arrays, velocity: list[float], provider: str = "rigid", **conditions: Any) -> Participant:
    return Participant(mesh, provider, {"velocities": [{"linear": velocity}], **conditions})


@pytest.mark.parametrize(("provider", "start"), [("rigid", 0.4), ("rigid", 0.83), ("rigid", 1.3), ("elastic", 0.83)])
def test_a_ball_does_not_pass_a_plate_that_is_free(provider: str, start: float) -> None:
    """They meet at twice the speed; the plate is 1 mm thick."""
    plate = box((1e-3, 1.0, 1.0))
    meeting = meet(
        [
            _thrown(moved(BALL, (-start, 0.05, 0.1)), [SPEED, 0, 0], provider, stiffness_hz=10.0),
            _thrown(plate, [-SPEED, 0, 0]),
        ],
        frames=6,
        **WEIGHTLESS,
    )
    for ball, seen in zip(*meeting.positions, strict=True):
        assert not surfaces_cross((ball, BALL[1]), (seen, plate[1]))
    # The ball stays on its side of the plate, which is knocked askew, at least while it is over it.
    ball, seen = (positions[3] for positions in meeting.positions)
    across, along, up = (seen[corner] - seen[0] for corner in (4, 2, 1))
    away = ball.mean(axis=0) - seen.mean(axis=0)
    if max(abs(away @ along), abs(away @ up)) < 0.5:
        assert away @ across < 0.0


def test_two_small_balls_that_meet_head_on_do_not_pass() -> None:
    first, second = moved(ball_of(4, 0.02), (-1.0, 0.0, 0.0)), moved(ball_of(4, 0.02), (1.03, 0.0, 0.0))
    meeting = meet([_thrown(first, [SPEED, 0, 0]), _thrown(second, [-SPEED, 0, 0])], frames=8, **WEIGHTLESS)
    gap = meeting.positions[1][:, :, 0].min(axis=1) - meeting.positions[0][:, :, 0].max(axis=1)
    assert gap.min() > -1e-3 * 0.04
    assert (np.diff(meeting.centres[0][-3:, 0]) < 0.0).all()  # thrown back
