"""Material slots on their way out of Blender: per triangle, as drawn, and as far as the backend's mesh."""

import sys

import bpy
import numpy as np
import pytest

from backend.io import read_mesh
from tests.blender.helpers import add_ball
from tests.job.worker_client import STAGE

# The real backend, which also writes down the slots of the mesh that it analysed.
WORKER = """
import sys
import numpy as np
from backend import engine
from backend.worker import worker_command
real = engine.analyze
def analyze(*arguments, **names):
    found = real(*arguments, **names)
    np.savez({path!r}, slots=found.mesh.slots, triangles=found.mesh.triangles)
    return found
engine.analyze = analyze
sys.exit(worker_command.run(engine=engine))
"""


MIDDLE = 0.15  # the faces of the widest ring reach from -0.22 to 0.22, the next ones from there


def take_snapshot(obj):
    from neurok_blender.scene.mesh_io import snapshot

    return snapshot(bpy.context, obj)


def add_materials(obj, *names: str) -> None:
    for name in names:
        obj.data.materials.append(bpy.data.materials.new(name))


def paint_top(ball, slot: int = 1) -> None:
    """Every face above the middle gets the slot; the caps are triangles, the rings quads."""
    for polygon in ball.data.polygons:
        polygon.material_index = slot if polygon.center.z > MIDDLE else 0


def above(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Bool[F]: which triangles lie above the middle."""
    return points[triangles][..., 2].mean(axis=1) > MIDDLE


def painted_ball():
    ball = add_ball()
    add_materials(ball, "Lower", "Upper")
    paint_top(ball)
    return ball


def test_triangles_have_the_slots_of_their_faces(scene):
    ball = painted_ball()
    ball.modifiers.new("Cast", "CAST").factor = 0.1
    snap = take_snapshot(ball)
    upper = above(snap.evaluated, snap.triangles)
    assert snap.slots.dtype == np.int32 and len(snap.triangles) > len(ball.data.polygons)
    assert 0 < np.count_nonzero(upper) < len(upper)
    assert np.array_equal(snap.slots, upper)


@pytest.mark.parametrize(("count", "painted"), [(0, True), (1, True), (2, False)])
def test_where_nothing_tells_faces_apart_all_slots_are_zero(scene, count, painted):
    """Faces may name slots that the mesh does not have."""
    ball = add_ball()
    add_materials(ball, *("Material",) * count)
    if painted:
        paint_top(ball, 5)
    snap = take_snapshot(ball)
    assert snap.slots.shape == (len(snap.triangles),) and not snap.slots.any()


def test_a_slot_that_was_removed_is_drawn_as_the_last(scene):
    ball = painted_ball()
    paint_top(ball, 5)
    snap = take_snapshot(ball)
    assert np.array_equal(snap.slots, above(snap.evaluated, snap.triangles))


def test_paint_asks_for_a_new_analysis_but_keeps_the_take(scene):
    ball = painted_ball()
    first = take_snapshot(ball)
    ball.data.polygons[0].material_index = 1 - ball.data.polygons[0].material_index
    painted = take_snapshot(ball)
    assert painted.key("auto") != first.key("auto")
    assert painted.fingerprint == first.fingerprint


@pytest.mark.parametrize("materials", [True, False])
def test_slots_arrive_in_the_backend_process(scene, tmp_path, monkeypatch, materials):
    from neurok_blender.job.process import BackendProcess
    from neurok_blender.job.runner import JobRunner
    from neurok_blender.session.state import session

    path = tmp_path / "seen.npz"
    command = [sys.executable, "-c", WORKER.format(path=str(path))]
    runner = JobRunner(lambda: BackendProcess(command, STAGE, tmp_path / "log"))
    monkeypatch.setattr(session, "runner", lambda python: runner)
    ball = painted_ball() if materials else add_ball()
    ball.neurok.provider, ball.neurok.anchor = "RIGID", "NONE"
    snap = take_snapshot(ball)
    try:
        assert bpy.ops.neurok.simulate() == {"FINISHED"}
    finally:
        runner.close()
    with np.load(path) as seen:
        assert np.array_equal(seen["triangles"], snap.triangles)
        upper = above(snap.evaluated, snap.triangles)
        # Numbered by first use.
        assert np.array_equal(seen["slots"], upper != upper[0] if materials else np.zeros(len(upper)))


def export_obj(path: str) -> None:
    bpy.ops.wm.obj_export(filepath=path, up_axis="Z", forward_axis="Y")


def export_glb(path: str) -> None:
    bpy.ops.export_scene.gltf(filepath=path, export_format="GLB")


@pytest.mark.parametrize(("export", "name"), [(export_obj, "ball.obj"), (export_glb, "ball.glb")])
def test_what_blender_exports_has_its_slots(scene, tmp_path, export, name):
    painted_ball()
    export(str(tmp_path / name))
    mesh = read_mesh(tmp_path / name)
    upper = above(mesh.vertices, mesh.triangles)
    assert 0 < np.count_nonzero(upper) < len(upper)
    assert np.array_equal(mesh.slots, upper != upper[0])
