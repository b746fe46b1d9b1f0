"""NeuROK for Blender: makes a static mesh move believably, without a rig."""

import bpy

from . import gizmos, operators, panels, translations
from .operators import backend, keymaps, pointmap, presets, robot_files, sample
from .panels import icons, preferences
from .properties import object_properties
from .session import handlers
from .session.background_analysis import background_analysis
from .session.state import session

__all__ = ["register", "unregister"]

CLASSES = (*object_properties.CLASSES, *preferences.CLASSES, *operators.CLASSES, *panels.CLASSES, *gizmos.CLASSES)


def register() -> None:
    for item in CLASSES:
        bpy.utils.register_class(item)
    object_properties.attach()
    icons.attach()
    translations.attach()
    sample.add_to_menu()
    pointmap.add_to_menu()
    robot_files.add_to_menu()
    presets.attach()
    keymaps.attach()
    handlers.attach()


def unregister() -> None:
    backend.stop_watching()
    background_analysis.forget()
    session.close()
    handlers.detach()
    keymaps.detach()
    presets.detach()
    robot_files.remove_from_menu()
    pointmap.remove_from_menu()
    sample.remove_from_menu()
    translations.detach()
    icons.detach()
    object_properties.detach()
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
