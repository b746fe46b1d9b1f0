"""The examples of docs/scripting.md run, one after the other as in one script, and the module does what it says."""

import re
import sys
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.helpers import add_ball, add_rigid_ball, stored

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "scripting.md"


@pytest.fixture
def neurok(scene):
    from neurok_blender import api

    return api


def test_the_document_runs(neurok, scene, monkeypatch, capsys):
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 6
    # The name under which Blender knows an installed extension.
    parts = ["bl_ext", "bl_ext.user_default", "bl_ext.user_default.neurok"]
    for part in parts:
        monkeypatch.setitem(sys.modules, part, ModuleType(part))
    sys.modules[parts[-1]].api = neurok
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(DOCUMENT), "exec"), names)
    assert names["pushed"][0] > 0.3 and names["drawn"].shape == (len(names["head"].data.vertices), 3)
    said = capsys.readouterr().out
    assert "48 shape keys" in said and "has no" in said.splitlines()[-1]


def test_what_the_document_names_is_all_there_is(neurok):
    text = DOCUMENT.read_text(encoding="utf-8")
    for name in neurok.__all__:
        assert re.search(rf"`?{name}\b", text), name
    listed = set(re.findall(r"`(\w+)\(", "".join(re.findall(r"^\|.*$", text, re.M))))
    assert listed == {name for name in neurok.__all__ if not name[0].isupper()}


def test_an_analysis_says_what_the_panel_says(neurok):
    from neurok_blender.backend.texts import from_wire, in_english
    from neurok_blender.session.background_analysis import background_analysis

    ball = add_rigid_ball()
    found = neurok.analyse(ball)
    assert (found["provider"], found["degrees_of_freedom"]) == ("rigid", 6)
    assert in_english(from_wire(background_analysis.finding_of(ball).summary)) == found
    assert neurok.analyse(ball) == found


def test_a_poke_lands_where_it_is_wanted_and_pushes_as_it_is_told(neurok, scene):
    ball = add_ball(location=(3.0, 0.0, 0.0), rotation_euler=(0.0, 0.0, 1.0), scale=(2.0, 2.0, 2.0))
    poke = neurok.add_poke(ball, (3.0, 0.0, 9.0), (1.0, 0.0, -2.0), frame=7)
    told = neurok.conditions(ball)["pokes"][0]
    assert told["point"] == pytest.approx([3.0, 0.0, 2.0], abs=1e-5)
    assert told["speed"] == pytest.approx([1.0, 0.0, -2.0], abs=1e-5) and told["start"] == 7
    assert poke == ball.neurok.conditions[0]


def test_motions_are_in_the_world_and_end_with_the_take(neurok, scene):
    ball = add_rigid_ball(location=(0.0, 0.0, 5.0), scale=(1.0, 1.0, 3.0))
    drawn = np.array([ball.matrix_world @ Vector(place) for place in stored(ball.data)])
    (motion,) = neurok.simulate(ball)
    assert motion.frames == range(1, 13) and motion.fps == 24.0
    np.testing.assert_allclose(motion.positions(1), drawn, atol=1e-5)
    fallen = motion.positions(1)[:, 2] - motion.positions(12)[:, 2]
    np.testing.assert_allclose(fallen, 0.5 * 9.81 * (11.0 / 24.0) ** 2, rtol=0.01)
    assert neurok.motion_of(ball) is not None
    neurok.discard(ball)
    assert neurok.motion_of(ball) is None


def test_refusals_are_raised(neurok, scene):
    empty = bpy.data.objects.new("Empty", None)
    with pytest.raises(neurok.Refusal, match="There is no active mesh object"):
        neurok.simulate(empty)
    flat = bpy.data.objects.new("Points", bpy.data.meshes.new("Points"))
    scene.collection.objects.link(flat)
    with pytest.raises(neurok.Refusal, match="Give it faces first"):
        neurok.add_poke(flat)
    with pytest.raises(neurok.Refusal, match="Points has no"):
        neurok.analyse(flat)
