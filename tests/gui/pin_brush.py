"""The brush for pins, worked by hand in a real window: painting, erasing, each way to leave, and how long it takes."""

import time
from collections.abc import Callable

from scene import Scene

__all__ = ["CHAPTERS"]

Pixel = tuple[int, int]

BALL = "bpy.ops.mesh.primitive_uv_sphere_add(segments=96, ring_count=49, radius=1.0)"
# A sheet of 200,000 vertices that is seen slantwise.
LARGE = "bpy.ops.mesh.primitive_grid_add(x_subdivisions=446, y_subdivisions=446, size=2, rotation=(1.0, 0, 0.4))"
TOOL = "addon('operators.pin_brush_operator').NEUROK_OT_pin_brush"
GROUPS = "[group.name for group in object.vertex_groups]"
MEMBERS = "[v.index for v in object.data.vertices if any(g.group == 0 and g.weight > 0 for g in v.groups)]"
BUDGET_SECONDS = 0.050  # the longest that the tool may keep the window at a time


def begin(scene: Scene, make: str) -> None:
    """A file with one object that has a pin for painting; the mouse is over the object."""
    scene.begin(make)
    scene.change("bpy.ops.neurok.condition_add(kind='PIN'); setattr(settings.conditions[0], 'pin_source', 'PAINTED')")


def start_painting(scene: Scene) -> None:
    scene.sidebar.click("neurok.pin_brush")
    scene.check(is_painting(scene), "the brush is at work")
    scene.window.wait_until("the brush to be ready", lambda: scene.object(f"{TOOL}.running._loading is None"), 10)


def is_painting(scene: Scene) -> bool:
    return "NEUROK_OT_pin_brush" in scene.window.ask("answer = modal_tools()")


def painted(scene: Scene) -> int:
    """How many vertices the tool has so far."""
    return scene.object(f"int({TOOL}.running._painted.sum())")


def middle(scene: Scene) -> Pixel:
    return scene.pixel("object.matrix_world.translation")


def drag_with(scene: Scene, key: str, start: Pixel, end: Pixel) -> None:
    """A drag with a modifier key held down."""
    scene.window.point_at(start)
    scene.window.xdotool("keydown", key)
    scene.window.drag(start, end)
    scene.window.xdotool("keyup", key)
    scene.window.settle()


def strokes(scene: Scene) -> None:
    begin(scene, BALL)
    window, check = scene.window, scene.check
    window.screenshot("brush-1-before")
    start_painting(scene)
    x, y = middle(scene)
    window.point_at((x, y))
    window.screenshot("brush-1-circle")
    left, right = (x - 120, y), (x + 120, y)
    window.drag(left, right)
    first = painted(scene)
    check(first > 20, f"a stroke paints {first} vertices")
    window.screenshot("brush-1-painted")
    shown = scene.object(f"bool(({TOOL}.running._view._faces[{TOOL}.running._painted]).all())")
    check(shown, "only such as face the viewer")
    drag_with(scene, "ctrl", (x, y), right)
    second = painted(scene)
    check(0 < second < first, f"Ctrl erases: {second} are left")
    window.screenshot("brush-1-erased")
    window.key("ctrl+z")
    check(is_painting(scene) and painted(scene) == first, "Ctrl-Z takes the last stroke back and the brush goes on")
    drag_with(scene, "shift", left, (x, y))
    check(0 < painted(scene) < first, "Shift erases as well")

    radius = scene.object(f"{TOOL}.running.radius")
    window.key("bracketright")
    larger = scene.object(f"{TOOL}.running.radius")
    window.key("bracketleft")
    window.key("bracketleft")
    smaller = scene.object(f"{TOOL}.running.radius")
    check(smaller < radius < larger, f"[ and ] change the radius ({radius} to {larger} and {smaller} pixels)")
    window.point_at((x, y))
    window.key("f")
    window.pull((x, y), (x + 50, y))
    sized = scene.object(f"{TOOL}.running.radius")
    check(abs(sized - smaller - 50) <= 3, f"F and the mouse change it too ({sized} pixels)")
    window.screenshot("brush-1-sizing")
    before = painted(scene)
    window.click_here()
    check(painted(scene) == before, "the click that ends it does not paint")
    window.key("f")
    window.pull((x + 50, y), (x + 90, y))
    window.key("Escape")
    check(is_painting(scene) and scene.object(f"{TOOL}.running.radius") == sized, "Esc puts the old radius back")
    window.xdotool("keydown", "ctrl", "click", 4, "keyup", "ctrl")
    window.settle()
    check(scene.object(f"{TOOL}.running.radius") > sized, "Ctrl with the wheel changes it as well")
    window.key("Escape")
    check(not is_painting(scene), "Esc leaves")


def ways_to_leave(scene: Scene) -> None:
    begin(scene, BALL)
    window, check = scene.window, scene.check
    start_painting(scene)
    x, y = middle(scene)
    window.drag((x - 60, y), (x + 60, y))
    window.key("Escape")
    check(not is_painting(scene), "Esc ends the brush")
    check(scene.object(GROUPS) == [], "and leaves no vertex group")
    window.screenshot("brush-2-escaped")

    start_painting(scene)
    window.drag((x - 60, y), (x + 60, y))
    count = painted(scene)
    window.key("Return")
    check(not is_painting(scene), "Enter ends the brush")
    members = scene.object(MEMBERS)
    check(len(members) == count > 0, f"its {count} vertices are a group")
    check(scene.object("settings.conditions[0].painted_group") == "Pin", "that belongs to the pin")
    scene.undo()
    check(scene.object(GROUPS) == [], "one Ctrl-Z takes all of it away")
    scene.redo()
    check(scene.object(MEMBERS) == members, "redo brings it back")
    window.screenshot("brush-2-kept")

    start_painting(scene)
    check(painted(scene) == count, "the brush goes on with what is painted")
    window.drag((x, y - 60), (x, y + 60))
    more = painted(scene)
    scene.sidebar.click("neurok.pin_brush")
    window.wait_until("the button to end the brush", lambda: not is_painting(scene), 5)
    check(len(scene.object(MEMBERS)) == more > count, f"its own button ends it with {more} vertices")
    scene.undo()
    check(scene.object(MEMBERS) == members, "Ctrl-Z goes back to what Enter had kept")

    # From the other side.
    start_painting(scene)
    window.point_at((x, y))
    window.key("ctrl+KP_1")
    before = painted(scene)
    x, y = middle(scene)
    window.drag((x - 60, y), (x + 60, y))
    check(painted(scene) > before, "the view can be turned while painting")
    window.screenshot("brush-2-behind")
    window.xdotool("click", 3)
    window.settle()
    check(not is_painting(scene), "a right click leaves")
    check(scene.object(MEMBERS) == members, "and everything is as before")

    start_painting(scene)
    window.ask("bpy.ops.wm.read_homefile()")
    window.settle()
    check(not is_painting(scene) and window.ask(f"answer = {TOOL}.running is None"), "a new file ends the brush")


def a_painted_pin_holds(scene: Scene) -> None:
    begin(scene, BALL)
    window, check = scene.window, scene.check
    scene.change("settings.provider = 'ELASTIC'; bpy.context.scene.neurok.frame_count = 24")
    scene.change("bpy.ops.neurok.condition_add(kind='POKE'); settings.active_condition = 0")
    start_painting(scene)
    x, y = middle(scene)
    window.drag((x - 60, y), (x + 60, y))
    window.key("Return")
    window.ask(f"rest_shape = drawn_shape({scene.name!r})")
    scene.take(60)
    window.ask("bpy.context.scene.frame_set(8)")
    members = scene.object(MEMBERS)
    held = scene.object(f"float(abs(drawn_shape(object.name) - rest_shape)[{members}].max())")
    most = scene.object("float(abs(drawn_shape(object.name) - rest_shape).max())")
    check(held < 1e-4 < 0.01 < most, f"what is painted stays ({held:.1e} m) while the rest moves ({most:.2f} m)")
    window.screenshot("brush-3-held")


def pace(scene: Scene) -> None:
    """How long the brush keeps the window at a time on 200,000 vertices, drawing apart."""
    begin(scene, LARGE)
    window, check = scene.window, scene.check
    window.ask(
        f"""
        brush_calls = []
        tool = {TOOL}
        def timed(function):
            def call(operator, context, event):
                started = __import__("time").thread_time()
                try:
                    return function(operator, context, event)
                finally:
                    brush_calls.append(__import__("time").thread_time() - started)
            return call
        tool.plain = (tool.invoke, tool.modal)
        tool.invoke, tool.modal = timed(tool.invoke), timed(tool.modal)
        """
    )
    start_painting(scene)
    x, y = middle(scene)
    window.drag((x - 100, y), (x + 100, y))
    check(painted(scene) > 1000, f"a stroke paints {painted(scene)} of 200,000 vertices")
    window.screenshot("brush-4-large")
    window.key("Return")
    time.sleep(1)
    calls = window.ask("answer = brush_calls")
    window.ask("tool.invoke, tool.modal = tool.plain; del tool.plain")
    first, *others, last = calls
    scene.figure("beginning, reading the surface", first * 1000, "ms")
    scene.figure("longest call while painting", max(others) * 1000, "ms")
    scene.figure("writing the vertex group", last * 1000, "ms")
    check(max(others) < BUDGET_SECONDS, f"painting never works longer than {BUDGET_SECONDS * 1000:g} ms at a time")


CHAPTERS: dict[str, Callable[[Scene], None]] = {
    "brush": strokes,
    "brush-leave": ways_to_leave,
    "brush-holds": a_painted_pin_holds,
    "brush-pace": pace,
}
