"""The gizmo group of the active joint."""

from __future__ import annotations

from bpy.types import GizmoGroup

from .. import names
from ..scene.bakes.ledger import playing
from ..session.state import session
from .handle_group import HandleGroup

__all__ = ["CLASSES", "NEUROK_GGT_joints"]

COLORS = {"HINGE": (0.95, 0.75, 0.2), "ENDLESS": (0.95, 0.55, 0.2), "SLIDE": (0.35, 0.8, 0.95)}
POOL = (
    names.GizmoGroup.JOINT_DIAL,
    names.GizmoGroup.JOINT_SLIDE,
    names.GizmoGroup.JOINT_AXIS,
    names.GizmoGroup.JOINT_PIVOT,
)


class NEUROK_GGT_joints(HandleGroup, GizmoGroup):
    bl_idname = names.GizmoGroup.JOINTS
    bl_label = "NeuROK Joints"

    __slots__ = ("handles",)

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        if obj is None or obj.type != "MESH" or session.is_busy or not obj.neurok.show_joints:
            return False
        settings = obj.neurok
        return (
            0 <= settings.active_joint < len(settings.joints)
            and settings.joints[settings.active_joint].moves
            and obj.library is None
            and obj.mode == "OBJECT"
            and obj.select_get()
            and not playing(obj)
        )

    def setup(self, _context):
        self.handles = {kind: self.new_handle(kind) for kind in POOL}
        for order, gizmo in enumerate(self.handles.values()):
            gizmo.alpha = 1.0
            # Where they lie on one another, the mouse takes the later one, and a joint before conditions.
            gizmo.select_bias = 20.0 + order

    def draw_prepare(self, context):
        # Undo and scripts change the list without a call of `refresh`, so every redraw looks at it.
        obj = context.active_object
        joint = obj.neurok.joints[obj.neurok.active_joint]
        hidden = {names.GizmoGroup.JOINT_SLIDE if joint.kind != "SLIDE" else names.GizmoGroup.JOINT_DIAL}
        for kind, gizmo in self.handles.items():
            gizmo.hide = kind in hidden
            if not gizmo.hide:
                gizmo.index = obj.neurok.active_joint
                gizmo.color = COLORS[joint.kind]
                gizmo.prepare(context, obj)


CLASSES = (NEUROK_GGT_joints,)
