"""What the Bake box draws: sizes before baking, a suggestion, one button, the list of takes."""

from types import SimpleNamespace

import bpy
import pytest

from tests.blender.helpers import shown
from tests.blender.test_bake_kinds import rigid


class Layout:
    """Notes what is drawn, and that every property and operator is there."""

    def __init__(self, drawn: list):
        self._drawn = drawn

    def _below(self, **_options):
        return Layout(self._drawn)

    row = column = box = _below

    def label(self, text="", **_options):
        self._drawn.append(("label", text))

    def prop(self, data, name, **_options):
        assert name in data.bl_rna.properties, name
        self._drawn.append(("prop", name))

    def progress(self, factor, text):
        self._drawn.append(("progress", text))

    def template_list(self, idname, _number, data, items, active_data, active, **_options):
        assert hasattr(bpy.types, idname) and hasattr(data, items) and hasattr(active_data, active)
        for index, item in enumerate(getattr(data, items)):
            getattr(bpy.types, idname).draw_item(None, None, self, data, item, 0, active_data, active, index)

    def operator(self, idname, text="", icon="NONE", **_options):
        module, name = idname.split(".")
        kind = getattr(getattr(bpy.ops, module), name).get_rna_type()
        button = SimpleNamespace(icon=icon)
        self._drawn.append(("operator", str(idname), button))
        allowed = set(kind.properties.keys())

        class Button:
            def __setattr__(self, name, value):
                assert name in allowed, name
                setattr(button, name, value)

        return Button()


def drawn() -> list:
    from neurok_blender.panels.bake_panel import NEUROK_PT_bake

    found: list = []
    context = SimpleNamespace(
        active_object=bpy.context.active_object,
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)),
        region=SimpleNamespace(width=600),
    )
    panel = SimpleNamespace(
        layout=Layout(found),
        **{
            name: getattr(NEUROK_PT_bake, name).__get__(SimpleNamespace(layout=Layout(found)))
            for name in ("_draw_choices", "_draw_button", "_draw_takes")
        },
    )
    panel._draw_choices.__self__._draw_sizes = NEUROK_PT_bake._draw_sizes.__get__(panel)
    NEUROK_PT_bake.draw(panel, context)
    return found


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

    assert "0.01 MB" not in labels()  # drawing never works
    while session.bake_sizes.is_working:
        session.bake_sizes.tick()
    found = labels()
    assert found.count("0.01 MB") >= 2  # 12 frames x 62 vertices x 12 bytes = 8928 bytes, in keys or in a file
    assert "Suggested: Armature" in found


def test_the_button_does_what_the_box_says(ball):
    settings = ball.neurok.bake
    settings.kind, settings.step, settings.use_start, settings.start = "COMPRESSED", 3, True, 50
    (button,) = [each[2] for each in drawn() if each[:2] == ("operator", "neurok.bake")]
    assert (button.kind, button.step, button.start) == ("COMPRESSED", 3, 50)
    fields = {each[1] for each in drawn() if each[0] == "prop"}
    assert {"kind", "tolerance", "step", "start"} <= fields and not {"influences", "file", "place"} & fields
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
    assert drawn() == [("progress", "Baking 1 of 12")]
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
