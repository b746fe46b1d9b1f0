"""What the chapters share: a new file with one object in it, hands on it, and looks at it."""

from record import Record
from sidebar import Sidebar
from window import BlenderWindow

__all__ = ["Scene"]

Pixel = tuple[int, int]

SIMULATE_TOOL = "NEUROK_OT_simulate"


class Scene:
    """What the chapters share: a new file with one object in it, and looks at that object."""

    def __init__(self, window: BlenderWindow, record: Record) -> None:
        self.window = window
        self.check = record.check
        self.figure = record.figure
        self.sidebar = Sidebar(window, "NeuROK")
        self.name = ""

    def begin(self, make: str, seconds: float = 20.0) -> None:
        """A new file in which `make` (Python) adds the one object; from here on it is an undo step."""
        window = self.window
        window.ask("bpy.ops.wm.read_homefile()")
        self.name = window.ask(
            f"""
            with in_view():
                for thing in list(bpy.data.objects):
                    bpy.data.objects.remove(thing)
                {make}
                bpy.ops.view3d.view_selected()
                bpy.ops.ed.undo_push(message="Begin")
            answer = bpy.context.object.name
            """,
            seconds,
        )
        self.sidebar.open()

    def object(self, expression: str):
        """The value of an expression about `object` and its `settings` of the add-on."""
        return self.window.ask(
            f"""
            object = bpy.data.objects[{self.name!r}]
            settings = object.neurok
            answer = {expression}
            """
        )

    def change(self, statements: str) -> None:
        """Settings that another chapter proves can be clicked; they count as one undo step."""
        self.object(f"exec({statements!r}, globals())")
        self.window.ask("bpy.ops.ed.undo_push(message='Settings')")

    def stored(self) -> str:
        return self.window.ask(f"answer = digest(stored_shape({self.name!r}))")

    def drawn(self) -> str:
        return self.window.ask(f"answer = digest(drawn_shape({self.name!r}))")

    def is_untouched(self) -> bool:
        """Whether the add-on has left no coordinates, keys or modifiers on the object."""
        return self.object(
            "not object.data.shape_keys and not object.modifiers "
            "and not [a.name for a in object.data.attributes if 'neurok' in a.name]"
        )

    def check_restored(self, original: str, by: str) -> None:
        self.check(self.stored() == original, f"{by} restores the mesh bit for bit")
        self.check(self.drawn() == original, "and the window shows it")
        self.check(self.is_untouched(), "nothing of the add-on is left on it")

    def is_simulating(self) -> bool:
        return SIMULATE_TOOL in self.window.ask("answer = modal_tools()")

    def notice(self) -> dict:
        """What the panel says."""
        return self.window.ask(
            "notice = addon('session.state').session.notice; "
            "answer = dict(message=str(notice.message), remedy=str(notice.remedy), bad=notice.bad)"
        )

    def pixel(self, point: str) -> Pixel:
        """Where a point, given as an expression in world space, is on the screen."""
        x, y = self.object(f"pixel_of({point})")
        return x, y

    def middle_of_view(self) -> Pixel:
        left, top, right, bottom = self.window.ask("answer = region_box('WINDOW')")
        return (2 * left + right) // 3, (top + 3 * bottom) // 4

    def undo(self) -> None:
        self._history("ctrl+z")

    def redo(self) -> None:
        self._history("ctrl+shift+z")

    def _history(self, keys: str) -> None:
        self.window.point_at(self.middle_of_view())
        self.window.key(keys)

    def simulate(self) -> None:
        """Click the button; the simulation runs when this returns."""
        self.sidebar.click("neurok.simulate")
        self.window.wait_until("the simulation to start", self.is_simulating, 10)

    def discard(self) -> None:
        """Click the bin of the takes; Blender asks about what was not baked, and Enter says yes."""
        session = "addon('session.state').session"
        self.window.ask(f"former_take = {session}.take_of(bpy.data.objects[{self.name!r}])")
        self.sidebar.click("neurok.discard_take")
        self.window.settle()
        gone = f"{session}.take_of(object) is not former_take"
        if not self.object(gone):
            self.window.key("Return")
        self.window.wait_until("the take to be deleted", lambda: self.object(gone), 10)

    def take(self, seconds: float) -> None:
        """Click the button and wait for the whole take, which may be so quick that nobody sees it run."""
        session = "addon('session.state').session"
        self.window.ask(f"former_take = {session}.take_of(bpy.data.objects[{self.name!r}])")
        self.sidebar.click("neurok.simulate")
        whole = f"{session}.simulation is None and {session}.take_of(object) not in (None, former_take)"
        self.window.wait_until("the motion", lambda: self.object(whole), seconds)
        self.stop_playing()
        self.check(not self.notice()["bad"], self.notice()["message"])

    def stop_playing(self) -> None:
        """The window has no rest, and nothing is found in it, while the view plays the first take of an object."""
        self.window.ask("with in_view(): bpy.context.screen.is_animation_playing and bpy.ops.screen.animation_play()")

    def await_motion(self, part: float) -> None:
        """Wait until the shown shape has moved by this part of the object's size while the simulation runs."""
        moved = f"""
            object = bpy.data.objects[{self.name!r}]
            answer = float(abs(drawn_shape(object.name) - rest_shape).max() / max(object.dimensions)) > {part}
        """
        self.window.wait_for(f"the mesh to move by {part:.0%} of its size", moved, 60)
        self.check(self.is_simulating(), f"the mesh moves by {part:.0%} of its size while it simulates")

    def await_frames(self, count: int) -> None:
        """Wait until the window has shown `count` different shapes while the simulation runs."""
        shapes = {self.drawn()}

        def arrived() -> bool:
            shapes.add(self.drawn())
            return len(shapes) > count or not self.is_simulating()

        self.window.wait_until(f"{count} frames to be shown", arrived, 60)
        ended = "" if self.is_simulating() else f", but it ended: {self.notice()['message']}"
        self.check(len(shapes) > count, f"{count} frames are shown while it simulates{ended}")

    def await_end(self, seconds: float) -> None:
        self.window.wait_until("the simulation to end", lambda: not self.is_simulating(), seconds)

    def browse(self, folder: str, file: str, picture: str) -> None:
        """In the file browser that opens, go to a folder and take it, or a file of it."""
        window = self.window
        area = "for w in bpy.context.window_manager.windows for a in w.screen.areas if a.type == 'FILE_BROWSER'"
        window.wait_for(
            "the file browser and its folder",
            f"""
            place = next(((w, a) {area}), None)
            params = place and place[1].spaces[0].params
            answer = params is not None
            if answer:
                params.directory, params.filename = {folder!r}.encode(), {file!r}
            """,
            30,
        )
        window.settle()
        window.xdotool("sleep", 1)
        window.screenshot(picture)
        window.ask(
            """
            with bpy.context.temp_override(window=place[0], area=place[1], region=place[1].regions[-1]):
                bpy.ops.file.execute()
            """
        )
