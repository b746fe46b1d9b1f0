"""The Bake panel: settings, sizes, and the list of baked takes."""

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Object, Panel, UILayout, UIList

from .. import names
from ..operators.wrapped_text import draw_text
from ..properties.bake_properties import BAKE_ICONS, BAKE_KINDS
from ..scene.bakes.sizes import Sizes
from ..scene.takes import SceneTake
from ..session.state import session
from .sidebar import ObjectPanel, active_mesh_object

__all__ = ["CLASSES", "NEUROK_PT_bake", "NEUROK_UL_bakes", "size_text"]

KIND_NAMES = {identifier: name for identifier, name, _text, _icon, _number in BAKE_KINDS}


def size_text(megabytes: float | None) -> str:
    """As short as a menu wants it."""
    if megabytes is None:
        return "..."
    if megabytes >= 1000.0:
        return f"{megabytes / 1000.0:.1f} GB"
    return f"{megabytes:.0f} MB" if megabytes >= 10.0 else f"{megabytes:.2f} MB"


class NEUROK_UL_bakes(UIList):
    bl_idname = names.UserList.BAKES

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_property, index):
        row = layout.row(align=True)
        row.active = item.used
        row.prop(item, "name", text="", emboss=False, icon=BAKE_ICONS[item.kind])
        text = f"{item.frame_start}-{item.frame_end}  {size_text(item.megabytes)}"
        row.label(text=text, translate=False)
        play = row.operator(
            names.Operator.BAKE_PLAY, text="", emboss=False, icon="HIDE_OFF" if item.used else "HIDE_ON"
        )
        play.index = index


class NEUROK_PT_bake(ObjectPanel, Panel):
    bl_idname = names.Panel.BAKE
    bl_label = "Bake"

    def draw(self, context):
        layout = self.layout
        if session.bake is not None:
            done, total = session.bake.done, session.bake.total
            layout.progress(factor=done / total, text=iface_("Baking {} of {}").format(done, total))
            return
        if session.pointmap is not None:
            progress = session.pointmap.progress
            text = iface_("Pointmap: {} of {}").format(progress.done, progress.total)
            layout.progress(factor=progress.done / max(progress.total, 1), text=text)
            return
        obj = active_mesh_object(context)
        take = session.take_of(obj)
        if take is None:
            draw_text(layout, context, "Simulate first; then the motion can be kept here.", "INFO")
        else:
            text = iface_("Frames {} to {}").format(take.frame_start, take.frame_end)
            layout.label(text=text, icon="TIME", translate=False)
            self._draw_choices(context, obj, take)
        column = layout.column(align=True)
        column.enabled = take is not None
        self._draw_button(column, obj)
        column.operator(names.Operator.DISCARD_TAKE, icon="TRASH")
        if len(obj.neurok.bakes):
            self._draw_takes(obj)
        layout.operator(names.Operator.POINTMAP_EXPORT, icon="IMAGE_ZDEPTH")

    def _draw_choices(self, context, obj: Object, take: SceneTake) -> None:
        settings = obj.neurok.bake
        sizes = session.bake_sizes.wanted(take, settings.step, settings.tolerance, settings.influences)
        if sizes is not None:
            self._draw_sizes(context, settings.kind, sizes)
        column = self.layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "kind")
        if settings.kind == "COMPRESSED":
            column.prop(settings, "tolerance")
        elif settings.kind == "ARMATURE":
            column.prop(settings, "influences")
        elif settings.kind == "CACHE":
            column.prop(settings, "file")
        column.prop(settings, "step")
        column.prop(settings, "use_start")
        if settings.use_start:
            column.prop(settings, "start")
        if len(obj.neurok.bakes):
            column.prop(settings, "place")

    def _draw_sizes(self, context, kind: str, sizes: Sizes) -> None:
        box = self.layout.box().column(align=True)
        for identifier, name in KIND_NAMES.items():
            if identifier in sizes.refused:
                continue
            row = box.row()
            row.active = identifier == kind
            row.label(text=name, icon=BAKE_ICONS[identifier])
            size = row.row()
            size.alignment = "RIGHT"
            size.label(text=size_text(sizes.of(identifier)), translate=False)
        if sizes.suggestion is not None:
            text = iface_("Suggested: {}").format(iface_(KIND_NAMES[sizes.suggestion]))
            draw_text(box, context, text, "CHECKMARK", boxed=True)

    def _draw_button(self, layout: UILayout, obj: Object) -> None:
        settings = obj.neurok.bake
        button = layout.operator(names.Operator.BAKE, icon=BAKE_ICONS[settings.kind])
        for name in ("kind", "place", "step", "tolerance", "influences", "file"):
            setattr(button, name, getattr(settings, name))
        if settings.use_start:
            button.start = settings.start

    def _draw_takes(self, obj: Object) -> None:
        settings = obj.neurok
        self.layout.template_list(
            names.UserList.BAKES, "", settings, "bakes", settings, "active_bake", rows=min(len(settings.bakes), 5)
        )
        if settings.active_bake < len(settings.bakes):
            entry = settings.bakes[settings.active_bake]
            if entry.error > 0.0:
                text = iface_("At most {:.4f} m off").format(entry.error)
                self.layout.label(text=text, icon="INFO", translate=False)
            self.layout.operator(names.Operator.BAKE_CLEAR, icon="X").index = settings.active_bake


CLASSES = (NEUROK_UL_bakes, NEUROK_PT_bake)
