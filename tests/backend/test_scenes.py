"""Scene files and the mesh files that conditions name, through the real command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.cli.scene_file import read_scene
from backend.errors import UserError
from backend.io import read_mesh
from tests.backend.command_line import backend, write_conditions, write_mesh
from tests.backend.io.gltf_player import GltfPlayer
from tests.backend.shapes import block, box, moved, sphere
from tests.backend.takes import decode

FRAMES = 30
BOX, BALL = block((0.4, 0.4, 0.4), (2, 2, 2)), sphere(120, 0.15)
FLOOR = moved(block((3.0, 3.0, 0.1), (1, 1, 1)), (0.0, 0.0, -0.05))
SCENE: dict[str, Any] = {
    "frames": FRAMES,
    "fps": 30,
    "colliders": [{"mesh": "things/floor.obj", "friction": 0.8}],
    "objects": [
        {"mesh": "things/box.obj", "location": [0, 0, 0.205], "conditions": {"provider": "rigid"}},
        {
            "mesh": "things/ball.obj",
            "name": "Ball",
            "location": [0.0, 0.0, 0.6],
            "rotation": [0.0, 0.0, 0.5 * np.pi],
            "conditions": {"provider": "rigid", "restitution": 0.0, "friction": 0.9},
        },
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The meshes are in a folder beside the scene; the command runs elsewhere."""
    folder = tmp_path_factory.mktemp("scene")
    (folder / "things").mkdir()
    for name, mesh in (("box", BOX), ("ball", BALL), ("floor", FLOOR)):
        write_mesh(folder / "things" / f"{name}.obj", mesh)
    (folder / "scene.json").write_text(json.dumps(SCENE))
    return folder


def _simulated(folder: Path, output: str) -> Path:
    done = backend("simulate", folder / "scene.json", "-o", folder / output)
    assert done.returncode == 0, done.stderr
    assert "2 objects" in done.stdout
    return folder / output


@pytest.fixture(scope="module")
def result(folder: Path) -> dict[str, np.ndarray]:
    with np.load(_simulated(folder, "first.npz"), allow_pickle=False) as archive:
        return dict(archive)


def test_every_object_has_its_arrays_under_its_name(result: dict[str, np.ndarray]) -> None:
    assert result["objects"].tolist() == ["box", "Ball"]
    own = {"vertices", "faces", "weights", "handles", "q", "energy", "provider"}
    assert set(result) == {f"{name}/{array}" for name in ("box", "Ball") for array in own} | {
        "objects",
        "fps",
        "report",
    }
    assert float(result["fps"]) == 30.0
    for name, mesh in (("box", BOX), ("Ball", BALL)):
        assert result[f"{name}/vertices"].shape == (FRAMES, len(mesh[0]), 3)
        assert np.array_equal(result[f"{name}/faces"], mesh[1])
        drawn = result[f"{name}/vertices"][0].astype(np.float64)
        shown = decode(result[f"{name}/weights"], result[f"{name}/handles"], drawn)
        assert np.abs(shown - result[f"{name}/vertices"]).max() < 1e-6
    report = json.loads(str(result["report"]))
    assert [report["kinematics"][name]["provider"] for name in ("box", "Ball")] == ["rigid", "rigid"]
    assert report["warnings"] == []


def test_objects_stand_where_the_scene_puts_them(result: dict[str, np.ndarray]) -> None:
    """A quarter turn about z takes (x, y, z) to (-y, x, z); then the place is added."""
    assert np.allclose(result["box/vertices"][0], BOX[0] + [0, 0, 0.205], atol=1e-6)
    x, y, z = BALL[0].T
    assert np.allclose(result["Ball/vertices"][0], np.stack([-y, x, z + 0.6], axis=1), atol=1e-6)


def test_the_ball_lands_on_the_box_and_the_box_on_the_floor(result: dict[str, np.ndarray]) -> None:
    assert result["box/vertices"][-1, :, 2].min() == pytest.approx(0.0, abs=1e-3)
    assert result["Ball/vertices"][-1, :, 2].min() == pytest.approx(0.4, abs=2e-3)
    assert result["Ball/vertices"][:, :, 2].min() > 0.4 - 1e-3


def test_the_same_scene_twice_gives_the_same_bytes(folder: Path, result: dict[str, np.ndarray]) -> None:
    before = (folder / "first.npz").read_bytes()
    assert len(result) and _simulated(folder, "first.npz").read_bytes() == before
    assert _simulated(folder, "second.npz").read_bytes() == before


def test_glb_has_a_node_for_each_object_and_one_animation(folder: Path, result: dict[str, np.ndarray]) -> None:
    data = _simulated(folder, "one.glb").read_bytes()
    assert _simulated(folder, "two.glb").read_bytes() == data
    player = GltfPlayer(folder / "one.glb")
    assert player.names() == ["box", "Ball"]
    assert len(player.document["animations"]) == 1
    for frame in range(FRAMES):
        expected = np.concatenate([result["box/vertices"][frame], result["Ball/vertices"][frame]])
        assert np.allclose(player.shown(frame), expected, atol=1e-5)
    both = read_mesh(folder / "one.glb")
    assert len(both.vertices) == len(BOX[0]) + len(BALL[0])


def test_a_single_object_of_a_scene_may_be_a_point_cache(folder: Path) -> None:
    (folder / "single.json").write_text(json.dumps({"frames": 2, "objects": [{"mesh": "things/box.obj"}]}))
    done = backend("simulate", folder / "single.json", "-o", folder / "single.pc2")
    assert done.returncode == 0, done.stderr
    assert (folder / "single.pc2").stat().st_size == 32 + 2 * 12 * len(BOX[0])


def test_names_come_from_the_files_where_there_are_none(folder: Path) -> None:
    objects = [{"mesh": "things/box.obj", "location": [place, 0, 0]} for place in range(3)]
    objects[1]["name"] = "box 2"
    (folder / "names.json").write_text(json.dumps({"frames": 1, "objects": objects}))
    done = backend("simulate", folder / "names.json", "-o", folder / "names.npz")
    assert done.returncode == 0, done.stderr
    with np.load(folder / "names.npz", allow_pickle=False) as archive:
        assert archive["objects"].tolist() == ["box", "box 2", "box 3"]


OBJECT = {"mesh": "box.obj"}
BAD: dict[str, tuple[Any, str]] = {
    "unknown key": ({"objects": [OBJECT], "frame": 3}, "'frame'"),
    "unknown key of an object": ({"objects": [{**OBJECT, "scale": 2}]}, "'objects[0].scale'"),
    "per-object key for all": ({"objects": [OBJECT], "density": 3}, "'density'"),
    "shared key of one": ({"objects": [{**OBJECT, "conditions": {"fps": 3}}]}, "'objects[0].conditions.fps'"),
    "bad condition": ({"objects": [OBJECT, {**OBJECT, "conditions": {"density": -3}}]}, "'box 2'"),
    "bad shared condition": ({"objects": [OBJECT], "frames": 0}, "'frames'"),
    "conditions of another kind": ({"objects": [{**OBJECT, "conditions": []}]}, "'box'"),
    "no objects": ({"frames": 3}, "objects"),
    "a list": ([OBJECT], "scene.json"),
    "not JSON": ("{'objects'", "scene.json"),
    "no mesh": ({"objects": [{"name": "a"}]}, "'objects[0].mesh'"),
    "missing mesh": ({"objects": [OBJECT, {"mesh": "none.obj", "name": "third"}]}, "none.obj"),
    "missing collider": ({"objects": [OBJECT], "colliders": ["none.obj"]}, "'colliders[0]'"),
    "missing pose": ({"objects": [{**OBJECT, "conditions": {"pose": "none.obj"}}]}, "none.obj"),
    "the same name twice": ({"objects": [{**OBJECT, "name": "a"}, {**OBJECT, "name": "a"}]}, "'objects[1].name'"),
    "a name that is a path": ({"objects": [{**OBJECT, "name": "../a"}]}, "'objects[0].name'"),
    "half a letter as name": ('{"objects": [{"mesh": "box.obj", "name": "\\ud800"}]}', "'objects[0].name'"),
    "two numbers for a place": ({"objects": [{**OBJECT, "location": [0, 0]}]}, "'objects[0].location'"),
    "vertices of another mesh": (
        {"objects": [{**OBJECT, "name": "a"}, {**OBJECT, "conditions": {"pins": [{"vertices": [99]}]}}]},
        "'box' cannot be used: the condition 'pins[0].vertices' names vertex 99",
    ),
}


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 200),
    st.floats(allow_nan=False),
    st.sampled_from(["box.obj", "none.obj", "", "a", "../a", "auto", "\ud800"]),
    st.lists(st.floats(-5.0, 5.0), min_size=3, max_size=3),
)
OBJECTS = st.dictionaries(
    st.sampled_from(["name", "location", "rotation", "conditions", "other"]),
    LEAVES | st.dictionaries(st.sampled_from(["fps", "density", "pose", "handles"]), LEAVES, max_size=2),
    max_size=3,
)
SCENES = st.fixed_dictionaries(
    {"objects": st.lists(OBJECTS.map(lambda entry: {"mesh": "box.obj", **entry}) | LEAVES, max_size=3)},
    optional={"frames": LEAVES, "ground": LEAVES, "colliders": st.lists(LEAVES, max_size=2), "mesh": LEAVES},
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SCENES)
def test_whatever_a_scene_says_is_read_or_refused(tmp_path: Path, value: dict[str, Any]) -> None:
    write_mesh(tmp_path / "box.obj", box())
    (tmp_path / "scene.json").write_text(json.dumps(value))
    try:
        objects = read_scene(tmp_path / "scene.json")
    except UserError as problem:
        assert problem.message.endswith(".") and problem.remedy
    else:
        assert len({each.name for each in objects}) == len(value["objects"])
        assert all(np.isfinite(each.mesh.vertices).all() for each in objects)


def _refused(output: Path, *arguments: str | Path) -> str:
    """The one line on standard error of a command that wrote nothing."""
    done = backend("simulate", *arguments, "-o", output)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr and done.stderr.count("\n") == 1
    assert done.stderr.endswith(".\n") and done.stderr.count(". ") >= 1 and len(done.stderr) < 500
    assert not output.exists()
    return done.stderr


@pytest.mark.parametrize("name", BAD)
def test_scenes_that_cannot_be_used(tmp_path: Path, name: str) -> None:
    value, named = BAD[name]
    write_mesh(tmp_path / "box.obj", box())
    scene = tmp_path / "scene.json"
    scene.write_text(value if isinstance(value, str) else json.dumps(value))
    assert named in _refused(tmp_path / "out.npz", scene)


def test_point_caches_of_several_objects_are_refused(folder: Path) -> None:
    sentence = _refused(folder / "out.pc2", folder / "scene.json")
    assert ".npz" in sentence and ".glb" in sentence


def test_a_scene_file_takes_no_conditions(folder: Path) -> None:
    conditions = write_conditions(folder / "c.json", frames=3)
    assert "--conditions" in _refused(folder / "out.npz", folder / "scene.json", "--conditions", conditions)


# -- files that the conditions of a single mesh name ----------------------------------------------------------------


def test_a_collider_is_read_from_beside_the_conditions(folder: Path) -> None:
    """The box falls on the floor's upper side at z = 0, and stays there."""
    write_mesh(folder / "high.obj", moved(BOX, (0.0, 0.0, 0.35)))
    results = []
    for collider in ("floor.obj", {"mesh": "floor.obj", "restitution": 0.0, "motion": [{"frame": 1}]}):
        conditions = write_conditions(
            folder / "things" / "c.json", frames=30, provider="rigid", colliders=[collider], anchor="none"
        )
        done = backend("simulate", folder / "high.obj", "--conditions", conditions, "-o", folder / "fall.npz")
        assert done.returncode == 0, done.stderr
        with np.load(folder / "fall.npz", allow_pickle=False) as archive:
            results.append(archive["vertices"][:, :, 2].min(axis=1))
    for lowest in results:
        assert lowest[0] == pytest.approx(0.15)
        assert lowest.min() > -1e-3
        assert lowest[-1] == pytest.approx(0.0, abs=2e-3)


def test_a_pose_of_another_mesh_is_refused(folder: Path) -> None:
    conditions = write_conditions(folder / "p.json", pose="things/ball.obj")
    sentence = _refused(folder / "out.npz", folder / "things" / "box.obj", "--conditions", conditions)
    assert "'pose'" in sentence and f"{len(BALL[0])}" in sentence
