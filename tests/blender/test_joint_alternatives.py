"""How joints move where the shape leaves it open: kept on the object, for as long as it has that shape."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_rigid_ball

CHOICES = [{"joint": 0}, {"joint": 0}, {"joint": 2}]


def test_a_joint_goes_from_way_to_way_and_back_to_the_likeliest(addon):
    from neurok_blender.scene.joint_alternatives import next_alternative, open_joints

    assert open_joints(CHOICES) == {0: [0, 1], 2: [2]}
    kept = []
    seen = []
    for _ in range(4):
        kept = next_alternative(CHOICES, kept, 0)
        seen.append(kept)
    assert seen == [[0], [1], [], [0]]
    assert next_alternative(CHOICES, [0], 2) == [0, 2] and next_alternative(CHOICES, [0, 2], 2) == [0]


def test_ways_are_kept_where_the_object_goes_but_not_through_changes(scene):
    from neurok_blender.scene.joint_alternatives import keep_alternatives, kept_alternatives
    from neurok_blender.scene.mesh_io import look_at

    ball = add_rigid_ball()

    def form() -> str:
        bpy.context.view_layer.update()
        return look_at(bpy.context, ball).form

    first = form()
    keep_alternatives(ball, first, [2, 0])
    assert kept_alternatives(ball, first) == [0, 2]
    ball.location, ball.scale = (3.0, -7.5, 0.25), (2.0, 2.0, 2.0)
    assert form() == first
    ball.rotation_euler = (0.4, 0.0, 0.0)
    assert form() != first
    ball.rotation_euler = (0.0, 0.0, 0.0)
    ball.data.vertices[0].co.z += 0.2
    assert kept_alternatives(ball, form()) == []
    keep_alternatives(ball, first, [])
    assert ball.neurok.ways == ""


def test_the_button_needs_an_object_with_open_joints(scene):
    add_rigid_ball()
    assert not bpy.ops.neurok.way_next.poll()


@pytest.fixture
def cabinet(scene, monkeypatch):
    """A recognised object, as the backend's summary tells of it."""
    from neurok_blender.scene.mesh_io import look_at
    from neurok_blender.session.background_analysis import background_analysis

    ball = add_rigid_ball()
    ball.neurok.provider = "AUTO"
    background_analysis.keep(ball.data.session_uid, look_at(bpy.context, ball), "auto", {"choices": CHOICES})
    yield ball
    background_analysis.forget()


def test_the_button_keeps_the_next_way_and_what_is_simulated_obeys(cabinet, monkeypatch):
    from neurok_blender.scene.joint_alternatives import kept_alternatives
    from neurok_blender.scene.mesh_io import look_at
    from neurok_blender.session.simulation import Simulation

    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.neurok.way_next(joint=2) == {"FINISHED"}
    assert bpy.ops.neurok.way_next(joint=0) == {"FINISHED"}
    form = look_at(bpy.context, cabinet).form
    assert kept_alternatives(cabinet, form) == [0, 2]
    with pytest.raises(RuntimeError, match="one way only"):
        bpy.ops.neurok.way_next(joint=1)
    simulation = Simulation(bpy.context, [cabinet])
    while not simulation._reading.advance(1.0):
        pass
    (request,) = simulation._job(simulation._reading.conditions).objects
    assert request.conditions["choices"] == [0, 2]
    simulation.abort()
    assert np.isfinite(request.vertices).all()
