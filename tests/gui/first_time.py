"""What a first-time artist does: a new file, a mesh, and as few clicks as it takes to a baked motion."""

import json
import time
from collections.abc import Callable

from scene import Scene

__all__ = ["CHAPTERS"]

MOVED = "float(abs(drawn_shape(object.name) - rest_shape).max() / max(object.dimensions))"
AIM_CLICKS = 3
AIM_SECONDS = 15.0


def three_clicks(scene: Scene) -> None:
    window, check = scene.window, scene.check
    window.ask("bpy.ops.wm.read_homefile()")
    scene.name = window.ask(
        """
        with in_view():
            bpy.ops.mesh.primitive_monkey_add(location=(3, 0, 0))
            bpy.ops.view3d.view_selected()
        answer = bpy.context.object.name
        """
    )
    scene.sidebar.open()
    window.ask(f"rest_shape = drawn_shape({scene.name!r})")
    clicks = 0
    window.screenshot("first-0-begin")
    scene.sidebar.click("neurok.simulate")
    clicks += 1
    taken = f"answer = addon('session.state').session.take_of(bpy.data.objects[{scene.name!r}]) is not None"
    window.screenshot("first-1-simulating")
    window.wait_for("the motion", taken, 120)
    check(window.ask("answer = bpy.context.screen.is_animation_playing"), "the view plays it")
    scene.stop_playing()
    check(not scene.notice()["bad"], scene.notice()["message"])
    scene.sidebar.click("neurok.bake(")
    clicks += 1
    window.wait_for("the bake", "answer = addon('session.state').session.bake is None", 60)
    keys = scene.object("len(object.data.shape_keys.key_blocks)")
    check(keys == 121, f"{keys} shape keys are there")
    most = 0.0
    for frame in (3, 5, 7, 9):
        window.ask(f"bpy.context.scene.frame_set({frame})")
        most = max(most, scene.object(MOVED))
        window.screenshot(f"first-2-frame-{frame}")
    check(0.02 < most < 1.0, f"the baked motion reaches {most:.0%} of the object's size")
    window.ask(f"bpy.context.scene.frame_set(108); rest_shape = drawn_shape({scene.name!r})")
    window.ask("bpy.context.scene.frame_set(120)")
    check(scene.object(MOVED) < 0.01, "and comes to rest")
    scene.figure("clicks from a new mesh to a baked motion", clicks, "clicks")
    check(clicks <= AIM_CLICKS, f"{clicks} clicks are enough")


def learned(scene: Scene) -> None:
    """Without PyTorch and before anything was downloaded a door opens by its hinges."""
    window, check = scene.window, scene.check
    scene.begin("bpy.ops.neurok.sample_add(kind='CABINET')")
    scene.sidebar.find("neurok.simulate")
    begun = time.monotonic()
    scene.sidebar.click("neurok.simulate")
    taken = f"answer = addon('session.state').session.take_of(bpy.data.objects[{scene.name!r}]) is not None"
    window.wait_for("the motion", taken, 120)
    seconds = time.monotonic() - begun
    scene.stop_playing()
    check(not scene.notice()["bad"], scene.notice()["message"])
    found = json.loads(scene.object("settings.found"))
    check(found["provider"] == "learned", f"it moves as learned, {100.0 * found['confidence']:.0f} % sure")
    check(found["engine"] == "onnx", f"on the engine {found['engine']}")
    scene.figure("learned, from the click to the last frame", seconds, "s")
    check(seconds < AIM_SECONDS, f"within {AIM_SECONDS:.0f} s of the click")
    for frame in (10, 24, 60):
        window.ask(f"bpy.context.scene.frame_set({frame})")
        window.settle()
        window.screenshot(f"first-3-learned-{frame}")


CHAPTERS: dict[str, Callable[[Scene], None]] = {"first-time": three_clicks, "learned": learned}
