"""The menu of providers: what ships, what a worker tells of, and one of one's own from a file to a take."""

import os
import re
import zlib
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Vector

from tests.blender.helpers import add_ball, add_rigid_ball, settle, stored, wait_until

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
NAMES = ["AUTO", "ELASTIC", "RIGID", "LEARNED", "ARTICULATED", "COMPOSED", "SHEET"]


@pytest.fixture(autouse=True)
def shipped(scene):
    """The menu as it is before a worker says hello; the next test has a worker without extensions again."""
    from neurok_blender.properties.provider_menu import menu
    from neurok_blender.session.state import session

    menu.forget()
    session.close_runner()
    yield menu
    session.close_runner()
    menu.forget()


@pytest.fixture
def twist_file(tmp_path, monkeypatch):
    """The provider of docs/extending.md, which the next worker loads."""
    path = tmp_path / "twist.py"
    path.write_text(re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)[0])
    monkeypatch.setenv("NEUROK_EXTENSIONS", str(path))
    return path


def simulate():
    assert bpy.ops.neurok.simulate() == {"FINISHED"}


def greet():
    """A worker says hello when somebody simulates."""
    add_rigid_ball(name="First")
    simulate()


def add_twisted():
    ball = add_ball(name="Twisted")
    ball.neurok.provider = "TWIST"
    return ball


def test_what_ships_is_what_the_registry_tells():
    from backend.understanding.providers.registry import BUILT_IN, provider_entries
    from neurok_blender.properties.provider_menu import SHIPPED, ProviderMenu

    told = ProviderMenu()
    told.learn(provider_entries()[: 1 + sum(each.offered for each in BUILT_IN)], [])
    assert told.entries == SHIPPED


def test_identifiers_and_numbers_of_files_never_change(shipped):
    from neurok_blender.properties.provider_menu import ProviderEntry

    assert [(item[0], item[4]) for item in shipped.items("")] == list(zip(NAMES, range(7), strict=True))
    assert ProviderEntry("twist", "Twist", "").number == 2**23 + zlib.crc32(b"twist") % 2**23
    assert add_ball().neurok.provider == "AUTO"


def test_the_menu_speaks_the_artists_language(shipped, monkeypatch):
    from neurok_blender.properties import provider_menu
    from neurok_blender.translations import tables

    table = tables()["de"]
    for name in ("iface_", "tip_"):
        monkeypatch.setattr(provider_menu, name, lambda text: table["*", text])
    assert [item[1] for item in shipped.items("")][:3] == ["Automatisch", "Elastisch", "Starr"]


def test_a_worker_tells_the_menu(shipped):
    from neurok_blender.properties.provider_menu import SHIPPED

    greet()
    assert shipped.entries == SHIPPED and shipped.entries is not SHIPPED and shipped.problems == ()


def test_one_of_ones_own_is_chosen_and_simulated(scene, twist_file):
    from neurok_blender.operators.finding_operator import found_lines
    from neurok_blender.session.background_analysis import background_analysis

    greet()
    ball = add_twisted()
    assert bpy.ops.neurok.condition_add(kind="POKE") == {"FINISHED"}
    rest = stored(ball.data)
    simulate()
    scene.frame_set(8)
    found = background_analysis.finding_of(ball).summary
    assert found["provider"] == "twist" and found_lines(found)[0] == "Twist"
    moved = np.abs(stored(ball.data) - rest)
    assert moved.max() > 1e-3
    assert moved[rest[:, 2] == rest[:, 2].min()].max() < 1e-6  # it stands on its bottom


def test_one_of_ones_own_has_sliders_in_pose_mode(twist_file):
    from neurok_blender.session.pose_session import Pose

    greet()
    ball = add_twisted()
    drawn = stored(ball.data)
    pose = Pose(bpy.context, ball)
    assert wait_until(lambda: (pose.tick(), pose.is_ready)[1], 30.0), pose.interactive.message
    settle(pose)
    assert [slider.name for slider in ball.neurok.coordinates] == ["Twist", "Stretch"]
    ball.neurok.coordinates[1].value = 1.0
    settle(pose)
    assert np.ptp(stored(ball.data)[:, 2]) == pytest.approx(1.6 * np.ptp(drawn[:, 2]), rel=1e-4)
    pose.end()


def test_a_file_keeps_what_was_chosen_while_no_worker_knows_it(twist_file, shipped, tmp_path, monkeypatch):
    from neurok_blender.scene.provider import provider_of
    from neurok_blender.session.state import session

    greet()
    add_twisted()
    bpy.ops.neurok.condition_add(kind="POKE")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kept.blend"))
    session.close_runner()
    shipped.forget()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "kept.blend"))
    ball = bpy.data.objects["Twisted"]
    assert ball.neurok.provider == "TWIST" and provider_of(ball) == "twist"
    assert shipped.items(ball.neurok.provider_name)[-1][2] == "Comes from an extension that is not loaded"
    bpy.context.view_layer.objects.active = ball
    simulate()
    assert shipped.entry("twist").description == "The top turns against the bottom, and rises"
    assert ball.neurok.provider == "TWIST"


def test_an_extension_that_does_not_run_is_told_and_ends_nothing(twist_file, shipped, monkeypatch):
    broken = twist_file.with_name("broken.py")
    broken.write_text("1 / 0")
    monkeypatch.setenv("NEUROK_EXTENSIONS", os.pathsep.join(map(str, (broken, twist_file))))
    greet()
    (problem,) = shipped.problems
    message, remedy = str(problem), str(problem.remedy)
    assert message == "The extension 'broken.py' does not run (ZeroDivisionError: division by zero)."
    assert remedy == "Correct its path or the file, and start the backend again."
    assert shipped.entries[-1].name == "twist"


def test_one_of_ones_own_is_pulled_at_live(twist_file):
    from neurok_blender.session.live_session import Grab, Live

    greet()
    ball = add_twisted()
    live = Live(bpy.context, ball)
    assert wait_until(lambda: (live.tick(), live.is_ready)[1], 30.0), live.interactive.message
    top = Vector((0.0, 0.0, 1.0))
    live.grab = Grab(top, top + Vector((0.0, 0.0, 0.5)), 0.3)
    assert wait_until(lambda: (live.tick(0.002), live.steps >= 24)[1], 30.0)
    assert stored(ball.data)[:, 2].max() > 1.1
    live.interactive.end()


def test_files_in_the_preferences_are_looked_at_by_another_worker(scene, twist_file, shipped, monkeypatch):
    from neurok_blender.setup import extensions

    monkeypatch.setenv("NEUROK_EXTENSIONS", "")
    page = SimpleNamespace(preferences=SimpleNamespace(extensions=str(twist_file)))
    stand_in = SimpleNamespace(
        context=SimpleNamespace(preferences=SimpleNamespace(addons={extensions.PACKAGE: page})), path=bpy.path
    )
    monkeypatch.setattr(extensions, "bpy", stand_in)
    assert extensions.extensions() == str(twist_file)
    greet()
    assert shipped.entries[-1].name == "twist"


def test_the_worker_is_started_anew_with_other_extensions(twist_file, shipped, monkeypatch):
    from neurok_blender.session.state import session

    greet()
    worker = session._runner
    simulate()
    assert session._runner is worker and shipped.entries[-1].name == "twist"
    monkeypatch.delenv("NEUROK_EXTENSIONS")
    simulate()
    assert session._runner is not worker and [entry.identifier for entry in shipped.entries] == NAMES
