"""The arithmetic of the arrows; dragging them needs a window."""

import bpy
import pytest
from mathutils import Vector

from tests.blender.helpers import add_ball


@pytest.mark.parametrize("kind", ["POKE", "VELOCITY"])
def test_what_the_tip_writes_is_what_it_shows(scene, kind):
    from neurok_blender.gizmos.conditions import ARROW_SECONDS, arrow_base, arrow_tip, read_speed, write_speed

    ball = add_ball(location=(1, 2, 3), rotation_euler=(0.4, 0.5, 0.6), scale=(1, -2, 0.5))
    bpy.ops.neurok.condition_add(kind=kind)
    condition = ball.neurok.conditions[0]
    wanted = Vector((0.3, -1.1, 2.2))
    write_speed(ball, condition, wanted)
    assert (read_speed(ball, condition) - wanted).length < 1e-5
    assert (arrow_tip(ball, condition) - arrow_base(ball, condition) - wanted * ARROW_SECONDS).length < 1e-5


def test_arrows_stand_still_while_the_take_plays(scene):
    from neurok_blender.gizmos.conditions import arrow_tip

    ball = add_ball()
    ball.neurok.provider, ball.neurok.anchor = "RIGID", "NONE"
    bpy.ops.neurok.condition_add(kind="VELOCITY")
    before = arrow_tip(ball, ball.neurok.conditions[0])
    bpy.ops.neurok.simulate()
    scene.frame_set(12)
    bpy.context.view_layer.update()
    assert (arrow_tip(ball, ball.neurok.conditions[0]) - before).length < 1e-5
