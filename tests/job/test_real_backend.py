"""Whole jobs with the backend that ships: `python -m backend worker`, its engine and its numbers."""

import sys
import time

import numpy as np
import pytest

from neurok_blender.job.requests import JobRequest, ObjectRequest
from neurok_blender.job.runner import JobRunner
from neurok_blender.job.state import Phase
from tests.job.helpers import Launcher, finish, tick_until
from tests.job.worker_client import WorkerClient, refusal

REAL_WORKER = [sys.executable, "-m", "backend", "worker"]


@pytest.fixture
def launcher(tmp_path):
    launch = Launcher(tmp_path / "neurok.log", REAL_WORKER)
    yield launch
    for process in launch.started:
        process.close()
    assert launch.all_ended()


@pytest.fixture
def runner(launcher):
    return JobRunner(launcher)


def tower(rings: int = 12, around: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """A closed round tower, 0.2 m thick and 1 m high, standing on the ground."""
    angle = 2 * np.pi * np.arange(around) / around
    circle = np.stack([0.1 * np.cos(angle), 0.1 * np.sin(angle), np.zeros(around)], axis=1)
    heights = np.linspace(0.0, 1.0, rings)
    rows = [np.add(circle, (0.0, 0.0, height)) for height in heights]
    vertices = np.concatenate([*rows, [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]).astype(np.float32)
    bottom, top, last = rings * around, rings * around + 1, (rings - 1) * around
    faces = []
    for here in range(around):
        there = (here + 1) % around
        for ring in range(0, last, around):
            a, b, c, d = ring + here, ring + there, ring + around + there, ring + around + here
            faces += [(a, b, c), (a, c, d)]
        faces += [(bottom, there, here), (top, last + here, last + there)]
    return vertices, np.array(faces, dtype=np.int32)


def decode(weights: np.ndarray, handles: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """x_v = sum_h W[v,h] (A[h] @ [X_v; 1]), metres (V,3)."""
    homogeneous = np.concatenate([vertices, np.ones((len(vertices), 1))], axis=1)
    return np.einsum("vh,hij,vj->vi", weights, handles, homogeneous, optimize=True)


def one(*about: object) -> JobRequest:
    return JobRequest((ObjectRequest(*about),))


def request(frames: int, **conditions: object) -> JobRequest:
    poke = {"point": [0.1, 0.0, 1.0], "speed": [-1.0, 0.0, 0.0], "radius": 0.2, "start": 2, "duration": 2}
    return one("tower", *tower(), "auto", {"frames": frames, "pokes": [poke], **conditions})


def test_a_poked_tower_starts_as_drawn_and_moves(runner):
    job = request(24)
    runner.start(job)
    state = finish(runner, 60.0)
    assert state.phase is Phase.DONE, state
    motion = runner.motions[0]
    assert len(motion.shapes) == motion.frame_count == 24 and motion.fps == 24.0
    first = decode(motion.weights, motion.shapes[0].handles, job.objects[0].vertices)
    np.testing.assert_allclose(first, job.objects[0].vertices, atol=1e-5)
    last = decode(motion.weights, motion.shapes[-1].handles, job.objects[0].vertices)
    assert np.isfinite(last).all() and 1e-3 < np.abs(last - first).max() < 1.0
    assert state.summary["degrees_of_freedom"] > 0 and state.seconds["solve"] > 0.0


def test_the_same_job_gives_the_same_frames_and_no_second_analysis(runner):
    runner.start(request(10))
    finish(runner, 60.0)
    before = [shape.handles for shape in runner.motions[0].shapes]
    phases = set()
    runner.start(request(10))
    tick_until(runner, lambda state: phases.add(state.phase) or not state.busy)
    assert Phase.ANALYZING not in phases
    np.testing.assert_array_equal([shape.handles for shape in runner.motions[0].shapes], before)


def test_cancel_in_a_long_simulation_and_a_short_one_after_it(runner, launcher):
    runner.start(request(20_000))
    tick_until(runner, lambda state: state.frames >= 2, 60.0)
    runner.cancel()
    assert finish(runner).phase is Phase.CANCELLED
    runner.start(request(3))
    assert finish(runner).phase is Phase.DONE and len(launcher.started) == 1


@pytest.mark.parametrize(
    ("vertices", "triangles", "conditions"),
    [
        (np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32), {}),
        (np.full((3, 3), np.nan, np.float32), np.array([[0, 1, 2]], np.int32), {}),
        (np.zeros((3, 3), np.float32), np.array([[0, 1, 7]], np.int32), {}),
        (*tower(), {"gravitty": [0, 0, 0]}),
        (*tower(), {"frames": -3}),
    ],
    ids=["empty", "nan", "index", "unknown condition", "frames"],
)
def test_bad_input_is_one_sentence_with_a_remedy(runner, vertices, triangles, conditions):
    runner.start(one("bad", vertices, triangles, "auto", conditions))
    state = finish(runner, 30.0)
    assert state.phase is Phase.FAILED and "unexpected" not in str(state.message)
    assert str(state.message).endswith(".") and str(state.remedy).endswith(".")


def analysed_with(client: WorkerClient, job: int, **slots: np.ndarray):
    vertices, triangles = tower()
    arrays = {"vertices": vertices, "triangles": triangles, **slots}
    client.ask({"type": "analyze", "id": job, "key": "tower", "provider": "rigid"}, arrays)
    return client.read_until("analysis", "error")[0]


def test_material_slots_are_optional_and_bad_ones_are_refused_in_one_sentence(tmp_path):
    count = len(tower()[1])
    client = WorkerClient(tmp_path / "log", REAL_WORKER)
    try:
        client.greet()
        assert analysed_with(client, 2).header["summary"]["material_slots"] == 1
        slots = np.arange(count, dtype=np.int32) % 3
        assert analysed_with(client, 3, slots=slots).header["summary"]["material_slots"] == 3
        for job, bad in ((4, slots[:-1]), (5, slots - 1)):
            answer = analysed_with(client, job, slots=bad)
            error = refusal(answer)
            assert error.code == "bad_slots" and answer.header["id"] == job
            assert error.message.endswith(".") and error.message.count(". ") == 0
            assert "leave the slots out" in error.remedy
    finally:
        client.end()


def test_close_in_the_middle_of_an_analysis_leaves_nothing(runner, launcher):
    vertices, triangles = tower(400, 400)
    runner.start(None)
    finish(runner, 30.0)
    runner.start(one("big", vertices, triangles, "elastic", {"frames": 5}))
    tick_until(runner, lambda state: state.phase is Phase.ANALYZING)
    time.sleep(0.3)
    runner.close()
    assert launcher.all_ended()


def test_two_objects_in_one_take_meet_each_other(tmp_path):
    """A rigid plate under the tower's fall: collider arrays come as buffers, shared conditions once."""
    client = WorkerClient(tmp_path / "worker.log", REAL_WORKER)
    vertices, triangles = tower(4, 8)
    low, high = vertices * (1.0, 1.0, 0.2), vertices * (1.0, 1.0, 0.2) + np.float32([0.0, 0.0, 0.25])
    for job, key, points in ((1, "low", low), (2, "high", high)):
        arrays = {"vertices": points.astype(np.float32), "triangles": triangles}
        client.ask({"type": "analyze", "id": job, "key": key, "provider": "rigid"}, arrays)
        assert client.read_until("analysis", "error")[0].type == "analysis"
    floor = np.array([[-2, -2, -0.01], [2, -2, -0.01], [2, 2, -0.01], [-2, 2, -0.01]], dtype=np.float32)
    faces = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    collider = {"vertices": {"buffer": "floor"}, "triangles": {"buffer": "faces"}}
    request = {
        "type": "simulate",
        "id": 3,
        "shared": {"frames": 36, "colliders": [collider]},
        "objects": [{"key": "low", "conditions": {}}, {"key": "high", "conditions": {"friction": 0.8}}],
    }
    client.ask(request, {"floor": floor, "faces": faces})
    started, _ = client.read_until("started", "error")
    assert [each["summary"]["provider"] for each in started.header["objects"]] == ["rigid", "rigid"]
    done, before = client.read_until("done", "error")
    assert done.type == "done"
    last = [message for message in before if message.type == "frame"][-1].arrays
    lowest = [
        decode(started.arrays[f"weights_{number}"], last[f"handles_{number}"], points)[:, 2].min()
        for number, points in enumerate((low, high))
    ]
    assert lowest == pytest.approx([-0.01, 0.19], abs=1e-3)
    client.end()


def test_a_tower_follows_its_dragged_top(tmp_path):
    """Its base stays where it is, the top gets where it is wanted, and what no drag can do is said."""
    client = WorkerClient(tmp_path / "worker.log", REAL_WORKER)
    vertices, triangles = tower()
    client.ask(
        {"type": "analyze", "id": 1, "key": "tower", "provider": "elastic"},
        {"vertices": vertices, "triangles": triangles},
    )
    assert client.read_until("analysis", "error")[0].type == "analysis"
    top = len(vertices) - 1
    weights = None
    for job, sideways in enumerate((0.02, 0.05, 0.08, 9.0), 2):
        target = vertices[[top]] + np.float32([sideways, 0.0, 0.0])
        arrays = {"vertices": np.int32([top]), "targets": target, "hard": np.uint8([1])}
        posed = client.pose(job, arrays, "tower")
        weights = posed.arrays.get("weights_0", weights)
        shape = decode(weights, posed.arrays["handles_0"], vertices)
        np.testing.assert_allclose(shape[top], posed.arrays["positions"][0], atol=1e-5)
        np.testing.assert_allclose(shape[vertices[:, 2] == 0.0], vertices[vertices[:, 2] == 0.0], atol=1e-5)
        if sideways < 1.0:
            assert posed.header["unmet"] == [] and np.linalg.norm(shape[top] - target[0]) < 1e-3
    assert posed.header["unmet"] == [0] and np.isfinite(shape).all()
    client.end()
