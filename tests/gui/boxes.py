"""The boxes of the sidebar in a real window: what the analysis and a take bring moves no button, and all fit it."""

from collections.abc import Callable

from scene import Scene

__all__ = ["CHAPTERS"]

ANALYSIS = "addon('session.background_analysis')"
STEP = 9  # pixels between places that are looked at
COLUMN = 0.7  # of the width


def places(scene: Scene) -> dict[str, int]:
    """What buttons do -> how far from the top of the sidebar they are first met, pixels."""
    left, top, right, bottom = scene.window.ask("answer = region_box('UI')")
    found: dict[str, int] = {}
    for y in range(top + 6, bottom - 4, STEP):
        action = scene.sidebar.under((left + round(COLUMN * (right - left)), y))
        if action:
            found.setdefault(action, y - top)
    return found


def hold_still(scene: Scene) -> None:
    window, check = scene.window, scene.check
    calm = window.ask(f"answer = {ANALYSIS}.CALM_SECONDS; {ANALYSIS}.CALM_SECONDS = 1e9")
    scene.begin("bpy.ops.mesh.primitive_monkey_add(); bpy.ops.neurok.condition_add(kind='POKE')")
    try:
        window.ask("with in_view(): bpy.ops.screen.screen_full_area()")
        scene.sidebar.open()
        before = places(scene)
        window.screenshot("boxes-1-before")
        window.ask(f"{ANALYSIS}.CALM_SECONDS = {calm}")
        current = f"{ANALYSIS}.background_analysis.is_current(object)"
        window.wait_until("the analysis", lambda: scene.object(current), 60)
        window.settle()
        after = places(scene)
        window.screenshot("boxes-2-analyzed")
        moved = {each: (before[each], after.get(each)) for each in before if after.get(each) != before[each]}
        check(
            not moved and len(before) > 12, f"{len(before)} buttons stay where they are when the analysis comes {moved}"
        )
        scene.take(120)
        window.settle()
        taken = places(scene)
        window.screenshot("boxes-3-taken")
        moved = {
            each: (before[each], taken.get(each)) for each in before if taken.get(each, before[each]) != before[each]
        }
        check(not moved, f"and when there is a take {moved}")
        lowest = max(taken.values())
        fits = any("neurok.bake" in each for each in taken) and lowest < 1000
        check(fits, f"Bake is in the window; the lowest is {lowest} pixels from the top")
        scene.figure("the lowest button of the boxes", lowest, "pixels")
    finally:
        window.ask("with in_view(): bpy.ops.screen.back_to_previous()")
        window.ask(f"{ANALYSIS}.CALM_SECONDS = {calm}")


CHAPTERS: dict[str, Callable[[Scene], None]] = {"boxes": hold_still}
