"""The add-on's page in Blender's preferences."""

from bpy.types import AddonPreferences

from ..names import PACKAGE

__all__ = ["CLASSES", "NEUROK_AP_preferences"]


class NEUROK_AP_preferences(AddonPreferences):
    bl_idname = PACKAGE

    def draw(self, context):
        from .preferences_page import draw_page  # it shows what the session knows, which itself reads this module

        draw_page(self, context)


CLASSES = (NEUROK_AP_preferences,)
