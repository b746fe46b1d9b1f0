"""Delete of takes, and the scene's frame range from them."""

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Operator

from .. import names
from ..session.state import Notice, session
from ..session.take_list import chosen, delete_take, is_baked
from .feedback import is_idle

__all__ = ["CLASSES", "NEUROK_OT_discard_take", "NEUROK_OT_take_range"]


class _OnTake:
    """Mix-in of operators on the take that is chosen in the list."""

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        if not is_idle(cls) or obj is None or obj.type != "MESH":
            return False
        return session.take_of(obj) is not None or chosen(obj) is not None


class NEUROK_OT_discard_take(_OnTake, Operator):
    """Delete the chosen take; the one above it plays then, or the drawn shape is back"""

    bl_idname = names.Operator.DISCARD_TAKE
    bl_label = "Delete Take"

    def invoke(self, context, event):
        entry = chosen(context.active_object)
        if bpy.app.background or entry is None or is_baked(context.active_object, entry):
            return self.execute(context)
        question = {
            "title": iface_("Delete {}?").format(entry.name),
            "message": iface_("It was not baked, and does not come back."),
            "confirm_text": iface_("Delete"),
        }
        return context.window_manager.invoke_confirm(self, event, **question)

    def execute(self, context):
        delete_take(context.active_object)
        session.notice = Notice()
        return {"FINISHED"}


class NEUROK_OT_take_range(_OnTake, Operator):
    """Set the frame range of the scene to the chosen take"""

    bl_idname = names.Operator.TAKE_RANGE
    bl_label = "Set Scene Range"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return super().poll(context) and chosen(context.active_object) is not None

    def execute(self, context):
        entry, scene = chosen(context.active_object), context.scene
        scene.frame_start, scene.frame_end = entry.frame_start, entry.frame_start + entry.frame_count - 1
        return {"FINISHED"}


CLASSES = (NEUROK_OT_discard_take, NEUROK_OT_take_range)
