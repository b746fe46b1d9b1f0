"""All that an add-on could leave behind in Blender and in this process, to be compared before and after."""

from __future__ import annotations

import gc
import threading
import types
from pathlib import Path

import bpy
import bpy.utils.previews

__all__ = ["children", "footprint", "handler_functions", "ours"]

PACKAGE = "neurok_blender"


def footprint() -> dict[str, object]:
    """Counts and names by what they are of; equal footprints mean that nothing came and nothing went."""
    return {
        "types": frozenset(dir(bpy.types)),
        "properties": _properties(),
        "handlers": {name: len(functions) for name, functions in handler_functions().items()},
        "menu entries": _menu_entries(),
        "timers": _timers(),
        "shortcuts": _shortcuts(),
        "preview collections": len(bpy.utils.previews._uuid_open),
        "preset folders": tuple(bpy.utils.preset_paths("")),
        "threads": sorted(thread.name for thread in threading.enumerate() if thread.name.startswith("neurok")),
        "processes": children(),
    }


def handler_functions() -> dict[str, list]:
    """Blender's lists of handlers by name."""
    every = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    return {name: functions for name, functions in every.items() if isinstance(functions, list)}


def ours(thing: object) -> bool:
    return str(getattr(thing, "__module__", "")).startswith(PACKAGE)


def children() -> list[int]:
    """Ids of the processes that this one has started and that still run."""
    tasks = Path("/proc/self/task").glob("*/children")
    return sorted(int(word) for task in tasks for word in task.read_text().split())


def _registered() -> list[type]:
    return [getattr(bpy.types, name) for name in dir(bpy.types) if hasattr(getattr(bpy.types, name), "bl_rna")]


def _properties() -> int:
    """How many properties all of Blender's types have together, `Object.neurok` among them."""
    return sum(len(item.bl_rna.properties) for item in _registered())


def _menu_entries() -> list[str]:
    """Where functions of ours are appended to Blender's own menus, panels and headers."""
    return [
        f"{item.__name__}.{function.__name__}"
        for item in _registered()
        for function in getattr(getattr(item, "draw", None), "_draw_funcs", ())
        if ours(function) and not ours(item)
    ]


def _timers() -> list[str]:
    """Functions of ours that a timer calls; Blender lists none, but answers for each that exists."""
    # By type(): isinstance asks the object itself, which one that Blender has freed cannot answer.
    functions = [item for item in gc.get_objects() if type(item) in (types.FunctionType, types.MethodType)]
    return [item.__qualname__ for item in functions if ours(item) and bpy.app.timers.is_registered(item)]


def _shortcuts() -> int:
    configurations = bpy.context.window_manager.keyconfigs
    return sum(len(keymap.keymap_items) for configuration in configurations for keymap in configuration.keymaps)
