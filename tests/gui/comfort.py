"""What makes a stay pleasant, in a real window: icons, presets, shortcuts, the preferences, another language."""

from collections.abc import Callable

from scene import Scene

__all__ = ["CHAPTERS"]

ADD_SPHERE = "bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=1.0)"
MODULE = "bl_ext.user_default.neurok"
NUMBERS = "[settings.density, settings.stiffness_hz, settings.settle_seconds]"
GERMAN = "de_DE"


def the_icons(scene: Scene) -> None:
    scene.begin(ADD_SPHERE)
    numbers = scene.window.ask(
        """
        icons = addon("panels.icons")
        answer = {name: icons.icon_value(name) for name in icons._previews}
        """
    )
    scene.check(len(numbers) >= 11, f"there are {len(numbers)} icons of our own")
    scene.check(len({number for number in numbers.values() if number > 0}) == len(numbers), "each can be drawn")
    scene.window.screenshot("comfort-1-icons")


def the_presets(scene: Scene) -> None:
    scene.begin(ADD_SPHERE)
    window, check = scene.window, scene.check
    before = scene.object(NUMBERS)
    window.ask("with in_view('UI'): bpy.ops.wm.call_panel(name='NEUROK_PT_object_presets', keep_open=False)")
    window.settle()
    window.screenshot("comfort-2-presets")
    window.click(scene.sidebar.middle())  # the menu opens with its first entry under the mouse
    chosen = window.wait_until("a preset to be applied", lambda: _changed(scene, before), 10)
    check(True, f"the first preset of the menu sets {chosen} in place of {before}")
    scene.undo()
    check(scene.object(NUMBERS) == before, "Ctrl-Z takes the preset back")
    scene.redo()
    check(scene.object(NUMBERS) == chosen, "redo brings it back")


def _changed(scene: Scene, before: list[float]) -> list[float] | None:
    now = scene.object(NUMBERS)
    return now if now != before else None


def the_shortcuts(scene: Scene) -> None:
    scene.begin(ADD_SPHERE)
    window, check = scene.window, scene.check
    window.point_at(scene.middle_of_view())
    window.key("ctrl+alt+k")
    check("NEUROK_OT_poke_place" in window.ask("answer = modal_tools()"), "Ctrl Alt K waits for the place of a poke")
    window.key("Escape")
    check(window.ask("answer = modal_tools()") == [], "Esc leaves it")
    window.ask("bpy.ops.neurok.condition_add(kind='POKE'); bpy.context.object.neurok.settle_seconds = 1000")
    scene.change("scene = bpy.context.scene.neurok; scene.frame_count = 3000")
    window.point_at(scene.middle_of_view())
    window.key("ctrl+alt+p")
    window.wait_until("the simulation to start", scene.is_simulating, 10)
    check(True, "Ctrl Alt P simulates")
    window.key("Escape")
    scene.await_end(10)


def the_preferences(scene: Scene) -> None:
    scene.begin(ADD_SPHERE)
    window, check = scene.window, scene.check
    window.ask(
        f"""
        area = view_area()
        area.type = "PREFERENCES"
        bpy.context.preferences.active_section = "ADDONS"
        bpy.context.window_manager.addon_search = "NeuROK"
        with bpy.context.temp_override(window=window(), area=area, region=area.regions[-1]):
            bpy.ops.preferences.addon_expand(module={MODULE!r})
        area.tag_redraw()
        """
    )
    window.settle()
    window.xdotool("sleep", 1)
    window.screenshot("comfort-3-preferences")
    shown = window.ask("answer = bpy.context.window_manager.addon_search")
    check(shown == "NeuROK", "the preferences show the add-on's page")
    window.ask("bpy.ops.neurok.diagnostics_copy()")
    copied = window.ask("answer = bpy.context.window_manager.clipboard")
    check(copied.startswith("NeuROK ") and "Graphics: " in copied, "Copy Diagnostics fills the clipboard")
    home = window.ask("import os; answer = os.path.expanduser('~')")
    check(home not in copied, "and leaves the home folder out")
    (window.pictures / "comfort-3-diagnostics.txt").write_text(copied)
    window.ask("addon('session.diagnostics').present_log().write_text('first\\nlast\\n'); bpy.ops.neurok.log_open()")
    window.settle()
    window.xdotool("sleep", 1)
    window.screenshot("comfort-3-log")
    check(window.ask("answer = len(bpy.context.window_manager.windows)") == 2, "the log opens in a window of its own")
    window.ask(
        """
        other = bpy.context.window_manager.windows[-1]
        with bpy.context.temp_override(window=other):
            bpy.ops.wm.window_close()
        """
    )


def in_german(scene: Scene) -> None:
    scene.begin(ADD_SPHERE)
    window, check = scene.window, scene.check
    try:
        window.ask(
            f"""
            view = bpy.context.preferences.view
            view.language = {GERMAN!r}
            view.use_translate_interface = view.use_translate_tooltips = view.use_translate_reports = True
            bpy.ops.neurok.condition_add(kind="POKE")
            """
        )
        scene.sidebar.open()
        window.screenshot("comfort-4-german")
        left = window.ask(
            """
            table = addon("translations").tables()["de"]
            say = bpy.app.translations.pgettext
            answer = [text for (context, text), german in table.items() if say(text, context) == text != german]
            """
        )
        check(left == [], f"Blender finds every text of ours in German{''.join(f', not {text!r}' for text in left)}")
        said = window.ask("answer = bpy.app.translations.pgettext('Moves As')")
        check(said == "Bewegt sich", f"it says {said} for Moves As")
        scene.change("settings.coordinates.add(); settings.starts_posed = True")
        refused = window.ask(
            """
            try:
                bpy.ops.neurok.simulate()
            except RuntimeError as error:
                answer = str(error)
            view_area().tag_redraw()
            """,
            60.0,
        )
        window.settle()
        window.screenshot("comfort-5-german-refusal")
        expected = "Die Pose zu Beginn hat 1 Zahlen, und das Objekt hat jetzt"
        check(expected in refused, f"a refusal of the backend is told in German: {refused.strip()}")
    finally:
        window.ask("bpy.context.preferences.view.language = 'en_US'")


CHAPTERS: dict[str, Callable[[Scene], None]] = {
    "icons": the_icons,
    "presets": the_presets,
    "shortcuts": the_shortcuts,
    "preferences": the_preferences,
    "german": in_german,
}
