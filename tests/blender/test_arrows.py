"""The arithmetic of the arrows; dragging them needs a window."""

import bpy
import pytest
from mathutils import Vector

from tests.blender.helpers import add_ball

KINDS = ["POKE", "VELOCITY", "WIND"]


def add_child_ball() -> bpy.types.Object:
    """A squeezed, mirrored ball, the child of something that is turned and scaled itself."""
    bpy.ops.object.empty_add(location=(1, -2, 0.5), rotation=(0.3, 0.2, 0.9))
    parent = bpy.context.active_object
    parent.scale = (1.5, 1.5, 1.5)
    return add_ball(parent=parent, location=(1, 2, 3), rotation_euler=(0.4, 0.5, 0.6), scale=(1, -2, 0.5))


def set_speed(obj, condition, speed: Vector) -> None:
    """As a drag of the arrow sets it, world axes."""
    from neurok_blender.gizmos.condition_places import ARROW_FIELDS, arrow_axes

    setattr(condition, ARROW_FIELDS[condition.kind], arrow_axes(obj, condition).inverted() @ speed)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("add", [add_ball, add_child_ball])
def test_what_the_tip_writes_is_what_it_shows(scene, kind, add):
    from neurok_blender.gizmos.condition_places import arrow_base, arrow_seconds, arrow_tip, read_speed

    ball = add()
    bpy.ops.neurok.condition_add(kind=kind)
    condition = ball.neurok.conditions[0]
    wanted = Vector((0.3, -1.1, 2.2))
    set_speed(ball, condition, wanted)
    assert (read_speed(ball, condition) - wanted).length < 1e-5
    reach = arrow_tip(ball, condition) - arrow_base(ball, condition)
    assert (reach - wanted * arrow_seconds(condition)).length < 1e-5


def test_a_poke_is_told_in_the_objects_own_axes(scene):
    ball = add_ball(rotation_euler=(0, 0, 1.5707963))
    bpy.ops.neurok.condition_add(kind="POKE")
    set_speed(ball, ball.neurok.conditions[0], Vector((0.0, 2.0, 0.0)))
    assert list(ball.neurok.conditions[0].vector) == pytest.approx((2.0, 0.0, 0.0), abs=1e-5)


def test_the_wind_comes_from_above_and_upwind_of_the_object(scene):
    from neurok_blender.gizmos.condition_places import arrow_base

    ball = add_ball(location=(1, 2, 3))
    bpy.ops.neurok.condition_add(kind="WIND")
    condition = ball.neurok.conditions[0]
    for direction in (Vector((1, 0, 0)), Vector((0, -1, 0))):
        condition.velocity = 3.0 * direction
        base = arrow_base(ball, condition)
        assert base.z > 4.0
        assert (base - ball.location).dot(direction) < -1.0


def test_arrows_stand_still_while_the_take_plays(scene):
    from neurok_blender.gizmos.condition_places import arrow_tip, dial_frame, ground_place

    ball = add_ball()
    ball.neurok.provider, ball.neurok.anchor = "RIGID", "NONE"
    bpy.ops.neurok.condition_add(kind="VELOCITY")
    condition = ball.neurok.conditions[0]
    axis = Vector((0.0, 0.0, 1.0))

    def places():
        return arrow_tip(ball, condition), ground_place(ball, condition), dial_frame(ball, axis, 1.0).translation

    before = places()
    bpy.ops.neurok.simulate()
    scene.frame_set(12)
    bpy.context.view_layer.update()
    assert max((now - then).length for now, then in zip(places(), before, strict=True)) < 1e-5
