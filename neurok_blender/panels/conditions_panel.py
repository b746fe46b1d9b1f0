"""The Conditions panel: the list, and the fields of the active condition."""

from bpy.types import Panel, UILayout, UIList

from .. import names
from ..operators.pin_brush_operator import is_painting
from ..operators.wrapped_text import draw_text
from ..properties.condition_properties import CONDITION_ICONS
from .icons import icon_value
from .sidebar import ObjectPanel, active_mesh_object, draw_vector

__all__ = ["CLASSES", "NEUROK_PT_conditions", "NEUROK_UL_conditions"]

# Rows of a kind of condition; what has three numbers stands alone in one.
FIELDS = {
    "POKE": (("location",), ("vector",), ("radius",), ("frame", "duration")),
    "VELOCITY": (("linear",), ("angular",)),
    "FOLLOW": (("target",),),
    "GRAVITY": (("gravity_factor",),),
    "WIND": (("velocity",), ("turbulence",), ("use_force_fields",)),
    "GROUND": (("height",), ("friction",), ("restitution",)),
    "COLLIDERS": (("collection",), ("friction",), ("restitution",)),
}
VECTORS = ("location", "vector", "linear", "angular", "velocity")
HOLDING = ("PIN", "FOLLOW")


def kind_icon(kind: str) -> dict[str, str | int]:
    """`icon` or `icon_value` of a kind of condition: a picture of the add-on, or one of Blender's."""
    own = icon_value(kind.lower())
    return {"icon_value": own} if own else {"icon": CONDITION_ICONS[kind]}


class NEUROK_UL_conditions(UIList):
    bl_idname = names.UserList.CONDITIONS

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_property, index):
        row = layout.row(align=True)
        choose = row.operator(names.Operator.CONDITION_CHOOSE, text="", emboss=False, **kind_icon(item.kind))
        choose.index = index
        row.prop(item, "name", text="", emboss=False)
        row.prop(item, "enabled", text="", emboss=False, icon="HIDE_OFF" if item.enabled else "HIDE_ON")


class NEUROK_PT_conditions(ObjectPanel, Panel):
    bl_idname = names.Panel.CONDITIONS
    bl_label = "Conditions"

    def draw_header_preset(self, _context):
        self.layout.operator(names.Operator.POKE_PLACE, icon="CURVE_PATH")

    def draw(self, context):
        layout = self.layout
        obj = active_mesh_object(context)
        settings = obj.neurok
        row = layout.row()
        several = len(settings.conditions) > 1
        row.template_list(
            names.UserList.CONDITIONS,
            "",
            settings,
            "conditions",
            settings,
            "active_condition",
            rows=4 if several else 2,
        )
        self._draw_buttons(row.column(align=True), several)
        if 0 <= settings.active_condition < len(settings.conditions):
            condition = settings.conditions[settings.active_condition]
            column = layout.column()
            column.use_property_split = True
            column.use_property_decorate = False
            column.active = condition.enabled
            _draw_fields(column, condition)
            if condition.kind in HOLDING:
                _draw_held(column, obj, condition)
            if condition.kind == "GRAVITY" and not context.scene.use_gravity:
                draw_text(column, context, "The scene's gravity is off (Scene properties > Gravity).", "INFO")

    def _draw_buttons(self, column: UILayout, several: bool) -> None:
        column.menu(names.Menu.CONDITION_ADD, text="", icon="ADD")
        column.operator(names.Operator.CONDITION_REMOVE, text="", icon="REMOVE")
        column.operator(names.Operator.CONDITION_DUPLICATE, text="", icon="DUPLICATE")
        if several:
            column.operator(names.Operator.CONDITION_MOVE, text="", icon="TRIA_UP").direction = "UP"
            column.operator(names.Operator.CONDITION_MOVE, text="", icon="TRIA_DOWN").direction = "DOWN"


def _draw_fields(column: UILayout, condition) -> None:
    for fields in FIELDS.get(condition.kind, ()):
        row = column
        if len(fields) > 1:
            row = column.row(align=True)
            row.use_property_split = False
        for field in fields:
            if field in VECTORS:
                draw_vector(column, condition, field)
            else:
                row.prop(condition, field)


def _draw_held(column: UILayout, obj, condition) -> None:
    """Which part, and how firmly."""
    column.prop(condition, "pin_source")
    if condition.pin_source == "GROUP":
        column.prop_search(condition, "vertex_group", obj, "vertex_groups")
    elif condition.pin_source == "PAINTED":
        text = "Done Painting" if is_painting() else "Paint"
        column.operator(names.Operator.PIN_BRUSH, text=text, icon="BRUSH_DATA", depress=is_painting())
    column.prop(condition, "pin_hold")
    if condition.pin_hold == "SPRING":
        column.prop(condition, "spring_hz")
    row = column.row(align=True)
    row.use_property_split = False
    row.prop(condition, "lets_go")
    frame = row.row(align=True)
    frame.active = condition.lets_go
    frame.prop(condition, "lets_go_frame", text="")


CLASSES = (NEUROK_UL_conditions, NEUROK_PT_conditions)
