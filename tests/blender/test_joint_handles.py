"""Handles of the chosen joint: what a drag sets, and a part that moves while it is tried out and is back after it."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Quaternion, Vector

from tests.blender.helpers import stored
from tests.blender.test_gizmos import loose, play_drag
from tests.blender.test_joints import add_cupboard
from tests.blender.views import make_view

MIRRORED = (1.3, -1.0, 0.8)


@pytest.fixture(params=[(1.0, 1.0, 1.0), MIRRORED])
def cupboard(request, scene):
    """With a door that hangs on the left, or on the right where the object is mirrored."""
    obj = add_cupboard()
    obj.scale = request.param
    obj.rotation_euler = (0.0, 0.0, 0.2)
    bpy.context.view_layer.update()
    joints = obj.neurok.joints
    joints.add().name = "Body"
    door = joints.add()
    door.name, door.kind, door.parent = "Door", "HINGE", 0
    door.axis, door.origin = (0.0, 0.0, 1.0), (-0.5, -0.03, 0.5)
    door.lower_angle, door.upper_angle = -1.5, 0.0
    obj.neurok.active_joint = 1
    parts = obj.data.attributes.new(".neurok_part", "INT", "FACE")
    parts.data.foreach_set("value", np.array([0] * 30 + [1] * 6, np.int32))
    return obj


@pytest.fixture
def view(addon):
    return make_view("PERSP", (1.1, 0.0, 0.4))


def handle(kind: type):
    """The handle's functions, and those of what it is made from, on an object that needs no window."""
    made = None
    for base in reversed([each for each in kind.__mro__ if "gizmos.joint_" in each.__module__]):
        part = loose(base)
        if made is not None:
            for name, value in vars(type(part)).items():
                if not name.startswith("__"):
                    setattr(type(made), name, value)
        else:
            made = part
    return made


def in_world(obj) -> np.ndarray:
    matrix = np.array(obj.matrix_world)
    return stored(obj.data) @ matrix[:3, :3].T + matrix[:3, 3]


def test_the_pivot_goes_where_the_mouse_goes(cupboard, view):
    from neurok_blender.gizmos.joint_handles import NEUROK_GT_joint_pivot
    from neurok_blender.gizmos.joint_places import joint_place

    door = cupboard.neurok.joints[1]
    start = view.project(joint_place(cupboard, door))
    play_drag(loose(NEUROK_GT_joint_pivot), view, cupboard, door, [start, start + Vector((50.0, -20.0))])
    assert (view.project(joint_place(cupboard, door)) - start - Vector((50.0, -20.0))).length < 0.1
    play_drag(loose(NEUROK_GT_joint_pivot), view, cupboard, door, [start, start + Vector((50.0, -20.0))], snap=True)
    assert np.abs(stored(cupboard.data) - np.array(door.origin)).max(axis=1).min() < 1e-5


def test_the_axis_turns_with_its_ball(cupboard, view):
    from neurok_blender.gizmos.joint_handles import AXIS_REACH, NEUROK_GT_joint_axis
    from neurok_blender.gizmos.joint_places import joint_axis, joint_place, joint_reach

    door = cupboard.neurok.joints[1]
    place, reach = joint_place(cupboard, door), AXIS_REACH * joint_reach(view, cupboard)
    start = view.project(place + joint_axis(cupboard, door) * reach)
    inwards = (view.project(place) - start) * 0.3  # beside the ball on which the axis turns nothing could follow
    play_drag(loose(NEUROK_GT_joint_axis), view, cupboard, door, [start, start + inwards])
    end = view.project(place + joint_axis(cupboard, door) * reach)
    assert (end - start - inwards).length < 0.5
    play_drag(loose(NEUROK_GT_joint_axis), view, cupboard, door, [end, start + Vector((2.0, -1.0))], snap=True)
    direction = joint_axis(cupboard, door)
    assert min(abs(abs(value) - 1.0) for value in direction) < 1e-5


def test_a_door_follows_the_dial_and_is_back_afterwards(cupboard, view, scene):
    from neurok_blender.gizmos.joint_places import joint_axis, joint_place, joint_reach
    from neurok_blender.gizmos.joint_preview_handles import NEUROK_GT_joint_dial
    from neurok_blender.session.state import session

    door = cupboard.neurok.joints[1]
    before, drawn = in_world(cupboard), stored(cupboard.data).tobytes()
    place, axis, reach = joint_place(cupboard, door), joint_axis(cupboard, door), joint_reach(view, cupboard)
    across = axis.orthogonal().normalized() * reach
    ways = []
    for step in range(9):
        turned = across.copy()
        turned.rotate(Quaternion(axis, -0.1 * step))
        ways.append(view.project(place + turned))
    dial = handle(NEUROK_GT_joint_dial)
    dial.index = 1
    text = play_drag(dial, view, cupboard, door, ways)
    assert text == f"{math.degrees(-0.8):.1f}°" and session.tested_mesh == cupboard.data.session_uid
    now = in_world(cupboard)
    assert np.abs(now[:40] - before[:40]).max() < 1e-6
    expected = [place + _turned(Vector(corner) - place, axis, -0.8) for corner in before[40:]]
    assert np.abs(now[40:] - np.array(expected)).max() < 1e-4
    dial.let_go(bpy.context)
    assert stored(cupboard.data).tobytes() == drawn and session.tested_mesh == 0
    assert not [each.name for each in cupboard.data.attributes if "original" in each.name]


def _turned(offset: Vector, axis: Vector, angle: float) -> Vector:
    """By Rodrigues' formula."""
    return (
        offset * math.cos(angle)
        + axis.cross(offset) * math.sin(angle)
        + axis * axis.dot(offset) * (1.0 - math.cos(angle))
    )


def test_a_drawer_stops_at_its_end(cupboard, view):
    from neurok_blender.gizmos.joint_places import joint_axis, joint_limits, joint_place
    from neurok_blender.gizmos.joint_preview_handles import NEUROK_GT_joint_slide

    door = cupboard.neurok.joints[1]
    door.kind, door.axis, door.origin = "SLIDE", (0.0, -1.0, 0.0), (0.0, -0.03, 0.5)
    door.lower_distance, door.upper_distance = 0.0, 0.3
    before = in_world(cupboard)
    place, axis = joint_place(cupboard, door), joint_axis(cupboard, door)
    arrow = handle(NEUROK_GT_joint_slide)
    arrow.index = 1
    play_drag(arrow, view, cupboard, door, [view.project(place), view.project(place + axis * 0.2)])
    moved = in_world(cupboard) - before
    assert np.abs(moved[:40]).max() < 1e-6 and np.abs(moved[40:] - np.array(axis) * 0.2).max() < 2e-3
    arrow.let_go(bpy.context)
    play_drag(arrow, view, cupboard, door, [view.project(place), view.project(place + axis * 2.0)])
    end = joint_limits(cupboard, door)[1]
    assert np.abs((in_world(cupboard) - before)[40:] - np.array(axis) * end).max() < 1e-4
    arrow.let_go(bpy.context)
    assert np.abs(in_world(cupboard) - before).max() == 0.0
