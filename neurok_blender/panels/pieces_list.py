"""The list of pieces in the Object panel, and what is said of the one that is chosen."""

from __future__ import annotations

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Context, Object, UILayout, UIList

from .. import names
from ..gizmos.piece_colours import colour_icon
from ..properties.material_menu import material_menu
from ..properties.piece_properties import BEHAVIOURS
from ..scene.pieces import said_of_piece
from ..session.piece_rows import blender_material, found_piece, piece_material

__all__ = ["CLASSES", "NEUROK_UL_pieces", "draw_pieces"]

ROWS = 3
NAME_PART = 0.45  # of a row
_ICONS = {identifier: icon for identifier, _name, _text, icon, _number in BEHAVIOURS}


class NEUROK_UL_pieces(UIList):
    bl_idname = names.UserList.PIECES

    def draw_item(self, context, layout, data, item, _icon, _active_data, _active_property, index):
        obj = context.active_object
        if obj is None or obj.type != "MESH":
            return
        said, found = said_of_piece(obj, item.name), found_piece(obj, item.name)
        row = layout.row(align=True)
        row.active = found is not None
        split = row.split(factor=NAME_PART, align=True)
        icon = colour_icon(index) if data.show_pieces else "NONE"
        if said is not None and said.number:
            split.prop(said, "name", text="", emboss=False, icon=icon)
        else:
            split.label(text=item.name, icon=icon, translate=False)
        row = split.row(align=True)
        title = material_menu.title(piece_material(obj, item.name)) or iface_("Automatic")
        row.operator(names.Operator.PIECE_MATERIAL, text=title, translate=False).piece = item.name
        behaviour = "AUTO" if said is None else said.behaviour
        if behaviour == "AUTO" and found is not None:
            behaviour = found["behaviour"].upper()
        menu = row.operator_menu_enum(
            names.Operator.PIECE_BEHAVIOUR, "behaviour", text="", icon=_ICONS.get(behaviour, "VIEWZOOM")
        )
        menu.piece = item.name
        reset = row.row(align=True)
        reset.enabled = said is not None
        reset.operator(names.Operator.PIECE_RESET, text="", icon="LOOP_BACK").piece = item.name


def draw_pieces(layout: UILayout, context: Context, obj: Object) -> None:
    """The list, and what goes with the row that is chosen."""
    view = context.window_manager.neurok
    row = layout.row(align=False)
    row.template_list(names.UserList.PIECES, "", view, "pieces", view, "active_piece", rows=ROWS, maxrows=ROWS)
    column = row.column(align=True)
    column.prop(view, "show_pieces", text="", icon="HIDE_OFF" if view.show_pieces else "HIDE_ON")
    column.operator(names.Operator.PIECE_ASSIGN, text="", icon="ADD")
    column.prop(obj.neurok, "separate", text="", icon_only=True)
    chosen = view.pieces[view.active_piece].name if view.active_piece < len(view.pieces) else ""
    shown = blender_material(obj, chosen) if chosen else None
    tied = shown is not None and shown.neurok.made_of != "" and shown.neurok.made_of == piece_material(obj, chosen)
    tie = column.row(align=True)
    tie.enabled = shown is not None
    button = tie.operator(names.Operator.PIECE_TIE, text="", icon="LINKED" if tied else "UNLINKED", depress=tied)
    button.piece = chosen


CLASSES = (NEUROK_UL_pieces,)
