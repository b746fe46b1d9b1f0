"""Adding and removing conditions."""

from bpy.props import EnumProperty
from bpy.types import Menu, Operator

from .. import names
from ..condition_properties import CONDITION_KINDS
from ..scene.pokes import add_condition, add_poke
from ..scene.surface import default_poke_place, lowest_point
from ..session import session

__all__ = ["CLASSES", "NEUROK_MT_condition_add", "NEUROK_OT_condition_add", "NEUROK_OT_condition_remove"]


def _is_ready(context) -> bool:
    obj = context.active_object
    return obj is not None and obj.type == "MESH" and obj.library is None


class NEUROK_OT_condition_add(Operator):
    """Add something that happens to the object"""

    bl_idname = names.Operator.CONDITION_ADD
    bl_label = "Add Condition"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Kind", description="What happens to the object", items=CONDITION_KINDS)

    @classmethod
    def poll(cls, context):
        return _is_ready(context)

    def execute(self, context):
        obj = context.active_object
        if self.kind == "POKE":
            # One pokes the shape that the simulation starts from, not a pose that happens to be shown.
            session.show_originals()
            context.view_layer.update()
            place = default_poke_place(context, obj)
            session.show_takes(context.scene.frame_current)
            if place is None:
                self.report({"ERROR"}, f"{obj.name} has no surface to poke. Give it faces first.")
                return {"CANCELLED"}
            add_poke(obj, place, context.scene.neurok.frame_start)
        else:
            condition = add_condition(obj, self.kind)
            if self.kind == "VELOCITY":
                condition.linear = (1.5, 0.0, 0.0)
            elif self.kind == "GROUND":
                # The world's floor, or lower where the object reaches below it: it must not begin inside.
                condition.height = min(0.0, lowest_point(obj))
        return {"FINISHED"}


class NEUROK_OT_condition_remove(Operator):
    """Remove the condition that is chosen in the list"""

    bl_idname = names.Operator.CONDITION_REMOVE
    bl_label = "Remove Condition"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not _is_ready(context):
            return False
        settings = context.active_object.neurok
        return 0 <= settings.active_condition < len(settings.conditions)

    def execute(self, context):
        settings = context.active_object.neurok
        settings.conditions.remove(settings.active_condition)
        settings.active_condition = max(0, min(settings.active_condition, len(settings.conditions) - 1))
        return {"FINISHED"}


class NEUROK_MT_condition_add(Menu):
    bl_idname = names.Menu.CONDITION_ADD
    bl_label = "Add Condition"

    def draw(self, _context):
        self.layout.operator_enum(names.Operator.CONDITION_ADD, "kind")


CLASSES = (NEUROK_OT_condition_add, NEUROK_OT_condition_remove, NEUROK_MT_condition_add)
