"""A .glb that was simulated: the same names, materials, images and UVs as before, and the motion that was given."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.errors import UserError
from backend.io import MovingMesh, Skinning, read_mesh, read_model, write_animation
from tests.backend.command_line import backend, write_conditions
from tests.backend.shapes import box

from .dressed import COLOURS, FRAMES, bent, checker, dressed_glb, mixed, rigid_parts
from .gltf_player import GltfPlayer

FPS = 24.0
MOTIONS = {"skin": rigid_parts, "morphs": bent}


@pytest.fixture
def car(tmp_path: Path) -> Path:
    return dressed_glb(tmp_path)


@pytest.mark.parametrize("kind", MOTIONS)
def test_the_motion_is_what_was_given(car: Path, tmp_path: Path, kind: str) -> None:
    moving = MOTIONS[kind](car)
    write_animation(tmp_path / "out.glb", [moving], FPS)
    player = GltfPlayer(tmp_path / "out.glb")
    assert player.times() == pytest.approx(np.arange(FRAMES) / FPS)
    for frame in range(FRAMES):
        assert np.abs(player.shown(frame) - moving.frames[frame]).max() < 1e-5 * 4.0
    assert ("skins" in player.document) == (kind == "skin")
    targets = [target for mesh in player.document["meshes"] for target in mesh["primitives"][0].get("targets", [])]
    assert (len(targets) == 2 * (FRAMES - 1)) == (kind == "morphs")


@pytest.mark.parametrize("kind", MOTIONS)
def test_normals_turn_with_the_surface(car: Path, tmp_path: Path, kind: str) -> None:
    """A ball's normals stay those of the surface; seams between UVs included."""
    moving = MOTIONS[kind](car)
    write_animation(tmp_path / "out.glb", [moving], FPS)
    player = GltfPlayer(tmp_path / "out.glb")
    wheel = moving.appearance.parts[1].primitives[0].vertices
    original = player.shown(0, "NORMAL")[wheel]
    outward = moving.rest[wheel] - moving.rest[wheel].mean(axis=0)
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    assert np.einsum("vi,vi->v", original, outward).min() > 0.99
    last = player.shown(FRAMES - 1, "NORMAL")[wheel]
    if kind == "skin":  # the wheel stands still
        np.testing.assert_allclose(last, original, atol=1e-6)
        return
    faces = moving.triangles[moving.appearance.parts[1].primitives[0].triangles] - wheel.start
    moved = trimesh.Trimesh(moving.frames[-1][wheel], faces, process=False)
    middle = np.abs(moved.vertex_normals).max(axis=1) > 0.0
    assert np.einsum("vi,vi->v", last, moved.vertex_normals)[middle].min() > 0.95


@pytest.mark.parametrize("kind", MOTIONS)
@pytest.mark.parametrize("image_beside", [False, True])
def test_names_materials_and_images_are_those_of_the_file(tmp_path: Path, kind: str, image_beside: bool) -> None:
    car = dressed_glb(tmp_path, image_beside)
    write_animation(tmp_path / "out.glb", [MOTIONS[kind](car)], FPS)
    player, before = (
        GltfPlayer(tmp_path / "out.glb"),
        json.loads(car.read_bytes()[20:].split(b"\0", 1)[0][: _size(car)]),
    )
    document = player.document
    assert player.names() == ["Body", "Wheel"]
    assert [mesh["name"] for mesh in document["meshes"]] == ["BodyMesh", "WheelMesh"]
    for name in ("materials", "textures", "samplers"):
        assert document[name] == before[name], name
    assert player.image(0) == checker() and document["images"][0]["mimeType"] == "image/png"
    assert document["extensionsUsed"] == ["KHR_materials_clearcoat", "KHR_texture_transform"]
    materials = [primitive["material"] for mesh in document["meshes"] for primitive in mesh["primitives"]]
    assert materials == [0, 2, 1]
    body = document["meshes"][0]["primitives"]
    first, second = (player.values(primitive["attributes"]["TEXCOORD_0"]) for primitive in body)
    np.testing.assert_allclose(first, 1.0 - second, atol=1e-6)
    assert body[0]["attributes"]["POSITION"] == body[1]["attributes"]["POSITION"]
    colours = player.values(body[0]["attributes"]["COLOR_0"])
    np.testing.assert_allclose(colours[:, :2], first, atol=1 / 255)


def _size(path: Path) -> int:
    return int.from_bytes(path.read_bytes()[12:16], "little")


@pytest.mark.parametrize("kind", MOTIONS)
def test_trimesh_reads_it(car: Path, tmp_path: Path, kind: str) -> None:
    moving = MOTIONS[kind](car)
    write_animation(tmp_path / "out.glb", [moving], FPS)
    scene = trimesh.load(tmp_path / "out.glb")
    looks = {each.visual.material.name: each for each in scene.geometry.values()}
    assert set(looks) == set(COLOURS)
    for name, colour in COLOURS.items():
        factor = np.asarray(looks[name].visual.material.baseColorFactor, dtype=float)
        factor = factor / 255 if factor.max() > 1.0 else factor
        np.testing.assert_allclose(factor, colour, atol=1 / 255)
        assert looks[name].visual.uv.shape == (len(looks[name].vertices), 2)
    assert looks["Paint"].visual.material.baseColorTexture.size == (8, 8)
    wheel = moving.appearance.parts[1].primitives[0].vertices
    expected = moving.frames[0][wheel] @ np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    np.testing.assert_allclose(looks["Rubber"].vertices, expected, atol=1e-5)


BLENDER = """
import bpy, json, sys, numpy as np
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 24
bpy.ops.import_scene.gltf(filepath=sys.argv[1], merge_vertices=False)
played, told = {}, {}
for thing in [o for o in bpy.data.objects if o.type == "MESH" and o.users_scene and o.name != "Icosphere"]:
    frames = []
    for number in range(int(sys.argv[3])):
        bpy.context.scene.frame_set(number)
        evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        flat = np.empty(3 * len(evaluated.data.vertices), dtype=np.float32)
        evaluated.data.vertices.foreach_get("co", flat)
        place = np.array(evaluated.matrix_world)
        frames.append(flat.reshape(-1, 3) @ place[:3, :3].T + place[:3, 3])
    played[thing.name] = np.array(frames)
    told[thing.name] = {
        "mesh": thing.data.name,
        "uvs": len(thing.data.uv_layers),
        "materials": [slot.name for slot in thing.material_slots],
        "images": [],
    }
    for slot in thing.material_slots:
        for node in slot.material.node_tree.nodes:
            if node.type == "TEX_IMAGE":
                told[thing.name]["images"].append(node.image.size[:])
np.savez(sys.argv[2], told=json.dumps(told), **played)
sys.stdout.flush()
import os; os._exit(0)
"""


@pytest.mark.parametrize("kind", MOTIONS)
def test_blender_imports_it(car: Path, tmp_path: Path, kind: str) -> None:
    """Every vertex at every frame where it was simulated, to 1e-4 of the size; names, materials and image with it."""
    moving = MOTIONS[kind](car)
    write_animation(tmp_path / "out.glb", [moving], FPS)
    command = [sys.executable, "-c", BLENDER, tmp_path / "out.glb", tmp_path / "played.npz", str(FRAMES)]
    subprocess.run(command, check=True, capture_output=True)
    with np.load(tmp_path / "played.npz") as played:
        told = json.loads(str(played["told"]))
        assert set(told) == {"Body", "Wheel"}
        assert told["Body"]["materials"] == ["Paint", "Glass"] and told["Wheel"]["materials"] == ["Rubber"]
        assert told["Body"]["mesh"] == "BodyMesh" and told["Body"]["uvs"] == 1
        assert told["Body"]["images"] and all(size == [8, 8] for size in told["Body"]["images"])
        for part in moving.appearance.parts:
            expected, shown = moving.frames[:, part.primitives[0].vertices], played[part.name]
            # Blender joins primitives and may keep shared vertices twice: each shown vertex is one of ours.
            for frame in range(FRAMES):
                away = np.linalg.norm(shown[frame][:, None] - expected[frame][None], axis=2)
                assert away.min(axis=1).max() < 1e-4 and away.min(axis=0).max() < 1e-4


def test_two_objects_of_one_file_share_its_materials(car: Path, tmp_path: Path) -> None:
    """Each has a node of its name, above its parts or its joints; a third object of another kind stands beside them."""
    first, second = rigid_parts(car, "Left"), bent(car, "Right")
    vertices, triangles = box()
    crate = MovingMesh("Crate", np.repeat(vertices[None], FRAMES, axis=0), triangles)
    write_animation(tmp_path / "out.glb", [first, second, crate], FPS)
    player = GltfPlayer(tmp_path / "out.glb")
    nodes = player.document["nodes"]
    top = [nodes[number]["name"] for number in player.document["scenes"][0]["nodes"]]
    assert top == ["Body", "Wheel", "Left", "Right", "Crate"]
    assert player.names() == ["Body", "Wheel", "Body", "Wheel", "Crate"]
    assert len(player.document["materials"]) == 3 and len(player.document["images"]) == 1
    for frame in (0, FRAMES - 1):
        expected = np.concatenate([each.frames[frame] for each in (first, second, crate)])
        assert np.abs(player.shown(frame) - expected).max() < 1e-4


def test_files_of_two_makers_keep_their_own_materials(car: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = dressed_glb(tmp_path / "other")
    mesh_and_appearance = read_model(other)[1]
    library = mesh_and_appearance.library
    painted = replace(library, entries={**library.entries, "materials": [{"name": n} for n in "abc"]}, images=(b"x",))
    second = bent(other, "Other")
    second = replace(second, appearance=replace(second.appearance, library=painted))
    write_animation(tmp_path / "out.glb", [bent(car, "Car"), second], FPS)
    player = GltfPlayer(tmp_path / "out.glb")
    used = [primitive["material"] for mesh in player.document["meshes"] for primitive in mesh["primitives"]]
    assert used == [0, 2, 1, 3, 5, 4]
    assert [texture["source"] for texture in player.document["textures"]] == [0, 1]
    assert (player.image(0), player.image(1)) == (checker(), b"x")


@pytest.mark.parametrize("influences", [1, 4, 5, 9])
def test_as_many_influences_as_a_skin_has(tmp_path: Path, influences: int) -> None:
    """Up to four weights a vertex are a skin, which is what every viewer plays; more that matter are not."""
    moving = mixed(influences)
    frames = moving.frames
    write_animation(tmp_path / "a.glb", [moving], FPS)
    player = GltfPlayer(tmp_path / "a.glb")
    attributes = player.document["meshes"][0]["primitives"][0]["attributes"]
    assert ("JOINTS_0" in attributes) == (influences <= 4) and "JOINTS_1" not in attributes
    for frame in range(3):
        assert np.abs(player.shown(frame) - frames[frame]).max() < 2e-5


def test_a_scaling_handle_is_no_skin(tmp_path: Path) -> None:
    vertices, triangles = box()
    handles = np.stack([np.eye(4)[:3], np.diag([1.0, 1.0, 1.01, 1.0])[:3]])[:, None]
    frames = np.stack([vertices, vertices * [1.0, 1.0, 1.01]])
    skinning = Skinning(vertices, np.ones((8, 1), dtype=np.float32), handles)
    write_animation(tmp_path / "a.glb", [MovingMesh("a", frames, triangles, skinning)], FPS)
    assert "skins" not in GltfPlayer(tmp_path / "a.glb").document


def test_broken_looks_are_one_sentence(tmp_path: Path) -> None:
    """Faces with too few UVs, or with a material that is not there."""
    car = dressed_glb(tmp_path)
    size = _size(car)
    data = car.read_bytes()
    for change in (b'"material": 2', b'"material": 9'), (b'"type": "VEC2"', b'"type": "VEC3"'):
        (tmp_path / "bad.glb").write_bytes(data[:20] + data[20 : 20 + size].replace(*change) + data[20 + size :])
        with pytest.raises(UserError) as caught:
            read_model(tmp_path / "bad.glb")
        assert caught.value.code == "broken_file" and "\n" not in str(caught.value)
        read_mesh(tmp_path / "bad.glb")


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_looks_never_give_a_traceback(tmp_path: Path, data: st.DataObject) -> None:
    """Neither where they are read nor where what could be read is written again."""
    content = bytearray(dressed_glb(tmp_path).read_bytes())
    size = int.from_bytes(content[12:16], "little")
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(20, 20 + size))] = data.draw(st.sampled_from(b'0123456789[]{},.":a'))
    path = tmp_path / "damaged.glb"
    path.write_bytes(bytes(content))
    try:
        mesh, appearance = read_model(path)
    except UserError as error:
        assert error.code and error.message and error.remedy
        return
    for name in ("out.glb", "out.usdc"):
        write_animation(tmp_path / name, [MovingMesh("", mesh.vertices[None], mesh.triangles, None, appearance)], FPS)


def test_the_command_keeps_what_the_file_had(tmp_path: Path) -> None:
    """Alone, and in a scene that turns and moves it: then normals are turned too."""
    car = dressed_glb(tmp_path)
    conditions = write_conditions(tmp_path / "c.json", frames=3, provider="rigid", anchor="none")
    done = backend("simulate", car, "--conditions", conditions, "-o", tmp_path / "alone.glb")
    assert done.returncode == 0, done.stderr
    entry = {"mesh": "car.glb", "name": "Mine", "rotation": [0, 0, np.pi / 2], "location": [5, 0, 0]}
    scene = {"frames": 3, "objects": [{**entry, "conditions": {"provider": "rigid", "anchor": "none"}}]}
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    done = backend("simulate", tmp_path / "scene.json", "-o", tmp_path / "placed.glb")
    assert done.returncode == 0, done.stderr
    alone, placed = GltfPlayer(tmp_path / "alone.glb"), GltfPlayer(tmp_path / "placed.glb")
    read, original = (list(trimesh.load(path).geometry.values()) for path in (tmp_path / "alone.glb", car))
    assert len(read) == len(original) == 3
    for same, geometry in zip(read, original, strict=True):
        assert same.visual.material.name == geometry.visual.material.name
        np.testing.assert_array_equal(same.faces, geometry.faces)
        np.testing.assert_allclose(same.visual.uv, geometry.visual.uv, atol=1e-6)
        pictures = [each.visual.material.baseColorTexture for each in (same, geometry)]
        assert pictures[0] == pictures[1] and (pictures[0] is not None) == (same.visual.material.name == "Paint")
    assert alone.names() == placed.names() == ["Body", "Wheel"]
    rigs = [player.document["nodes"][player.document["skins"][0]["skeleton"]]["name"] for player in (alone, placed)]
    assert rigs == ["car Rig", "Mine"]
    assert alone.document["materials"] == placed.document["materials"] and alone.image(0) == checker()
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(placed.shown(0), alone.shown(0) @ quarter.T + [5, 0, 0], atol=1e-5)
    np.testing.assert_allclose(placed.shown(0, "NORMAL"), alone.shown(0, "NORMAL") @ quarter.T, atol=1e-6)
