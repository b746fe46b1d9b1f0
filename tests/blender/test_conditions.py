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
    }


def test_what_it_is_made_of_is_said_where_somebody_does(scene):
    ball = add_ball()
    ball.neurok.stiffness = 2.0
    assert conditions(ball)["stiffness"] == 2.0
    ball.neurok.density = 300.0  # who gives a number wants it to count
    assert ball.neurok.matter == "OWN"
    made = conditions(ball)
    assert (made["density"], made["stiffness_hz"], made["settle_seconds"]) == (300.0, 3.0, 2.0)
    ball.neurok.matter = "AUTO"
    assert not {"density", "stiffness_hz", "settle_seconds"} & conditions(ball).keys()


def test_the_backend_takes_every_kind(scene):
    from backend.dynamics.conditions import read_conditions

    ball = add_ball()
    for kind in ("POKE", "VELOCITY", "GROUND", "WIND", "PIN", "GRAVITY"):
        assert bpy.ops.neurok.condition_add(kind=kind) == {"FINISHED"}
    for quality in ("AUTO", "FINE", "FINEST"):
        scene.neurok.quality = quality
        made = conditions(ball)
        assert {"pokes", "velocities", "ground", "wind", "pins"} <= made.keys()
        read_conditions(made)


def test_the_backend_knows_every_way_to_move(scene):
    from backend.dynamics.conditions import read_conditions
    from backend.understanding.providers.registry import provider_entries
    from neurok_blender.properties.provider_menu import menu

    ball = add_ball()
    made = []
    for identifier, *_ in menu.items(""):
        ball.neurok.provider = identifier
        made.append(read_conditions(conditions(ball)).provider)
    assert sorted(made) == sorted(entry["name"] for entry in provider_entries())


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
    assert np.linalg.norm(made["speed"]) == pytest.approx(1.5 * ball.dimensions.y, rel=1e-5)
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
        (no_group, "The vertex group that holds Ball is not there. Choose a vertex group under Support"),
        (empty_group, "The vertex group Base is empty. Assign vertices to it, or choose another."),
    ],
)
def test_mistakes_get_a_sentence(scene, mistake, sentence):
    ball = add_ball()
    mistake(ball)
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.neurok.simulate()
    assert sentence in str(caught.value)


def test_gravity_is_the_scenes_times_the_strength(scene):
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="GRAVITY")
    row = ball.neurok.conditions[0]
    assert conditions(ball)["gravity"] == pytest.approx([0.0, 0.0, -9.81])
    row.gravity_factor = 0.5
    scene.gravity = (1.0, 0.0, -4.0)
    assert conditions(ball)["gravity"] == pytest.approx([0.5, 0.0, -2.0])
    row.enabled = False
    assert conditions(ball)["gravity"] == [0.0, 0.0, 0.0]


def add_wind_field(strength, noise=0.0, **transform):
    bpy.ops.object.effector_add(type="WIND")
    field = bpy.context.active_object
    field.field.strength, field.field.noise = strength, noise
    for name, value in transform.items():
        setattr(field, name, value)
    bpy.context.view_layer.update()
    return field


def test_force_fields_blow_along_their_z_and_add_up(scene):
    east = add_wind_field(4.0, rotation_euler=(0, math.pi / 2, 0), scale=(3, 3, 3))
    up = add_wind_field(3.0, noise=0.5)
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="WIND")
    row = ball.neurok.conditions[0]
    assert row.use_force_fields and tuple(row.velocity) == (0.0, 0.0, 0.0)  # what blows already is enough
    made = conditions(ball)["wind"]
    assert made["velocity"] == pytest.approx([4.0, 0.0, 3.0], abs=1e-5)
    assert made["turbulence"] == pytest.approx(0.5 * 3.0 / 5.0)
    row.velocity, row.turbulence = (0.0, 5.0, 0.0), 0.2
    made = conditions(ball)["wind"]
    assert made["velocity"] == pytest.approx([4.0, 5.0, 3.0], abs=1e-5)
    assert made["turbulence"] == pytest.approx(math.hypot(1.5, 1.0) / math.sqrt(50.0))
    up.hide_set(True)
    assert conditions(ball)["wind"]["velocity"] == pytest.approx([4.0, 5.0, 0.0], abs=1e-5)
    east.field.strength = -4.0
    assert conditions(ball)["wind"]["velocity"] == pytest.approx([-4.0, 5.0, 0.0], abs=1e-5)
    row.use_force_fields = False
    made = conditions(ball)["wind"]
    assert (made["velocity"], made["turbulence"]) == ([0.0, 5.0, 0.0], pytest.approx(0.2))


def test_a_force_field_counts_as_it_is_at_the_first_frame(scene):
    field, fan = add_wind_field(2.0), bpy.data.objects.new("Fan", None)
    scene.collection.objects.link(fan)
    # Blender 4.5 itself complains on stderr where a force field has curves of its own.
    field.parent = fan
    fan.keyframe_insert("rotation_euler", frame=5)
    fan.rotation_euler = (0, math.pi / 2, 0)
    fan.keyframe_insert("rotation_euler", frame=20)
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="WIND")
    scene.neurok.frame_start = 5
    scene.frame_set(20)
    assert conditions(ball)["wind"]["velocity"] == pytest.approx([0.0, 0.0, 2.0], abs=1e-5)
    assert scene.frame_current == 20 and fan.rotation_euler.y == pytest.approx(math.pi / 2)


def test_a_pin_holds_the_base_a_group_or_what_is_painted(scene):
    ball = add_ball(rotation_euler=(0, math.pi, 0), scale=(1, 1, 3))
    bpy.ops.neurok.condition_add(kind="PIN")
    pin = ball.neurok.conditions[0]
    top = max(ball.data.vertices, key=lambda vertex: vertex.co.z).index  # the object stands on its head
    assert conditions(ball)["pins"] == [{"vertices": [top], "stiffness": "rigid"}]
    assert conditions(ball)["settled"] is True
    ball.vertex_groups.new(name="Ear").add([7, 4], 0.01, "REPLACE")
    pin.pin_source, pin.vertex_group = "GROUP", "Ear"
    pin.pin_hold, pin.spring_hz = "SPRING", 2.5
    assert conditions(ball)["pins"] == [{"vertices": [4, 7], "stiffness": 2.5}]
    assert conditions(ball)["settled"] == "auto"  # a spring gives way to the weight
    ball.vertex_groups.new(name="Painted").add([1], 1.0, "REPLACE")
    pin.pin_source, pin.painted_group = "PAINTED", "Painted"
    assert conditions(ball)["pins"][0]["vertices"] == [1]


def test_the_base_is_that_of_the_resting_shape(scene):
    ball = add_ball()
    ball.modifiers.new("Tilt", "SIMPLE_DEFORM").deform_method = "TWIST"
    ball.neurok.provider, ball.neurok.anchor = "RIGID", "NONE"
    bpy.ops.neurok.condition_add(kind="VELOCITY")
    ball.neurok.conditions[0].angular = (6.0, 0.0, 0.0)
    bpy.ops.neurok.condition_add(kind="PIN")
    pin = ball.neurok.conditions[1]
    at_rest = conditions(ball)["pins"][0]["vertices"]
    pin.enabled = False
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(12)
    shown = [tuple(vertex.co) for vertex in ball.data.vertices]
    pin.enabled = True
    assert conditions(ball)["pins"][0]["vertices"] == at_rest
    assert [tuple(vertex.co) for vertex in ball.data.vertices] == shown


def test_copies_have_every_value_and_a_name_of_their_own(scene):
    ball, target = add_ball(), bpy.data.objects.new("Target", None)
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    bpy.ops.neurok.condition_add(kind="GROUND")
    first = ball.neurok.conditions[0]
    first.target, first.pin_hold, first.spring_hz, first.enabled = target, "SPRING", 7.0, False
    ball.neurok.active_condition = 0
    assert bpy.ops.neurok.condition_duplicate() == {"FINISHED"}
    first, copied = ball.neurok.conditions[0], ball.neurok.conditions[1]
    assert [item.name for item in ball.neurok.conditions] == ["Follow", "Follow.001", "Ground"]
    assert ball.neurok.active_condition == 1
    for item in first.bl_rna.properties:
        if item.identifier not in ("name", "rna_type"):
            one, other = getattr(first, item.identifier), getattr(copied, item.identifier)
            assert (list(one) == list(other)) if getattr(item, "is_array", False) else one == other, item.identifier


def test_rows_move_up_and_down_and_are_chosen_by_their_icon(scene):
    ball = add_ball()
    for kind in ("GROUND", "WIND", "PIN"):
        bpy.ops.neurok.condition_add(kind=kind)

    def order():
        return [condition.name for condition in ball.neurok.conditions]

    assert bpy.ops.neurok.condition_move(direction="UP") == {"FINISHED"}
    assert (order(), ball.neurok.active_condition) == (["Ground", "Pin", "Wind"], 1)
    assert bpy.ops.neurok.condition_choose(index=0) == {"FINISHED"}
    assert bpy.ops.neurok.condition_move(direction="UP") == {"CANCELLED"}
    assert bpy.ops.neurok.condition_move(direction="DOWN") == {"FINISHED"}
    assert (order(), ball.neurok.active_condition) == (["Pin", "Ground", "Wind"], 1)


def test_a_row_tells_its_kind_in_its_tooltip(scene):
    from types import SimpleNamespace

    from neurok_blender.operators.condition_operators import NEUROK_OT_condition_choose

    add_ball()
    bpy.ops.neurok.condition_add(kind="PIN")
    said = NEUROK_OT_condition_choose.description(bpy.context, SimpleNamespace(index=0))
    assert said == "Pin: A part of the object stays where it is"


def test_first_values_suit_the_size_of_the_object(scene):
    values = []
    for size in (1.0, 4.0):
        ball = add_ball(scale=(size, size, size))
        bpy.ops.neurok.condition_add(kind="VELOCITY")
        bpy.ops.neurok.condition_add(kind="WIND")
        velocity, wind = ball.neurok.conditions
        values.append((velocity.linear.x, wind.velocity.x))
    assert values == [(1.5, 3.0), (6.0, 12.0)]


def test_a_follower_takes_the_other_selected_object(scene):
    target = bpy.data.objects.new("Target", None)
    scene.collection.objects.link(target)
    ball = add_ball()
    target.select_set(True)
    bpy.ops.neurok.condition_add(kind="FOLLOW")
    assert ball.neurok.conditions[0].target == target


def test_kinds_keep_their_numbers(scene):
    """They are what .blend files hold."""
    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="POKE")
    items = ball.neurok.conditions[0].bl_rna.properties["kind"].enum_items
    assert {item.identifier: item.value for item in items} == {
        "POKE": 0,
        "VELOCITY": 1,
        "GROUND": 2,
        "WIND": 3,
        "PIN": 4,
        "FOLLOW": 5,
        "GRAVITY": 6,
        "COLLIDERS": 7,
    }


def test_conditions_come_back_with_their_file(scene, tmp_path):
    ball, target = add_ball(), bpy.data.objects.new("Target", None)
    scene.collection.objects.link(target)
    for kind in ("POKE", "VELOCITY", "GROUND", "WIND", "PIN", "FOLLOW", "GRAVITY", "COLLIDERS"):
        bpy.ops.neurok.condition_add(kind=kind)
    ball.neurok.conditions["Follow"].target = target
    ball.neurok.conditions["Gravity"].gravity_factor = 0.5
    ball.neurok.conditions["Colliders"].enabled = False
    before = conditions(ball)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    assert conditions(bpy.data.objects["Ball"]) == before
