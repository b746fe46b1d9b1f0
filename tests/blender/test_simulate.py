"""Simulate with the real backend process."""

import os
import signal

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_elastic_ball, add_rigid_ball, is_alive, stored, wait_until

LONG = 20_000  # frames: more than any test waits for


def begin():
    from neurok_blender.session.simulation import Simulation

    return Simulation(bpy.context, [bpy.context.active_object])


def go_on(simulation, frames: int):
    """Ticks until so many frames are shown."""
    assert wait_until(lambda: (simulation.tick(show_frames=True), simulation._frames_shown >= frames)[1], 30.0)


def tick_to_the_end(simulation, seconds: float = 30.0):
    from neurok_blender.session.simulation import Outcome

    assert wait_until(lambda: simulation.tick(show_frames=True).outcome is not Outcome.RUNNING, seconds)
    return simulation.progress


def worker_pid(simulation) -> int:
    return simulation._runner._process.pid


def test_a_free_ball_falls_as_galileo_says(scene):
    from neurok_blender.session.state import session

    ball = add_rigid_ball(location=(0, 0, 10), scale=(0.5, 0.5, 0.5), rotation_euler=(0.5, 0, 0))
    scene.neurok.frame_count, scene.neurok.frame_start = 25, 11
    height = (ball.matrix_world @ ball.data.vertices[0].co).z
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    assert session.simulation is None and session.take_of(ball).frame_count == 25
    scene.frame_set(35)
    fallen = height - (ball.matrix_world @ ball.data.vertices[0].co).z
    assert fallen == pytest.approx(9.81 / 2.0, rel=2e-3)


def test_what_was_found_is_kept_on_the_object(scene):
    import json

    ball = add_rigid_ball()
    bpy.ops.neurok.simulate()
    found = json.loads(ball.neurok.found)
    assert found["provider"] == "rigid" and found["degrees_of_freedom"] == 6


def test_edit_mode_is_left_by_itself(scene):
    ball = add_rigid_ball()
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    assert ball.mode == "OBJECT"


def test_a_shared_mesh_simulates(scene):
    ball = add_rigid_ball()
    twin = bpy.data.objects.new("Twin", ball.data)
    scene.collection.objects.link(twin)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}


def test_frames_are_shown_while_they_arrive_and_what_is_stopped_is_kept(scene):
    from neurok_blender.session.simulation import Outcome
    from neurok_blender.session.state import session

    ball = add_elastic_ball()
    drawn, names = stored(ball.data), set(ball.data.attributes.keys())
    scene.neurok.frame_count = LONG
    simulation = begin()
    go_on(simulation, 3)
    assert np.abs(stored(ball.data) - drawn).max() > 1e-4
    assert not bpy.ops.neurok.simulate.poll() and not bpy.ops.neurok.bake.poll()
    worker = worker_pid(simulation)
    assert bpy.ops.neurok.cancel() == {"FINISHED"}
    assert scene.frame_current >= 3  # the playhead goes along
    assert tick_to_the_end(simulation).outcome is Outcome.CANCELLED
    take = session.take_of(ball)
    assert session.simulation is None and 3 <= take.frame_count < LONG and not session.notice.bad
    kept = f"The first {take.frame_count} of {LONG} frames are kept, ready to bake."
    assert session.notice.kept == simulation.progress.kept == kept
    assert scene.frame_current == 1 and stored(ball.data).tobytes() == take.shape(0).tobytes()
    scene.frame_set(3)
    assert stored(ball.data).tobytes() == take.shape(2).tobytes() != take.shape(0).tobytes()
    assert bpy.ops.neurok.bake() == {"FINISHED"}
    bpy.ops.neurok.bake_clear()
    bpy.ops.neurok.discard_take()
    assert stored(ball.data).tobytes() == drawn.tobytes() and set(ball.data.attributes.keys()) == names
    # The worker keeps what it knows of the mesh for the next one.
    scene.neurok.frame_count = 3
    again = begin()
    assert tick_to_the_end(again).outcome is Outcome.DONE and worker_pid(again) == worker


def test_a_killed_backend_is_one_sentence_and_the_next_simulation_works(scene):
    from neurok_blender.session.simulation import Outcome
    from neurok_blender.session.state import session

    ball = add_elastic_ball()
    scene.neurok.frame_count = LONG
    simulation = begin()
    go_on(simulation, 2)
    os.kill(worker_pid(simulation), signal.SIGKILL)
    progress = tick_to_the_end(simulation)
    assert progress.outcome is Outcome.FAILED
    assert str(progress.message).startswith("The backend stopped unexpectedly (signal 9) while simulating frame ")
    assert str(progress.message).endswith(f" of {LONG}.") and progress.remedy
    assert session.notice.bad and session.notice.message == progress.message
    assert session.take_of(ball).frame_count >= 2 and "are kept" in session.notice.kept
    scene.neurok.frame_count = 3
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    assert session.take_of(ball).frame_count == 3


def test_stopped_before_its_first_frames_leaves_the_take_before(scene):
    from neurok_blender.session.simulation import Outcome
    from neurok_blender.session.state import session

    ball = add_rigid_ball()
    bpy.ops.neurok.simulate()
    before = session.take_of(ball)
    scene.frame_set(9)
    shown = stored(ball.data).tobytes()
    simulation = begin()
    simulation.tick()
    simulation.cancel()
    assert tick_to_the_end(simulation).outcome is Outcome.CANCELLED and not simulation.progress.kept
    assert session.take_of(ball) is before and stored(ball.data).tobytes() == shown


def test_a_script_gets_the_backends_own_sentence(scene):
    ball = add_rigid_ball()
    bpy.ops.neurok.condition_add(kind="VELOCITY")
    ball.neurok.conditions[0].linear = (1e30, 0.0, 0.0)
    drawn = stored(ball.data).tobytes()
    with pytest.raises(RuntimeError, match="linear"):
        bpy.ops.neurok.simulate()
    assert stored(ball.data).tobytes() == drawn
    ball.neurok.conditions[0].linear = (1.0, 0.0, 0.0)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}


def test_deleting_the_object_ends_its_simulation(scene):
    from neurok_blender.session.simulation import Outcome

    add_elastic_ball()
    scene.neurok.frame_count = LONG
    simulation = begin()
    go_on(simulation, 1)
    bpy.ops.object.delete()
    assert tick_to_the_end(simulation).outcome is Outcome.CANCELLED


def test_opening_a_file_ends_a_simulation(scene):
    from neurok_blender.session.simulation import Outcome
    from neurok_blender.session.state import session

    add_elastic_ball()
    scene.neurok.frame_count = LONG
    simulation = begin()
    go_on(simulation, 1)
    worker = worker_pid(simulation)
    bpy.ops.wm.read_homefile(use_empty=True)
    assert simulation.tick().outcome is Outcome.CANCELLED and session.simulation is None
    assert wait_until(lambda: not is_alive(worker), 2.0)


def test_undo_in_the_middle_does_no_harm(scene):
    add_elastic_ball()
    bpy.ops.ed.undo_push(message="ready")
    bpy.context.active_object["note"] = 1
    bpy.ops.ed.undo_push(message="noted")
    scene.neurok.frame_count = 40
    simulation = begin()
    go_on(simulation, 2)
    bpy.ops.ed.undo()
    assert tick_to_the_end(simulation).message == "40 frames, ready to bake."


def test_no_python_to_run_the_backend_is_told_with_its_remedy(scene, monkeypatch):
    from pathlib import Path

    from neurok_blender.session.state import session
    from neurok_blender.setup.worker_python import Candidate, PythonChooser

    add_rigid_ball()
    monkeypatch.setattr(session, "chooser", PythonChooser())
    monkeypatch.setattr(session, "candidates", lambda: [Candidate("Blender's Python", Path("/no/python"))])
    with pytest.raises(RuntimeError, match=r"No Python with NumPy, SciPy and Numba was .*Press Set Up GPU Backend"):
        bpy.ops.neurok.simulate()


def test_a_button_without_a_window_waits_for_the_end(scene):
    from neurok_blender.session.state import session

    ball = add_rigid_ball()
    assert bpy.ops.neurok.backend_check("INVOKE_DEFAULT") == {"FINISHED"}
    assert bpy.ops.neurok.simulate("INVOKE_DEFAULT") == {"FINISHED"}
    assert session.take_of(ball).frame_count == 12
