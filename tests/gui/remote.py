"""Runs inside Blender: a timer that executes the snippets laid in the mailbox and keeps the stall clock.

The host writes `request-N.py` into the mailbox folder and reads `answer-N.json` from it, an object with
`value` (what the snippet assigned to `answer`) and `error` (a traceback, or null). Snippets see the names
in `scope` below. The timer is due every 20 ms; the time between the end of one tick and the start of the
next is time in which Blender was busy with something else, and the longest of these is the stall.
"""

import contextlib
import hashlib
import importlib
import json
import os
import time
import traceback
from pathlib import Path

import bpy
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d

MAILBOX = Path(os.environ["NEUROK_GUI_MAILBOX"])
TICK_SECONDS = 0.020
NOTHING = "-"
our_calls = []


def window():
    """The one window. Asked for again each time, since loading a file makes old references invalid."""
    return bpy.context.window_manager.windows[0]


def view_area():
    """The largest 3D view of the screen."""
    views = [area for area in window().screen.areas if area.type == "VIEW_3D"]
    return max(views, key=lambda area: area.width * area.height)


def view_region(kind="WINDOW"):
    """A region of the 3D view by its type: WINDOW, UI (the sidebar), HEADER, TOOLS."""
    return next(region for region in view_area().regions if region.type == kind)


def pixel_of(point):
    """Screen pixel [x, y], counted from the top left, of a point in world space (metres)."""
    region = view_region()
    place = location_3d_to_region_2d(region, view_area().spaces[0].region_3d, point)
    if place is None:
        raise ValueError(f"the point {tuple(point)} is behind the view")
    return [round(region.x + place.x), round(window().height - 1 - (region.y + place.y))]


def region_box(kind):
    """[left, top, right, bottom] of a region in screen pixels counted from the top left."""
    region, height = view_region(kind), window().height
    return [region.x, height - region.y - region.height, region.x + region.width, height - region.y]


def in_view(kind="WINDOW"):
    """Context override for operators that must run in the 3D view."""
    return bpy.context.temp_override(window=window(), area=view_area(), region=view_region(kind))


def addon(module):
    """A module of the installed add-on by its name inside the package."""
    return importlib.import_module(f"bl_ext.user_default.neurok.{module}")


def modal_tools():
    """Names of the operators that are at work in the window."""
    return [operator.bl_idname for operator in window().modal_operators]


def button_under_mouse():
    """What the highlighted button of the sidebar does: a Python call, a data path, or "" (no button)."""
    bpy.context.window_manager.clipboard = NOTHING  # an empty text would leave the old one in place
    with in_view("UI"):
        if bpy.ops.ui.copy_python_command_button.poll():
            bpy.ops.ui.copy_python_command_button()
        elif bpy.ops.ui.copy_data_path_button.poll():
            bpy.ops.ui.copy_data_path_button(full_path=True)
    said = bpy.context.window_manager.clipboard
    return "" if said == NOTHING else said


def drawn_shape(name):
    """Float[V,3]: what the viewport shows of a mesh object, in its own space, after keys and modifiers."""
    evaluated = bpy.data.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    coordinates = np.empty(len(evaluated.data.vertices) * 3, np.float32)
    evaluated.data.vertices.foreach_get("co", coordinates)
    return coordinates.reshape(-1, 3)


def stored_shape(name):
    """Float[V,3]: the mesh data as it would be saved."""
    mesh = bpy.data.objects[name].data
    coordinates = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", coordinates)
    return coordinates.reshape(-1, 3)


def digest(coordinates):
    """A name for exactly these bytes."""
    return hashlib.sha256(coordinates.tobytes()).hexdigest()[:16]


def time_our_calls():
    """From now on whatever Blender calls of the add-on adds [its name, seconds, seconds of processor] to `our_calls`.

    The two times differ where the add-on waits for something, or the machine has other things to do.
    """
    del our_calls[:]
    if time_our_calls.timed:
        return
    time_our_calls.timed = True
    simulate, bake = addon("operators.simulate_operators"), addon("operators.bake_operators")
    for tool in (simulate.NEUROK_OT_simulate, bake.NEUROK_OT_bake):
        for name in ("invoke", "modal"):
            setattr(tool, name, _of_tool(_timed(f"{tool.bl_label}, {name}", getattr(tool, name))))
    background_analysis = addon("session.background_analysis").background_analysis
    background_analysis.tick = _timed("background_analysis", background_analysis.tick)
    for name, function in addon("session.handlers")._HANDLERS:
        registered = getattr(bpy.app.handlers, name)
        registered[registered.index(function)] = _timed(name, function)


time_our_calls.timed = False


def _of_tool(function):
    """Blender looks at how many arguments a tool's function names, and gives it as many."""
    return lambda operator, context, event: function(operator, context, event)


def _timed(name, function):
    def timed(*arguments, **options):
        started, started_processor = time.perf_counter(), time.thread_time()
        try:
            return function(*arguments, **options)
        finally:
            our_calls.append([name, time.perf_counter() - started, time.thread_time() - started_processor])

    return timed


scope = {
    "bpy": bpy,
    "np": np,
    "window": window,
    "view_area": view_area,
    "view_region": view_region,
    "pixel_of": pixel_of,
    "region_box": region_box,
    "in_view": in_view,
    "addon": addon,
    "modal_tools": modal_tools,
    "button_under_mouse": button_under_mouse,
    "drawn_shape": drawn_shape,
    "stored_shape": stored_shape,
    "digest": digest,
    "our_calls": our_calls,
    "time_our_calls": time_our_calls,
}


def execute(request):
    """Run one request file and lay its answer beside it; renaming makes the answer appear whole."""
    scope["answer"] = None
    reply = {"value": None, "error": None}
    try:
        exec(compile(request.read_text(), request.name, "exec"), scope)
        reply["value"] = scope["answer"]
        text = json.dumps(reply)
    except Exception:
        text = json.dumps({"value": None, "error": traceback.format_exc()})
    request.unlink()
    answer = MAILBOX / request.name.replace("request", "answer").replace(".py", ".json")
    unfinished = answer.with_suffix(".unfinished")
    unfinished.write_text(text)
    unfinished.rename(answer)


def tick():
    for request in sorted(MAILBOX.glob("request-*.py")):
        execute(request)
    return TICK_SECONDS


def listen():
    view = bpy.context.preferences.view
    view.show_splash = False
    view.smooth_view = 0  # the view jumps: a pixel computed now is still right at the click
    bpy.app.timers.register(tick, first_interval=0.5, persistent=True)
    with contextlib.suppress(FileExistsError):
        (MAILBOX / "listening").touch(exist_ok=False)


listen()
