"""The worker as a real child process: jobs, cancelling, heartbeats, failures and every way to end."""

import time

import numpy as np
import pytest

from backend import protocol
from backend.learned.infer.engine_choice import learned_engine
from backend.worker.analyses import KEPT_ANALYSES, KEPT_VERTICES
from backend.worker.requests import MOST_OBJECTS
from tests.job.worker_client import STAGE, TRIANGLE, WorkerClient, refusal


@pytest.fixture
def client(tmp_path):
    worker = WorkerClient(tmp_path / "worker.log")
    yield worker
    worker.end()


def test_greeting_tells_protocol_version_and_device(client):
    answer = client.greet()
    assert answer.type == "hello" and answer.header["id"] == 1
    assert answer.header["protocol"] == protocol.PROTOCOL_VERSION
    assert answer.header["device"] == "cpu" and answer.header["engine"] == (learned_engine() or "numpy")
    manifest = (STAGE / "blender_manifest.toml").read_text()
    assert f'\nversion = "{answer.header["version"]}"' in manifest


def test_another_protocol_is_refused_with_a_remedy(client):
    client.ask({"type": "hello", "id": 1, "protocol": 99})
    answer = client.read()
    assert answer.type == "error" and refusal(answer).code == "protocol_mismatch"
    assert "99" in refusal(answer).message and "same release" in refusal(answer).remedy


def test_analyze_then_simulate_streams_the_take_in_order(client):
    client.greet()
    analysis = client.analyze()
    assert analysis.header["key"] == "mesh" and analysis.header["summary"]["provider"] == "auto"
    assert analysis.arrays["piece"].tolist() == [0]
    client.simulate(frames=4)
    started, _ = client.read_until("started")
    assert started.header["frames"] == 4 and started.header["fps"] == 24.0 and started.header["id"] == 3
    np.testing.assert_array_equal(started.arrays["weights_0"], np.full((3, 2), 0.5))
    done, before = client.read_until("done")
    frames = [message for message in before if message.type == "frame"]
    assert [frame.header["index"] for frame in frames] == [1, 2, 3, 4]
    for frame in frames:
        expected = np.full((2, 3, 4), frame.header["index"], dtype=np.float32)
        np.testing.assert_array_equal(frame.arrays["handles_0"], expected)
        assert frame.arrays["handles_0"].dtype == np.float32
    assert done.header["report"]["frames"] == 4 and done.header["seconds"] == {"analyze": 0.5, "solve": 1.5}


def test_several_objects_stream_together(client):
    client.greet()
    client.analyze(2, "a")
    client.analyze(3, "b", "wide")
    objects = [{"key": "a", "conditions": {}}, {"key": "b", "conditions": {"shape": [5, 3, 4]}}]
    client.simulate_together(4, objects, shared={"frames": 3})
    started, _ = client.read_until("started")
    assert (started.header["id"], started.header["frames"], started.header["fps"]) == (4, 3, 24.0)
    assert [each["summary"]["provider"] for each in started.header["objects"]] == ["auto", "wide"]
    assert [each["points"] for each in started.header["objects"]] == [False, False]
    assert {name: array.shape for name, array in started.arrays.items()} == {
        "weights_0": (3, 2),
        "weights_1": (3, 104_000),
    }
    done, before = client.read_until("done")
    frames = [message for message in before if message.type == "frame"]
    assert [frame.header["index"] for frame in frames] == [1, 2, 3]
    for frame in frames:
        shapes = {name: array.shape for name, array in frame.arrays.items()}
        assert shapes == {"handles_0": (2, 3, 4), "handles_1": (5, 3, 4)}
        for array in frame.arrays.values():
            assert array.dtype == np.float32 and array.min() == array.max() == frame.header["index"]
    assert done.header["report"] == {"frames": 3, "conditions": [["frames"], ["frames", "shape"]], "warnings": []}


@pytest.mark.parametrize(
    ("kind", "weights", "parts"),
    [
        ("skinned", ["weights_0"], ["handles_0"]),
        ("points", [], ["points_0"]),
        ("both", ["weights_0"], ["handles_0", "points_0"]),
    ],
)
def test_an_object_moves_by_handles_by_points_or_by_both(client, kind, weights, parts):
    client.greet()
    client.analyze()
    client.simulate(3, frames=2, motion=kind)
    started, _ = client.read_until("started")
    assert list(started.arrays) == weights and started.header["objects"][0]["points"] == (kind != "skinned")
    frame, _ = client.read_until("frame")
    assert list(frame.arrays) == parts
    assert all(array.dtype == np.float32 and array.min() == array.max() == 1.0 for array in frame.arrays.values())
    if kind != "skinned":
        assert frame.arrays["points_0"].shape == (3, 3)
    client.ask({"type": "live", "id": 4, "key": "mesh", "conditions": {"motion": kind}})
    live, _ = client.read_until("started")
    assert list(live.arrays) == [*weights, *parts]
    client.ask({"type": "step", "id": 5, "pull": None})
    stepped, _ = client.read_until("stepped")
    assert list(stepped.arrays) == parts and all(array.max() == 2.0 for array in stepped.arrays.values())


def test_cancel_of_several_objects(client):
    client.greet()
    client.analyze()
    objects = 2 * [{"key": "mesh", "conditions": {"frames": 1000, "frame_seconds": 0.05}}]
    client.simulate_together(3, objects)
    client.read_until("frame")
    client.ask({"type": "cancel", "id": 4, "target": 3})
    assert client.read_until("cancelled", "done")[0].type == "cancelled"


def test_a_list_with_an_unknown_mesh_is_refused_for_sending_it_again(client):
    client.greet()
    client.analyze()
    client.simulate_together(3, [{"key": "mesh", "conditions": {}}, {"key": "other", "conditions": {}}])
    error, before = client.read_until("error")
    assert refusal(error).code == "unknown_mesh" and not any(message.type == "started" for message in before)


def test_conditions_may_stand_for_arrays_of_the_message(client):
    client.greet()
    client.analyze()
    shape = np.array([7, 3, 4], dtype=np.int32)
    conditions = {"frames": 1, "shape": {"buffer": "numbers"}}
    objects = [{"key": "mesh", "conditions": conditions}]
    client.ask({"type": "simulate", "id": 3, "objects": objects}, {"numbers": shape})
    assert client.read_until("frame")[0].arrays["handles_0"].shape == (7, 3, 4)
    client.ask({"type": "simulate", "id": 4, "objects": objects})
    error, _ = client.read_until("error")
    assert refusal(error).code == "bad_request" and "'numbers'" in refusal(error).message


DRAGS = {
    "vertices": np.array([0, 2], dtype=np.int32),
    "targets": np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32),
    "hard": np.array([0, 1], dtype=np.uint8),
}


def test_a_pose_is_solved_anew_for_every_request_and_made_ready_once(client):
    client.greet()
    client.analyze()
    first = client.pose(3, DRAGS)
    assert first.header == {
        "type": "posed",
        "id": 3,
        "objects": [{"summary": {"provider": "auto", "handles": 2, "warnings": []}, "points": False}],
        "unmet": [1],
        "converged": True,
        "choices": [1],
    }
    assert set(first.arrays) == {"weights_0", "handles_0", "positions", "values"}
    np.testing.assert_array_equal(first.arrays["positions"], DRAGS["targets"])
    for number in (2, 3):
        client.ask({"type": "pose", "id": 2 + number, "key": "mesh", "conditions": {}}, DRAGS)
        again = client.read()  # no heartbeat: it is quick
        assert again.header == {"type": "posed", "id": 2 + number, "unmet": [1], "converged": True, "choices": [1]}
        assert set(again.arrays) == {"handles_0", "positions", "values"} and again.arrays["handles_0"].max() == number
    soft = client.pose(6, {name: DRAGS[name] for name in ("vertices", "targets")})
    assert soft.header["unmet"] == [] and soft.arrays["handles_0"].max() == 4


def test_a_pose_begins_anew_with_other_conditions_another_mesh_and_after_a_failure(client):
    client.greet()
    client.analyze()
    client.analyze(3, "other")
    beyond = {**DRAGS, "vertices": np.array([0, 200], dtype=np.int32)}
    numbers = {**DRAGS, "numbers": np.zeros(3, dtype=np.int32)}
    solves = []
    for step, (arrays, key, conditions) in enumerate(
        [
            (DRAGS, "mesh", {}),
            (DRAGS, "mesh", {"anchor": "none"}),
            (DRAGS, "mesh", {"anchor": "none"}),
            (DRAGS, "other", {"anchor": "none"}),
            (beyond, "other", {"anchor": "none"}),
            (DRAGS, "other", {"anchor": "none"}),
            (numbers, "other", {"anchor": "none"}),
        ]
    ):
        answer = client.pose(10 + step, arrays, key, **conditions)
        solves.append(refusal(answer).code if answer.type == "error" else int(answer.arrays["handles_0"].max()))
        assert ("weights_0" in answer.arrays) == (solves[-1] == 1)
    assert solves == [1, 1, 2, 1, "bad_pose", 1, 1]
    client.analyze(30, "other")
    assert client.pose(31, numbers, "other", anchor="none").arrays["handles_0"].max() == 1
    assert refusal(client.pose(32, DRAGS, "third")).code == "unknown_mesh"


@pytest.mark.parametrize(
    "changed",
    [
        {"vertices": None},
        {"targets": None},
        {"vertices": np.zeros(3, dtype=np.int32)},
        {"vertices": np.zeros(2, dtype=np.int64)},
        {"hard": np.zeros(1, dtype=np.uint8)},
        {"targets": np.zeros((2, 2), dtype=np.float32)},
    ],
    ids=str,
)
def test_bad_pose_requests_are_refused(client, changed):
    client.greet()
    client.analyze()
    arrays = {name: array for name, array in {**DRAGS, **changed}.items() if array is not None}
    assert refusal(client.pose(3, arrays)).code == "bad_request"
    client.ask({"type": "pose", "id": 4, "objects": [{"key": "mesh", "conditions": {}}]}, DRAGS)
    assert refusal(client.read_until("posed", "error")[0]).code == "bad_request"
    assert client.pose(5, DRAGS).type == "posed"


def test_analyses_are_kept_for_a_whole_scene_and_older_ones_forgotten(client):
    client.greet()
    for number in range(MOST_OBJECTS):
        client.analyze(100 + number, key=f"mesh {number}")
    client.simulate(20, key="mesh 0", frames=1)  # using an analysis makes it the newest
    client.read_until("done")
    client.analyze(21, key="one more")
    client.simulate(22, key="mesh 0", frames=1)
    client.read_until("done")
    client.simulate(23, key="mesh 1")
    error, _ = client.read_until("error")
    assert refusal(error).code == "unknown_mesh" and error.header["id"] == 23 and refusal(error).remedy


def test_of_large_meshes_only_the_last_few_are_kept(client):
    client.greet()
    vertices = np.zeros((KEPT_VERTICES // KEPT_ANALYSES, 3), dtype=np.float32)
    for number in range(KEPT_ANALYSES + 1):
        arrays = {"vertices": vertices, "triangles": TRIANGLE["triangles"]}
        client.ask({"type": "analyze", "id": 100 + number, "key": f"mesh {number}", "provider": "auto"}, arrays)
        client.read_until("analysis")
    client.simulate(20, key="mesh 0", frames=1)
    assert refusal(client.read_until("error", "done")[0]).code == "unknown_mesh"
    client.simulate(21, key="mesh 1", frames=1)
    assert client.read_until("error", "done")[0].type == "done"


@pytest.mark.parametrize(
    ("conditions", "code", "message"),
    [
        ({"raise": "user"}, "bad_conditions", "The condition 'pokes[0].point' is missing."),
        ({"raise": "value"}, "internal", "The backend met an unexpected ValueError."),
        ({"raise": "memory"}, "out_of_memory", "The backend ran out of memory."),
    ],
)
def test_failures_are_answered_and_the_worker_lives_on(client, conditions, code, message):
    client.greet()
    client.analyze()
    client.simulate(3, **conditions)
    error, _ = client.read_until("error")
    assert error.header["id"] == 3 and refusal(error).code == code
    assert refusal(error).message == message and refusal(error).remedy.endswith(".")
    if code == "internal":
        assert "error output" in refusal(error).remedy
        assert "ValueError: nothing fits" in client.log.read_text()
    client.simulate(4, frames=1)
    assert client.read_until("done", "error")[0].type == "done"


def test_the_log_is_named_when_its_path_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("NEUROK_LOG", "/somewhere/neurok.log")
    client = WorkerClient(tmp_path / "worker.log")
    client.analyze()
    client.simulate(3, **{"raise": "value"})
    assert refusal(client.read_until("error")[0]).remedy == "The details are in /somewhere/neurok.log."
    client.end()


@pytest.mark.parametrize(
    ("header", "arrays"),
    [
        ({"type": "dance", "id": 5}, {}),
        ({"type": "analyze"}, {}),
        ({"type": "analyze", "id": "5"}, {}),
        ({"type": "analyze", "id": 5, "provider": "auto"}, TRIANGLE),
        ({"type": "analyze", "id": 5, "key": 3, "provider": "auto"}, TRIANGLE),
        ({"type": "analyze", "id": 5, "key": "a"}, TRIANGLE),
        ({"type": "analyze", "id": 5, "key": "a", "provider": "auto"}, {}),
        (
            {"type": "analyze", "id": 5, "key": "a", "provider": "auto"},
            {**TRIANGLE, "vertices": np.zeros((3, 3))},
        ),
        (
            {"type": "analyze", "id": 5, "key": "a", "provider": "auto"},
            {**TRIANGLE, "triangles": np.int32([0, 1])},
        ),
        (
            {"type": "analyze", "id": 5, "key": "a", "provider": "auto"},
            {**TRIANGLE, "slots": np.float32([0])},
        ),
        (
            {"type": "analyze", "id": 5, "key": "a", "provider": "auto"},
            {**TRIANGLE, "slots": np.int32([[0]])},
        ),
        ({"type": "simulate", "id": 5, "key": "a"}, {}),
        ({"type": "simulate", "id": 5, "key": "a", "conditions": []}, {}),
        ({"type": "simulate", "id": 5, "objects": []}, {}),
        ({"type": "simulate", "id": 5, "objects": {"key": "a", "conditions": {}}}, {}),
        ({"type": "simulate", "id": 5, "objects": ["a"]}, {}),
        ({"type": "simulate", "id": 5, "objects": [{"key": "a"}]}, {}),
        ({"type": "simulate", "id": 5, "objects": [{"conditions": {}}]}, {}),
        ({"type": "simulate", "id": 5, "objects": (MOST_OBJECTS + 1) * [{"key": "a", "conditions": {}}]}, {}),
        ({"type": "simulate", "id": 5, "key": "a", "conditions": {}}, {}),
        ({"type": "simulate", "id": 5, "objects": [{"key": "a", "conditions": {}}], "shared": []}, {}),
        ({"type": "cancel", "id": 5}, {}),
        ({"type": "cancel", "id": 5, "target": "3"}, {}),
    ],
    ids=lambda value: str(value)[:50],
)
def test_bad_requests_are_refused_and_do_no_harm(client, header, arrays):
    client.ask(header, arrays)
    error, _ = client.read_until("error")
    assert refusal(error).code == "bad_request" and refusal(error).message.endswith(".")
    assert error.header["id"] == (5 if header.get("id") == 5 else 0)
    assert client.greet().type == "hello"


def test_cancel_in_a_long_simulation_is_answered_soon_and_the_worker_stays_usable(client):
    client.greet()
    client.analyze()
    client.simulate(3, frames=1000, frame_seconds=0.05)
    client.read_until("frame")
    client.ask({"type": "cancel", "id": 4, "target": 3})
    cancelled, before = client.read_until("cancelled")
    assert cancelled.header == {"type": "cancelled", "id": 3}
    assert sum(message.type == "frame" for message in before) < 100  # of a thousand, twenty a second
    client.simulate(5, frames=2)
    done, before = client.read_until("done")
    assert done.header["id"] == 5 and all(message.header["id"] == 5 for message in before)


def test_cancel_in_an_analysis_works_through_its_progress_calls(client):
    client.greet()
    client.ask({"type": "analyze", "id": 2, "key": "mesh", "provider": "slow"}, TRIANGLE)
    client.read_until("heartbeat")
    client.ask({"type": "cancel", "id": 3, "target": 2})
    assert client.read_until("cancelled", "analysis")[0].type == "cancelled"


def test_cancel_of_a_waiting_job_a_finished_job_and_an_unknown_job(client):
    client.greet()
    client.analyze()
    client.simulate(3, frames=10, frame_seconds=0.05)
    client.simulate(4, frames=1000, frame_seconds=0.05)
    client.ask({"type": "cancel", "id": 5, "target": 4})
    client.ask({"type": "cancel", "id": 6, "target": 3})
    client.ask({"type": "cancel", "id": 7, "target": 77})
    client.ask({"type": "cancel", "id": 8, "target": 2})
    client.ask({"type": "hello", "id": 9, "protocol": protocol.PROTOCOL_VERSION})
    _, before = client.read_until("hello")
    answers = [message.header["id"] for message in before if message.type == "cancelled"]
    assert sorted(answers) == [2, 3, 4, 77] and answers.index(3) < answers.index(4) < answers.index(77)
    assert not any(message.type in ("error", "done") for message in before)


@pytest.mark.parametrize("how", ["sleep", "numpy"])
def test_heartbeats_go_on_while_one_call_blocks_the_main_thread(client, how):
    client.greet()
    client.analyze()
    client.simulate(3, frames=2, block_at=2, block_how=how, block_seconds=2.0)
    client.read_until("frame")
    beats = 0
    while (message := client.read()).type == "heartbeat":
        beats += 1
        assert message.header["id"] == 3 and message.header["stage"] == "simulating"
        assert message.header["done"] == 1 and message.header["total"] == 2
    assert message.type == "frame" and beats >= 2


def test_heartbeats_do_not_flood_and_stop_with_the_job(client):
    client.greet()
    client.analyze()
    client.simulate(3, frames=3000)
    _, before = client.read_until("done")
    beats = [message for message in before if message.type == "heartbeat"]
    assert len(beats) < 300  # of as many frames ten times that
    time.sleep(1.0)
    client.ask({"type": "hello", "id": 9, "protocol": protocol.PROTOCOL_VERSION})
    assert client.read().type == "hello"


def test_prints_of_libraries_go_to_the_log_and_not_into_the_stream(client):
    client.greet()
    client.analyze()
    client.simulate(3, print=True, frames=3)
    _, before = client.read_until("done")
    assert [message.header["index"] for message in before if message.type == "frame"] == [1, 2, 3]
    assert "a library says hello" in client.log.read_text()
    assert "and so does C code" in client.log.read_text()


def test_nothing_is_lost_when_the_client_reads_late(client):
    """200 MB of frames with nobody reading at first: the worker waits, heartbeats do not break in."""
    client.greet()
    client.analyze()
    frames, handles = 40, 104_000  # 5 MB a frame
    client.simulate(3, frames=frames, shape=[handles, 3, 4])
    time.sleep(1.0)
    expected = iter(range(1, frames + 1))
    total = 0
    while (message := client.read()).type != "done":
        if message.type == "frame":
            index = next(expected)
            assert message.header["index"] == index
            assert message.arrays["handles_0"].min() == index == message.arrays["handles_0"].max()
            total += message.arrays["handles_0"].nbytes
    assert next(expected, None) is None and total > 190e6


def test_cancel_reaches_a_worker_that_is_stuck_on_a_full_pipe(client):
    client.greet()
    client.analyze()
    client.simulate(3, frames=100_000, shape=[2000, 3, 4])
    time.sleep(0.3)
    client.ask({"type": "cancel", "id": 4, "target": 3})
    time.sleep(0.1)
    _, before = client.read_until("cancelled")
    assert sum(message.type == "frame" for message in before) < 10
