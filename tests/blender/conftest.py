"""The add-on, registered once, and an empty file for each test."""

import bpy
import pytest


@pytest.fixture(scope="session")
def addon():
    import neurok_blender

    neurok_blender.register()
    yield neurok_blender
    # The bpy module does not end while classes are registered.
    neurok_blender.unregister()


@pytest.fixture
def scene(addon):
    """The scene of an empty file; nothing runs and nothing is remembered from the test before."""
    from neurok_blender.session import session

    session.abort_simulation()
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.context.scene.neurok.frame_count = 12
    yield bpy.context.scene
    session.abort_simulation()
    bpy.ops.wm.read_homefile(use_empty=True)
