"""A size that cannot be: told in the Object box, and simulated as it likely is by one click."""

import bpy
import pytest

from tests.blender.helpers import add_rigid_ball
from tests.blender.layouts import drawn_panel


@pytest.fixture
def giant(scene):
    """A ball of 2 m, of which the backend's summary says that it is one of 10 cm."""
    from neurok_blender.scene.mesh_io import look_at
    from neurok_blender.session.background_analysis import background_analysis

    ball = add_rigid_ball()
    bpy.context.view_layer.update()
    ball.neurok.provider = "RIGID"
    summary = {"provider": "rigid", "mass": 1.0, "warnings": [], "size_guess": 0.1}
    background_analysis.keep(ball.data.session_uid, look_at(bpy.context, ball), "rigid", summary)
    yield ball
    background_analysis.forget()


def test_one_click_simulates_it_as_it_likely_is_and_the_next_as_it_is_drawn(giant, scene):
    from neurok_blender.api import simulate

    def fallen() -> float:
        giant.neurok.anchor = "NONE"
        scene.neurok.frame_count = 13
        take = simulate(giant)[0]
        return float(take.positions(1)[:, 2].mean() - take.positions(13)[:, 2].mean())

    assert bpy.ops.neurok.size() == {"FINISHED"}
    assert giant.neurok.size == pytest.approx(0.1)
    as_it_is = fallen()
    assert bpy.ops.neurok.size() == {"FINISHED"}
    assert giant.neurok.size == 0.0
    assert as_it_is == pytest.approx(20.0 * fallen(), rel=1e-3)


def test_the_box_tells_it_and_keeps_its_height(giant):
    from neurok_blender.operators.size_operator import NEUROK_OT_size, likely_size

    def drawn() -> list[tuple[float, str, str]]:
        return [place for place in drawn_panel("object").places() if place[1] != "label"]

    def texts() -> list[str]:
        everything = drawn_panel("object").everything()
        return [button.text for _kind, name, button in everything if name == "neurok.size"]

    told = drawn()
    assert "neurok.size" in [name for _top, _kind, name in told]
    assert texts() == ["Simulate as 10 cm Long"]
    assert NEUROK_OT_size.description(bpy.context, None).startswith("Drawn 2 m long. Simulate the object as large as")
    giant.neurok.size = 0.1
    assert texts() == ["Simulated as 10 cm Long"]
    assert drawn() == told
    giant.neurok.size = 0.0
    assert likely_size(giant, {"size_guess": 1.0}) is None and likely_size(giant, {"size_guess": None}) is None
    assert likely_size(giant, {"size_guess": 25.37}) == 25.0
    giant.dimensions = (0.2, 0.2, 0.2)
    bpy.context.view_layer.update()
    assert drawn() == [place for place in told if place[2] != "neurok.size"]
