"""Motions by points, and by handles and points, from a worker's stream to the timeline, in every kind of bake."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_elastic_ball, shown, stored
from tests.blender.test_bake_kinds import farthest, saved
from tests.job.helpers import Launcher, finish

__all__ = ["saved"]

FRAMES = 12
SIZE = 2.0  # m


@pytest.fixture(params=["points", "both"])
def moving(saved, request):
    """A ball that the engine of the tests moves, its kind of motion, and its vertices [T,V,3] in object space."""
    from neurok_blender.job.phases import Phase
    from neurok_blender.job.requests import JobRequest, ObjectRequest
    from neurok_blender.job.runner import JobRunner
    from neurok_blender.scene.mesh_io import snapshot
    from neurok_blender.scene.takes import SceneTake
    from neurok_blender.session.state import session
    from tests.job.slow_engine import analyze, motion_of, waving

    ball = add_elastic_ball()
    ball.location, ball.rotation_euler, ball.scale = (1.0, 2.0, 3.0), (0.3, 0.2, 0.1), (1.0, 2.0, 0.5)
    bpy.context.view_layer.update()
    shot = snapshot(bpy.context, ball)
    conditions = {"frames": FRAMES, "motion": request.param, "waves": True}
    launcher = Launcher(saved / "log")
    runner = JobRunner(launcher)
    runner.start(JobRequest((ObjectRequest("ball", shot.world, shot.triangles, "auto", conditions),)))
    assert finish(runner).phase is Phase.DONE
    (streamed,) = runner.motions
    runner.close()
    assert launcher.all_ended()
    session.takes[ball.data.session_uid] = SceneTake.of(ball, shot, 1, streamed)
    drawn = shot.world.astype(np.float64)
    motion = motion_of(analyze(shot.world, shot.triangles), conditions)
    expected = []
    for index in range(1, FRAMES + 1):
        frame = waving(motion, drawn, index)
        along = np.array([0.1 * (index - 1), 0.0, 0.0])
        world = frame.points if frame.handles is None else drawn + along + frame.points
        expected.append(world @ shot.to_object[:3, :3].T + shot.to_object[:3, 3])
    return ball, request.param, np.array(expected)


def test_the_take_and_the_preview_are_where_the_worker_says(moving):
    from neurok_blender import api
    from neurok_blender.session.memory import megabytes_of_takes
    from neurok_blender.session.state import session

    ball, kind, expected = moving
    drawn, scene = stored(ball.data), bpy.context.scene
    assert np.abs(np.diff(expected, axis=0)).max() > 0.1
    scene.frame_set(7)
    assert np.abs(shown(ball) - expected[6]).max() < 1e-5
    motion = api.motion_of(ball)
    assert (motion.weights is None, motion.handles(7) is None) == 2 * (kind == "points",)
    world = motion.positions(7) - np.array(ball.matrix_world)[:3, 3]
    assert np.abs(world - expected[6] @ np.array(ball.matrix_world)[:3, :3].T).max() < 1e-4
    held = motion.points(7).nbytes * FRAMES
    assert held * 1e-6 < megabytes_of_takes() < held * 1e-6 + 1.0
    session.show_originals()
    assert stored(ball.data).tobytes() == drawn.tobytes()


@pytest.mark.parametrize("kind", ["SHAPE_KEYS", "COMPRESSED", "CACHE"])
def test_bakes_read_back_the_same_motion(moving, kind):
    ball, _kind, expected = moving
    assert bpy.ops.neurok.bake(kind=kind, tolerance=0.05) == {"FINISHED"}
    allowed = 0.0005 * SIZE if kind == "COMPRESSED" else 1e-5
    assert farthest(bpy.context.scene, ball, expected) < 1.001 * allowed
    entry = ball.neurok.bakes[0]
    # Three waves of their own, and the way along x where there are handles.
    assert entry.count < 7 if kind == "COMPRESSED" else entry.count == FRAMES
    assert bpy.ops.neurok.bake_clear() == {"FINISHED"}


def test_an_armature_is_refused_and_nothing_has_changed(moving):
    from neurok_blender import api
    from neurok_blender.translations import tables

    ball, _kind, expected = moving
    bpy.context.scene.frame_set(3)
    with pytest.raises(api.Refusal) as refusal:
        api.bake(ball, "ARMATURE")
    assert "which bones cannot follow" in str(refusal.value) and "Point Cache" in str(refusal.value)
    for text in ("{} moves point by point, which bones cannot follow.", refusal.value.remedy):
        assert any(text == known for _context, known in tables()["de"])
    assert not len(ball.neurok.bakes) and np.abs(shown(ball) - expected[2]).max() < 1e-5


def test_sizes_leave_out_what_is_refused(moving):
    from neurok_blender.scene.bakes.compress import MOST_POINT_FRAMES
    from neurok_blender.scene.bakes.sizes import BakeSizes
    from neurok_blender.session.state import session

    ball, _kind, _expected = moving
    take, sizes = session.take_of(ball), BakeSizes()
    sizes.wanted(take, 1, 0.05, 4)
    while sizes.is_working:
        sizes.tick()
    found = sizes.sizes
    assert found.refused == ("ARMATURE",) and found.armature is None and 0.0 < found.compressed < found.shape_keys
    assert found.suggestion in ("COMPRESSED", "SHAPE_KEYS")
    take.motion.shapes.extend(take.motion.shapes[-1:] * MOST_POINT_FRAMES)
    sizes.wanted(take, 1, 0.05, 4)
    while sizes.is_working:
        sizes.tick()
    assert sizes.sizes.refused == ("ARMATURE", "COMPRESSED") and sizes.sizes.suggestion == "CACHE"
    with pytest.raises(RuntimeError, match="too many to compress"):
        bpy.ops.neurok.bake(kind="COMPRESSED")
    assert bpy.ops.neurok.bake(kind="COMPRESSED", step=2) == {"FINISHED"}
