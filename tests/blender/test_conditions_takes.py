"""Conditions with the real backend process: what an artist sees of them."""

import math

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_ball, stored

G = 9.81


def simulate(scene, frames: int) -> None:
    scene.neurok.frame_count = frames
    assert bpy.ops.neurok.simulate() == {"FINISHED"}


def world(obj, scene, frame: int) -> np.ndarray:
    """Where the vertices are at a frame, Float64[V,3] m."""
    scene.frame_set(frame)
    to_world = np.array(obj.matrix_world)
    return stored(obj.data).astype(np.float64) @ to_world[:3, :3].T + to_world[:3, 3]


def add(obj, kind, **values):
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.neurok.condition_add(kind=kind) == {"FINISHED"}
    condition = obj.neurok.conditions[-1]
    for name, value in values.items():
        setattr(condition, name, value)
    return condition


def add_free_ball(**transform):
    ball = add_ball(**transform)
    ball.neurok.provider, ball.neurok.anchor = "RIGID", "NONE"
    return ball


def add_wall(**transform):
    bpy.ops.mesh.primitive_cube_add(size=1)
    wall = bpy.context.active_object
    for name, value in transform.items():
        setattr(wall, name, value)
    wall.modifiers.new("Collision", "COLLISION")
    bpy.context.view_layer.update()
    return wall


@pytest.mark.parametrize("leads_parent", [False, True])
def test_a_follower_goes_where_its_target_goes(scene, leads_parent):
    ball = add_ball()
    ball.neurok.provider = "ELASTIC"
    target = bpy.data.objects.new("Target", None)
    scene.collection.objects.link(target)
    leader = target
    if leads_parent:
        leader = bpy.data.objects.new("Leader", None)
        scene.collection.objects.link(leader)
        target.parent = leader
    for frame, place, turn in ((1, 0.0, 0.0), (24, 1.5, 1.0)):
        leader.location, leader.rotation_euler = (place, 0, 0.5 * place), (0, turn, 0)
        leader.keyframe_insert("location", frame=frame)
        leader.keyframe_insert("rotation_euler", frame=frame)
    follower = add(ball, "FOLLOW", target=target)
    lower = [vertex.index for vertex in ball.data.vertices if vertex.co.z < -0.3]
    ball.vertex_groups.new(name="Lower").add(lower, 1.0, "REPLACE")
    follower.pin_source, follower.vertex_group = "GROUP", "Lower"
    drawn = world(ball, scene, 1)
    simulate(scene, 24)
    for frame in (8, 16, 24):
        scene.frame_set(frame)
        matrix = np.array(target.matrix_world)
        expected = drawn[lower] @ matrix[:3, :3].T + matrix[:3, 3]
        # What moves with its target lags by a / (2 pi f)^2, here some millimetres; and the ball bends a little.
        assert np.abs(world(ball, scene, frame)[lower] - expected).max() < 0.02
    assert np.linalg.norm(world(ball, scene, 24).mean(axis=0)) > 1.0  # the rest comes along


def test_a_pinned_base_stays_while_the_rest_sways(scene):
    ball = add_ball()
    ball.neurok.provider, ball.neurok.anchor = "ELASTIC", "NONE"
    lower = [vertex.index for vertex in ball.data.vertices if vertex.co.z < -0.8]
    pin = add(ball, "PIN", pin_source="GROUP", vertex_group="Lower")
    ball.vertex_groups.new(name="Lower").add(lower, 1.0, "REPLACE")
    assert pin.pin_hold == "RIGID"
    add(ball, "POKE")
    drawn = world(ball, scene, 1)
    simulate(scene, 12)
    moves = [np.abs(world(ball, scene, frame) - drawn).max(axis=1) for frame in range(1, 13)]
    assert max(move[lower].max() for move in moves) < 1e-5
    assert max(move.max() for move in moves) > 0.05


def test_a_spring_gives_way_to_the_weight_as_hooke_says(scene):
    ball = add_free_ball()
    ball.neurok.settle_seconds = 0.3
    every = list(range(len(ball.data.vertices)))
    ball.vertex_groups.new(name="All").add(every, 1.0, "REPLACE")
    add(ball, "PIN", pin_source="GROUP", vertex_group="All", pin_hold="SPRING", spring_hz=2.0)
    drawn = world(ball, scene, 1)
    simulate(scene, 60)
    sag = (drawn - world(ball, scene, 60))[:, 2].mean()
    assert sag == pytest.approx(G / (2.0 * math.pi * 2.0) ** 2, rel=0.02)


@pytest.mark.parametrize(("strength", "opened", "part"), [(0.5, True, 0.5), (1.0, False, 0.0)])
def test_half_the_gravity_is_half_the_fall_and_a_closed_eye_none(scene, strength, opened, part):
    ball = add_free_ball()
    add(ball, "GRAVITY", gravity_factor=strength, enabled=opened)
    drawn = world(ball, scene, 1)
    simulate(scene, 25)
    fallen = (drawn - world(ball, scene, 25))[:, 2].mean()
    assert fallen == pytest.approx(part * G / 2.0, rel=2e-3, abs=1e-6)


def test_force_fields_push_as_a_wind_of_their_speed_does(scene):
    scene.use_gravity = False
    places = []
    for blows_by_field in (True, False):
        bpy.ops.object.effector_add(type="WIND", rotation=(0, math.pi / 2, 0))
        field = bpy.context.active_object
        field.field.strength = 20.0
        ball = add_free_ball()
        ball.neurok.density = 1.0
        values = {"velocity": (0, 0, 0)} if blows_by_field else {"velocity": (20, 0, 0), "use_force_fields": False}
        add(ball, "WIND", turbulence=0.0, **values)
        drawn = world(ball, scene, 1)
        simulate(scene, 24)
        places.append((world(ball, scene, 24) - drawn).mean(axis=0))
        scene.frame_set(1)
        for obj in (field, ball):
            bpy.data.objects.remove(obj)
    assert places[0] == pytest.approx(places[1], abs=1e-4)
    assert places[0][0] > 0.5 and np.abs(places[0][1:]).max() < 0.02


def test_a_collider_stops_what_falls_on_it(scene):
    add_wall(location=(0, 0, -2.5), scale=(6, 6, 1))
    ball = add_free_ball()
    add(ball, "COLLIDERS", restitution=0.0)
    simulate(scene, 48)
    bottom = world(ball, scene, 48)[:, 2].min()
    assert bottom == pytest.approx(-2.0, abs=0.01)  # its upper side


def test_a_moving_collider_lifts_what_lies_on_it(scene):
    wall = add_wall(location=(0, 0, -1.5), scale=(6, 6, 1))
    wall.keyframe_insert("location", frame=1)
    wall.location.z = -0.5
    wall.keyframe_insert("location", frame=36)
    ball = add_free_ball()
    add(ball, "COLLIDERS", restitution=0.0)
    simulate(scene, 60)
    assert world(ball, scene, 60)[:, 2].min() == pytest.approx(0.0, abs=0.01)


def test_a_deforming_collider_of_many_vertices_lifts_what_lies_on_it(scene):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=32, y_subdivisions=32, size=6, location=(0, 0, -1))
    floor = bpy.context.active_object
    floor.shape_key_add(name="Basis")
    high = floor.shape_key_add(name="High")
    for point in high.points:
        point.co.z += 1.0
    for frame, value in ((1, 0.0), (36, 1.0)):
        high.value = value
        high.keyframe_insert("value", frame=frame)
    floor.modifiers.new("Collision", "COLLISION")
    ball = add_free_ball()
    add(ball, "COLLIDERS", restitution=0.0)
    simulate(scene, 60)
    assert world(ball, scene, 60)[:, 2].min() == pytest.approx(0.0, abs=0.01)


def test_the_same_take_comes_again_from_another_frame_and_after_reopening(scene, tmp_path):
    wall = add_wall(location=(0, 0, -2.0), scale=(6, 6, 1))
    wall.driver_add("location", 2).driver.expression = "-2 + frame / 100"
    ball = add_free_ball()
    add(ball, "COLLIDERS")
    simulate(scene, 24)
    first = world(ball, scene, 20)
    scene.frame_set(17)
    simulate(scene, 24)
    assert np.array_equal(world(ball, scene, 20), first)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "again.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "again.blend"))
    scene, ball = bpy.context.scene, bpy.data.objects["Ball"]
    simulate(scene, 24)
    assert np.array_equal(world(ball, scene, 20), first)
