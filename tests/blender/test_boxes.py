"""The boxes of the sidebar hold still: what is found out, simulated and baked changes no button's place."""

import bpy
import pytest

from tests.blender.helpers import add_ball, wait_until
from tests.blender.layouts import BUTTON, drawn_panel
from tests.blender.layouts import sidebar_places as all_places

TALLEST = 890.0  # pixels of the sidebar in a window of 1000


@pytest.fixture
def watched(scene):
    from neurok_blender.session.background_analysis import background_analysis

    ball = add_ball()
    bpy.ops.neurok.condition_add(kind="POKE")
    background_analysis.forget()
    background_analysis.watch(ball)
    yield ball
    background_analysis.forget()


def analysed(ball) -> None:
    from neurok_blender.session.background_analysis import background_analysis
    from neurok_blender.session.piece_rows import show_rows

    assert wait_until(lambda: (background_analysis.tick(), background_analysis.is_current(ball))[1], 30.0)
    show_rows(ball)


def sidebar_places():
    """Of what is always there: the button of an implausible size has its place in the lines of what was found."""
    found, height = all_places()
    return [place for place in found if place[2] != "neurok.size"], height


def labels(panel: str) -> list[str]:
    return [name for _top, kind, name in drawn_panel(panel).places() if kind == "label"]


def test_nothing_moves_when_the_analysis_arrives_and_when_it_is_out_of_date(watched):
    before = sidebar_places()
    assert "Analyzing..." in labels("object")
    analysed(watched)
    assert sidebar_places() == before and "Analyzing..." not in labels("object")
    watched.scale = (0.5, 0.5, 0.5)
    bpy.context.view_layer.update()
    assert "Analyzing..." in labels("object") and sidebar_places() == before
    watched.scale.z = 0.0
    bpy.context.view_layer.update()
    from neurok_blender.session.background_analysis import background_analysis

    assert wait_until(lambda: (background_analysis.tick(), bool(background_analysis.finding_of(watched).message))[1], 9)
    assert any("scaled to nothing" in line for line in labels("object")) and sidebar_places() == before


def test_all_boxes_fit_a_window_and_stay_with_a_take(watched):
    from neurok_blender.session.state import session

    analysed(watched)
    before, height = sidebar_places()
    lowest = max(top for top, _kind, name in before if name in ("neurok.bake", "neurok.bake_all"))
    assert lowest + BUTTON <= TALLEST
    bpy.ops.neurok.simulate()
    while session.bake_sizes.is_working or not any("Suggested" in line for line in labels("bake")):
        session.bake_sizes.tick()
    assert sidebar_places() == (before, height)


def test_another_choice_of_how_it_moves_is_told_at_once(watched):
    analysed(watched)
    watched.neurok.provider = "RIGID"
    assert "Analyzing..." in labels("object")
    analysed(watched)
    assert "Rigid" in labels("object")
