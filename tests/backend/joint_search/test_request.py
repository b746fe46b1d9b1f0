"""The worker's request for joints."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from backend.errors import UserError
from backend.learned.infer.joint_network.joint_prediction import cached_engine
from backend.protocol import Message
from backend.worker.find_joints import answer_joints

from .furniture import chest_of_drawer


def asked(**header: object) -> Message:
    mesh, label = chest_of_drawer()
    arrays = {"vertices": mesh.vertices.astype(np.float32), "triangles": mesh.triangles.astype(np.int32)}
    arrays |= {"labels": label.astype(np.int32)}
    return Message({"type": "joints", "id": 1, "parts": "given", "names": ["Body", "Drawer"], **header}, arrays)


def quietly(stage: str, done: int, total: int) -> None:
    pass


@pytest.fixture
def without_engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a Python that has neither ONNX Runtime nor PyTorch."""
    cached_engine.cache_clear()
    for name in ("onnx_engine", "torch_engine"):
        monkeypatch.delitem(sys.modules, f"backend.learned.infer.joint_network.{name}", raising=False)
    for name in [name for name in sys.modules if name.startswith("backend.learned.infer.onnx_network")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    yield


def test_simulation_and_network_find_the_joints() -> None:
    stages: list[str] = []
    told, arrays = answer_joints(asked(), lambda stage, done, total: stages.append(stage))
    assert told["warnings"] == [] and told["parts"] == ["Body", "Drawer"]
    (joint,) = told["joints"]
    assert (joint["child"], joint["parent"], joint["type"]) == (1, 0, "prismatic") and abs(joint["axis"][1]) > 0.99
    assert joint["alternatives"]
    assert np.array_equal(arrays["labels"], chest_of_drawer()[1])
    assert "finding joints" in stages


def test_without_an_engine_simulation_finds_them_alone_and_says_so(without_engines: None) -> None:
    told, _ = answer_joints(asked(), quietly)
    (warning,) = told["warnings"]
    assert "which this Python does not have. Simulation alone has chosen the joints." in str(warning)
    assert told["joints"][0]["type"] == "prismatic"


def test_a_request_that_does_not_say_what_the_parts_are_is_refused() -> None:
    with pytest.raises(UserError, match="does not say what the parts are"):
        answer_joints(asked(parts="somehow"), quietly)
