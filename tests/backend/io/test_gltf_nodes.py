"""Nodes of .glb files: skins and morph targets as viewers show them, objects and materials by their names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from backend.errors import UserError
from backend.io import MovingMesh, Skinning, read_mesh, read_model, write_animation
from tests.backend.geometry.shapes import box
from tests.backend.io.gltf_player import GltfPlayer
from tests.backend.io.writers import GlbMaker, obj_text

HALF = float(np.sqrt(0.5))


def _arm(turn: tuple[float, float, float, float]) -> tuple[GlbMaker, np.ndarray, np.ndarray]:
    """A bar along Y that two bones carry, the upper one turned about its lower end at y = 1 and both 3 m along Z.

    The mesh lies under a node that is elsewhere, which means nothing where there is a skin.
    """
    maker = GlbMaker()
    vertices, triangles = box(size=(0.2, 2.0, 0.2), centre=(0.0, 1.0, 0.0))
    upper = vertices[:, 1] > 1.0
    joints = np.zeros((len(vertices), 4), dtype=np.uint8)
    joints[upper, 0] = 1
    weights = np.tile(np.float32([0.5, 0.0, 0.0, 0.0]), (len(vertices), 1))  # their sum is one in sound files
    primitive = maker.primitive(vertices, triangles)
    primitive["attributes"] |= {
        "NORMAL": maker.accessor(np.tile(np.float32([0.0, 1.0, 0.0]), (len(vertices), 1)), 5126, "VEC3"),
        "JOINTS_0": maker.accessor(joints, 5121, "VEC4"),
        "WEIGHTS_0": maker.accessor(weights, 5126, "VEC4"),
    }
    inverse = np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))
    inverse[1, 3, 1] = -1.0  # by columns
    maker.document["skins"] = [{"joints": [1, 2], "inverseBindMatrices": maker.accessor(inverse, 5126, "MAT4")}]
    maker.document["nodes"] = [
        {"name": "Arm", "mesh": maker.mesh(primitive), "skin": 0, "translation": [7.0, 0.0, 0.0]},
        {"name": "Lower", "children": [2], "translation": [0.0, 0.0, 3.0]},
        {"name": "Upper", "translation": [0.0, 1.0, 0.0], "rotation": list(turn)},
    ]
    return maker, vertices, upper


def _written(folder: Path, maker: GlbMaker) -> Path:
    path = folder / "a.glb"
    path.write_bytes(maker.bytes())
    return path


def test_a_skin_is_read_in_the_pose_of_its_bones(tmp_path: Path) -> None:
    maker, vertices, upper = _arm((HALF, 0.0, 0.0, HALF))
    mesh, appearance = read_model(_written(tmp_path, maker))
    x, y, z = vertices.T
    # A quarter turn about X through (0, 1, 0) takes (y - 1, z) to (-z, y - 1); then Z up.
    shown = np.where(upper[:, None], np.stack([x, 1.0 - z, y - 1.0], axis=1), vertices)
    shown[:, 2] += 3.0
    np.testing.assert_allclose(mesh.vertices, np.stack([shown[:, 0], -shown[:, 2], shown[:, 1]], axis=1), atol=1e-6)
    assert appearance is not None
    normal = appearance.parts[0].primitives[0].attributes["NORMAL"]
    np.testing.assert_allclose(normal, np.where(upper[:, None], [[0.0, -1.0, 0.0]], [[0.0, 0.0, 1.0]]), atol=1e-6)


def test_a_result_is_read_as_its_first_frame(tmp_path: Path) -> None:
    """What was written with a skin comes back as another player shows it."""
    vertices, triangles = box()
    handles = np.tile(np.eye(4)[:3], (3, 1, 1, 1))
    handles[:, 0, :, 3] = np.arange(1.0, 4.0)[:, None] * [0.0, 0.5, 1.0]
    frames = vertices + handles[:, 0, None, :, 3]
    skinning = Skinning(vertices, np.ones((len(vertices), 1), dtype=np.float32), handles)
    write_animation(tmp_path / "a.glb", [MovingMesh("a", frames, triangles, skinning)], 24.0)
    player = GltfPlayer(tmp_path / "a.glb")
    assert "skins" in player.document
    read = read_mesh(tmp_path / "a.glb").vertices
    np.testing.assert_allclose(read, player.shown(0), atol=1e-6)
    np.testing.assert_allclose(read, frames[0], atol=1e-5)


def test_morph_targets_are_read_as_the_file_leaves_them(tmp_path: Path) -> None:
    maker = GlbMaker()
    vertices, triangles = box()
    primitive = maker.primitive(vertices, triangles)
    for shift in ([1.0, 0.0, 0.0], [0.0, 0.0, 9.0]):
        target = maker.accessor(np.tile(np.float32(shift), (len(vertices), 1)), 5126, "VEC3")
        primitive.setdefault("targets", []).append({"POSITION": target})
    number = maker.mesh(primitive)
    maker.document["meshes"][number]["weights"] = [0.5, 0.0]
    maker.document["nodes"].append({"mesh": number})
    expected = np.stack([vertices[:, 0] + 0.5, -vertices[:, 2], vertices[:, 1]], axis=1)
    np.testing.assert_allclose(read_mesh(_written(tmp_path, maker)).vertices, expected, atol=1e-6)
    maker.document["nodes"][0]["weights"] = [0.0, 1.0]  # those of the node count before those of its mesh
    expected = np.stack([vertices[:, 0], -vertices[:, 2] - 9.0, vertices[:, 1]], axis=1)
    np.testing.assert_allclose(read_mesh(_written(tmp_path, maker)).vertices, expected, atol=1e-6)


@pytest.mark.parametrize("broken", ["bone", "scene", "count"])
def test_a_broken_skin_is_one_sentence(tmp_path: Path, broken: str) -> None:
    maker, *_ = _arm((0.0, 0.0, 0.0, 1.0))
    if broken == "bone":
        maker.document["skins"][0]["joints"] = [1]
    elif broken == "scene":
        maker.document["scenes"] = [{"nodes": [0]}]
    else:
        attributes = maker.document["meshes"][0]["primitives"][0]["attributes"]
        attributes["WEIGHTS_0"] = maker.accessor(np.ones((3, 4), dtype=np.float32), 5126, "VEC4")
    with pytest.raises(UserError, match="its skin"):
        read_mesh(_written(tmp_path, maker))


def test_objects_and_materials_keep_their_names(tmp_path: Path) -> None:
    """Two instances of one mesh, and another one whose material comes first in the file but is used last."""
    maker = GlbMaker()
    vertices, triangles = box()
    maker.document["materials"] = [
        {"name": "Pane", "extensions": {"KHR_materials_transmission": {"transmissionFactor": 0.9}}},
        {"name": "Oak", "pbrMetallicRoughness": {"metallicFactor": 0.0}},
    ]
    leg = maker.mesh(maker.primitive(vertices, triangles) | {"material": 1})
    top = maker.mesh(maker.primitive(vertices, triangles) | {"material": 0}, maker.primitive(vertices, triangles))
    maker.document["meshes"][top]["name"] = "Top"
    maker.document["nodes"] = [{"name": "Leg.L", "mesh": leg}, {"name": "Leg.R", "mesh": leg}, {"mesh": top}]
    mesh = read_mesh(_written(tmp_path, maker))
    labels = mesh.labels
    assert labels is not None and labels.object_names == ("Leg.L", "Leg.R", "Top")
    assert labels.objects.tolist() == 12 * [0] + 12 * [1] + 24 * [2]
    assert mesh.slots.tolist() == 24 * [0] + 12 * [1] + 12 * [2]
    assert [labels.slots[number].name for number in range(3)] == ["Oak", "Pane", ""]
    assert labels.slots[0].shader == {"metallic": 0.0} and labels.slots[1].shader == {"transmission": 0.9}


def test_obj_names_objects_or_else_groups(tmp_path: Path) -> None:
    vertices, triangles = box()
    head, *faces = obj_text(vertices, triangles).split("\nf ")
    rows = "\n".join([head, "g legs", "f " + faces[0], "usemtl Oak", "g seat", *("f " + face for face in faces[1:])])
    path = tmp_path / "a.obj"
    for text, names in ((rows.replace("o thing\n", ""), ["", "legs", "seat"]), (rows, ["", "thing"])):
        path.write_text(text)
        mesh = read_mesh(path)
        assert mesh.labels is not None
        assert list(mesh.labels.object_names) == names
        assert mesh.labels.objects.tolist() == ([1] + 11 * [2] if len(names) == 3 else 12 * [1])
        assert [mesh.labels.slots[number].name for number in range(2)] == ["", "Oak"]
