"""A robot in a real window: imported, its gripper led by an empty, two places keyed, baked and played."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

from scene import Scene

__all__ = ["CHAPTERS"]

SESSION = "addon('session.state').session"
FOLLOWER = "addon('session.ik_targets').follower"
PART = "link6"
FOLLOWING_SECONDS = 60.0
NEAR = 1e-3  # m
FRAMES = 24


def write_robot(scene: Scene) -> str:
    """An arm of six joints with two fingers, beside the run's mailbox; its path as Blender sees it."""
    made = importlib.util.spec_from_file_location("robots_made", Path(__file__).parents[1] / "blender" / "robots.py")
    assert made is not None and made.loader is not None
    module = importlib.util.module_from_spec(made)
    sys.modules[made.name] = module  # dataclasses look their module up there
    made.loader.exec_module(module)
    machine = scene.window.machine
    return machine.inside(module.write_arm(machine.folder / "arm.urdf"))


def tip(scene: Scene) -> list[float]:
    """Where the middle of the led part is shown."""
    return scene.window.ask(
        f"""
        object = bpy.data.objects[{scene.name!r}]
        joints = addon('scene.joint_parts')
        part = joints.vertex_parts(object.data, joints.face_parts(object.data), len(object.neurok.joints))
        chosen = drawn_shape(object.name)[part == object.neurok.joints.find({PART!r})]
        answer = [float(value) for value in chosen.mean(axis=0)]
        """
    )


def target(scene: Scene, expression: str):
    return scene.window.ask(f"target = bpy.data.objects['{PART} Target']; answer = {expression}")


def away(scene: Scene) -> float:
    """From the part as it is shown to the empty, m."""
    place = target(scene, "list(target.matrix_world.translation)")
    return sum((one - other) ** 2 for one, other in zip(tip(scene), place, strict=True)) ** 0.5


def await_rest(scene: Scene) -> None:
    """Until the robot has followed."""
    scene.window.wait_for("the robot to follow", f"answer = not {FOLLOWER}.is_active", FOLLOWING_SECONDS)
    scene.window.settle()


def bring_in(scene: Scene) -> None:
    """What File > Import calls, which goes on in the background; then what a script calls."""
    path, window, check = write_robot(scene), scene.window, scene.check
    scene.begin(f"bpy.ops.neurok.robot_read(filepath={path!r})", 120)
    check(scene.object("len(settings.joints)") == 9, "the robot has nine parts, read by what the zip brings")
    check(scene.object("settings.joints['link2'].weighed"), "and the masses of its file")
    window.ask(f"with in_view(): bpy.ops.neurok.robot_import(filepath={path!r})")
    window.wait_for("the robot to be imported", "answer = len(bpy.data.objects) == 2", 60)
    window.ask(
        f"""
        for thing in list(bpy.data.objects):
            if thing.name != {scene.name!r}:
                bpy.data.objects.remove(thing)
        bpy.context.view_layer.objects.active = bpy.data.objects[{scene.name!r}]
        bpy.data.objects[{scene.name!r}].select_set(True)
        bpy.ops.ed.undo_push(message='Imported')
        """
    )
    window.ask("view_area().spaces[0].region_3d.view_distance *= 1.4")
    window.settle()
    window.screenshot("robots-1-imported")


def lead(scene: Scene, shift: tuple[int, int], name: str) -> bool:
    """G in the view, as an artist does it; whether the robot moved before the mouse button was pressed."""
    window = scene.window
    before = scene.drawn()
    start = tuple(target(scene, "pixel_of(target.matrix_world.translation)"))
    end = (start[0] + shift[0], start[1] + shift[1])
    window.point_at(start)
    window.key("g")
    window.pull(start, end, moves=16)
    moving = "TRANSFORM_OT_translate" in window.ask("answer = modal_tools()")
    try:
        window.wait_until("the robot to move", lambda: scene.drawn() != before, FOLLOWING_SECONDS)
    finally:
        window.screenshot(f"robots-2-{name}-while-dragged")
    window.click_here()
    await_rest(scene)
    window.screenshot(f"robots-2-{name}")
    return moving


def follow(scene: Scene) -> None:
    window, check = scene.window, scene.check
    original = scene.stored()
    scene.change(f"settings.active_joint = settings.joints.find({PART!r})")
    window.settle()
    scene.sidebar.click("neurok.reach_add")
    window.wait_for("the empty", f"answer = '{PART} Target' in bpy.data.objects", 10)
    check(target(scene, "bpy.context.object == target"), "the empty is active")
    check(away(scene) < NEAR, "and stands where the part is")
    window.screenshot("robots-2-target")
    check(lead(scene, (160, 130), "near"), "the arm moves while the empty is dragged with G")
    missed = scene.object("settings.reaches[0].missing")
    check(away(scene) < missed + NEAR, f"the part is at the empty to {1000.0 * away(scene):.2f} mm")
    check(missed < NEAR, f"which is told as {1000.0 * missed:.2f} mm")
    near = target(scene, "list(target.location)")
    lead(scene, (420, -40), "far")
    missed = scene.object("settings.reaches[0].missing")
    check(missed > 0.02, f"an empty out of reach is told to be {1000.0 * missed:.0f} mm away")
    scene.undo()
    await_rest(scene)
    places = zip(target(scene, "list(target.location)"), near, strict=True)
    check(max(abs(a - b) for a, b in places) < 1e-5, "Ctrl-Z takes the empty back")
    check(away(scene) < NEAR, f"and the arm with it, to {1000.0 * away(scene):.2f} mm")
    check(not scene.notice()["bad"], scene.notice()["message"])
    window.ask(f"{SESSION}.stop_playing(bpy.data.objects[{scene.name!r}].data)")
    check(scene.stored() == original, "as drawn it is what it was, bit for bit")


def bake(scene: Scene) -> None:
    window, check = scene.window, scene.check
    window.ask(
        f"""
        target = bpy.data.objects['{PART} Target']
        bpy.context.scene.neurok.frame_count = {FRAMES}
        target.keyframe_insert('location', frame=1)
        target.location.z += 0.25
        target.location.x -= 0.2
        target.keyframe_insert('location', frame={FRAMES})
        bpy.context.view_layer.update()
        bpy.ops.ed.undo_push(message='Keyed')
        """
    )
    await_rest(scene)
    scene.sidebar.click("neurok.reach_bake")
    made = f"{SESSION}.one_shot is None and getattr({SESSION}.take_of(object), 'frame_count', 0) == {FRAMES}"
    window.wait_until("the take", lambda: scene.object(made), 120)
    check(not scene.notice()["bad"], scene.notice()["message"])
    for frame in (1, FRAMES // 2, FRAMES):
        window.ask(f"bpy.context.scene.frame_set({frame})")
        check(away(scene) < NEAR, f"at frame {frame} the part is at the empty to {1000.0 * away(scene):.2f} mm")
        window.settle()
        window.screenshot(f"robots-3-frame-{frame}")
    shapes = set()
    window.ask(f"bpy.context.scene.frame_end = {FRAMES}; bpy.context.scene.frame_set(1)")
    window.ask("with in_view(): bpy.ops.screen.animation_play()")
    window.wait_until("it to play", lambda: len(shapes.add(scene.drawn()) or shapes) > 4, 30)
    window.ask("with in_view(): bpy.ops.screen.animation_cancel()")
    check(len(shapes) > 4, "the take plays")


def robots(scene: Scene) -> None:
    bring_in(scene)
    follow(scene)
    bake(scene)


CHAPTERS: dict[str, Callable[[Scene], None]] = {"robots": robots}
