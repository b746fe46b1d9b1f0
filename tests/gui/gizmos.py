"""The handles of conditions, grabbed in a real window: every kind of drag on every kind of handle."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from scene import Scene

__all__ = ["CHAPTERS"]

Pixel = tuple[int, int]

# A ball of 2 m, and one that is moved, turned, squeezed and the child of something turned.
BALL = "bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=1.0)"
CHILD = f"""
                bpy.ops.object.empty_add(location=(1, -2, 0.5), rotation=(0.3, 0.2, 0.9))
                parent = bpy.context.object
                parent.scale = (1.5, 1.5, 1.5)
                {BALL}
                bpy.context.object.parent = parent
                bpy.context.object.location = (0.5, 1, 0.4)
                bpy.context.object.rotation_euler = (0.5, -0.4, 0.3)
                bpy.context.object.scale = (1.0, 0.6, 0.8)
                bpy.context.view_layer.update()
"""
# Room around the object, seen a little from above.
STEP_BACK = "view_area().spaces[0].region_3d.view_distance *= 1.7"

NEAR_PIXELS = 3
# Shift makes a drag a tenth as long; a mouse of whole pixels and curved ways leave this much.
SHIFT_LEAST, SHIFT_MOST = 0.07, 0.14


@dataclass(frozen=True)
class Handle:
    """A handle to try: expressions are about `object`, `condition`, `places` and `view`."""

    name: str
    kind: str
    value: str  # a list of numbers
    place: str  # where one grabs it
    pull: Pixel | str  # how far it is dragged, or where to
    in_steps: str  # whether the value is one that Ctrl allows
    start: str = ""  # statements that set the value to begin with
    follows: bool = True  # whether the place ends where the mouse ends


def _whole(value: str) -> str:
    return f"abs(({value}) - round({value})) < 1e-3"


def _steps(place: str) -> str:
    return f"addon('gizmos.handle').snap_length(bpy.context, view, {place})"


RIM = (
    "(lambda middle, normal: middle + normal.orthogonal().normalized() * {0} * condition.radius)"
    "(object.matrix_world @ condition.location, (object.matrix_world.to_3x3().inverted().transposed() "
    "@ addon('gizmos.ring').surface_normal(object, condition.location)).normalized())"
)
ARC = (
    "places.dial_frame(object, places.dial_axis(condition), places.dial_radius(view, object)) "
    "@ Vector((np.cos({0}), np.sin({0}), 0))"
)
AXIS_END = "places.middle(object) + places.dial_axis(condition) * 1.3 * places.dial_radius(view, object)"
FRONT = "places.ground_place(object, condition) - Vector((0, 0.65 * places.rest_size(object), 0))"
FLOOR_TIP = f"{FRONT} + Vector((0, 0, 35 * view.pixel({FRONT})))"
TIP = "places.arrow_tip(object, condition)"

HANDLES = (
    Handle(
        "poke",
        "POKE",
        "list(condition.vector)",
        TIP,
        (-80, -50),
        _whole(f"condition.vector.length * 0.5 / {_steps(TIP)}"),
    ),
    Handle(
        "place",
        "POKE",
        "list(condition.location)",
        "object.matrix_world @ condition.location",
        (30, -15),
        "min((v.co - condition.location).length for v in object.data.vertices) < 1e-5",
    ),
    Handle(
        "radius",
        "POKE",
        "[condition.radius]",
        RIM.format(1.0),
        RIM.format(1.5),
        _whole(f"condition.radius / {_steps('object.matrix_world @ condition.location')}"),
    ),
    Handle(
        "velocity",
        "VELOCITY",
        "list(condition.linear)",
        TIP,
        (70, -60),
        _whole(f"condition.linear.length * 0.5 / {_steps(TIP)}"),
    ),
    Handle(
        "spin",
        "VELOCITY",
        "list(condition.angular)",
        ARC.format(-0.3),
        ARC.format(0.7),
        _whole(f"Vector(condition.angular).length / {math.radians(45)}"),
        follows=False,
    ),
    Handle(
        "axis",
        "VELOCITY",
        "list(condition.angular)",
        AXIS_END,
        (60, 40),
        "max(abs(abs(condition.angular[i]) / max(map(abs, condition.angular)) - w) "
        "for i in range(3) for w in [round(abs(condition.angular[i]) / max(map(abs, condition.angular)))]) < 1e-4",
        start="condition.angular = (0.3, -0.5, 2.4)",
    ),
    Handle(
        "wind",
        "WIND",
        "list(condition.velocity)",
        TIP,
        (60, -70),
        _whole(f"condition.velocity.length * 0.25 / {_steps(TIP)}"),
        follows=False,  # its base goes upwind once it is let go
    ),
    Handle(
        "ground",
        "GROUND",
        "[condition.height]",
        FLOOR_TIP,
        f"{FLOOR_TIP} + Vector((0, 0, 0.55))",
        _whole(f"condition.height / {_steps(FRONT)}"),
    ),
)


class Hand:
    """One handle of the active condition, and what dragging it does."""

    def __init__(self, scene: Scene, handle: Handle) -> None:
        self.scene = scene
        self.handle = handle

    def ask(self, expression: str):
        return self.scene.window.ask(
            f"""
            object = bpy.data.objects[{self.scene.name!r}]
            condition = object.neurok.conditions[object.neurok.active_condition]
            scale = bpy.context.preferences.system.ui_scale
            view = addon('gizmos.view').View(view_region(), view_area().spaces[0].region_3d, scale)
            places = addon('gizmos.condition_places')
            from mathutils import Vector
            answer = {expression}
            """
        )

    @property
    def value(self) -> list[float]:
        return self.ask(self.handle.value)

    @property
    def pixel(self) -> Pixel:
        x, y = self.ask(f"pixel_of({self.handle.place})")
        return x, y

    def aims(self) -> tuple[Pixel, Pixel]:
        """Where a drag begins, and where it ends."""
        start = self.pixel
        if isinstance(self.handle.pull, str):
            x, y = self.ask(f"pixel_of({self.handle.pull})")
            return start, (x, y)
        return start, (start[0] + self.handle.pull[0], start[1] + self.handle.pull[1])

    def pull(self, *keys: str, finish: bool = True, picture: str = "") -> tuple[list[float], Pixel]:
        """Drag with these keys held; returns the value and where the mouse ended."""
        window = self.scene.window
        start, end = self.aims()
        window.press(start)
        for key in keys:
            window.xdotool("keydown", key)
        window.pull(start, end)
        if picture:
            window.screenshot(picture)
        if finish:
            window.release()
        value = self.value
        for key in keys:
            window.xdotool("keyup", key)
        return value, end


def distance(one: Sequence[float], other: Sequence[float]) -> float:
    return math.dist(one, other)


def prepare(scene: Scene, make: str, handle: Handle) -> Hand:
    scene.begin(make)
    scene.window.ask(STEP_BACK)
    scene.change(
        f"bpy.ops.neurok.condition_add(kind={handle.kind!r}); "
        f"condition = object.neurok.conditions[0]; {handle.start or 'pass'}"
    )
    scene.window.point_at(scene.middle_of_view())
    return Hand(scene, handle)


def try_handle(scene: Scene, make: str, handle: Handle, pictures: str) -> tuple[Hand, list[float], list[float]]:
    """A plain drag, undone; returns the value before and after it."""
    check, window = scene.check, scene.window
    hand = prepare(scene, make, handle)
    window.screenshot(f"{pictures}-{handle.name}-1-at-rest")
    before = hand.value
    after, end = hand.pull(picture=f"{pictures}-{handle.name}-2-dragging")
    moved = distance(before, after)
    check(moved > 1e-3, f"{handle.name}: a drag changes the value by {moved:.3f}")
    if handle.follows:
        x, y = hand.pixel
        near = abs(x - end[0]) <= NEAR_PIXELS and abs(y - end[1]) <= NEAR_PIXELS
        check(near, f"{handle.name}: it is where the mouse let it go")
    window.screenshot(f"{pictures}-{handle.name}-3-dragged")
    scene.undo()
    check(hand.value == before, f"{handle.name}: Ctrl-Z takes the drag back")
    return hand, before, after


def try_everything(scene: Scene, make: str, handle: Handle, pictures: str) -> None:
    """Redone, with Shift, with Ctrl, and given up in both ways."""
    hand, before, after = try_handle(scene, make, handle, pictures)
    check, window, moved = scene.check, scene.window, distance(before, after)
    scene.redo()
    check(hand.value == after, f"{handle.name}: redo brings it back")
    scene.undo()

    slow, _end = hand.pull("shift")
    part = distance(before, slow) / moved
    check(SHIFT_LEAST < part < SHIFT_MOST, f"{handle.name}: with Shift it moves {part:.3f} as far")
    scene.undo()
    check(hand.value == before, f"{handle.name}: and Ctrl-Z takes that back")

    stepped, _end = hand.pull("ctrl")
    check(stepped != before and hand.ask(handle.in_steps), f"{handle.name}: with Ctrl it goes in steps: {stepped}")
    scene.undo()

    for end_it in ("Escape", "right button"):
        during, _end = hand.pull(finish=False)
        check(during != before, f"{handle.name}: the value follows while dragging")
        if end_it == "Escape":
            window.key("Escape")
        else:
            window.xdotool("click", 3)
            window.settle()
        window.release()
        check(hand.value == before, f"{handle.name}: {end_it} in the middle puts the old value back")
    scene.redo()
    # What was given up has made no step of its own, so redo still knows the drag that was undone last.
    check(hand.value == stepped, f"{handle.name}: what was given up is no undo step")


def every_handle(scene: Scene) -> None:
    for handle in HANDLES:
        try_everything(scene, BALL, handle, "g1")


def a_moved_object(scene: Scene) -> None:
    for handle in HANDLES:
        try_handle(scene, CHILD, handle, "g2")


def round_and_round(scene: Scene) -> None:
    """A spin of more than one turn a second, by going round twice."""
    handle = next(handle for handle in HANDLES if handle.name == "spin")
    hand = prepare(scene, BALL, handle)
    window = scene.window
    window.press(hand.pixel)
    place = ARC.format("angle")
    ways = hand.ask(f"(lambda angles: [pixel_of({place}) for angle in angles])(np.arange(-0.3, 4 * np.pi - 0.3, 0.25))")
    for x, y in ways:
        window.xdotool("mousemove", x, y, "sleep", 0.05)
    window.settle()
    window.screenshot("g3-two-turns")
    window.release()
    spin = hand.value[2] / (2.0 * math.pi)
    scene.figure("two turns of the mouse about the dial", spin, "turns/s")
    scene.check(abs(spin - 2.0) < 0.05, "going round twice is a spin of two turns a second")


@dataclass
class Arrow:
    """The arrow of a starting velocity: whether it is drawn, and whether it can be dragged."""

    scene: Scene
    hand: Hand

    def check_works(self, when: str) -> None:
        before = self.hand.value
        after, _end = self.hand.pull()
        self.scene.check(distance(before, after) > 1e-3, f"the arrow can be dragged {when}")
        self.scene.undo()
        self.scene.check(self.hand.value == before, f"and the drag undone {when}")

    def is_shown(self) -> bool:
        self.scene.window.point_at(self.scene.middle_of_view())
        return shows(self.scene, self.scene.window.screenshot("g4-shown"))


def coming_and_going(scene: Scene) -> None:
    """Where handles hide, and that they come back."""
    handle = next(handle for handle in HANDLES if handle.name == "velocity")
    arrow = Arrow(scene, prepare(scene, BALL, handle))
    scene.check(arrow.is_shown(), "the arrow is drawn")
    arrow.check_works("at first")
    hide_and_show(scene, arrow)
    arrow.check_works("after all that")
    change_workspaces_and_files(scene, arrow)
    undo_the_adding(scene, arrow)
    split_the_view_and_simulate(scene, arrow)


def hide_and_show(scene: Scene, arrow: Arrow) -> None:
    for what, hide, show in (
        ("the object is not selected", "object.select_set(False)", "object.select_set(True)"),
        ("its eye is closed", "settings.conditions[0].enabled = False", "settings.conditions[0].enabled = True"),
        ("gizmos are off", "view_area().spaces[0].show_gizmo = False", "view_area().spaces[0].show_gizmo = True"),
        ("in edit mode", "bpy.ops.object.mode_set(mode='EDIT')", "bpy.ops.object.mode_set(mode='OBJECT')"),
    ):
        for statement, wanted in ((hide, False), (show, True)):
            scene.window.ask(
                f"""
                object = bpy.data.objects[{scene.name!r}]
                settings = object.neurok
                with in_view():
                    {statement}
                view_area().tag_redraw()
                """
            )
            text = f"it {'is drawn again after' if wanted else 'hides while'} {what}"
            scene.check(arrow.is_shown() == wanted, text)


def change_workspaces_and_files(scene: Scene, arrow: Arrow) -> None:
    window, check = scene.window, scene.check
    for workspace in ("Animation", "Layout"):
        window.ask(f"window().workspace = bpy.data.workspaces[{workspace!r}]")
        time.sleep(1.0)
        window.ask("view_area().spaces[0].region_3d.view_perspective = 'PERSP'")
        window.point_at(scene.middle_of_view())
        window.screenshot(f"g4-workspace-{workspace}")
        arrow.check_works(f"in the workspace {workspace}")
    window.ask(
        """
        import tempfile
        path = tempfile.mkdtemp() + '/handles.blend'
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.read_homefile()
        """
    )
    check(not arrow.is_shown(), "a new file has no arrow")
    window.ask("bpy.ops.wm.open_mainfile(filepath=path)")
    check(arrow.is_shown(), "the arrow is there when the file is opened")
    window.ask("bpy.ops.ed.undo_push(message='Begin')")
    arrow.check_works("after opening the file")


def undo_the_adding(scene: Scene, arrow: Arrow) -> None:
    """Undoing the adding itself takes the arrow away, redoing brings it back."""
    scene.change("bpy.ops.neurok.condition_remove()")
    scene.check(not arrow.is_shown(), "it goes with its condition")
    scene.undo()
    scene.check(arrow.is_shown(), "Ctrl-Z brings both back")
    arrow.check_works("after undo")


def split_the_view_and_simulate(scene: Scene, arrow: Arrow) -> None:
    window, check = scene.window, scene.check
    window.ask("with in_view(): bpy.ops.screen.region_quadview()")
    time.sleep(1.0)
    window.point_at(scene.middle_of_view())
    window.screenshot("g4-quad-view")
    window.ask("with in_view(): bpy.ops.screen.region_quadview()")
    check(arrow.is_shown(), "it is drawn after quad view")
    # As slow as a take of one ball can be: it is not done before the window is looked at.
    scene.change("object.neurok.settle_seconds = 1000")
    scene.change("bpy.context.scene.neurok.frame_count = 100_000; bpy.context.scene.neurok.quality = 'FINEST'")
    scene.simulate()
    check(not arrow.is_shown() and scene.is_simulating(), "it hides while a simulation runs")
    window.key("Escape")
    window.wait_until("the simulation to stop", lambda: not scene.is_simulating(), 5)
    check(arrow.is_shown(), "and is back after it")


def shows(scene: Scene, screenshot: Path) -> bool:
    """Whether the velocity's blue is anywhere in the 3D view."""
    with Image.open(screenshot) as picture:
        view = picture.convert("RGB").crop(scene.window.ask("answer = region_box('WINDOW')"))
    blue = sum(
        count for count, (red, green, blue) in view.getcolors(1 << 24) if red < 110 and green > 150 and blue > 200
    )
    return blue > 40


def many_at_once(scene: Scene) -> None:
    """All kinds on one object: the chosen one has its handles, the others are faint; pressing one chooses it."""
    scene.begin(BALL)
    window, check = scene.window, scene.check
    window.ask(STEP_BACK)
    scene.change(
        "[bpy.ops.neurok.condition_add(kind=kind) for kind in ('POKE', 'VELOCITY', 'WIND', 'GROUND')]; "
        "settings.conditions[1].angular = (0.0, 0.5, 3.0)"
    )
    for number in range(4):
        scene.change(f"settings.active_condition = {number}")
        window.ask("view_area().tag_redraw()")
        window.point_at(scene.middle_of_view())
        window.screenshot(f"g5-chosen-{number}")
    tip = scene.pixel("addon('gizmos.condition_places').arrow_tip(object, settings.conditions[2])")
    wind = scene.object("list(settings.conditions[2].velocity)")
    window.click(tip)
    check(scene.object("settings.active_condition") == 2, "a click on a faint arrow chooses its condition")
    check(scene.object("list(settings.conditions[2].velocity)") == wind, "and leaves its value alone")
    scene.undo()
    check(scene.object("settings.active_condition") == 3, "Ctrl-Z goes back to the one before")


CHAPTERS: dict[str, Callable[[Scene], None]] = {
    "handles": every_handle,
    "handles-child": a_moved_object,
    "handles-turns": round_and_round,
    "handles-hidden": coming_and_going,
    "handles-many": many_at_once,
}
