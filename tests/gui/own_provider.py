"""A provider of one's own in a real window: its file in the preferences, its entry in the menu, a take."""

import re
from collections.abc import Callable
from pathlib import Path

from scene import Scene

__all__ = ["CHAPTERS"]

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
ADD_POST = "bpy.ops.mesh.primitive_cylinder_add(vertices=24, radius=0.3, depth=2.0)"
PREFERENCES = "bpy.context.preferences.addons[addon('names').PACKAGE].preferences"
LABELS = "[item[1] for item in addon('properties.provider_menu').menu.items('')]"


def an_own_provider(scene: Scene) -> None:
    code = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)[0]
    window, check = scene.window, scene.check
    window.ask(
        f"""
        import os
        own_file = os.path.join(bpy.app.tempdir, "twist.py")
        with open(own_file, "w", encoding="utf-8") as stream:
            stream.write({code!r})
        {PREFERENCES}.extensions = own_file
        """
    )
    scene.begin(ADD_POST)
    window.wait_for("the menu to have the provider", f"answer = 'Twist' in {LABELS}", 60)
    check(window.ask(f"answer = {LABELS}[-1]") == "Twist", "once the worker runs, Moves As lists the provider")
    scene.sidebar.click("provider")
    window.settle()
    window.screenshot("own-menu")
    window.key("t")  # the underlined letter of its entry
    window.wait_until("the entry to be chosen", lambda: scene.object("settings.provider") == "TWIST", 10)
    check(True, "it is chosen in the menu")
    window.point_at(scene.middle_of_view())
    scene.change("bpy.context.scene.neurok.frame_count = 48")
    window.ask(f"rest_shape = stored_shape({scene.name!r})")
    scene.take(60)
    found = scene.object("__import__('json').loads(settings.found)['provider']")
    check(found == "twist", "Simulate makes a take by it")
    window.ask("bpy.context.scene.frame_set(12)")
    moved = scene.object("float(abs(drawn_shape(object.name) - rest_shape).max() / max(object.dimensions))")
    check(moved > 0.01, f"the post moves by {moved:.1%} of its size")
    window.screenshot("own-simulated")
    window.ask(f"{PREFERENCES}.extensions = ''")


CHAPTERS: dict[str, Callable[[Scene], None]] = {"own_provider": an_own_provider}
