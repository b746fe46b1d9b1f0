"""The worker's live object and its sliders, over real pipes: with the engine of the tests, and with the real one."""

import sys

import numpy as np
import pytest

from tests.job.test_real_backend import decode, tower
from tests.job.worker_client import WorkerClient, refusal

PULL = {"point": [0, 0, 1], "radius": 0.1, "target": [0, 0.1, 1]}
DRAGS = {"vertices": np.array([0], dtype=np.int32), "targets": np.array([[1, 2, 3]], dtype=np.float32)}


@pytest.fixture
def client(tmp_path):
    worker = WorkerClient(tmp_path / "worker.log")
    worker.greet()
    yield worker
    worker.end()


@pytest.fixture
def real(tmp_path):
    worker = WorkerClient(tmp_path / "worker.log", [sys.executable, "-m", "backend", "worker"])
    worker.greet()
    vertices, triangles = tower()
    header = {"type": "analyze", "id": 2, "key": "tower", "provider": "elastic"}
    worker.ask(header, {"vertices": vertices, "triangles": triangles})
    assert worker.read_until("analysis", "error")[0].type == "analysis"
    yield worker
    worker.end()


def answer(client, job, kind, arrays=None, **header):
    """The answer to a request, heartbeats left out."""
    client.ask({"type": kind, "id": job, **header}, arrays)
    message = client.read_until("started", "stepped", "posed", "coordinates", "shapes", "error", "cancelled")[0]
    assert message.header["id"] == job
    return message


def live(client, job, key="mesh", **conditions):
    return answer(client, job, "live", key=key, conditions=conditions)


def test_a_live_object_starts_with_its_first_frame_and_every_step_is_the_next(client):
    client.analyze()
    started = live(client, 3, fps=30.0)
    assert started.type == "started"
    summary = {"provider": "auto", "handles": 2, "warnings": []}
    assert started.header == {
        "type": "started",
        "id": 3,
        "fps": 30.0,
        "objects": [{"summary": summary, "points": False}],
    }
    assert {name: array.shape for name, array in started.arrays.items()} == {
        "weights_0": (3, 2),
        "handles_0": (2, 3, 4),
    }
    for index, pull in enumerate((None, PULL, PULL, None), 2):
        client.ask({"type": "step", "id": 10 + index, "pull": pull})
        stepped = client.read()  # no heartbeat: it is quick
        assert stepped.header == {"type": "stepped", "id": 10 + index, "index": index}
        assert stepped.arrays["handles_0"].dtype == np.float32
        assert stepped.arrays["handles_0"].min() == stepped.arrays["handles_0"].max() == index


def test_a_step_without_a_live_object_and_one_that_runs_out_of_memory_are_refused(client):
    client.analyze()
    refused = answer(client, 3, "step", pull=None)
    assert refusal(refused).code == "not_live" and refusal(refused).remedy.endswith(".")
    live(client, 4)
    failed = answer(client, 5, "step", pull={**PULL, "radius": 2.0})
    assert refusal(failed).code == "out_of_memory"
    assert answer(client, 6, "step", pull=None).header["index"] == 2


def test_one_object_is_live_and_a_failed_beginning_leaves_none(client):
    client.analyze()
    client.analyze(3, "other")
    live(client, 4)
    answer(client, 5, "step", pull=None)
    live(client, 6, "other")
    assert answer(client, 7, "step", pull=None).header["index"] == 2
    client.simulate(8, frames=2)  # other jobs leave it alone
    client.read_until("done")
    assert answer(client, 9, "step", pull=None).header["index"] == 3
    assert refusal(live(client, 10, "third")).code == "unknown_mesh"
    assert answer(client, 11, "step", pull=None).header["index"] == 4
    assert refusal(live(client, 12, **{"raise": "user"})).code == "bad_conditions"
    assert refusal(answer(client, 13, "step", pull=None)).code == "not_live"


@pytest.mark.parametrize(
    ("kind", "header", "arrays"),
    [
        ("live", {"key": "mesh"}, {}),
        ("live", {"conditions": {}}, {}),
        ("step", {}, {}),
        ("step", {"pull": 3}, {}),
        ("step", {"pull": []}, {}),
        ("coordinates", {"key": "mesh"}, {}),
        ("shape", {"key": "mesh", "conditions": {}}, {}),
        ("shape", {"key": "mesh", "conditions": {}}, {"values": np.zeros((1, 2))}),
        ("shape", {"key": "mesh", "conditions": {}}, {"values": np.zeros(2, dtype=np.float32)}),
        ("poses", {"key": "mesh", "conditions": {}}, {}),
        ("poses", {"key": "mesh", "conditions": {}, "count": 2.5, "seed": 0}, {}),
        ("poses", {"key": "mesh", "conditions": {}, "count": 2, "seed": None}, {}),
    ],
    ids=str,
)
def test_bad_requests_are_refused_and_do_no_harm(client, kind, header, arrays):
    client.analyze()
    live(client, 3)
    assert refusal(answer(client, 5, kind, arrays, **header)).code == "bad_request"
    assert answer(client, 6, "step", pull=None).header["index"] == 2


def test_sliders_of_the_object_that_is_posed(client):
    client.analyze()
    about = {"key": "mesh", "conditions": {}}
    found = answer(client, 3, "coordinates", **about)
    assert found.header == {
        "type": "coordinates",
        "id": 3,
        "names": ["Joint 1", "Bend 2"],
        "kinds": ["joint", "bend"],
        "lower": [-1.0, 0.0],
        "upper": [1.0, 2.0],
        "objects": [{"summary": {"provider": "auto", "handles": 2, "warnings": []}, "points": False}],
    }
    assert found.arrays["weights_0"].shape == (3, 2)
    posed = client.pose(4, DRAGS)
    assert set(posed.arrays) == {"handles_0", "positions", "values"}  # the weights are known
    np.testing.assert_array_equal(posed.arrays["values"], np.float32([0.5, 1.0]))
    values = np.float32([[0.25, 1.0], [-0.5, 0.0]])
    shapes = answer(client, 5, "shape", {"values": values}, **about)
    assert shapes.header == {"type": "shapes", "id": 5} and set(shapes.arrays) == {"handles_0"}
    assert shapes.arrays["handles_0"].shape == (2, 2, 3, 4) and shapes.arrays["handles_0"].dtype == np.float32
    assert client.pose(6, DRAGS).arrays["values"][1] == 2.0  # the same object as before
    drawn, again = (answer(client, job, "poses", count=3, seed=8, **about) for job in (7, 8))
    assert drawn.arrays["values"].shape == (3, 2) and drawn.arrays["handles_0"].shape == (3, 2, 3, 4)
    np.testing.assert_array_equal(drawn.arrays["values"], again.arrays["values"])
    assert refusal(answer(client, 9, "shape", {"values": np.zeros((1, 3), np.float32)}, **about)).code == "bad_values"


def test_a_pose_after_shapes_tells_the_weights_that_nobody_was_told(client):
    client.analyze()
    values = {"values": np.zeros((1, 2), np.float32)}
    assert answer(client, 3, "shape", values, key="mesh", conditions={}).type == "shapes"
    assert {"weights_0", "handles_0"} <= set(client.pose(4, DRAGS).arrays)


def test_the_real_backend_is_pulled_and_swings(real):
    vertices = tower()[0]
    started = live(real, 3, "tower", frames=1)
    assert (
        started.header["objects"][0]["summary"]["anchored"]
        and started.header["objects"][0]["summary"]["warnings"] == []
    )
    weights = started.arrays["weights_0"]
    np.testing.assert_allclose(decode(weights, started.arrays["handles_0"], vertices), vertices, atol=1e-5)
    top = int(vertices[:, 2].argmax())
    path = []
    for index in range(2, 50):
        pull = {**PULL, "target": [0.1, 0.0, 1.0]} if index < 26 else None
        stepped = answer(real, index + 10, "step", pull=pull)
        assert stepped.header["index"] == index
        path.append(decode(weights, stepped.arrays["handles_0"], vertices)[top, 0] - vertices[top, 0])
    assert path[3] == pytest.approx(0.1, abs=0.03) and min(path[24:]) < -0.02
    bad = answer(real, 90, "step", pull={**PULL, "radius": 0.0})
    assert "'pull.radius'" in refusal(bad).message and refusal(bad).remedy
    assert answer(real, 91, "step", pull=None).header["index"] == 50


def test_the_real_backend_slides_what_it_has_posed(real):
    vertices = tower()[0]
    about = {"key": "tower", "conditions": {}}
    found = answer(real, 3, "coordinates", **about)
    count = len(found.header["names"])
    assert count == 12 and found.header["names"][0] == "Mode 1" and set(found.header["kinds"]) == {"mode"}
    weights = found.arrays["weights_0"]
    top = np.array([int(vertices[:, 2].argmax())], dtype=np.int32)
    posed = real.pose(4, {"vertices": top, "targets": vertices[top] + np.float32([0.1, 0, 0])}, "tower")
    shapes = answer(real, 5, "shape", {"values": posed.arrays["values"][None]}, **about)
    near = decode(weights, shapes.arrays["handles_0"][0], vertices)
    assert np.abs(near - decode(weights, posed.arrays["handles_0"], vertices)).max() < 0.03
    drawn = answer(real, 6, "poses", count=6, seed=1, **about)
    again = answer(real, 7, "shape", {"values": drawn.arrays["values"]}, **about)
    np.testing.assert_array_equal(again.arrays["handles_0"], drawn.arrays["handles_0"])
    moved = [np.abs(decode(weights, each, vertices) - vertices).max() for each in drawn.arrays["handles_0"]]
    assert min(moved) > 0.01 and max(moved) < 1.0
