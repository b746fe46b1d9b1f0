"""`python -m backend pointmap` and `bench --pointmap`, and the worker's request."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from backend.bench.pointmap_rate import arm, arm_camera, pointmap_table
from backend.io import write_npz
from tests.backend.command_line import backend, write_conditions
from tests.backend.pointmap.plain_exr import read_exr
from tests.job.worker_client import WorkerClient, refusal

REAL_WORKER = [sys.executable, "-m", "backend", "worker"]
POKE = {"point": [0, 0, 1], "speed": [1, 0, 0]}


@pytest.fixture
def camera(tmp_path: Path) -> Path:
    return write_conditions(tmp_path / "camera.json", **arm_camera())


def written_take(path: Path, frames: int = 3) -> Path:
    """The arm as `simulate` would write a scene of two objects: all links but the first one are the second object."""
    moving = arm(60, frames)
    surfaces = [moving.surface(frame) for frame in range(frames)]
    faces = surfaces[0].triangles[surfaces[0].objects == 1]
    others = surfaces[0].triangles[surfaces[0].objects > 1]
    vertices = np.array([each.vertices for each in surfaces], dtype=np.float32)
    first = int(faces.max()) + 1
    write_npz(
        path,
        {
            "fps": 30.0,
            "objects": np.array(["base", "rest"]),
            "base/vertices": vertices[:, :first],
            "base/faces": faces.astype(np.int32),
            "rest/vertices": vertices[:, first:],
            "rest/faces": (others - first).astype(np.int32),
            "rest/colors": np.tile(np.float32([1.0, 0.0, 0.0]), (len(others), 1)),
        },
    )
    return path


def test_a_take_becomes_arrays_and_pictures(tmp_path: Path, camera: Path) -> None:
    take = written_take(tmp_path / "take.npz")
    words = ("--frames", "4", "--size", "48", "72", "--exr", tmp_path / "exr")
    finished = backend("pointmap", take, "--camera", camera, "-o", tmp_path / "out.npz", *words)
    assert finished.returncode == 0, finished.stderr
    assert "4 frames of 48 x 72" in finished.stdout
    assert "Note: The motion has 3 frames" in finished.stdout
    with np.load(tmp_path / "out.npz") as found:
        assert found["points"].shape == (4, 48, 72, 3) and found["fps"] == 30.0
        assert found["names"].tolist() == ["base", "rest"]
        assert set(np.unique(found["objects"])) == {0, 1, 2}
        red = found["rgb"][found["objects"] == 2]
        assert red[:, 0].min() > 100 and red[:, 1:].max() == 0
        layers, _ = read_exr(tmp_path / "exr" / "pointmap_0002.exr")
        assert np.array_equal(layers["depth.Z"], found["depth"][1])


def test_what_was_simulated_is_drawn_by_the_same_tool(tmp_path: Path, camera: Path) -> None:
    """From a mesh to a pointmap of the default size, by two commands."""
    surface = arm(60, 1).surface(0)
    lines = [f"v {x} {y} {z}" for x, y, z in surface.vertices[:30]]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in surface.triangles if max(a, b, c) < 30]
    (tmp_path / "mesh.obj").write_text("\n".join(lines))
    conditions = write_conditions(tmp_path / "c.json", provider="rigid", anchor="none", frames=3)
    assert backend("simulate", tmp_path / "mesh.obj", "--conditions", conditions, "-o", tmp_path / "take.npz").stdout
    words = ("--frames", "3", "--json")
    finished = backend("pointmap", tmp_path / "take.npz", "--camera", camera, "-o", tmp_path / "out.npz", *words)
    assert finished.returncode == 0, finished.stderr
    report = json.loads(finished.stdout)
    assert (report["height"], report["width"], report["frames"]) == (480, 720, 3) and report["warnings"] == []
    with np.load(tmp_path / "out.npz") as found:
        assert found["mask"][0].any()
        rows = [np.nonzero(mask)[0].mean() for mask in found["mask"]]
        assert rows[0] < rows[1] < rows[2]  # it falls


@pytest.mark.parametrize(
    ("take", "words"),
    [
        ("nothing.npz", "There is no file"),
        ("text.npz", "cannot be read as a take"),
        ("other.npz", "cannot be read as a take"),
        ("flat.npz", "cannot be read as a take"),
        ("holes.npz", "does not exist"),
        ("nan.npz", "no finite place"),
        ("colors.npz", "one colour"),
    ],
)
def test_what_is_no_take_gets_one_sentence(take: str, words: str, tmp_path: Path, camera: Path) -> None:
    points, faces = np.eye(3, dtype=np.float32)[None], np.array([[0, 1, 2]])
    (tmp_path / "text.npz").write_text("text")
    write_npz(tmp_path / "other.npz", {"vertices": points})
    write_npz(tmp_path / "flat.npz", {"vertices": points[:, :, :2], "faces": faces})
    write_npz(tmp_path / "holes.npz", {"vertices": points, "faces": faces + 1})
    write_npz(tmp_path / "nan.npz", {"vertices": points * np.nan, "faces": faces})
    write_npz(tmp_path / "colors.npz", {"vertices": points, "faces": faces, "colors": np.ones((2, 3))})
    finished = backend("pointmap", tmp_path / take, "--camera", camera, "-o", tmp_path / "out.npz")
    assert finished.returncode == 2 and words in finished.stderr
    assert len(finished.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out.npz").exists()


def test_the_bench_times_the_arm() -> None:
    finished = backend("bench", "--pointmap", "--quick", "--json")
    assert finished.returncode == 0, finished.stderr
    measured = json.loads(finished.stdout)
    assert [row["what"].rpartition(", ")[2] for row in measured["rows"]] == [".npz", ".npz and OpenEXR"]
    for row in measured["rows"]:
        assert row["triangles"] > 3_000 and 0.05 < row["coverage"] < 0.5
        assert 0.0 < row["draw_ms_per_frame"] < row["ms_per_frame"]
    assert "4,096" in pointmap_table(measured)


# --- the worker ---


@pytest.fixture
def client(tmp_path: Path):
    worker = WorkerClient(tmp_path / "worker.log", REAL_WORKER)
    worker.greet()
    yield worker
    worker.end()


def request(tmp_path: Path, frames: int, **header) -> tuple[dict, dict[str, np.ndarray]]:
    moving = arm(60, frames)
    surfaces = [moving.surface(frame) for frame in range(frames)]
    arrays = {
        "vertices": np.concatenate([each.vertices for each in surfaces]).astype(np.float32),
        "vertex_counts": np.array([len(each.vertices) for each in surfaces], np.int32),
        "triangles": surfaces[0].triangles.astype(np.int32),
        "triangle_counts": np.array([len(surfaces[0].triangles)], np.int32),
        "colors": surfaces[0].colors.astype(np.float32),
        "objects": surfaces[0].objects.astype(np.int32),
    }
    about = {"camera": arm_camera(), "size": [48, 72], "output": str(tmp_path / "out.npz"), "exr": None}
    about |= {"fps": 24.0, "first": 1, "names": list(moving.names)}
    return {"type": "pointmap", "id": 5, **about, **header}, arrays


def test_the_worker_draws_what_it_is_sent(client: WorkerClient, tmp_path: Path) -> None:
    client.ask(*request(tmp_path, 3))
    answer, _ = client.read_until("pointmapped", "error")
    assert answer.type == "pointmapped" and answer.header["report"]["frames"] == 3
    take = written_take(tmp_path / "take.npz")
    camera = write_conditions(tmp_path / "camera.json", **arm_camera())
    words = ("--frames", "3", "--size", "48", "72")
    assert backend("pointmap", take, "--camera", camera, "-o", tmp_path / "other.npz", *words).returncode == 0
    with np.load(tmp_path / "out.npz") as ours, np.load(tmp_path / "other.npz") as other:
        assert np.array_equal(ours["points"], other["points"])


def test_the_worker_stops_when_it_is_told_and_leaves_nothing(client: WorkerClient, tmp_path: Path) -> None:
    header, arrays = request(tmp_path, 400, size=[480, 720])
    client.ask(header, arrays)
    client.read_until("heartbeat")
    client.ask({"type": "cancel", "id": 6, "target": 5})
    answer, _ = client.read_until("cancelled", "pointmapped", "error")
    assert answer.type == "cancelled" and answer.header["id"] == 5
    assert [path.name for path in tmp_path.iterdir()] == ["worker.log"]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"output": None}, "output"),
        ({"size": [48]}, "size"),
        ({"names": None}, "names"),
        ({"vertex_counts": np.array([1, 2, 3], np.int32)}, "vertex_counts"),
        ({"triangle_counts": np.array([-1], np.int32)}, "triangle_counts"),
        ({"triangles": np.zeros((3, 2), np.int32)}, "triangles"),
        ({"objects": np.zeros(3, np.float32)}, "objects"),
    ],
)
def test_a_request_that_does_not_fit_is_refused(change: dict, name: str, client: WorkerClient, tmp_path: Path) -> None:
    header, arrays = request(tmp_path, 2)
    (key, value), *_ = change.items()
    (arrays if isinstance(value, np.ndarray) else header)[key] = value
    client.ask(header, arrays)
    answer, _ = client.read_until("error", "pointmapped")
    assert refusal(answer).code == "bad_request" and f"'{name}'" in refusal(answer).message
    assert not (tmp_path / "out.npz").exists()
