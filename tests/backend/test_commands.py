"""`python -m backend simulate` and `analyze`, as processes: what they write, and the same bytes every time."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from tests.backend.command_line import backend, write_conditions, write_mesh
from tests.backend.shapes import bar, box, joined, moved, soup, sphere
from tests.backend.takes import decode

POKE = {"point": [1.0, 0.0, 0.05], "speed": [0.0, 0.3, 0.6], "radius": 0.2}
FRAMES = 9
STAGES = ["load", "analyze", "solve", "decode", "write"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A poked bar, and conditions that hold it."""
    folder = tmp_path_factory.mktemp("commands")
    vertices, _ = bar()
    held = np.flatnonzero(vertices[:, 0] < 1e-9).tolist()
    write_mesh(folder / "bar.obj", bar())
    write_conditions(folder / "poke.json", frames=FRAMES, fps=25, anchor={"vertices": held}, pokes=[POKE])
    return folder


def _simulate(folder: Path, output: str) -> Path:
    done = backend("simulate", folder / "bar.obj", "--conditions", folder / "poke.json", "-o", folder / output)
    assert done.returncode == 0, done.stderr
    assert output in done.stdout
    return folder / output


@pytest.fixture(scope="module")
def result(folder: Path) -> dict[str, np.ndarray]:
    with np.load(_simulate(folder, "first.npz"), allow_pickle=False) as archive:
        return dict(archive)


def test_the_archive_holds_what_the_design_says(result: dict[str, np.ndarray]) -> None:
    count = len(bar()[0])
    handles = result["weights"].shape[1]
    expected = {
        "vertices": (np.float32, (FRAMES, count, 3)),
        "faces": (np.int32, bar()[1].shape),
        "fps": (np.float64, ()),
        "weights": (np.float32, (count, handles)),
        "handles": (np.float64, (FRAMES, handles, 3, 4)),
        "q": (np.float64, (FRAMES, result["q"].shape[1])),
        "energy": (np.float64, (FRAMES, 3)),
    }
    for name, (kind, shape) in expected.items():
        assert result[name].dtype == kind, name
        assert result[name].shape == shape, name
    assert set(result) == {*expected, "provider", "report"}
    assert str(result["provider"]) == "elastic"
    assert float(result["fps"]) == 25.0
    assert np.array_equal(result["faces"], bar()[1])


def test_the_report_tells_counts_and_kinematics(result: dict[str, np.ndarray]) -> None:
    report = json.loads(str(result["report"]))
    assert "stages" not in report and "seconds" not in str(result["report"])
    assert report["frames"] == FRAMES
    assert report["steps"] >= FRAMES - 1
    assert report["newton_iterations"] >= report["steps"]
    assert report["warnings"] == []
    kinematics = report["kinematics"]
    assert kinematics["handles"] == result["weights"].shape[1]
    assert kinematics["degrees_of_freedom"] == result["q"].shape[1]
    assert kinematics["anchored"] is True


def test_the_frames_are_the_skinning_that_comes_with_them(result: dict[str, np.ndarray]) -> None:
    """Frame 1 is the mesh as drawn; every other is sum_h w A [X; 1] of the archive's own weights and handles."""
    vertices = bar()[0]
    assert np.abs(result["vertices"][0] - vertices).max() < 1e-6
    expected = decode(result["weights"], result["handles"], vertices)
    assert np.abs(result["vertices"] - expected).max() < 1e-6
    assert np.abs(expected[-1] - vertices).max() > 0.05
    assert np.allclose(result["energy"][:, 2], result["energy"][:, 0] + result["energy"][:, 1])


def test_the_same_command_twice_gives_the_same_bytes(folder: Path, result: dict[str, np.ndarray]) -> None:
    assert len(result)
    before = (folder / "first.npz").read_bytes()
    assert _simulate(folder, "first.npz").read_bytes() == before
    assert _simulate(folder, "second.npz").read_bytes() == before


def test_seconds_are_in_the_report_file_and_the_printed_line(folder: Path, result: dict[str, np.ndarray]) -> None:
    command = ("simulate", folder / "bar.obj", "--conditions", folder / "poke.json", "-o", folder / "timed.npz")
    done = backend(*command, "--report", folder / "timed.json")
    assert done.returncode == 0, done.stderr
    report = json.loads((folder / "timed.json").read_text())
    stages = report.pop("stages")
    assert list(stages) == STAGES and all(seconds >= 0.0 for seconds in stages.values())
    assert report == json.loads(str(result["report"]))
    assert all(f"{stage} {stages[stage]:.2f}" in done.stdout for stage in STAGES)
    refused = backend(*command, "--report", folder / "none" / "timed.json")
    assert refused.returncode == 2 and "folder" in refused.stderr and refused.stdout == ""


def test_other_conditions_replace_the_file(folder: Path) -> None:
    write_mesh(folder / "box.obj", box())
    contents = []
    for frames in (2, 3):
        conditions = write_conditions(folder / "fall.json", frames=frames, anchor="none")
        done = backend("simulate", folder / "box.obj", "--conditions", conditions, "-o", folder / "fall.npz")
        assert done.returncode == 0, done.stderr
        with np.load(folder / "fall.npz", allow_pickle=False) as archive:
            contents.append(len(archive["vertices"]))
    assert contents == [2, 3]


def test_pc2_is_the_same_animation(folder: Path, result: dict[str, np.ndarray]) -> None:
    data = _simulate(folder, "one.pc2").read_bytes()
    assert _simulate(folder, "two.pc2").read_bytes() == data
    name, version, points, start, rate, samples = struct.unpack_from("<12siiffi", data)
    assert (name, version, points, samples) == (b"POINTCACHE2\0", 1, len(bar()[0]), FRAMES)
    assert (start, rate) == (1.0, 1.0)
    positions = np.frombuffer(data, "<f4", offset=32).reshape(FRAMES, -1, 3)
    assert np.array_equal(positions, result["vertices"])


def test_glb_is_the_same_animation(folder: Path, result: dict[str, np.ndarray]) -> None:
    """Y up: (x, y, z) here is (x, z, -y) there. Read back by the backend the first frame is the mesh again."""
    data = _simulate(folder, "one.glb").read_bytes()
    assert _simulate(folder, "two.glb").read_bytes() == data
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size = struct.unpack_from("<I", data, 12)[0]
    document, binary = json.loads(data[20 : 20 + size]), data[28 + size :]

    def values(index: int, columns: int) -> np.ndarray:
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        offset = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        return np.frombuffer(binary, "<f4", accessor["count"] * columns, offset).reshape(-1, columns)

    primitive = document["meshes"][0]["primitives"][0]
    base = values(primitive["attributes"]["POSITION"], 3)
    turned = result["vertices"][:, :, [0, 2, 1]] * np.array([1, 1, -1], dtype=np.float32)
    assert np.allclose(base, turned[0], atol=1e-6)
    sampler = document["animations"][0]["samplers"][0]
    assert values(sampler["input"], 1).ravel() == pytest.approx(np.arange(FRAMES) / 25.0)
    targets = np.array([values(target["POSITION"], 3) for target in primitive["targets"]])
    weights = values(sampler["output"], 1).reshape(FRAMES, -1)
    shown = base + np.einsum("ts,svi->tvi", weights, targets)
    assert np.allclose(shown, turned, atol=1e-5)
    assert backend("analyze", folder / "one.glb").returncode == 0


def test_simulate_without_conditions_uses_the_defaults(folder: Path) -> None:
    done = backend("simulate", folder / "bar.obj", "-o", folder / "default.pc2")
    assert done.returncode == 0, done.stderr
    assert (folder / "default.pc2").stat().st_size == 32 + 120 * len(bar()[0]) * 12


def test_analyze_as_json(tmp_path: Path) -> None:
    """A ball and a loose bar beside it: two closed parts, half a tonne at density 1000."""
    ball = sphere(500)
    pair = joined(ball, moved(bar(), (0.51, 0.0, 0.0)))
    done = backend("analyze", write_mesh(tmp_path / "pair.obj", pair), "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert set(summary) == {
        "provider",
        "degrees_of_freedom",
        "handles",
        "confidence",
        "engine",
        "device",
        "joints",
        "choices",
        "kept_energy",
        "mass",
        "size",
        "parts",
        "closed_parts",
        "material_slots",
        "material_points",
        "reasons",
        "anchored",
        "warnings",
        "pieces",
        "support",
        "support_probability",
        "support_reason",
        "size_guess",
        "separate",
    }
    assert (summary["parts"], summary["closed_parts"]) == (2, 2)
    assert summary["mass"] == pytest.approx(1000.0 * (4.0 / 3.0 * np.pi * 0.125 + 0.01), rel=0.03)
    assert summary["size"] == pytest.approx(np.ptp(pair[0], axis=0).max())
    assert summary["provider"] == "elastic"
    assert summary["anchored"] is None


@pytest.mark.parametrize("provider", ["rigid", "elastic"])
def test_analyze_as_text_and_with_a_provider(folder: Path, provider: str) -> None:
    done = backend("analyze", folder / "bar.obj", "--provider", provider)
    assert done.returncode == 0, done.stderr
    assert provider in done.stdout
    assert ("degrees of freedom   6" in done.stdout) == (provider == "rigid")


def test_analyze_notes_what_was_joined(tmp_path: Path) -> None:
    done = backend("analyze", write_mesh(tmp_path / "soup.obj", soup(12)))
    assert done.returncode == 0, done.stderr
    assert "Note: " in done.stdout
