"""NeuROK for Blender: makes a static mesh move believably, without a rig."""

import bpy

from . import gizmos, operators, panels, translations
from .gizmos import piece_colours
from .operators import (
    backend_operators,
    keymaps,
    pointmap_operators,
    preset_operators,
    robot_operators,
    sample_operators,
)
from .panels import icons, preferences_page
from .properties import object_properties
from .session import handlers, state
from .session.background_analysis import background_analysis

__all__ = ["register", "unregister"]

CLASSES = (*object_properties.CLASSES, *preferences_page.CLASSES, *operators.CLASSES, *panels.CLASSES, *gizmos.CLASSES)


def register() -> None:
    for item in CLASSES:
        bpy.utils.register_class(item)
    object_properties.attach()
    icons.attach()
    translations.attach()
    sample_operators.add_to_menu()
    pointmap_operators.add_to_menu()
    robot_operators.add_to_menu()
    preset_operators.attach()
    keymaps.attach()
    piece_colours.attach()
    handlers.attach()


def unregister() -> None:
    backend_operators.stop_watching()
    background_analysis.forget()
    state.session.close()
    handlers.detach()
    piece_colours.detach()
    keymaps.detach()
    preset_operators.detach()
    robot_operators.remove_from_menu()
    pointmap_operators.remove_from_menu()
    sample_operators.remove_from_menu()
    translations.detach()
    icons.detach()
    object_properties.detach()
    for item in reversed(CLASSES):
        bpy.utils.unregister_class(item)
