"""What the active object is, found out in the background."""

import sys
import time
from functools import partial

import bpy
import pytest

from tests.blender.helpers import add_elastic_ball, add_rigid_ball, stored, wait_until


@pytest.fixture
def watch(scene, monkeypatch):
    """Watches an object as the panel does, and ticks as the timer does until something is found; what was."""
    from neurok_blender.session.background_analysis import background_analysis

    monkeypatch.setattr(sys.modules["neurok_blender.session.background_analysis"], "CALM_SECONDS", 0.05)
    background_analysis.forget()

    def found(obj, seconds: float = 30.0):
        background_analysis.watch(obj)
        before = background_analysis.findings.get(obj.data.session_uid)

        def is_new() -> bool:
            background_analysis.tick()
            return (
                not background_analysis.is_analyzing
                and background_analysis.findings.get(obj.data.session_uid) != before
            )

        wait_until(is_new, seconds)
        return background_analysis.findings.get(obj.data.session_uid)

    yield found
    background_analysis.forget()


def settle(seconds: float = 0.4) -> None:
    """Ticks for a while."""
    from neurok_blender.session.background_analysis import background_analysis

    until = time.monotonic() + seconds
    while time.monotonic() < until:
        background_analysis.tick()
        time.sleep(0.01)


def test_an_object_that_the_panel_shows_is_analysed_without_being_touched(watch):
    ball = add_rigid_ball()
    drawn, names = stored(ball.data).tobytes(), set(ball.data.attributes.keys())
    found = watch(ball)
    assert found.summary["provider"] == "rigid" and found.summary["degrees_of_freedom"] == 6
    assert stored(ball.data).tobytes() == drawn and set(ball.data.attributes.keys()) == names


def test_simulate_starts_at_once_on_what_was_looked_at(watch):
    """Nothing is analysed again, and no process is started again: what the worker is asked for first is frames."""
    from neurok_blender.job.phases import Phase
    from neurok_blender.session.simulation import Simulation
    from neurok_blender.session.state import session

    ball = add_elastic_ball()
    watch(ball)
    worker = session._runner._process
    simulation = Simulation(bpy.context, [ball])
    assert wait_until(lambda: (simulation.tick(), simulation._runner is not None)[1], 5.0)
    state = simulation._runner.state
    assert state.phase is Phase.SIMULATING and session._runner._process is worker
    simulation.abort()


def test_a_changed_mesh_is_noticed_and_an_unchanged_one_is_left_alone(watch):
    from neurok_blender.session.background_analysis import background_analysis

    ball = add_elastic_ball()
    first = watch(ball)
    background_analysis.changed()
    settle()
    assert background_analysis.findings[ball.data.session_uid] is first
    ball.data.vertices[0].co.z += 0.5
    ball.data.update()
    bpy.context.view_layer.update()  # the handler tells
    second = watch(ball)
    assert second.key != first.key and second.summary is not None


def test_another_provider_is_another_question(watch):
    ball = add_rigid_ball()
    assert watch(ball).summary["provider"] == "rigid"
    ball.neurok.provider = "ELASTIC"
    assert watch(ball).summary["provider"] == "elastic"


def test_what_cannot_be_simulated_is_told_before_anything_is_pressed(watch):
    ball = add_rigid_ball()
    ball.scale.z = 0.0
    bpy.context.view_layer.update()
    found = watch(ball)
    assert "scaled to nothing" in found.message and "other than zero" in found.remedy
    ball.scale.z = 1.0
    bpy.context.view_layer.update()
    assert watch(ball).summary["provider"] == "rigid"


def has_ended(simulation) -> bool:
    from neurok_blender.session.simulation import Outcome

    return simulation.tick().outcome is not Outcome.RUNNING


def test_simulate_waits_for_the_same_mesh_and_interrupts_another(watch):
    from neurok_blender.session.background_analysis import background_analysis
    from neurok_blender.session.simulation import Outcome, Simulation
    from neurok_blender.session.state import session

    ball, other = add_rigid_ball(name="Ball"), add_rigid_ball(name="Other", location=(9, 0, 0))
    watch(ball)  # the worker is warm
    for simulated in (other, ball):
        session.stop_playing(other.data)
        other.data.vertices[1].co.x += 0.1
        other.data.update()
        bpy.context.view_layer.update()
        background_analysis.watch(other)
        background_analysis.changed()
        assert wait_until(lambda: (background_analysis.tick(), background_analysis.is_analyzing)[1], 5.0)
        simulation = Simulation(bpy.context, [simulated])
        assert wait_until(partial(has_ended, simulation), 30.0)
        assert simulation.progress.outcome is Outcome.DONE, simulation.progress
        assert session.take_of(simulated).frame_count == 12


def test_nothing_is_looked_at_while_an_object_is_edited_or_posed(watch):
    from neurok_blender.session.background_analysis import background_analysis

    ball = add_rigid_ball()
    background_analysis.watch(ball)
    bpy.ops.object.mode_set(mode="EDIT")
    settle()
    assert not background_analysis.findings and not background_analysis.is_analyzing
    bpy.ops.object.mode_set(mode="OBJECT")
    assert watch(ball) is not None


def test_a_new_file_forgets_all(watch):
    from neurok_blender.session.background_analysis import background_analysis

    watch(add_rigid_ball())
    bpy.ops.wm.read_homefile(use_empty=True)
    settle(0.2)
    assert not background_analysis.findings and not background_analysis.is_analyzing


def test_what_a_script_simulates_meanwhile_is_not_taken_for_what_was_looked_at(watch):
    from neurok_blender.session.background_analysis import background_analysis

    ball = add_elastic_ball()
    background_analysis.watch(ball)
    assert wait_until(lambda: (background_analysis.tick(), background_analysis.is_analyzing)[1], 10.0)
    ball.neurok.coordinates.add()
    ball.neurok.starts_posed = True
    with pytest.raises(RuntimeError, match="sliders now"):
        bpy.ops.neurok.simulate()
    settle()
    found = background_analysis.findings.get(ball.data.session_uid)
    assert found is None or (found.summary is not None and not found.message)
    assert (found or watch(ball)).summary["provider"] == "elastic"
