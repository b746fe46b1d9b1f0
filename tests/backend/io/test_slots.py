"""Material slots of mesh files: each triangle keeps that of its face, whatever the reader does to the face."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from backend.errors import UserError
from backend.geometry import Mesh
from backend.io import read_mesh
from tests.backend.geometry.shapes import box
from tests.backend.io.writers import GlbMaker, obj_text, ply_bytes, stl_binary

LEFT, RIGHT = box(), box(centre=(4.0, 0.0, 0.0))
PENTAGON = "v -9 0 0\nv -8 0 0\nv -7.5 1 0\nv -8.5 2 0\nv -9.5 1 0\n"


def _by_place(mesh: Mesh) -> np.ndarray:
    """Bool[F]: which triangles lie right of x = 2."""
    return mesh.vertices[mesh.triangles][..., 0].mean(axis=1) > 2.0


def _check(mesh: Mesh, triangles: int) -> None:
    """The right one of two boxes has another slot than the left one."""
    right = _by_place(mesh)
    assert len(mesh.triangles) == len(mesh.slots) == triangles
    assert 0 < np.count_nonzero(right) < triangles
    assert set(mesh.slots) == {0, 1}
    np.testing.assert_array_equal(mesh.slots, np.where(right, mesh.slots[right][0], mesh.slots[~right][0]))


def _read(folder: Path, name: str, content: bytes | str) -> Mesh:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_mesh(path)


@pytest.mark.parametrize("word", ["{0}", "{0}//{0}"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_obj_groups_come_and_go(tmp_path: Path, word: str, line_end: str) -> None:
    """Materials change with every face, some faces are collapsed, some are repeated, some have more corners."""
    vertices = np.concatenate([LEFT[0], RIGHT[0]])
    lines = obj_text(vertices, [], word).splitlines()
    for left, right in zip(LEFT[1], RIGHT[1] + 8, strict=True):
        for name, face in (("Material #25", left), ("Material #26", right)):
            lines.append(f"usemtl {name}")
            lines += 2 * ["f " + " ".join(word.format(index + 1) for index in face)]
            lines.append("f " + " ".join(word.format(index + 1) for index in (*face, face[0], face[1])))
            lines.append("f " + " ".join(word.format(face[0] + 1) for _ in range(3)))
    mesh = _read(tmp_path, "a.obj", line_end.join(lines))
    _check(mesh, 2 * 12 * (1 + 1 + 3 + 1))


def test_obj_faces_before_any_material_have_a_slot_of_their_own(tmp_path: Path) -> None:
    lines = "f 1 2 3 4 5/usemtl red/f -5 -4 -3/f 1 2 3/usemtl/f 2 3 4/usemtl red/f 3 4 5/# usemtl blue/f 1 3 5/"
    mesh = _read(tmp_path, "a.obj", PENTAGON + lines.replace("/", "\n"))
    assert mesh.slots.tolist() == [0, 0, 0, 1, 1, 2, 1, 1]


def test_glb_primitives_have_their_materials(tmp_path: Path) -> None:
    """Two primitives of one mesh, a strip, a mirrored node, and a material again in another mesh."""
    maker = GlbMaker()
    maker.document["materials"] = [{"name": name} for name in ("unused", "wood", "steel")]
    left, right = maker.primitive(*LEFT) | {"material": 2}, maker.primitive(*RIGHT) | {"material": 1}
    strip = maker.primitive(RIGHT[0], np.array([[0, 1, 2], [3, 2, 1]])) | {"material": 1, "mode": 5}
    lines = maker.primitive(*LEFT) | {"material": 0, "mode": 1}
    both, other = maker.mesh(right, left, lines, strip), maker.mesh(maker.primitive(*LEFT) | {"material": 2})
    maker.document["nodes"] = [{"mesh": both}, {"mesh": other, "scale": [-1, 1, 1]}]
    mesh = _read(tmp_path, "a.glb", maker.bytes())
    _check(mesh, 12 + 12 + 4 + 12)
    assert mesh.slots.tolist() == [0] * 12 + [1] * 12 + [0] * 4 + [1] * 12


def test_glb_primitives_without_a_material_have_a_slot_of_their_own(tmp_path: Path) -> None:
    maker = GlbMaker()
    maker.document["nodes"] = [{"mesh": maker.mesh(maker.primitive(*LEFT), maker.primitive(*RIGHT) | {"material": 0})}]
    _check(_read(tmp_path, "a.glb", maker.bytes()), 24)


def test_glb_of_another_program(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    for name, (vertices, triangles) in (("left", LEFT), ("right", RIGHT)):
        material = trimesh.visual.material.PBRMaterial(name=name, metallicFactor=float(name == "left"))
        looks = trimesh.visual.TextureVisuals(uv=np.zeros((8, 2)), material=material)
        scene.add_geometry(trimesh.Trimesh(vertices, triangles, visual=looks, process=False), node_name=name)
    scene.export(tmp_path / "a.glb")
    _check(read_mesh(tmp_path / "a.glb"), 24)


def test_npz_slots(tmp_path: Path) -> None:
    vertices, triangles = np.concatenate([LEFT[0], RIGHT[0]]), np.concatenate([LEFT[1], RIGHT[1] + 8])
    slots = np.repeat(np.uint8([7, 4]), 12)
    np.savez(tmp_path / "a.npz", vertices=vertices, faces=triangles, slots=slots)
    _check(read_mesh(tmp_path / "a.npz"), 24)
    for bad in (slots[:-1], slots - 4.0, -slots.astype(int)):
        np.savez(tmp_path / "bad.npz", vertices=vertices, faces=triangles, slots=bad)
        with pytest.raises(UserError) as caught:
            read_mesh(tmp_path / "bad.npz")
        assert caught.value.code == "bad_slots"
        assert "\n" not in str(caught.value) and "leave the slots out" in caught.value.remedy


def test_files_without_materials_have_one_slot(tmp_path: Path) -> None:
    maker = GlbMaker()
    maker.document["nodes"] = [{"mesh": maker.mesh(maker.primitive(*LEFT), maker.primitive(*RIGHT))}]
    np.savez(tmp_path / "a.npz", vertices=LEFT[0], faces=LEFT[1])
    meshes = [
        read_mesh(tmp_path / "a.npz"),
        _read(tmp_path, "a.glb", maker.bytes()),
        _read(tmp_path, "a.obj", obj_text(*LEFT)),
        _read(tmp_path, "b.obj", "usemtl all\n" + obj_text(*LEFT)),
        _read(tmp_path, "a.ply", ply_bytes(LEFT[0], LEFT[1].tolist(), "binary_little_endian")),
        _read(tmp_path, "a.stl", stl_binary(LEFT[0][LEFT[1]])),
    ]
    for mesh in meshes:
        assert mesh.slots.shape == (len(mesh.triangles),) and not mesh.slots.any()
