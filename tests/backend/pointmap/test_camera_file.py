"""Cameras from JSON: what they mean, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from backend.errors import UserError
from backend.pointmap.camera_file import DEFAULT_SIZE, read_camera

STILL = np.eye(4).tolist()


def moved(x: float) -> list:
    matrix = np.eye(4)
    matrix[0, 3] = x
    return matrix.tolist()


def test_without_any_setting_it_is_blenders_new_camera() -> None:
    camera = read_camera({"matrix_world": STILL}).at(0)
    assert (camera.height, camera.width) == DEFAULT_SIZE == (480, 720)
    # 50 mm of lens, 36 mm of sensor across 720 pixels.
    assert np.allclose(camera.intrinsics, [[1000.0, 0.0, 360.0], [0.0, 1000.0, 240.0], [0.0, 0.0, 1.0]])
    assert np.allclose(camera.extrinsics, np.diag([1.0, -1.0, -1.0, 1.0]))


def test_the_size_asked_for_goes_before_that_of_the_camera() -> None:
    given = {"matrix_world": STILL, "resolution": [1921, 1080], "resolution_percentage": 50}
    assert (read_camera(given).width, read_camera(given).height) == (960, 540)
    assert (read_camera(given, (20, 30)).height, read_camera(given, (20, 30)).width) == (20, 30)


def test_a_scaled_camera_sees_as_one_that_is_not() -> None:
    big = (np.diag([3.0, 0.5, 2.0, 1.0]) @ np.eye(4)).tolist()
    assert np.allclose(read_camera({"matrix_world": big}).at(0).extrinsics, np.diag([1.0, -1.0, -1.0, 1.0]))


def test_anything_may_move_and_stays_after_its_last_frame() -> None:
    track = read_camera({"matrix_world": [moved(0.0), moved(1.0), moved(2.0)], "lens": [50, 25]})
    assert track.frames == 2
    assert [track.at(frame).lens for frame in range(4)] == [50.0, 25.0, 25.0, 25.0]
    assert [float(track.at(frame).extrinsics[0, 3]) for frame in range(5)] == [0.0, -1.0, -2.0, -2.0, -2.0]
    assert read_camera({"matrix_world": STILL}).frames is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "not a JSON object"),
        ({}, "no matrix_world"),
        ({"matrix_world": STILL, "focal": 3}, "no 'focal'"),
        ({"matrix_world": STILL, "type": "PANO"}, "type is unknown"),
        ({"matrix_world": STILL, "sensor_fit": "WIDE"}, "sensor_fit is unknown"),
        ({"matrix_world": STILL, "type": ["PERSP"]}, "type is unknown"),
        ({"matrix_world": STILL, "lens": "long"}, "lens is no number"),
        ({"matrix_world": STILL, "lens": []}, "lens is no number"),
        ({"matrix_world": STILL, "lens": [50.0, 0.0]}, "lens is not above 0"),
        ({"matrix_world": STILL, "shift_x": float("nan")}, "shift_x is no number"),
        ({"matrix_world": STILL, "clip_start": 5.0, "clip_end": 5.0}, "clip_end is not beyond"),
        ({"matrix_world": STILL, "clip_end": 0.05}, "clip_end is not beyond"),
        ({"matrix_world": STILL, "resolution": [720]}, "resolution is not"),
        ({"matrix_world": STILL, "resolution": [720, 480.5]}, "resolution is not"),
        ({"matrix_world": STILL, "resolution": [1, 1], "resolution_percentage": 10}, "0 x 0 pixels"),
        ({"matrix_world": STILL, "resolution": [10**6, 1]}, "1 x 1000000 pixels"),
        ({"matrix_world": [[1, 0], [0, 1]]}, "no matrix_world"),
        ({"matrix_world": [STILL, [[1]]]}, "no matrix_world"),
        ({"matrix_world": np.zeros((4, 4)).tolist()}, "matrix_world is flat"),
    ],
)
def test_what_is_no_camera_is_refused(given, words: str) -> None:
    with pytest.raises(UserError) as refused:
        read_camera(given)
    assert refused.value.code == "bad_camera" and words in refused.value.message
    assert refused.value.remedy.endswith(".")
