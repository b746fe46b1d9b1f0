"""Choose the next alternative of a joint."""

from bpy.props import IntProperty
from bpy.types import Operator

from .. import names
from ..scene.joint_alternatives import keep_alternatives, kept_alternatives, next_alternative, open_joints
from ..session.background_analysis import background_analysis
from .feedback import is_idle

__all__ = ["CLASSES", "NEUROK_OT_way_next"]


class NEUROK_OT_way_next(Operator):
    """Let this joint move in its next likely way: on the other side, or sliding instead of turning"""

    bl_idname = names.Operator.WAY_NEXT
    bl_label = "Next Suggestion"
    bl_options = {"REGISTER", "UNDO"}

    joint: IntProperty(name="Joint", description="Number of the joint, counted from 0", default=0, min=0)

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        finding = background_analysis.finding_of(obj) if obj is not None and obj.type == "MESH" else None
        if finding is None or finding.summary is None or not finding.summary.get("choices"):
            cls.poll_message_set("Needs a recognised object whose joints may move in several ways")
            return False
        return is_idle(cls)

    def execute(self, context):
        obj = context.active_object
        finding = background_analysis.finding_of(obj)
        choices = finding.summary["choices"]
        if self.joint not in open_joints(choices):
            self.report({"ERROR"}, "This joint moves in one way only. Choose one that the panel lists.")
            return {"CANCELLED"}
        keep_alternatives(
            obj, finding.form, next_alternative(choices, kept_alternatives(obj, finding.form), self.joint)
        )
        return {"FINISHED"}


CLASSES = (NEUROK_OT_way_next,)
