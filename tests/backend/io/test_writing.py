"""Animation files: whole, repeatable, and read by those who are to read them."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from backend.errors import UserError
from backend.io import MovingMesh, check_output_path, read_mesh, write_animation, write_npz
from backend.io.atomic_write import atomic_write
from tests.backend.geometry.shapes import box

VERTICES, TRIANGLES = box()
STEPS = np.linspace(0.0, 1.0, 5)
FRAMES = np.stack([VERTICES + np.array([0.1 * t, 2.0 * t, -3.0 * t * t]) for t in STEPS])
THING = MovingMesh("thing", FRAMES, TRIANGLES)


@pytest.mark.parametrize("extension", [".npz", ".pc2", ".glb", ".usdc"])
def test_same_arrays_same_bytes(tmp_path: Path, extension: str) -> None:
    contents = []
    for name in ("first", "second"):
        path = tmp_path / (name + extension)
        if extension == ".npz":
            write_npz(path, {"vertices": FRAMES, "faces": TRIANGLES, "provider": "elastic", "fps": 24.0})
        else:
            write_animation(path, [THING], 24.0)
        os.utime(path, (1, 1))
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"first{extension}", f"second{extension}"]


def test_npz_holds_what_it_was_given(tmp_path: Path) -> None:
    write_npz(tmp_path / "a.npz", {"vertices": FRAMES.astype(np.float32), "faces": TRIANGLES, "provider": "rigid"})
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert archive.files == ["vertices", "faces", "provider"]
        assert archive["vertices"].dtype == np.float32 and np.array_equal(archive["faces"], TRIANGLES)
        assert str(archive["provider"]) == "rigid"
    assert np.allclose(read_mesh(tmp_path / "a.npz").vertices, FRAMES[0])


def test_pc2_layout(tmp_path: Path) -> None:
    write_animation(tmp_path / "a.pc2", [THING], 24.0)
    content = (tmp_path / "a.pc2").read_bytes()
    assert struct.unpack("<12siiffi", content[:32]) == (b"POINTCACHE2\0", 1, 8, 1.0, 1.0, 5)
    assert np.array_equal(np.frombuffer(content, "<f4", offset=32).reshape(5, 8, 3), FRAMES.astype(np.float32))


@pytest.mark.parametrize("count", [1, 5])
def test_glb_comes_back(tmp_path: Path, count: int) -> None:
    write_animation(tmp_path / "a.glb", [MovingMesh("thing", FRAMES[:count], TRIANGLES)], 24.0)
    mesh = read_mesh(tmp_path / "a.glb")
    assert np.allclose(mesh.vertices, FRAMES[0], atol=1e-6)
    assert np.array_equal(mesh.triangles, TRIANGLES)


def test_blender_plays_the_glb(tmp_path: Path) -> None:
    """Blender's own importer: the meshes at each frame are the frames that were written, under their names."""
    moving = [THING, MovingMesh("other thing", 2.0 - FRAMES, TRIANGLES[:, ::-1])]
    write_animation(tmp_path / "a.glb", moving, 24.0)
    script = f"""
import bpy, numpy as np
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 24
bpy.ops.import_scene.gltf(filepath={str(tmp_path / "a.glb")!r})
played = {{}}
for thing in [o for o in bpy.data.objects if o.type == "MESH"]:
    frames = []
    for number in range(5):
        bpy.context.scene.frame_set(number)
        evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        flat = np.empty(3 * len(evaluated.data.vertices), dtype=np.float32)
        evaluated.data.vertices.foreach_get("co", flat)
        place = np.array(thing.matrix_world)
        frames.append(flat.reshape(-1, 3) @ place[:3, :3].T + place[:3, 3])
    played[thing.name] = np.array(frames)
np.savez({str(tmp_path / "played.npz")!r}, **played)
"""
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    with np.load(tmp_path / "played.npz") as played:
        assert sorted(played.files) == ["other thing", "thing"]
        for each in moving:
            assert played[each.name] == pytest.approx(each.frames, abs=1e-6)


def test_blender_plays_the_pc2(tmp_path: Path) -> None:
    """Blender's Mesh Cache modifier shows frame n of the cache at frame n."""
    write_animation(tmp_path / "a.pc2", [THING], 24.0)
    script = f"""
import bpy, numpy as np
bpy.ops.wm.read_factory_settings(use_empty=True)
mesh = bpy.data.meshes.new("thing")
mesh.from_pydata(np.array({VERTICES.tolist()}), [], {TRIANGLES.tolist()})
thing = bpy.data.objects.new("thing", mesh)
bpy.context.scene.collection.objects.link(thing)
cache = thing.modifiers.new("cache", "MESH_CACHE")
cache.cache_format, cache.filepath = "PC2", {str(tmp_path / "a.pc2")!r}
cache.frame_start = 1.0
frames = []
for number in range(1, 6):
    bpy.context.scene.frame_set(number)
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    flat = np.empty(24, dtype=np.float32)
    evaluated.data.vertices.foreach_get("co", flat)
    frames.append(flat.reshape(-1, 3))
np.save({str(tmp_path / "played.npy")!r}, np.array(frames))
"""
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    assert np.load(tmp_path / "played.npy") == pytest.approx(FRAMES, abs=1e-6)


def test_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(b"precious")

    class BreaksError(Exception):
        pass

    with pytest.raises(BreaksError), atomic_write(path) as stream:
        stream.write(b"half")
        raise BreaksError
    assert path.read_bytes() == b"precious"
    assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


def test_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "taken.pc2").mkdir()
    with pytest.raises(UserError) as caught:
        write_animation(tmp_path / "taken.pc2", [THING], 24.0)
    assert caught.value.code == "cannot_write"
    assert [p.name for p in tmp_path.iterdir()] == ["taken.pc2"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.usda", "unknown_format"),
        ("a.fbx", "unknown_format"),
        ("a", "unknown_format"),
        ("nowhere/a.npz", "cannot_write"),
    ],
)
def test_output_is_refused_before_the_work(tmp_path: Path, name: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        check_output_path(tmp_path / name)
    assert caught.value.code == code


def test_known_outputs(tmp_path: Path) -> None:
    assert [check_output_path(tmp_path / f"a{e}") for e in (".npz", ".PC2", ".glb", ".usdc")] == [
        ".npz",
        ".pc2",
        ".glb",
        ".usdc",
    ]
