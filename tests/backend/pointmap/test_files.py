"""What pointmaps leave on disk, read back by other readers than our own writers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from backend.bench.pointmap_rate import arm, arm_camera
from backend.errors import Cancelled, UserError
from backend.pointmap.archive import srgb
from backend.pointmap.camera_file import read_camera
from backend.pointmap.render import render
from backend.pointmap.render_take import RenderSettings, make_pointmaps
from backend.texts import in_english
from tests.backend.pointmap.plain_exr import read_exr

SIZE = (37, 51)  # no multiple of anything
ARM, TRACK = arm(60, 3), read_camera(arm_camera(), SIZE)


def quietly(_stage: str, _done: int, _total: int) -> None:
    pass


def test_the_archive_has_what_was_drawn(tmp_path: Path) -> None:
    report = make_pointmaps(ARM, TRACK, RenderSettings(tmp_path / "arm.npz", frames=3, first=20), quietly)
    with np.load(tmp_path / "arm.npz", allow_pickle=False) as found:
        arrays = dict(found)
    assert {name: (values.dtype.name, values.shape) for name, values in arrays.items() if values.ndim > 1} == {
        "points": ("float32", (3, *SIZE, 3)),
        "mask": ("uint8", (3, *SIZE)),
        "depth": ("float32", (3, *SIZE)),
        "rgb": ("uint8", (3, *SIZE, 3)),
        "objects": ("uint16", (3, *SIZE)),
        "intrinsics": ("float64", (3, 3, 3)),
        "extrinsics": ("float64", (3, 4, 4)),
    }
    assert arrays["frames"].tolist() == [20, 21, 22] and arrays["fps"] == 24.0
    assert arrays["names"].tolist() == [f"link {number}" for number in range(8)]
    for frame in range(3):
        picture = render(ARM.surface(frame), TRACK.at(frame))
        assert np.array_equal(arrays["points"][frame], picture.points)
        assert np.array_equal(arrays["depth"][frame], picture.points[:, :, 2])
        assert np.array_equal(arrays["objects"][frame], picture.objects)
        assert np.array_equal(arrays["mask"][frame], picture.objects > 0)
        assert np.array_equal(arrays["rgb"][frame], srgb(picture.colors))
    stored = json.loads(str(arrays["report"]))
    assert stored["coverage"] == report["coverage"] == pytest.approx(arrays["mask"].mean())
    assert "stages" not in stored and report["stages"]["draw"] > 0.0


def test_points_meet_the_formula_of_the_matrices_beside_them(tmp_path: Path) -> None:
    """[u z, v z, z] = K p, and T^-1 p lies on the arm."""
    make_pointmaps(ARM, TRACK, RenderSettings(tmp_path / "arm.npz", frames=1), quietly)
    with np.load(tmp_path / "arm.npz") as found:
        points, mask = found["points"][0].astype(np.float64), found["mask"][0] == 1
        K, T = found["intrinsics"][0], found["extrinsics"][0]
    rows, columns = np.nonzero(mask)
    homogeneous = points[mask] @ K.T
    uv = homogeneous[:, :2] / homogeneous[:, 2:]
    assert np.abs(uv - np.stack([columns + 0.5, rows + 0.5], axis=1)).max() < 1e-4
    world = (np.linalg.inv(T) @ np.concatenate([points[mask], np.ones((len(rows), 1))], axis=1).T).T[:, :3]
    vertices = ARM.surface(0).vertices
    assert (world >= vertices.min(axis=0) - 1e-5).all() and (world <= vertices.max(axis=0) + 1e-5).all()


def test_pictures_have_all_layers_as_another_reader_sees_them(tmp_path: Path) -> None:
    make_pointmaps(ARM, TRACK, RenderSettings(tmp_path / "arm.npz", tmp_path / "new" / "arm", 2, first=7), quietly)
    assert sorted(path.name for path in (tmp_path / "new" / "arm").iterdir()) == [
        "pointmap_0007.exr",
        "pointmap_0008.exr",
    ]
    for frame in range(2):
        layers, attributes = read_exr(tmp_path / "new" / "arm" / f"pointmap_{7 + frame:04d}.exr")
        picture = render(ARM.surface(frame), TRACK.at(frame))
        expected = {f"position.{name}": picture.points[:, :, axis] for axis, name in enumerate("XYZ")}
        expected |= {name: picture.colors[:, :, axis] for axis, name in enumerate("RGB")}
        expected |= {"A": picture.mask, "depth.Z": picture.depth, "object.V": picture.objects}
        assert set(layers) == set(expected)
        for name, values in expected.items():
            assert np.array_equal(layers[name], values.astype(np.float32)), name
        K = np.array(attributes["intrinsics"].decode().split(), dtype=float).reshape(3, 3)
        assert np.array_equal(K, TRACK.at(frame).intrinsics)


def test_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.npz", "two.npz"):
        make_pointmaps(ARM, TRACK, RenderSettings(tmp_path / name, frames=2), quietly)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_what_ends_early_stays_and_that_is_told(tmp_path: Path) -> None:
    camera = {**arm_camera(), "lens": [50.0, 40.0]}
    report = make_pointmaps(ARM, read_camera(camera, SIZE), RenderSettings(tmp_path / "arm.npz", frames=5), quietly)
    assert [note.id for note in report["warnings"]] == ["pointmap.motion_ends", "pointmap.camera_ends"]
    with np.load(tmp_path / "arm.npz") as found:
        assert np.array_equal(found["points"][3], found["points"][4])
        assert not np.array_equal(found["points"][1], found["points"][2])
        assert found["intrinsics"][0, 0, 0] * 0.8 == pytest.approx(found["intrinsics"][1, 0, 0])


def test_a_camera_that_looks_away_is_told_of(tmp_path: Path) -> None:
    away = {"matrix_world": [[1, 0, 0, 90], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}
    report = make_pointmaps(ARM, read_camera(away, SIZE), RenderSettings(tmp_path / "arm.npz", frames=1), quietly)
    assert in_english(report["warnings"]) == ["The camera sees nothing of the objects."]


def test_who_stops_it_finds_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "arm.npz"
    path.write_bytes(b"old")

    def stopping(_stage: str, done: int, _total: int) -> None:
        if done == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        make_pointmaps(ARM, TRACK, RenderSettings(path, frames=3), stopping)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"output": Path("arm.exr")}, "unknown_format"),
        ({"frames": 0}, "bad_frames"),
        ({"output": Path("nowhere/at/all.npz")}, "cannot_write"),
        ({"exr": Path("file/exr")}, "cannot_write"),
    ],
)
def test_what_cannot_be_written_is_refused(change: dict, code: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("a file, and no folder")
    with pytest.raises(UserError) as refused:
        make_pointmaps(ARM, TRACK, replace(RenderSettings(Path("arm.npz"), frames=1), **change), quietly)
    assert refused.value.code == code
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_without_the_library_pictures_are_refused_before_anything_is_drawn(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "OpenEXR", None)
    with pytest.raises(UserError) as refused:
        make_pointmaps(ARM, TRACK, RenderSettings(tmp_path / "arm.npz", tmp_path / "exr", 1), quietly)
    assert refused.value.code == "no_openexr" and list(tmp_path.iterdir()) == []


def test_the_curve_of_srgb() -> None:
    assert srgb(np.array([0.0, 0.0031308, 0.2158605, 1.0, 7.0])).tolist() == [0, 10, 128, 255, 255]
