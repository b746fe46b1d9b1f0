"""What decides for the learned provider, with networks that are stood in for by what they would say."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from backend import engine
from backend.cli import analyze_command, simulate_command
from backend.data.shapes import box
from backend.errors import UserError
from backend.kinematics.state_space import StateSpace
from backend.learned.infer import engine_choice as engines
from backend.learned.infer.engine_choice import graphs_beside, learned_engine
from backend.learned.infer.joint_network import joint_prediction
from backend.understanding import recognition
from tests.backend.joint_search.furniture import cupboard
from tests.backend.kinematics.spaces import chain, drawer, laptop

POKE = {"pokes": [{"point": [0.0, 0.1, 0.2], "speed": [0.0, -0.1, 0.0]}], "frames": 6}


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """A network that says what is put under "space", how often it was asked, and with which slots at last."""
    said: dict[str, Any] = {"asked": 0}

    def encodings(vertices: Any, triangles: Any, slots: Any = None, *, seeds: Sequence[int]) -> list[StateSpace]:
        said["asked"] += 1
        said["slots"] = slots
        return [said["space"]] * len(seeds)

    module = ModuleType("backend.learned.infer.encode")
    module.encodings = encodings
    module.engine_in_use = lambda: "onnx"
    monkeypatch.setitem(sys.modules, "backend.learned.infer.encode", module)
    weights = tmp_path / "weights"
    weights.touch()
    monkeypatch.setattr(recognition, "WEIGHTS", weights)
    return said


def _simulate(source: Path, conditions: Path | None, output: Path) -> None:
    simulate_command.run(Namespace(source=source, conditions=conditions, output=output, report=None))


def _found(mesh: Path) -> dict[str, Any]:
    """What `analyze --provider learned --json` prints."""
    return json.loads(analyze_command.run(Namespace(mesh=mesh, provider="learned", json=True)))


def test_auto_takes_what_it_recognises(network: dict[str, Any]) -> None:
    arrays, network["space"] = laptop()
    analysis = engine.analyze(*arrays)
    summary = analysis.summary
    assert summary["provider"] == "learned"
    assert summary["confidence"] > 0.5
    assert summary["kept_energy"] == pytest.approx(1.0)
    assert (summary["engine"], summary["device"]) == ("onnx", "cpu")
    assert summary["degrees_of_freedom"] == 7  # with the free root
    take = engine.prepare([analysis], [POKE])
    assert take.members[0].summary["degrees_of_freedom"] == 1  # the base stands still
    assert take.members[0].motion.weights.shape == (16, 2)
    last = [frame for (frame,) in take.frames(lambda: False)][-1]
    assert abs(last.q[0]) > 0.01
    assert network["asked"] == 1


def test_auto_takes_the_elastic_one_where_the_network_guesses(network: dict[str, Any]) -> None:
    arrays, space = chain([0.5, 0.3, 0.2])
    guessed = np.random.default_rng(0).permutation(space.weights)
    network["space"] = replace(space, weights=guessed)
    summary = engine.analyze(*arrays).summary
    assert summary["provider"] == "elastic"
    assert summary["confidence"] < 0.5
    assert summary["kept_energy"] is None


def test_the_learned_provider_is_refused_where_nothing_moves(network: dict[str, Any]) -> None:
    arrays, space = drawer()
    network["space"] = replace(space, twists=np.zeros_like(space.twists))
    with pytest.raises(UserError, match="does not see how"):
        engine.analyze(*arrays, "learned")
    assert engine.analyze(*arrays).summary["provider"] == "elastic"


def test_conditions_change_the_provider_of_an_analysis(network: dict[str, Any]) -> None:
    arrays, network["space"] = laptop()
    analysis = engine.analyze(*arrays, "elastic")
    assert network["asked"] == 0
    assert engine.prepare([analysis], [{**POKE, "provider": "learned"}]).members[0].summary["provider"] == "learned"
    assert (
        engine.prepare([engine.analyze(*arrays)], [{**POKE, "provider": "elastic"}]).members[0].summary["provider"]
        == "elastic"
    )


def test_the_network_is_told_the_material_slots(network: dict[str, Any], tmp_path: Path) -> None:
    (vertices, triangles), network["space"] = laptop()
    slots = np.repeat([1, 0], len(triangles) // 2)
    engine.analyze(vertices, triangles, slots=slots)
    assert network["slots"].tolist() == (1 - slots).tolist()
    engine.analyze(vertices, triangles)
    assert not network["slots"].any()
    # A provider that is chosen later sees the same mesh, and so does the command line.
    engine.prepare([engine.analyze(vertices, triangles, "elastic", slots=slots)], [{**POKE, "provider": "learned"}])
    assert network["slots"].tolist() == (1 - slots).tolist()
    np.savez(tmp_path / "laptop.npz", vertices=vertices, faces=triangles, slots=slots)
    network["slots"] = None
    assert _found(tmp_path / "laptop.npz")["material_slots"] == 2
    assert network["slots"].tolist() == (1 - slots).tolist()
    network["slots"] = None
    (tmp_path / "scene.json").write_text(json.dumps({"frames": 2, "objects": [{"mesh": "laptop.npz"}]}))
    _simulate(tmp_path / "scene.json", None, tmp_path / "out.npz")
    assert network["slots"].tolist() == (1 - slots).tolist()


def test_without_an_engine_there_is_a_sentence_and_auto_says_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("backend.learned.train.", "backend.learned.infer."))]:
        monkeypatch.delitem(sys.modules, name)  # as in a Python where none of them was ever imported
    for name in ("torch", "onnxruntime"):
        monkeypatch.setitem(sys.modules, name, None)
    assert learned_engine() is None
    arrays, _ = laptop()
    with pytest.raises(UserError, match="ONNX Runtime or PyTorch") as caught:
        engine.analyze(*arrays, "learned")
    assert "zip" in caught.value.remedy and "build.py setup" in caught.value.remedy
    summary = engine.analyze(*arrays).summary
    assert summary["provider"] == "elastic"
    assert (summary["confidence"], summary["engine"], summary["device"]) == (None, None, None)
    assert any("PyTorch" in warning and "elastic" in warning for warning in map(str, summary["warnings"]))


def test_the_engine_is_told_without_importing_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    weights = tmp_path / "state_space.safetensors"
    monkeypatch.setattr(engines, "WEIGHTS", weights)
    there = {"onnxruntime", "torch", "safetensors"}
    monkeypatch.setattr(engines, "find_spec", lambda name: name if name in there else None)
    assert learned_engine() == "torch"  # without graphs
    graphs_beside(weights).touch()
    assert learned_engine() == "onnx"
    there -= {"onnxruntime"}
    assert learned_engine() == "torch"
    there -= {"safetensors"}
    assert learned_engine() is None


def test_a_build_without_weights_is_as_quiet_as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(recognition, "WEIGHTS", tmp_path / "none")
    arrays, _ = laptop()
    summary = engine.analyze(*arrays).summary
    assert (summary["provider"], summary["confidence"]) == ("elastic", None)
    assert not any("learned" in str(warning) for warning in summary["warnings"])


def test_the_command_line_simulates_what_was_learned(network: dict[str, Any], tmp_path: Path) -> None:
    (vertices, triangles), network["space"] = laptop()
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
    mesh, conditions, out = tmp_path / "laptop.obj", tmp_path / "poke.json", tmp_path / "out.npz"
    mesh.write_text("\n".join(lines))
    conditions.write_text(json.dumps({**POKE, "provider": "learned", "frames": 12}))
    _simulate(mesh, conditions, out)
    result = np.load(out)
    assert str(result["provider"]) == "learned"
    assert result["handles"].shape == (12, 2, 3, 4)
    assert result["q"].shape == (12, 1)
    report = json.loads(str(result["report"]))
    assert report["kinematics"]["confidence"] > 0.5
    # Every frame is the mesh with its lid turned about the back edge.
    lid = result["vertices"][:, 8:] - np.array([0.0, 0.1, 0.02])
    assert np.abs(lid[-1] - lid[0]).max() > 0.005
    np.testing.assert_allclose(np.linalg.norm(lid, axis=2), np.tile(np.linalg.norm(lid[0], axis=1), (12, 1)), atol=1e-6)
    np.testing.assert_array_equal(result["vertices"][:, :8], np.tile(result["vertices"][0, :8], (12, 1, 1)))
    assert _found(mesh)["provider"] == "learned"


def test_given_joints_are_taken_whatever_else_is_there(network: dict[str, Any]) -> None:
    (vertices, triangles), network["space"] = laptop()
    lid = {"child": "lid", "parent": "base", "type": "revolute", "axis": [1, 0, 0], "origin": [0, 0.1, 0.02]}
    parts = [{"name": "base", "vertices": list(range(8))}, {"name": "lid", "vertices": list(range(8, 16))}]
    summary = engine.analyze(vertices, triangles, joints={"parts": parts, "joints": [lid]}).summary
    assert summary["provider"] == "articulated" and network["asked"] == 0


def test_joints_are_found_without_the_network_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: Path) -> None:
        raise UserError("no_engine.missing")

    monkeypatch.setattr(joint_prediction, "cached_engine", missing)
    mesh, _ = cupboard()
    summary = engine.analyze(mesh.vertices, mesh.triangles, "articulated").summary
    assert summary["provider"] == "articulated" and summary["engine"] is None
    assert any("Simulation alone" in str(warning) for warning in summary["warnings"])
    block = box((0, 0, 0), (1, 1, 1))
    with pytest.raises(UserError, match="found to move") as caught:
        engine.analyze(*block, "articulated")
    assert caught.value.code == "no_joints" and "condition 'joints'" in caught.value.remedy
