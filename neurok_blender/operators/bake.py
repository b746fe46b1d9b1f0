"""Bake to shape keys, and discarding a take."""

from bpy.app.translations import pgettext_rpt as rpt_
from bpy.types import Operator

from .. import names
from ..errors import Refusal
from ..scene.bake import bake_shape_keys
from ..session import Notice, session
from .feedback import is_idle, report_refusal

__all__ = ["CLASSES", "NEUROK_OT_bake_shape_keys", "NEUROK_OT_discard_take"]


class NEUROK_OT_bake_shape_keys(Operator):
    """Keep the simulated motion as shape keys on the timeline, one for each frame"""

    bl_idname = names.Operator.BAKE_SHAPE_KEYS
    bl_label = "Bake to Shape Keys"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return is_idle(cls)

    def execute(self, context):
        try:
            obj = context.active_object
            count = bake_shape_keys(context, obj, session.take_of(obj))
        except Refusal as refusal:
            report_refusal(self, refusal)
            session.show_takes(context.scene.frame_current)
            return {"CANCELLED"}
        session.notice = Notice(rpt_("{} shape keys are on the timeline.").format(count))
        self.report({"INFO"}, session.notice.message)
        return {"FINISHED"}


class NEUROK_OT_discard_take(Operator):
    """Forget the simulated motion and give the object its own shape back"""

    bl_idname = names.Operator.DISCARD_TAKE
    bl_label = "Discard"

    @classmethod
    def poll(cls, context):
        return is_idle(cls) and session.take_of(context.active_object) is not None

    def execute(self, context):
        session.forget_take(context.active_object.data)
        session.notice = Notice()
        return {"FINISHED"}


CLASSES = (NEUROK_OT_bake_shape_keys, NEUROK_OT_discard_take)
