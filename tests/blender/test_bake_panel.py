"""What the Bake box draws: sizes before baking, a suggestion, one button, the list of takes."""

import bpy
import pytest

from tests.blender.helpers import shown
from tests.blender.layouts import drawn_panel
from tests.blender.test_bake_kinds import rigid


def drawn() -> list[tuple]:
    """(kind, name or text, button) of everything in the box."""
    return drawn_panel("bake").everything()


def labels() -> list[str]:
    return [each[1] for each in drawn() if each[0] == "label"]


@pytest.fixture
def ball(scene):
    from neurok_blender.session.state import session

    ball, _shapes = rigid()
    yield ball
    session.bake = None


def test_sizes_and_a_suggestion_are_shown_before_baking(ball):
    from neurok_blender.session.state import session

    assert "Frames 1 to 12, ..." in labels()  # drawing never works
    while session.bake_sizes.is_working:
        session.bake_sizes.tick()
    found = labels()
    assert "Frames 1 to 12, 0.01 MB" in found  # 12 frames x 62 vertices x 12 bytes = 8928 bytes
    assert any(text.startswith("Suggested: Armature, 0.0") for text in found)


def test_the_button_does_what_the_box_says(ball):
    settings = ball.neurok.bake
    settings.kind, settings.step, settings.use_start, settings.start = "COMPRESSED", 3, True, 50
    (button,) = [each[2] for each in drawn() if each[:2] == ("operator", "neurok.bake")]
    assert (button.kind, button.step, button.start) == ("COMPRESSED", 3, 50)
    fields = {each[1] for each in drawn() if each[0] == "prop"}
    assert {"kind", "tolerance", "step", "use_start", "start"} <= fields and not {
        "influences",
        "file",
        "place",
    } & fields
    settings.use_start = False
    (button,) = [each[2] for each in drawn() if each[:2] == ("operator", "neurok.bake")]
    assert not hasattr(button, "start")


def test_takes_are_listed_with_an_eye_and_a_button_to_clear(ball):
    bpy.ops.neurok.bake(take_name="First")
    bpy.ops.neurok.bake(kind="ARMATURE", take_name="Second")
    found = drawn()
    eyes = [each[2] for each in found if each[:2] == ("operator", "neurok.bake_play")]
    assert [(eye.index, eye.icon) for eye in eyes] == [(0, "HIDE_ON"), (1, "HIDE_OFF")]
    assert [each[2].index for each in found if each[:2] == ("operator", "neurok.bake_clear")] == [1]
    assert any(text.startswith("1-12  ") for text in labels())


def test_progress_is_shown(ball):
    from neurok_blender.scene.bakes.kinds import BakeOptions, bake_of
    from neurok_blender.session.state import session

    session.bake = bake_of(bpy.context, ball, session.take_of(ball), BakeOptions())
    session.bake.advance(0.0)
    assert ("progress", "Baking 1 of 12") in [each[:2] for each in drawn()]
    assert not any(each[:2] == ("operator", "neurok.bake") for each in drawn())
    session.abort()
    assert len(ball.neurok.bakes) == 0


@pytest.mark.parametrize("copies_actions", [True, False])
def test_a_copy_of_a_baked_object_is_cleared_by_itself(scene, copies_actions):
    """What both use stays until the last has no more need of it."""
    preferences = bpy.context.preferences.edit
    before = preferences.use_duplicate_action
    preferences.use_duplicate_action = copies_actions
    try:
        _clear_a_copy(scene)
    finally:
        preferences.use_duplicate_action = before


def _clear_a_copy(scene):
    for kind in ("SHAPE_KEYS", "COMPRESSED", "ARMATURE"):
        ball, shapes = rigid()
        bpy.ops.neurok.bake(kind=kind, tolerance=1e-3)
        bpy.ops.object.select_all(action="DESELECT")
        ball.select_set(True)
        bpy.ops.object.duplicate()
        copy = bpy.context.active_object
        assert copy != ball and len(copy.neurok.bakes) == 1
        bpy.ops.neurok.bake_clear()
        assert not copy.modifiers and copy.data.shape_keys is None and not copy.vertex_groups and copy.parent is None
        scene.frame_set(9)
        assert abs(shown(ball) - shapes[8]).max() < 1e-4, kind
        bpy.context.view_layer.objects.active = ball
        bpy.ops.neurok.bake_clear()
        assert not ball.modifiers and ball.data.shape_keys is None and ball.parent is None
        assert not bpy.data.armatures
        for obj in (ball, copy):
            bpy.data.objects.remove(obj)
