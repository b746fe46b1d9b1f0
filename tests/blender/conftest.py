"""The add-on, registered once, and an empty file for each test."""

import bpy
import pytest

# What Blender itself says on stderr; Blender 4.2 tells there which file it exports.
BLENDERS_OWN = ("Writing to ",)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Nothing of ours may turn up in an artist's terminal: a test that leaves a line on stderr has failed."""
    report = yield
    if call.when != "teardown":  # the report that has what all three parts of the test left
        return report
    lines = [line for line in report.capstderr.splitlines() if line.strip() and not line.startswith(BLENDERS_OWN)]
    if report.passed and lines:
        report.outcome, report.longrepr = "failed", "\n".join([f"{item.nodeid} leaves on stderr:", *lines])
    return report


@pytest.fixture(scope="session")
def addon():
    import neurok_blender

    neurok_blender.register()
    yield neurok_blender
    # The bpy module does not end while classes are registered.
    neurok_blender.unregister()


@pytest.fixture
def german(addon, monkeypatch):
    """The bpy module is built without languages, so what asks Blender for a text asks the table itself."""
    from neurok_blender.operators import finding_operator as finding_operator
    from neurok_blender.panels import simulate_panel as simulate_panel
    from neurok_blender.session import backend_text
    from neurok_blender.translations import tables

    table = tables()["de"]
    for module, name in (
        (backend_text, "iface_"),
        (backend_text, "rpt_"),
        (finding_operator, "iface_"),
        (simulate_panel, "iface_"),
    ):
        monkeypatch.setattr(module, name, lambda text, context="*": table.get((context, text), text))


@pytest.fixture
def scene(addon):
    """The scene of an empty file; nothing runs and nothing is remembered from the test before."""
    from neurok_blender.session.state import session

    session.abort()
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.context.scene.neurok.frame_count = 12
    yield bpy.context.scene
    session.abort()
    bpy.ops.wm.read_homefile(use_empty=True)
