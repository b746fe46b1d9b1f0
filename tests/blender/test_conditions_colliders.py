"""Colliders, still, moving and deforming, as the backend is told of them."""

import bpy
import numpy as np
import pytest

from tests.blender.helpers import add_ball
from tests.blender.moving import FRAMES, add_empty, animate, conditions, moved


@pytest.fixture
def scene(scene):
    scene.neurok.frame_start, scene.neurok.frame_count = FRAMES.start, len(FRAMES)
    return scene


def add_collider(name="Wall", **transform):
    bpy.ops.mesh.primitive_cube_add(size=1)
    wall = bpy.context.active_object
    wall.name = name
    for field, value in transform.items():
        setattr(wall, field, value)
    wall.modifiers.new("Collision", "COLLISION")
    bpy.context.view_layer.update()
    return wall


def colliders_of(ball) -> list[dict]:
    from backend.dynamics.conditions import read_conditions

    made = conditions(ball)
    read_conditions(made)
    return made["colliders"]


def corners(wall) -> np.ndarray:
    return np.array([wall.matrix_world @ vertex.co for vertex in wall.data.vertices])


def test_colliders_are_the_visible_ones_and_never_the_object_itself(scene):
    wall, hidden, off = add_collider(location=(3, 1, 0)), add_collider("Hidden"), add_collider("Off")
    add_collider("Bare").modifiers.clear()
    hidden.hide_set(True)
    off.collision.use = False
    ball = add_ball()
    ball.modifiers.new("Collision", "COLLISION")
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    ball.neurok.conditions[0].friction, ball.neurok.conditions[0].restitution = 0.75, 0.5
    (made,) = colliders_of(ball)
    assert np.allclose(made["vertices"], corners(wall)) and len(made["triangles"]) == 12
    assert (made["friction"], made["restitution"]) == (0.75, 0.5) and "motion" not in made


def test_a_collection_chooses_among_them(scene):
    first, second = add_collider("A", location=(1, 0, 0)), add_collider("B", location=(2, 0, 0))
    walls = bpy.data.collections.new("Walls")
    scene.collection.children.link(walls)
    walls.objects.link(second)
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    assert len(colliders_of(ball)) == 2
    ball.neurok.conditions[0].collection, ball.neurok.conditions[0].friction = walls, 0.0
    (made,) = colliders_of(ball)
    assert np.allclose(made["vertices"], corners(second))
    # Of two conditions that name one collider the first one counts.
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    assert [
        (each["friction"], np.allclose(each["vertices"], corners(wall)))
        for each, wall in zip(colliders_of(ball), (second, first), strict=True)
    ] == [(0.0, True), (0.5, True)]


def test_the_evaluated_mesh_is_what_stops(scene):
    wall = add_collider()
    wall.modifiers.new("Many", "ARRAY").count = 3
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    (made,) = colliders_of(ball)
    assert len(made["vertices"]) == 24 and np.ptp(np.array(made["vertices"])[:, 0]) == pytest.approx(3.0)


def test_an_animated_collider_moves_as_a_whole(scene):
    wall = add_collider(scale=(1, 2, 3))
    animate(wall, "location", [(0, 0, 0), (2, 0, 0), (2, 0, 5)])
    animate(wall, "rotation_euler", [(0, 0, 0), (0, 0, 2), (0, 3, 2)])
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    (made,) = colliders_of(ball)
    drawn = np.array(made["vertices"])
    for frame, key in zip(FRAMES, made["motion"], strict=True):
        scene.frame_set(frame)
        assert np.abs(moved(drawn, key) - corners(wall)).max() < 1e-5


def test_a_collider_that_stretches_or_deforms_is_told_frame_by_frame(scene):
    stretching = add_collider("A")
    animate(stretching, "scale", [(1, 1, 1), (1, 3, 1), (1, 1, 1)])
    waving = add_collider("B", location=(5, 0, 0))
    wave = waving.modifiers.new("Wave", "WAVE")
    wave.height, wave.width, wave.narrowness = 1.0, 0.5, 3.0
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    scene.frame_set(33)
    first, second = colliders_of(ball)
    assert scene.frame_current == 33
    assert np.shape(first["vertices"]) == np.shape(second["vertices"]) == (len(FRAMES), 8, 3)
    for index, frame in enumerate(FRAMES):
        scene.frame_set(frame)
        assert np.abs(np.array(first["vertices"])[index] - corners(stretching)).max() < 1e-5
        shape = waving.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        shown = np.array([waving.matrix_world @ vertex.co for vertex in shape.vertices])
        assert np.abs(np.array(second["vertices"])[index] - shown).max() < 1e-5
    assert np.ptp(np.array(second["vertices"]), axis=0).max() > 0.1


def test_still_scenes_are_not_gone_through(scene, monkeypatch):
    """Stepping through frames costs as much as playing them."""
    wall = add_collider()
    bpy.ops.object.shade_smooth()
    wall.modifiers.new("Round", "BEVEL")
    target = add_empty()
    animate(target, "location", [(0, 0, 0), (1, 0, 0)])
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    ball.neurok.conditions[1].target = target
    shown = []
    bpy.app.handlers.frame_change_post.append(lambda *_: shown.append(1))
    try:
        made = conditions(ball)
    finally:
        bpy.app.handlers.frame_change_post.pop()
    assert made["colliders"] and made["pins"][0]["motion"] and not shown


def add_nodes(wall, brings_in: str):
    """A geometry nodes modifier that moves the mesh by the time, by where an object is, or not at all."""
    tree = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    if brings_in == "OBJECT":
        tree.interface.new_socket("Object", in_out="INPUT", socket_type="NodeSocketObject")
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    move = tree.nodes.new("GeometryNodeSetPosition")
    tree.links.new(start.outputs[0], move.inputs["Geometry"])
    tree.links.new(move.outputs[0], end.inputs[0])
    if brings_in == "TIME":
        clock = tree.nodes.new("GeometryNodeInputSceneTime")
        tree.links.new(clock.outputs["Seconds"], move.inputs["Offset"])
    elif brings_in == "OBJECT":
        place = tree.nodes.new("GeometryNodeObjectInfo")
        tree.links.new(start.outputs[1], place.inputs["Object"])
        tree.links.new(place.outputs["Location"], move.inputs["Offset"])
    modifier = wall.modifiers.new("Nodes", "NODES")
    modifier.node_group = tree
    if brings_in == "OBJECT":
        leader = add_empty("Leader")
        animate(leader, "location", [(0, 0, 0), (1, 0, 0), (0, 0, 0)])
        modifier[tree.interface.items_tree["Object"].identifier] = leader
        wall.update_tag()


@pytest.mark.parametrize(("brings_in", "moves"), [("NOTHING", False), ("TIME", True), ("OBJECT", True)])
def test_nodes_are_gone_through_where_they_bring_in_time_or_objects(scene, brings_in, moves):
    wall = add_collider()
    add_nodes(wall, brings_in)
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    scene.frame_set(FRAMES.start)
    (made,) = colliders_of(ball)
    assert np.ndim(made["vertices"]) == (3 if moves else 2)
    if moves:
        shapes = np.array(made["vertices"])
        for index in (0, 10):
            scene.frame_set(FRAMES[index])
            shape = wall.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
            assert np.abs(shapes[index] - [tuple(vertex.co) for vertex in shape.vertices]).max() < 1e-5
        assert np.ptp(shapes, axis=0).max() > 0.1


def test_a_collider_without_faces_is_no_collider(scene):
    add_collider("Wall")
    bare = add_collider("Bare")
    bare.data.clear_geometry()
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    assert len(colliders_of(ball)) == 1


def test_objects_that_are_simulated_together_are_no_colliders_to_each_other(scene):
    from neurok_blender.scene.conditions import ConditionsReading
    from neurok_blender.scene.object_conditions import ObjectConditions

    add_collider("Wall")
    balls = [add_ball(), add_ball("Other", location=(3, 0, 0))]
    for ball in balls:
        ball.modifiers.new("Collision", "COLLISION")
        bpy.context.view_layer.objects.active = ball
        bpy.ops.neurok.condition_add(kind="COLLIDERS")
    reading = ConditionsReading(scene, [ObjectConditions(scene, ball, balls) for ball in balls])
    assert reading.advance(10.0)
    first, second = reading.conditions
    assert len(first["colliders"]) == 1 and first["colliders"] == second["colliders"]


def large(wall):
    wall.modifiers.new("Fine", "SUBSURF").levels = 4
    wall.modifiers.new("Wave", "WAVE")
    bpy.context.scene.neurok.frame_count = 100_000


def growing(wall):
    wall.modifiers.new("Build", "BUILD").frame_duration = 15


def flat(wall):
    wall.scale = (1, 0, 1)
    animate(wall, "location", [(0, 0, 0), (1, 0, 0)])


def not_a_number(wall):
    wall.data.vertices[3].co.x = float("nan")


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (large, r"Wall deforms and has 1,538 vertices, too many for 100000 frames\. Use a simpler mesh"),
        (growing, r"Wall changes its number of vertices while the take goes on.*Turn off the modifier"),
        (flat, r"Wall is scaled to nothing along some direction\. Give it a scale"),
        (not_a_number, r"Wall has vertices without a real position.*Delete or move"),
    ],
)
def test_mistakes_of_colliders_get_a_sentence(scene, mistake, sentence):
    mistake(add_collider())
    add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.neurok.simulate()
    assert scene.frame_current == 1


def test_too_many_colliders_get_a_sentence(scene):
    mesh = add_collider().data
    for number in range(200):
        wall = bpy.data.objects.new(f"Wall {number}", mesh)
        scene.collection.objects.link(wall)
        wall.modifiers.new("Collision", "COLLISION")
    add_ball()
    bpy.ops.neurok.condition_add(kind="COLLIDERS")
    with pytest.raises(RuntimeError, match=r"There are 201 colliders, more than one simulation can take\. Join some"):
        bpy.ops.neurok.simulate()
