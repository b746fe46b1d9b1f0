"""The takes of the object: a button with the chosen one, and the list that it opens."""

import time

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Object, Panel, UILayout, UIList

from .. import names
from ..session.state import session
from ..session.take_list import chosen
from .sidebar import active_mesh_object

__all__ = ["CLASSES", "NEUROK_PT_takes", "NEUROK_UL_takes", "draw_chosen_take", "size_text"]

ROWS = 6  # of the list; the rest is scrolled to
WIDTH = 18  # of the popover, in units of a button's height
NAME_PART = 0.4  # of the width of a row


def size_text(megabytes: float | None) -> str:
    """As short as a menu wants it."""
    if megabytes is None:
        return "..."
    if megabytes >= 1000.0:
        return f"{megabytes / 1000.0:.1f} GB"
    return f"{megabytes:.0f} MB" if megabytes >= 10.0 else f"{megabytes:.2f} MB"


def date_text(date: str) -> str:
    """YYYY-MM-DD HH:MM as short as it can be said: the time of today, else the day."""
    day, _space, hour = date.partition(" ")
    return hour if day == time.strftime("%Y-%m-%d") else day[2:]


def draw_chosen_take(layout: UILayout, obj: Object) -> None:
    """One row, as high with takes as without."""
    entry, count = chosen(obj), len(obj.neurok.takes)
    row = layout.row(align=True)
    row.enabled = entry is not None and not session.is_busy
    text = iface_("No Take") if entry is None else f"{entry.name} ({obj.neurok.active_take + 1}/{count})"
    row.popover(names.Panel.TAKES, text=text, icon="ACTION", translate=False)
    row.operator(names.Operator.DISCARD_TAKE, text="", icon="TRASH")


class NEUROK_UL_takes(UIList):
    bl_idname = names.UserList.TAKES

    def draw_item(self, _context, layout, data, item, _icon, _active_data, _active_property, _index):
        playing = session.take_of(data.id_data)
        plays = playing is not None and playing.uid == item.uid
        split = layout.split(factor=NAME_PART, align=True)
        split.prop(item, "name", text="", emboss=False, icon="PLAY" if plays else "ACTION")
        split.label(text=f"{item.frame_count}  {date_text(item.date)}  {size_text(item.megabytes)}", translate=False)


class NEUROK_PT_takes(Panel):
    bl_idname = names.Panel.TAKES
    bl_label = "Takes"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"  # where Blender keeps what only opens by a button
    bl_ui_units_x = WIDTH

    @classmethod
    def poll(cls, context):
        return active_mesh_object(context) is not None

    def draw(self, context):
        layout, settings = self.layout, active_mesh_object(context).neurok
        layout.template_list(names.UserList.TAKES, "", settings, "takes", settings, "active_take", rows=ROWS)
        row = layout.row(align=True)
        row.prop(settings, "writes_attributes", icon="SPREADSHEET", toggle=True)
        row.operator(names.Operator.TAKE_RANGE, icon="PREVIEW_RANGE")
        row.operator(names.Operator.DISCARD_TAKE, icon="TRASH")


CLASSES = (NEUROK_UL_takes, NEUROK_PT_takes)
