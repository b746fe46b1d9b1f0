"""From the artist's properties to the backend's conditions."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.helpers import add_ball


def conditions(obj) -> dict:
    from neurok_blender.scene.conditions import conditions_of

    return conditions_of(bpy.context.scene, obj)


def test_defaults_need_no_touch(scene):
    ball = add_ball()
    assert conditions(ball) == {
        "provider": "auto",
        "fps": 24.0,
        "frames": 12,
        "substeps": "auto",
        "gravity": pytest.approx([0.0, 0.0, -9.81]),
        "anchor": "auto",
        "settled": "auto",
        "density": 1000.0,
        "stiffness_hz": 3.0,
        "settle_seconds": 2.0,
    }


def test_the_backend_takes_every_kind(scene):
    from backend.dynamics.conditions import read_conditions

    ball = add_ball()
    for kind in ("POKE", "VELOCITY", "GROUND", "WIND"):
        assert bpy.ops.neurok.condition_add(kind=kind) == {"FINISHED"}
    for quality in ("AUTO", "FINE", "FINEST"):
        scene.neurok.quality = quality
        made = conditions(ball)
        assert {"pokes", "velocities", "ground", "wind"} <= made.keys()
        read_conditions(made)


def test_the_backend_knows_every_way_to_move(scene):
    from backend.dynamics.conditions import read_conditions
    from backend.engine import PROVIDERS

    ball = add_ball()
    offered = [item.identifier for item in ball.neurok.bl_rna.properties["provider"].enum_items]
    made = []
    for provider in offered:
        ball.neurok.provider = provider
        made.append(read_conditions(conditions(ball)).provider)
    assert sorted(made) == sorted(PROVIDERS)


def test_gravity_and_frame_rate_are_the_scenes(scene):
    ball = add_ball()
    scene.use_gravity = False
    scene.render.fps, scene.render.fps_base = 30, 1.001
    assert conditions(ball)["gravity"] == [0.0, 0.0, 0.0]
    assert conditions(ball)["fps"] == pytest.approx(30 / 1.001)


def test_a_poke_is_where_it_is_drawn_and_as_strong_as_its_arrow(scene):
    ball = add_ball(location=(1, 2, 3), rotation_euler=(0, 0, math.pi / 2), scale=(2, 2, 2))
    bpy.ops.neurok.condition_add(kind="POKE")
    poke = ball.neurok.conditions[0]
    poke.location, poke.vector, poke.radius, poke.frame = (1, 0, 0), (-3, 0, 0), 0.25, 7
    scene.neurok.frame_start = 5
    made = conditions(ball)["pokes"][0]
    assert made["point"] == pytest.approx([1, 4, 3], abs=1e-6)
    assert made["speed"] == pytest.approx([0, -3, 0], abs=1e-6)  # turned with the object, not scaled
    assert (made["radius"], made["start"], made["duration"]) == (0.25, 3, 2)


def test_a_new_poke_lies_on_the_surface_and_points_in(scene):
    ball = add_ball(scale=(1, 3, 1), location=(5, 0, 0))
    bpy.ops.neurok.condition_add(kind="POKE")
    made = conditions(ball)["pokes"][0]
    hit, place, normal, _face = ball.closest_point_on_mesh(ball.matrix_world.inverted() @ Vector(made["point"]))
    assert hit and (ball.matrix_world @ place - Vector(made["point"])).length < 1e-5
    assert np.linalg.norm(made["speed"]) == pytest.approx(0.75 * ball.dimensions.y, rel=1e-5)
    assert Vector(made["speed"]).dot(ball.matrix_world.to_3x3().inverted().transposed() @ normal) < 0.0


def test_a_poke_is_placed_on_the_resting_shape(scene):
    ball = add_ball()
    ball.neurok.provider, ball.neurok.anchor = "RIGID", "NONE"
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(12)
    bpy.ops.neurok.condition_add(kind="POKE")
    assert Vector(ball.neurok.conditions[0].location).length == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(("height", "floor"), [(5.0, 0.0), (0.25, -0.75)])
def test_a_new_ground_is_never_above_the_object(scene, height, floor):
    ball = add_ball(location=(0, 0, height))
    bpy.ops.neurok.condition_add(kind="GROUND")
    assert conditions(ball)["ground"]["height"] == pytest.approx(floor, abs=1e-6)


def test_a_closed_eye_leaves_a_condition_out(scene):
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="GROUND")
    bpy.ops.neurok.condition_add(kind="VELOCITY")
    ball.neurok.conditions[0].enabled = False
    made = conditions(ball)
    assert "ground" not in made
    assert made["velocities"] == [{"linear": [1.5, 0.0, 0.0], "angular": [0.0, 0.0, 0.0]}]


def test_names_stay_apart_and_removing_keeps_a_valid_choice(scene):
    ball = add_ball()
    for _number in range(3):
        bpy.ops.neurok.condition_add(kind="GROUND")
    assert [condition.name for condition in ball.neurok.conditions] == ["Ground", "Ground.001", "Ground.002"]
    for left in (2, 1, 0):
        bpy.ops.neurok.condition_remove()
        assert len(ball.neurok.conditions) == left
        assert ball.neurok.active_condition == max(left - 1, 0)


def test_the_anchor_is_the_vertices_of_the_group(scene):
    ball = add_ball()
    group = ball.vertex_groups.new(name="Base")
    group.add([3, 5], 0.5, "REPLACE")
    group.add([4], 0.0, "REPLACE")
    ball.neurok.anchor, ball.neurok.anchor_group = "GROUP", "Base"
    made = conditions(ball)
    assert made["anchor"] == {"vertices": [3, 5]}
    assert made["settled"] is True
    ball.neurok.settled = False
    assert conditions(ball)["settled"] is False


def early_poke(ball):
    bpy.ops.neurok.condition_add(kind="POKE")
    ball.neurok.conditions[0].frame = 3
    bpy.context.scene.neurok.frame_start = 10


def two_floors(_ball):
    bpy.ops.neurok.condition_add(kind="GROUND")
    bpy.ops.neurok.condition_add(kind="GROUND")


def no_group(ball):
    ball.neurok.anchor = "GROUP"


def empty_group(ball):
    ball.vertex_groups.new(name="Base")
    ball.neurok.anchor, ball.neurok.anchor_group = "GROUP", "Base"


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (early_poke, "Poke pokes at frame 3, before the simulation starts. Set its frame to 10 or later."),
        (two_floors, "There are several floors (Ground, Ground.001). Keep the eye open on one of them only."),
        (no_group, "The vertex group that holds Ball is not there. Choose a vertex group under Held"),
        (empty_group, "The vertex group Base is empty. Assign vertices to it, or choose another."),
    ],
)
def test_mistakes_get_a_sentence(scene, mistake, sentence):
    ball = add_ball()
    mistake(ball)
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.neurok.simulate()
    assert sentence in str(caught.value)
