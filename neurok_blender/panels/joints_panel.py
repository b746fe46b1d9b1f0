"""The Joints panel, where there are joints: the tree of parts, and the fields of the active joint."""

import math

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Object, Panel, UILayout, UIList

from .. import names
from ..operators.ik_target_operators import ik_object
from ..operators.wrapped_text import draw_text
from ..properties.joint_properties import JOINT_ICONS
from ..scene.bakes.ledger import playing
from ..scene.joint_parts import tree_order
from ..session.ik_targets import NEAR_METRES, NEAR_RADIANS, can_reach
from ..session.state import session
from .sidebar import SidebarPanel, active_mesh_object, draw_progress, draw_vector

__all__ = ["CLASSES", "NEUROK_PT_joints", "NEUROK_UL_joints"]

INDENT = 0.6  # of an icon, for each step down the tree
FIELDS = {
    "FIXED": (),
    "HINGE": ("axis", "origin", "lower_angle", "upper_angle", "friction", "damping"),
    "SLIDE": ("axis", "origin", "lower_distance", "upper_distance", "friction", "damping"),
    "ENDLESS": ("axis", "origin", "friction", "damping"),
}
VECTORS = ("axis", "origin")


class NEUROK_UL_joints(UIList):
    bl_idname = names.UserList.JOINTS

    def draw_item(self, _context, layout, data, item, _icon, _active_data, _active_property, index):
        depth = dict(tree_order(data.joints)).get(index, 0)
        row = layout.row(align=True)
        if depth:
            row.separator(factor=INDENT * 2.0 * depth)
        has_joint = item.parent >= 0 or item.bolted
        row.label(text="", icon=JOINT_ICONS[item.kind] if has_joint else "SNAP_FACE")
        row.prop(item, "name", text="", emboss=False)
        if has_joint:
            row.prop(item, "enabled", text="", emboss=False, icon="HIDE_OFF" if item.enabled else "HIDE_ON")

    def filter_items(self, _context, data, property_name):
        """Each part stands below its parent."""
        joints = getattr(data, property_name)
        order = [0] * len(joints)
        for place, (number, _depth) in enumerate(tree_order(joints)):
            order[number] = place
        wanted = self.filter_name.lower()
        shown = [self.bitflag_filter_item if not wanted or wanted in joint.name.lower() else 0 for joint in joints]
        return shown, order


class NEUROK_PT_joints(SidebarPanel, Panel):
    bl_idname = names.Panel.JOINTS
    bl_label = "Joints"

    @classmethod
    def poll(cls, context):
        obj = ik_object(context)
        return obj is not None and obj.type == "MESH" and len(obj.neurok.joints) > 0

    def draw(self, context):
        layout = self.layout
        obj = active_mesh_object(context)
        if obj is None:  # a target is active: the distances of the parts that reach for it stay on show
            _draw_reaches(layout, context, ik_object(context))
            return
        settings = obj.neurok
        layout.template_list(
            names.UserList.JOINTS, "", settings, "joints", settings, "active_joint", rows=min(len(settings.joints), 8)
        )
        if obj.mode == "OBJECT":
            _draw_reaches(layout, context, obj)
        if settings.active_joint < len(settings.joints):
            self._draw_joint(context, obj, settings.joints[settings.active_joint])
        row = layout.row(align=True)
        if obj.mode == "EDIT":
            row.operator(names.Operator.JOINT_ASSIGN, icon="FACESEL")
            row.operator(names.Operator.JOINT_SELECT, icon="RESTRICT_SELECT_OFF")
            row = layout.row(align=True)
            row.operator(names.Operator.JOINT_ADD, icon="ADD")
        else:
            row.operator(names.Operator.JOINT_REMOVE, icon="REMOVE")
            row.operator(names.Operator.JOINTS_CLEAR, icon="X")
            layout.operator(names.Operator.ROBOT_EXPORT, icon="EXPORT")

    def _draw_joint(self, context, obj: Object, joint) -> None:
        layout = self.layout
        column = layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop_search(joint, "parent_name", obj.neurok, "joints", icon="LINKED")
        if joint.parent < 0:
            column.prop(joint, "bolted")
        if joint.mass > 0.0:
            row = column.row(heading="Custom Mass", align=True)
            row.prop(joint, "weighed", text="")
            value = row.row(align=True)
            value.active = joint.weighed
            value.prop(joint, "mass", text="")
        if joint.parent < 0 and not joint.bolted:
            draw_text(column, context, "This part has no parent: the object rests on it.", "INFO")
            return
        column = column.column()
        column.active = joint.enabled
        column.prop(joint, "kind")
        for field in FIELDS[joint.kind]:
            if field in VECTORS:
                draw_vector(column, joint, field)
            else:
                column.prop(joint, field)
        for field in ("effort", "velocity"):
            if getattr(joint, field) > 0.0:
                column.prop(joint, field)
        if joint.kind != "FIXED":
            column.prop_search(joint, "leader_name", obj.neurok, "joints", icon="LINKED")
        if joint.leader >= 0:
            column.prop(joint, "ratio")
        row = layout.row(align=True)
        row.operator(names.Operator.JOINT_NEXT, icon="FILE_REFRESH")
        row.prop(obj.neurok, "show_joints", text="", icon="GIZMO")


def _draw_reaches(layout: UILayout, context, obj: Object) -> None:
    """The targets, each with how far its part is away, and what makes a take of them."""
    box = layout.box()
    box.operator(names.Operator.REACH_ADD, icon="EMPTY_ARROWS")
    for number, entry in enumerate(obj.neurok.reaches):
        column = box.column(align=True)
        row = column.row(align=True)
        row.prop(entry, "enabled", text="", emboss=False, icon="HIDE_OFF" if entry.enabled else "HIDE_ON")
        row.prop(entry, "target", text="")
        row.operator(names.Operator.REACH_REMOVE, text="", icon="X").number = number
        row = column.row(align=True)
        row.active = entry.enabled
        row.prop(entry, "turns", toggle=True)
        row.prop(entry, "weight")
        if entry.enabled and entry.target is not None:
            text = _away(entry)
            column.label(text=text or iface_("{} on target").format(entry.part_name), translate=False)
    if session.one_shot is not None:
        draw_progress(box, session.one_shot.progress)
    elif len(obj.neurok.reaches):
        box.operator(names.Operator.REACH_BAKE, icon="RENDER_ANIMATION")
    if can_reach(obj) and playing(obj):
        draw_text(box, context, "A baked take plays; targets are followed while they are moved.", "INFO")


def _away(entry) -> str:
    """How far the part is from its target; nothing where it is there."""
    texts = []
    if entry.missing > NEAR_METRES:
        texts.append(iface_("{} mm away").format(f"{1000.0 * entry.missing:.0f}"))
    if entry.turns and entry.missing_angle > NEAR_RADIANS:
        texts.append(iface_("turned by {}°").format(f"{math.degrees(entry.missing_angle):.1f}"))
    return ", ".join(texts)


CLASSES = (NEUROK_UL_joints, NEUROK_PT_joints)
