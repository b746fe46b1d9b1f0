"""Operators of the list of conditions: add, remove, duplicate, move, choose."""

from bpy.app.translations import pgettext_iface as iface_
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.app.translations import pgettext_tip as tip_
from bpy.props import EnumProperty, IntProperty
from bpy.types import Menu, Operator

from .. import api, names
from ..errors import Refusal
from ..properties.condition_properties import CONDITION_KINDS
from ..scene.condition_list import copy_condition
from ..scene.painted_group import copy_painted, forget_painted
from .feedback import has_mesh, report_refusal

__all__ = [
    "CLASSES",
    "NEUROK_MT_condition_add",
    "NEUROK_OT_condition_add",
    "NEUROK_OT_condition_choose",
    "NEUROK_OT_condition_duplicate",
    "NEUROK_OT_condition_move",
    "NEUROK_OT_condition_remove",
]

_TOOLTIPS = {identifier: (name, text) for identifier, name, text, _icon, _number in CONDITION_KINDS}


class _OnChosen:
    """Mix-in of operators on the active condition."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not has_mesh(cls, context):
            return False
        settings = context.active_object.neurok
        return 0 <= settings.active_condition < len(settings.conditions)


class NEUROK_OT_condition_add(Operator):
    """Add something that happens to the object"""

    bl_idname = names.Operator.CONDITION_ADD
    bl_label = "Add Condition"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Kind", description="What happens to the object", items=CONDITION_KINDS)

    @classmethod
    def poll(cls, context):
        return has_mesh(cls, context)

    @classmethod
    def description(cls, _context, properties):
        return _TOOLTIPS[properties.kind][1]

    def execute(self, context):
        obj = context.active_object
        try:
            api.add_condition(obj, self.kind)
        except Refusal as refusal:
            return report_refusal(self, refusal)
        return {"FINISHED"}


class NEUROK_OT_condition_remove(_OnChosen, Operator):
    """Remove the condition that is chosen in the list"""

    bl_idname = names.Operator.CONDITION_REMOVE
    bl_label = "Remove Condition"

    def execute(self, context):
        obj = context.active_object
        settings = obj.neurok
        forget_painted(obj, settings.conditions[settings.active_condition])
        settings.conditions.remove(settings.active_condition)
        settings.active_condition = max(0, min(settings.active_condition, len(settings.conditions) - 1))
        return {"FINISHED"}


class NEUROK_OT_condition_duplicate(_OnChosen, Operator):
    """Add a copy of the condition that is chosen in the list"""

    bl_idname = names.Operator.CONDITION_DUPLICATE
    bl_label = "Duplicate Condition"

    def execute(self, context):
        obj = context.active_object
        copy_painted(obj, copy_condition(obj, obj.neurok.active_condition))
        return {"FINISHED"}


class NEUROK_OT_condition_move(_OnChosen, Operator):
    """Move the chosen condition up or down in the list"""

    bl_idname = names.Operator.CONDITION_MOVE
    bl_label = "Move Condition"

    direction: EnumProperty(
        name="Direction",
        description="Where the condition goes in the list",
        items=(("UP", "Up", "One place up", 0), ("DOWN", "Down", "One place down", 1)),
    )

    def execute(self, context):
        settings = context.active_object.neurok
        before = settings.active_condition
        after = before + (-1 if self.direction == "UP" else 1)
        if not 0 <= after < len(settings.conditions):
            return {"CANCELLED"}
        settings.conditions.move(before, after)
        settings.active_condition = after
        return {"FINISHED"}


class NEUROK_OT_condition_choose(Operator):
    """Choose this condition"""

    bl_idname = names.Operator.CONDITION_CHOOSE
    bl_label = "Choose Condition"
    bl_options = {"INTERNAL", "UNDO"}

    index: IntProperty(name="Number", description="Place of the condition in the list, from 0", min=0)

    @classmethod
    def poll(cls, context):
        return has_mesh(cls, context)

    @classmethod
    def description(cls, context, properties):
        """The icon before a name says what kind it is, and its tooltip says it in words."""
        conditions = context.active_object.neurok.conditions
        if properties.index >= len(conditions):
            return ""
        name, text = _TOOLTIPS[conditions[properties.index].kind]
        return f"{iface_(name)}: {tip_(text)}"

    def execute(self, context):
        settings = context.active_object.neurok
        if self.index >= len(settings.conditions):
            self.report({"ERROR"}, rpt_("The list has no condition number {}. It counts from 0.").format(self.index))
            return {"CANCELLED"}
        settings.active_condition = self.index
        return {"FINISHED"}


class NEUROK_MT_condition_add(Menu):
    bl_idname = names.Menu.CONDITION_ADD
    bl_label = "Add Condition"

    def draw(self, _context):
        self.layout.operator_enum(names.Operator.CONDITION_ADD, "kind")


CLASSES = (
    NEUROK_OT_condition_add,
    NEUROK_OT_condition_remove,
    NEUROK_OT_condition_duplicate,
    NEUROK_OT_condition_move,
    NEUROK_OT_condition_choose,
    NEUROK_MT_condition_add,
)
