"""Bad input: exit code 2, one sentence and a remedy on standard error, and no file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import numpy as np
import pytest

from tests.backend.command_line import backend, backend_here, write_conditions, write_mesh
from tests.backend.io.writers import GlbMaker, obj_text
from tests.backend.shapes import box, sphere

VERTICES, TRIANGLES = box()


def _glb() -> bytes:
    maker = GlbMaker()
    maker.mesh(maker.primitive(VERTICES, TRIANGLES))
    maker.document["nodes"] = [{"mesh": 0}]
    return maker.bytes()


def _obj(vertices: Any, triangles: Any = TRIANGLES) -> bytes:
    return obj_text(np.asarray(vertices, dtype=float), np.asarray(triangles).tolist()).encode()


def _with(value: float) -> np.ndarray:
    changed = VERTICES.copy()
    changed[3, 1] = value
    return changed


MESHES: dict[str, tuple[str, bytes]] = {
    "empty file": ("empty.obj", b""),
    "empty mesh": ("nothing.obj", b"# nothing in here\no nothing\n"),
    "no faces": ("points.obj", _obj(VERTICES, np.zeros((0, 3)))),
    "not a number": ("nan.obj", _obj(_with(np.nan))),
    "infinite": ("inf.obj", _obj(_with(np.inf))),
    "one vertex": ("one.obj", b"v 0 0 0\n"),
    "one vertex, one face": ("face.obj", b"v 0 0 0\nf 1 1 1\n"),
    "all in one place": ("flat.obj", _obj(0.0 * VERTICES)),
    "missing vertices": ("cut.obj", _obj(VERTICES[:5])),
    "text": ("letter.obj", b"Dear Sir,\nvery fine weather today.\nf for friendly greetings\n"),
    "picture": ("picture.ply", b"\x89PNG\r\n\x1a\n" + bytes(200)),
    "truncated glb": ("cut.glb", _glb()[:-70]),
    "glb head alone": ("head.glb", _glb()[:15]),
    "truncated stl": ("cut.stl", bytes(80) + b"\xff\x00\x00\x00" + bytes(50)),
    "broken npz": ("broken.npz", b"PK\x03\x04 and then nothing useful"),
    "unknown extension": ("thing.fbx", b"Kaydara FBX Binary  \x00"),
}

Run = Callable[..., CompletedProcess[str]]

POKE = {"point": [0, 0, 0.5], "speed": [0, 0, 1]}
CONDITIONS: dict[str, Any] = {
    "unknown key": {"frame": 10},
    "unknown key in a poke": {"pokes": [{**POKE, "strength": 3}]},
    "poke without point": {"pokes": [{"speed": [1, 0, 0]}]},
    "poke with both": {"pokes": [{**POKE, "impulse": [1, 0, 0]}]},
    "poke without size": {"pokes": [{**POKE, "radius": 0}]},
    "poke before the take": {"pokes": [{**POKE, "start": 0}]},
    "no frames": {"frames": 0},
    "half a frame": {"frames": 1.5},
    "fps out of range": {"fps": 1e9},
    "incompressible": {"poisson": 0.5},
    "negative density": {"density": -1},
    "not finite": '{"fps": NaN}',
    "too large to count": '{"frames": 1' + 400 * "0" + "}",
    "too large to read": '{"frames": 1' + 5000 * "0" + "}",
    "too large an index": {"anchor": {"vertices": [2**70]}},
    "text for a number": {"frames": "many"},
    "number for a flag": {"undamped": 1},
    "flag for a number": {"fps": True},
    "two numbers for a vector": {"gravity": [0, 0]},
    "object for a list": {"pokes": POKE},
    "list for an object": {"ground": [0.5]},
    "unknown anchor": {"anchor": "top"},
    "unknown provider": {"provider": "magic"},
    "anchor beyond the mesh": {"anchor": {"vertices": [0, 8]}},
    "anchor before the mesh": {"anchor": {"vertices": [-1]}},
    "pin beyond the mesh": {"pins": [{"vertices": [100]}]},
    "velocity beyond the mesh": {"velocities": [{"linear": [1, 0, 0], "vertices": [8]}]},
    "empty anchor": {"anchor": {"vertices": []}},
    "everything held": {"anchor": {"vertices": list(range(8))}, "provider": "rigid"},
    "material beyond the mesh": {"materials": [{"vertices": [8], "density": 2.0}]},
    "material without effect": {"materials": [{"vertices": [0]}]},
    "material of no density": {"materials": [{"vertices": [0], "density": 0}]},
    "collider that is missing": {"colliders": ["floor.obj"]},
    "collider that is no mesh": {"colliders": [{"mesh": "conditions.json"}]},
    "collider without vertices": {"colliders": [{"triangles": [[0, 1, 2]]}]},
    "collider of two kinds": {"colliders": [{"mesh": "box.obj", "vertices": [[0, 0, 0]]}]},
    "collider with three sides": {"colliders": [{"mesh": "box.obj", "sides": "three"}]},
    "collider that never moves": {"colliders": [{"mesh": "box.obj", "motion": []}]},
    "collider of a line": {"colliders": [{"vertices": [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "triangles": [[0, 1, 2]]}]},
    "pin too soft": {"pins": [{"vertices": [0], "stiffness": 0}]},
    "pin moved twice in a frame": {"pins": [{"vertices": [0], "motion": [{"frame": 1}, {"frame": 1}]}]},
    "drag without path": {"drags": [{"point": [0, 0, 0]}]},
    "drag to one place": {"drags": [{"point": [0, 0, 0], "path": [{"frame": 1, "position": [0, 0, 0]}]}]},
    "wind that pulls": {"wind": {"velocity": [1, 0, 0], "drag": -1}},
    "too many handles": {"handles": 65},
    "text for self-contact": {"self_contact": "yes"},
    "friction below zero": {"friction": -0.1},
    "bounce above one": {"restitution": 1.1},
    "pose of fewer vertices": {"pose": [[0, 0, 0], [0, 0, 1]]},
    "pose that is missing": {"pose": "pose.obj"},
    "pose of other sliders": {"sliders": [0.1] * 99},
    "pose of words": {"sliders": ["half"]},
    "pose in two ways": {"sliders": [0.0], "pose": [[0, 0, 0]] * 8},
    "joints": {"joints": "object.urdf"},
    "a list": [],
    "not JSON": "{'frames': 3}",
    "cut off": '{"frames": 3',
    "too deep": "[" * 200_000,
}


def _refused(folder: Path, mesh: Path, conditions: Path | None = None, run: Run = backend_here) -> str:
    """The sentence on standard error of a simulation that did not start and left the folder as it was."""
    extra = [] if conditions is None else ["--conditions", conditions]
    before = sorted(folder.iterdir())
    done = run("simulate", mesh, *extra, "-o", folder / "out.npz")
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert sorted(folder.iterdir()) == before
    assert done.stdout == ""
    return _one_sentence_and_remedy(done.stderr)


def _one_sentence_and_remedy(text: str) -> str:
    assert "Traceback" not in text
    assert text.count("\n") == 1, text
    assert text.endswith(".\n") and text.count(". ") >= 1, text
    assert len(text) < 400, text
    return text


@pytest.mark.parametrize("name", MESHES)
def test_meshes_that_cannot_be_used(tmp_path: Path, name: str) -> None:
    """Each in a process of its own: whatever a reader prints by itself would be seen."""
    file, content = MESHES[name]
    (tmp_path / file).write_bytes(content)
    _refused(tmp_path, tmp_path / file, run=backend)


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_that_cannot_be_used(tmp_path: Path, name: str) -> None:
    value, conditions = CONDITIONS[name], tmp_path / "conditions.json"
    conditions.write_text(value if isinstance(value, str) else json.dumps(value))
    sentence = _refused(tmp_path, write_mesh(tmp_path / "box.obj", box()), conditions)
    if isinstance(value, dict) and len(value) == 1:
        assert next(iter(value)) in sentence  # the key is named


def test_the_unknown_key_and_the_known_ones_are_named(tmp_path: Path) -> None:
    conditions = write_conditions(tmp_path / "c.json", stifness_hz=3.0)
    sentence = _refused(tmp_path, write_mesh(tmp_path / "box.obj", box()), conditions)
    assert "'stifness_hz'" in sentence and "stiffness_hz," in sentence


def test_missing_files(tmp_path: Path) -> None:
    assert "missing.obj" in _refused(tmp_path, tmp_path / "missing.obj")
    mesh = write_mesh(tmp_path / "box.obj", box())
    assert "missing.json" in _refused(tmp_path, mesh, tmp_path / "missing.json")
    _refused(tmp_path, tmp_path)
    _refused(tmp_path, mesh, tmp_path)


@pytest.mark.parametrize("output", ["out.fbx", "out", "none/out.npz", "out.usda", "folder.npz"])
def test_outputs_that_cannot_be_written(tmp_path: Path, output: str) -> None:
    mesh = write_mesh(tmp_path / "box.obj", box())
    (tmp_path / "folder.npz").mkdir()
    done = backend_here("simulate", mesh, "-o", tmp_path / output)
    assert done.returncode == 2
    _one_sentence_and_remedy(done.stderr)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["box.obj", "folder.npz"]


def test_more_than_memory_holds_is_refused_before_the_work(tmp_path: Path) -> None:
    conditions = write_conditions(tmp_path / "c.json", frames=100_000)
    sentence = _refused(tmp_path, write_mesh(tmp_path / "ball.obj", sphere(20_000)), conditions)
    assert "GB" in sentence


def test_a_failure_leaves_an_older_result_alone(tmp_path: Path) -> None:
    mesh, output = write_mesh(tmp_path / "box.obj", box()), tmp_path / "out.npz"
    output.write_bytes(b"precious")
    bad = write_conditions(tmp_path / "c.json", frames=-3)
    assert backend("simulate", mesh, "--conditions", bad, "-o", output).returncode == 2
    assert output.read_bytes() == b"precious"


def test_analyze_refuses_in_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "letter.obj").write_bytes(MESHES["text"][1])
    done = backend("analyze", tmp_path / "letter.obj", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    _one_sentence_and_remedy(done.stderr)
