"""What happens to the object: the list of conditions and the fields of the one that is chosen."""

from bpy.types import Panel, UIList

from .. import names
from ..condition_properties import CONDITION_ICONS
from .base import SidebarPanel, active_mesh_object

__all__ = ["CLASSES", "NEUROK_PT_conditions", "NEUROK_UL_conditions"]

FIELDS = {
    "POKE": ("location", "vector", "radius", "frame", "duration"),
    "VELOCITY": ("linear", "angular"),
    "PIN": ("pin_source",),
    "FOLLOW": ("target", "pin_source"),
    "GRAVITY": ("gravity_factor",),
    "WIND": ("velocity", "turbulence", "use_force_fields"),
    "GROUND": ("height", "friction", "restitution"),
    "COLLIDERS": ("collection", "friction", "restitution"),
}


class NEUROK_UL_conditions(UIList):
    bl_idname = names.UserList.CONDITIONS

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_property, _index):
        row = layout.row(align=True)
        row.prop(item, "name", text="", emboss=False, icon=CONDITION_ICONS[item.kind])
        row.prop(item, "enabled", text="", emboss=False, icon="HIDE_OFF" if item.enabled else "HIDE_ON")


class NEUROK_PT_conditions(SidebarPanel, Panel):
    bl_idname = names.Panel.CONDITIONS
    bl_label = "Conditions"

    @classmethod
    def poll(cls, context):
        return active_mesh_object(context) is not None

    def draw(self, context):
        layout = self.layout
        settings = active_mesh_object(context).neurok
        layout.operator(names.Operator.POKE_PLACE, icon="CURVE_PATH")
        row = layout.row()
        row.template_list(names.UserList.CONDITIONS, "", settings, "conditions", settings, "active_condition", rows=3)
        column = row.column(align=True)
        column.menu(names.Menu.CONDITION_ADD, text="", icon="ADD")
        column.operator(names.Operator.CONDITION_REMOVE, text="", icon="REMOVE")
        if 0 <= settings.active_condition < len(settings.conditions):
            self._draw_fields(settings.conditions[settings.active_condition])

    def _draw_fields(self, condition) -> None:
        column = self.layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.active = condition.enabled
        for field in FIELDS[condition.kind]:
            column.prop(condition, field)


CLASSES = (NEUROK_UL_conditions, NEUROK_PT_conditions)
