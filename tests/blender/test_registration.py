"""Coming and going without a trace."""

import gc
import json
import subprocess
import sys

import bpy
import pytest

from tests.blender.footprint import children, footprint, handler_functions, ours
from tests.blender.helpers import add_rigid_ball, is_alive, stored, wait_until
from tests.job.worker_client import STAGE as PACKAGE

ROUNDS = 8
TIMES_PLAIN = 25.0  # what registering may take, as multiples of what 200 empty classes take; 6 on a quiet machine

# A Blender that has never seen the add-on: what registering takes, and which modules it brings along.
FRESH = """
import json, sys, time
import bpy
before = set(sys.modules)
import neurok_blender
modules = sorted(set(sys.modules) - before)
plain = [
    type(f"PLAIN_OT_{{number}}", (bpy.types.Operator,), dict(bl_idname=f"plain.n{{number}}", bl_label="Plain"))
    for number in range(200)
]
ours, theirs = [], []
for _round in range({rounds}):
    started = time.perf_counter()
    neurok_blender.register()
    ours.append(time.perf_counter() - started)
    neurok_blender.unregister()
    started = time.perf_counter()
    for each in plain:
        bpy.utils.register_class(each)
    theirs.append(time.perf_counter() - started)
    for each in plain:
        bpy.utils.unregister_class(each)
print(json.dumps(dict(times_plain=min(ours) / min(theirs), modules=modules)))
sys.stdout.flush()
__import__("os")._exit(0)  # the bpy module may hang at its own end
"""


@pytest.fixture
def absent(addon):
    """The add-on is switched off for the test, as one finds Blender before."""
    addon.unregister()
    try:
        assert wait_until(lambda: not children() and not footprint()["threads"], 5.0)  # of the test before
        yield addon
    finally:
        addon.register()


def test_often_on_and_off_leaves_nothing(absent):
    before, present, objects = footprint(), None, []
    for _round in range(ROUNDS):
        absent.register()
        present = present or footprint()
        assert footprint() == present
        absent.unregister()
        assert footprint() == before
        gc.collect()
        objects.append(len(gc.get_objects()))
    assert present["properties"] > before["properties"] and present["menu entries"]
    # The first rounds may fill caches; after them Python's own objects grow no more.
    assert max(objects[3:]) - min(objects[3:]) < ROUNDS


def test_a_simulation_in_between_leaves_nothing_either(absent):
    """Classes, handlers and processes of a session in which something was done."""
    before = footprint()
    for _round in range(ROUNDS // 4):
        absent.register()
        bpy.ops.wm.read_homefile(use_empty=True)
        bpy.context.scene.neurok.frame_count = 3
        add_rigid_ball()
        assert bpy.ops.neurok.simulate() == {"FINISHED"}
        assert children()
        absent.unregister()
        assert wait_until(lambda: not children(), 5.0)
        bpy.ops.wm.read_homefile(use_empty=True)
        assert wait_until(lambda: footprint() == before, 2.0), {
            name: (value, before[name]) for name, value in footprint().items() if value != before[name]
        }


def test_it_is_switched_off_where_a_script_has_emptied_a_list_of_handlers(absent):
    before = footprint()
    absent.register()
    bpy.app.handlers.frame_change_post.clear()
    absent.unregister()
    assert footprint() == before


def test_nothing_of_ours_is_left_in_a_blender_without_the_addon(absent):
    found = footprint()
    assert not [name for name in found["types"] if name.startswith("NEUROK")]
    assert not [function for functions in handler_functions().values() for function in functions if ours(function)]
    assert found["menu entries"] == found["timers"] == found["threads"] == []
    assert not any(hasattr(item, "neurok") for item in (bpy.types.Object, bpy.types.Scene, bpy.types.WindowManager))


def test_registering_is_quick_and_brings_nothing_heavy_along(addon):
    # Not sys.executable, which the backend's processes are started with.
    command = [sys.orig_argv[0], "-c", FRESH.format(rounds=ROUNDS)]
    done = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    measured = json.loads(done.stdout.splitlines()[-1])
    assert measured["times_plain"] < TIMES_PLAIN
    heavy = ("scipy", "torch", "onnxruntime", "neurok_blender.backend.dynamics", "neurok_blender.backend.geometry")
    assert not [name for name in measured["modules"] if name.startswith(heavy)]


def test_registering_starts_no_process(addon, monkeypatch):
    import subprocess

    def refuse(*_arguments, **_options):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    addon.unregister()
    addon.register()


def test_every_operator_has_a_name_and_a_tooltip(addon):
    from neurok_blender import names

    for idname in names.Operator:
        module, name = idname.split(".")
        kind = getattr(getattr(bpy.ops, module), name).get_rna_type()
        assert kind.name and kind.description, idname


def test_every_property_has_a_tooltip(addon):
    from neurok_blender.properties.object_properties import CLASSES

    for group in CLASSES:
        for item in group.bl_rna.properties:
            # A list is drawn as one, without a tooltip of its own.
            if item.type != "COLLECTION" and item.identifier not in ("rna_type", "name", "active_condition"):
                assert item.description, item.identifier


def test_unregistering_restores_a_posed_mesh_and_ends_the_worker(addon, scene):
    from neurok_blender.session.state import session

    ball = add_rigid_ball()
    before = stored(ball.data)
    assert bpy.ops.neurok.simulate() == {"FINISHED"}
    scene.frame_set(10)
    assert stored(ball.data).tobytes() != before.tobytes()
    worker = session._runner._process.pid
    addon.unregister()
    try:
        assert stored(ball.data).tobytes() == before.tobytes()
        assert wait_until(lambda: not is_alive(worker), 2.0)
    finally:
        addon.register()
