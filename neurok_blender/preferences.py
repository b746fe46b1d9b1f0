"""The add-on's page in Blender's preferences."""

from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy.types import AddonPreferences

from .names import PACKAGE

__all__ = ["CLASSES", "NEUROK_AP_preferences", "python_override"]


class NEUROK_AP_preferences(AddonPreferences):
    bl_idname = PACKAGE

    python_path: StringProperty(
        name="Python",
        description=(
            "A Python program with NumPy and SciPy that runs the simulation; leave it empty to let the add-on choose"
        ),
        subtype="FILE_PATH",
    )

    def draw(self, context):
        from .preferences_page import draw_page  # it shows what the session knows, which itself reads this module

        draw_page(self, context)


def python_override() -> Path | None:
    """The Python named in the preferences; None where none is named (or the package is no add-on yet)."""
    addon = bpy.context.preferences.addons.get(PACKAGE)
    if addon is None or addon.preferences is None or not addon.preferences.python_path.strip():
        return None
    return Path(bpy.path.abspath(addon.preferences.python_path.strip()))


CLASSES = (NEUROK_AP_preferences,)
