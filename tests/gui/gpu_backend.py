"""Setting up PyTorch in a real window: what the dialog asks, wheels that cannot compute, a Python without PyTorch."""

import sys
from collections.abc import Callable
from pathlib import Path

from scene import Scene

sys.path.append(str(Path(__file__).resolve().parents[2]))
from tests.wheels import pointing_wheels

__all__ = ["CHAPTERS"]

MODULE = "bl_ext.user_default.neurok"
BALL = "bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=1.0)"
SESSION = "addon('session.state').session"
SHOW_PAGE = f"""
area = view_area()
area.type = "PREFERENCES"
bpy.context.preferences.active_section = "ADDONS"
bpy.context.window_manager.addon_search = "NeuROK"
with bpy.context.temp_override(window=window(), area=area, region=area.regions[-1]):
    if not addon_is_open:
        bpy.ops.preferences.addon_expand(module={MODULE!r})
addon_is_open = True
area.tag_redraw()
"""
SHOW_VIEW = """
area = next(each for each in window().screen.areas if each.type == "PREFERENCES")
area.type = "VIEW_3D"
"""
SECONDS = 180.0  # for pip and Python to start, on a busy machine


def _ask_for(scene: Scene, picture: str, **choice: str) -> None:
    """Open the dialog in the middle of the view, and look at it."""
    window = scene.window
    window.point_at(scene.middle_of_view())
    words = "".join(f", {name}={value!r}" for name, value in choice.items())
    window.ask(f"with in_view(): bpy.ops.neurok.backend_setup('INVOKE_DEFAULT'{words})")
    window.settle()
    window.xdotool("sleep", 1)
    window.screenshot(picture)


def _end(scene: Scene, picture: str) -> dict:
    """What is told when the set-up has ended, on the page of the preferences too."""
    window = scene.window
    window.ask(SHOW_PAGE)
    window.settle()
    window.xdotool("sleep", 1)
    window.screenshot(f"{picture}-before")
    window.wait_for("the end of the set-up", f"answer = {SESSION}.setup is None", SECONDS)
    window.settle()
    window.xdotool("sleep", 1)
    window.screenshot(picture)
    window.ask(SHOW_VIEW)
    return scene.notice()


def the_gpu_backend(scene: Scene) -> None:
    scene.begin(BALL)
    window, check = scene.window, scene.check
    window.ask("addon_is_open = False; bpy.context.preferences.system.use_online_access = False")
    _ask_for(scene, "gpu-1-dialog")
    window.key("Escape")
    check(window.ask(f"answer = {SESSION}.setup is None"), "Esc leaves the dialog, and nothing is set up")

    wheels = window.machine.folder / "wheels"
    pointing_wheels(wheels, Path("/dev/null"), torch="raise ImportError('this PyTorch was made without a GPU')")
    _ask_for(scene, "gpu-2-dialog-folder", source="FOLDER", device="CPU")
    window.key("Return")  # OK
    scene.browse(window.machine.inside(wheels), "", "gpu-3-folder")
    window.wait_for("the set-up to begin", f"answer = {SESSION}.setup is not None", 30)
    told = _end(scene, "gpu-4-failed")
    check(told["bad"] and "The GPU backend failed its test" in told["message"], told["message"])
    check("goes on" in told["remedy"], told["remedy"])
    left = window.ask("answer = sorted(path.name for path in addon('setup.paths').environments_directory().iterdir())")
    check(left == [], f"nothing is left of it{''.join(f', but {name}' for name in left)}")

    _ask_for(scene, "gpu-5-dialog-python", source="PYTHON", device="CPU")
    window.key("Return")
    scene.browse("/usr/bin/", "python3", "gpu-6-python")
    window.wait_for("the set-up to begin", f"answer = {SESSION}.setup is not None", 30)
    told = _end(scene, "gpu-7-no-torch")
    check(told["bad"] and "lacks the package torch" in told["message"], told["message"])
    check("has PyTorch" in told["remedy"], told["remedy"])
    window.wait_for("the present backend", f"answer = {SESSION}.chooser.tick().state.value != 'checking'", 60)

    window.ask("bpy.ops.neurok.backend_check()")
    status = window.ask(f"answer = [{SESSION}.chooser.status.label, {SESSION}.chooser.status.message]")
    check(
        status[0] == "Blender's Python" and "ONNX Runtime on CPU" in status[1], f"what simulates is still {status[1]}"
    )


CHAPTERS: dict[str, Callable[[Scene], None]] = {"gpu-backend": the_gpu_backend}
