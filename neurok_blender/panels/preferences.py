"""The add-on's page in Blender's preferences."""

from bpy.props import StringProperty
from bpy.types import AddonPreferences

from ..names import PACKAGE

__all__ = ["CLASSES", "NEUROK_AP_preferences"]


def _extensions_changed(_page, _context):
    """What is shown is looked at again, by a worker that has loaded them and tells of their providers."""
    from ..session.background_analysis import lookout  # which reads the preferences itself

    lookout.forget()


class NEUROK_AP_preferences(AddonPreferences):
    bl_idname = PACKAGE

    extensions: StringProperty(
        name="Extensions",
        description=(
            "Python files that bring providers of your own, which Moves As then lists. Several are separated by a "
            "colon, on Windows by a semicolon"
        ),
        subtype="FILE_PATH",
        update=_extensions_changed,
    )

    def draw(self, context):
        from .preferences_page import draw_page  # it shows what the session knows, which itself reads this module

        draw_page(self, context)


CLASSES = (NEUROK_AP_preferences,)
