"""Given motions: they meet their keys, move smoothly, do not overshoot, and turn as far as is written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from backend.dynamics.conditions import MotionKey, PathKey
from backend.dynamics.targets import Path, RigidMotion
from backend.kinematics.base import Array

FPS = 24.0
NOTHING = np.zeros(3)


def _moved(*keys: tuple[float, Sequence[float], Sequence[float]], centre: Array = NOTHING) -> RigidMotion:
    """From (frame, location, rotation)."""
    return RigidMotion([MotionKey(f, np.array(x, float), np.array(r, float)) for f, x, r in keys], centre, FPS)


def _seconds(frame: float) -> float:
    return (frame - 1.0) / FPS


def _angles(motion: RigidMotion, frames: Array) -> Array:
    """The turn about z at each frame, without jumps, radians."""
    turned = [motion.pose(_seconds(frame))[0] for frame in frames]
    return np.unwrap([np.arctan2(matrix[1, 0], matrix[0, 0]) for matrix in turned])


def test_points_turn_about_the_centre_and_are_shifted() -> None:
    motion = _moved((1, [1, 2, 3], [0, 0, np.pi / 2]), centre=np.array([1.0, 0.0, 0.0]))
    placed = motion.positions(np.array([[2.0, 0.0, 0.0], [1.0, 0.0, 5.0]]), 0.7)
    assert np.allclose(placed, [[2.0, 3.0, 3.0], [2.0, 2.0, 8.0]])


def test_it_meets_its_keys_and_stands_still_outside_of_them() -> None:
    keys = [(5, [0, 0, 1], [0.3, 0, 0]), (9.5, [1, 0, 1], [0.1, 2.0, -0.4]), (20, [3, -1, 1], [-1.0, 0.5, 2.0])]
    motion = _moved(*keys)
    assert (motion.begin, motion.end) == pytest.approx((_seconds(5), _seconds(20)))
    for frame, location, rotation in keys:
        turned, offset = motion.pose(_seconds(frame))
        assert np.allclose(offset, location)
        assert np.allclose(turned, Rotation.from_rotvec(rotation).as_matrix())
    for outside, key in ((-3.0, 5), (1.0, 5), (25.0, 20), (1e5, 20)):
        for now, then in zip(motion.pose(_seconds(outside)), motion.pose(_seconds(key)), strict=True):
            assert np.allclose(now, then)


def test_between_two_keys_it_eases_in_and_out() -> None:
    """3 u^2 - 2 u^3 of the way, for places and for turns."""
    motion = _moved((1, [0, 0, 0], [0, 0, 0]), (25, [2, 0, -1], [0, 0, 2]))
    for u in np.linspace(0.0, 1.0, 7):
        turned, offset = motion.pose(u)
        share = 3.0 * u**2 - 2.0 * u**3
        assert np.allclose(offset, share * np.array([2.0, 0.0, -1.0]))
        assert np.allclose(turned, Rotation.from_rotvec([0.0, 0.0, 2.0 * share]).as_matrix())


def test_speed_has_no_jumps() -> None:
    """Anywhere, at keys too: halving the time between looks halves the change of velocity of a point."""
    motion = _moved(
        (1, [0, 0, 0], [0, 0, 0]), (7, [1, 0, 0], [0, 1, 1]), (9, [2, 1, 0], [1, 2, 0]), (21, [2, 2, 0], [2, 0, 0])
    )
    point = np.array([[0.5, -0.3, 0.8]])

    def largest_change(count: int) -> float:
        times = np.linspace(-0.1, 1.0, count)
        places = np.array([motion.positions(point, time)[0] for time in times])
        return float(np.abs(np.diff(places, 2, axis=0)).max()) / (times[1] - times[0])

    assert largest_change(4001) == pytest.approx(0.5 * largest_change(2001), rel=0.1)


def test_what_is_held_stays_held_and_nothing_overshoots() -> None:
    motion = _moved(
        (1, [0, 0, 0], [0, 0, 0]), (5, [0, 0, 0], [0, 0, 0]), (6, [1, 0, 0], [0, 0, 1]), (12, [1, 0, 0], [0, 0, 1])
    )
    times = np.linspace(0.0, _seconds(12), 400)
    along = np.array([motion.pose(time)[1][0] for time in times])
    assert np.abs(along[times < _seconds(5)]).max() == 0.0
    assert np.diff(along).min() >= 0.0 and along.max() <= 1.0
    angles = _angles(motion, 1.0 + FPS * times)
    assert np.diff(angles).min() >= -1e-12 and angles.max() <= 1.0 + 1e-12


def test_whole_turns_are_counted_where_they_are_written() -> None:
    frames = np.linspace(1.0, 25.0, 400)
    forth = _angles(_moved((1, NOTHING, NOTHING), (25, NOTHING, [0, 0, 4 * np.pi])), frames)
    assert forth[-1] == pytest.approx(4 * np.pi)
    both = _angles(
        _moved((1, NOTHING, NOTHING), (13, NOTHING, [0, 0, 3 * np.pi]), (25, NOTHING, [0, 0, -np.pi])), frames
    )
    assert both.max() == pytest.approx(3 * np.pi, abs=1e-3) and both[-1] == pytest.approx(-np.pi)


def test_a_turn_that_passes_half_way_round_goes_on() -> None:
    """Rotation vectors read from an animation jump from pi to -pi there; the motion does not."""
    written = np.linspace(0.0, 2.0 * np.pi, 9)
    wrapped = Rotation.from_rotvec(np.outer(written, [0.0, 0.0, 1.0])).as_rotvec()
    assert wrapped.min() < -1.0
    motion = _moved(*((1.0 + 3.0 * index, NOTHING, turn) for index, turn in enumerate(wrapped)))
    angles = _angles(motion, np.linspace(1.0, 25.0, 400))
    assert np.diff(angles).min() >= -1e-12
    assert angles[-1] == pytest.approx(2.0 * np.pi)


def test_a_path_meets_its_keys_and_is_let_go_at_speed() -> None:
    path = Path(
        [PathKey(3.0, np.zeros(3)), PathKey(4.0, np.array([1.0, 0, 0])), PathKey(6.0, np.array([3.0, 0, 0]))], FPS
    )
    assert (path.begin, path.end) == pytest.approx((_seconds(3), _seconds(6)))
    for frame in np.linspace(3.0, 6.0, 20):  # evenly spaced places: an even speed
        assert np.allclose(path.position(_seconds(frame)), [frame - 3.0, 0.0, 0.0])
    assert np.allclose(path.position(_seconds(1)), 0.0)
    assert np.allclose(path.position(_seconds(99)), [3.0, 0.0, 0.0])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-50.0, 50.0), min_size=1, max_size=5, unique_by=lambda frame: round(frame, 2)),
    arrays(np.float64, (5, 6), elements=st.floats(-20.0, 20.0)),
)
def test_any_keys_give_rotations_and_places_between_the_keys(frames: list[float], values: Array) -> None:
    frames = sorted(frames)
    motion = _moved(*((frame, row[:3], row[3:]) for frame, row in zip(frames, values, strict=False)))
    used = values[: len(frames), :3]
    for frame in np.linspace(frames[0] - 1.0, frames[-1] + 1.0, 31):
        turned, offset = motion.pose(_seconds(frame))
        assert np.allclose(turned @ turned.T, np.eye(3)) and np.linalg.det(turned) > 0.0
        assert (offset >= used.min(axis=0) - 1e-9).all() and (offset <= used.max(axis=0) + 1e-9).all()
    for frame, row in zip(frames, values, strict=False):
        assert np.allclose(motion.pose(_seconds(frame))[0], Rotation.from_rotvec(row[3:]).as_matrix(), atol=1e-6)
