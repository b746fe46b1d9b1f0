"""Coming and going without a trace."""

import time

import bpy

from tests.blender.helpers import add_rigid_ball, is_alive, stored, wait_until


def footprint() -> dict[str, int]:
    """How much of everything that an add-on could leave behind is there."""
    import neurok_blender

    handlers = {
        name: len(getattr(bpy.app.handlers, name))
        for name in dir(bpy.app.handlers)
        if isinstance(getattr(bpy.app.handlers, name), list)
    }
    return {
        **handlers,
        "classes": sum(getattr(item, "is_registered", False) for item in neurok_blender.CLASSES),
        "types": sum(name.startswith("NEUROK") for name in dir(bpy.types)),
        "menu": len(bpy.types.VIEW3D_MT_mesh_add._dyn_ui_initialize()),
        "object": int(hasattr(bpy.types.Object, "neurok")),
        "scene": int(hasattr(bpy.types.Scene, "neurok")),
    }


def test_registers_and_leaves_again_and_again(addon):
    present = footprint()
    assert present["object"] == present["scene"] == 1
    absent = []
    for _round in range(3):
        addon.unregister()
        absent.append(footprint())
        started = time.perf_counter()
        addon.register()
        assert time.perf_counter() - started < 0.05
        assert footprint() == present
    assert absent[0] == absent[1] == absent[2]
    assert absent[0]["classes"] == absent[0]["types"] == absent[0]["object"] == absent[0]["scene"] == 0


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
    for group in addon.properties.CLASSES:
        for item in group.bl_rna.properties:
            if item.identifier not in ("rna_type", "name", "conditions", "active_condition"):
                assert item.description, item.identifier


def test_unregistering_restores_a_posed_mesh_and_ends_the_worker(addon, scene):
    from neurok_blender.session import session

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
