"""What leaves Blender: skinning and keys in glTF, point caches on disk."""

import struct
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

from build_tools.environment import venv_python
from tests.blender.helpers import shown
from tests.blender.test_bake import simulated
from tests.blender.test_bake_kinds import rigid, saved

__all__ = ["saved"]


def in_world(obj) -> np.ndarray:
    """Where the vertices are shown, in the world [V,3]."""
    matrix = np.array(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
    return shown(obj) @ matrix[:3, :3].T + matrix[:3, 3]


def each_in_both(first: np.ndarray, second: np.ndarray) -> float:
    """Largest distance from a point of one set to the nearest of the other: exporters split and reorder vertices."""
    distance = np.linalg.norm(first[:, None] - second[None], axis=2)
    return float(max(distance.min(axis=0).max(), distance.min(axis=1).max()))


def seen_again(path: Path, frames: tuple[int, ...]) -> dict[str, np.ndarray]:
    """What another process, a Blender of the same version without the add-on, shows of a file."""
    script, out = Path(__file__).with_name("see_again.py"), path.with_suffix(".npz")
    # Not sys.executable: with `test --all-blenders` that is the backend's Python.
    command = [venv_python(Path(sys.prefix)), script, path, out, *map(str, frames)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=path.parent, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with np.load(out) as found:
        return dict(found)


def played(ball, frames: tuple[int, ...]) -> list[np.ndarray]:
    """Where the vertices are in the world at these frames; they move."""
    places = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        places.append(in_world(ball))
    assert max(np.abs(each - places[0]).max() for each in places) > 1e-2
    return places


@pytest.mark.parametrize("kind", ["ARMATURE", "COMPRESSED", "SHAPE_KEYS"])
@pytest.mark.parametrize("make", [rigid, simulated])
def test_gltf_in_a_fresh_blender_has_the_same_places(saved, kind, make):
    ball, _shapes = make() if make is rigid else make(bpy.context.scene)
    assert bpy.ops.neurok.bake(kind=kind) == {"FINISHED"}
    frames = (1, 4, 7, 12)
    expected = played(ball, frames)
    path = saved / "ball.glb"
    assert bpy.ops.export_scene.gltf(filepath=str(path)) == {"FINISHED"}
    again = seen_again(path, frames)
    assert again["armature"] == (kind == "ARMATURE") and (kind != "ARMATURE" or again["influences"] <= 4)
    for frame, before, after in zip(frames, expected, again["places"], strict=True):
        assert each_in_both(before, after) < 1e-4, frame


@pytest.mark.parametrize("make", [rigid, simulated])
@pytest.mark.parametrize("kind", ["fbx", "usdc"])
def test_fbx_and_usd_carry_the_bones_to_a_fresh_blender(saved, kind, make):
    scene = bpy.context.scene
    ball, _shapes = make() if make is rigid else make(scene)
    scene.frame_start, scene.frame_end = 1, 12
    assert bpy.ops.neurok.bake(kind="ARMATURE") == {"FINISHED"}
    frames = (1, 5, 12)
    expected = played(ball, frames)
    path = saved / f"ball.{kind}"
    if kind == "fbx":
        bpy.ops.export_scene.fbx(filepath=str(path), bake_anim_simplify_factor=0.0)
    else:
        bpy.ops.wm.usd_export(filepath=str(path), export_animation=True, export_armatures=True)
    again = seen_again(path, frames)
    assert again["armature"]
    # USD keeps the scale of a bone in 16 bits, which counts where bones are stretched.
    allowed = 1e-3 if kind == "usdc" and make is simulated else 1e-4
    for frame, before, after in zip(frames, expected, again["places"], strict=True):
        assert each_in_both(before, after) < allowed, frame


def test_a_cache_is_what_other_programs_read(saved):
    """Read by the format's description: 32 bytes of header, then float32 after float32."""
    scene = bpy.context.scene
    ball, shapes = simulated(scene)
    assert bpy.ops.neurok.bake(kind="CACHE") == {"FINISHED"}
    entry = ball.neurok.bakes[0]
    assert entry.file == "//neurok/Ball.pc2" and ball.modifiers[0].filepath == entry.file
    data = (saved / "neurok" / "Ball.pc2").read_bytes()
    signature, version, vertices, _start, rate, samples = struct.unpack_from("<12siiffi", data)
    assert (signature, version, rate) == (b"POINTCACHE2\0", 1, 1.0)
    assert (vertices, samples) == (len(ball.data.vertices), len(shapes))
    assert len(data) == 32 + 12 * vertices * samples
    places = np.frombuffer(data, "<f4", offset=32).reshape(samples, vertices, 3)
    assert np.abs(places - shapes).max() < 1e-6


def test_a_cache_goes_where_it_is_wanted_and_over_no_other_file(saved, tmp_path):
    from neurok_blender import api

    ball, _shapes = simulated(bpy.context.scene)
    target = tmp_path / "elsewhere" / "shot.pc2"
    target.parent.mkdir()
    target.write_bytes(b"mine")
    api.bake(ball, "CACHE", file=str(target))
    written = target.with_name("shot_2.pc2")
    assert written.exists() and target.read_bytes() == b"mine"
    # A file that somebody has put in its place is no longer ours.
    written.write_bytes(b"mine too")
    api.clear_bake(ball, "NeuROK")
    assert written.read_bytes() == b"mine too" and not ball.modifiers


def test_without_a_saved_file_a_cache_is_refused_with_a_remedy(scene):
    ball, _shapes = simulated(scene)
    with pytest.raises(RuntimeError, match=r"which has never been saved\. Save the \.blend first"):
        bpy.ops.neurok.bake(kind="CACHE")
    with pytest.raises(RuntimeError, match="is not an absolute path"):
        bpy.ops.neurok.bake(kind="CACHE", file="shot.pc2")
    assert len(ball.neurok.bakes) == 0 and not ball.modifiers


def test_a_place_that_cannot_be_written_is_refused_with_a_remedy(saved):
    ball, _shapes = simulated(bpy.context.scene)
    (saved / "folder").write_text("a file where a folder is wanted")
    with pytest.raises(RuntimeError, match="The file cannot be written"):
        bpy.ops.neurok.bake(kind="CACHE", file=str(saved / "folder" / "shot.pc2"))
    assert len(ball.neurok.bakes) == 0 and not ball.modifiers


def test_baked_takes_play_after_the_file_is_opened_again(saved):
    for kind in ("SHAPE_KEYS", "COMPRESSED", "ARMATURE", "CACHE"):
        ball, shapes = rigid()
        bpy.ops.neurok.bake(kind=kind, tolerance=1e-3)
        bpy.ops.neurok.bake(kind="SHAPE_KEYS", place="APPEND")
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
        ball, scene = bpy.data.objects["Ball"], bpy.context.scene
        for frame in (2, 9, 15):
            scene.frame_set(frame)
            assert np.abs(shown(ball) - shapes[(frame - 1) % 12]).max() < 1e-4
        bpy.context.view_layer.objects.active = ball
        bpy.ops.neurok.bake_clear()
        bpy.ops.neurok.bake_clear()
        assert not ball.modifiers and ball.data.shape_keys is None and not bpy.data.actions and ball.parent is None
        bpy.data.objects.remove(ball)
