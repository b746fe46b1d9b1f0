"""The Bake panel: the take, settings, sizes, and the list of baked takes."""

from collections.abc import Iterator

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Object, Panel, UILayout, UIList

from .. import names
from ..operators.wrapped_text import draw_lines
from ..properties.bake_properties import BAKE_ICONS, BAKE_KINDS
from ..scene.takes import SceneTake
from ..session.kept_takes import kept_takes
from ..session.state import session
from .sidebar import ObjectPanel, active_mesh_object
from .takes_popover import draw_chosen_take, size_text

__all__ = ["CLASSES", "NEUROK_PT_bake", "NEUROK_UL_bakes"]

KIND_NAMES = {identifier: name for identifier, name, _text, _icon, _number in BAKE_KINDS}


def _work() -> tuple[float, str] | None:
    """How far the bake or the pointmap is that goes on: a share, and a text."""
    if session.bake is not None:
        done, total = session.bake.done, session.bake.total
        return done / total, iface_("Baking {} of {}").format(done, total)
    if session.pointmap is not None:
        progress = session.pointmap.progress
        text = iface_("Pointmap: {} of {}").format(progress.done, progress.total)
        return progress.done / max(progress.total, 1), text
    return None


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
        """As high with a take as without one, and while it is baked."""
        layout = self.layout
        obj = active_mesh_object(context)
        take = session.take_of(obj)
        draw_chosen_take(layout, obj)
        draw_lines(layout, context, self._lines(obj, take), 2)
        column = layout.column()
        column.enabled = take is not None and session.bake is None
        self._draw_choices(column, obj)
        work = _work()
        if work is None:
            row = layout.row(align=True)
            one = row.row(align=True)
            one.enabled = take is not None
            self._draw_button(one, obj)
            every = row.row(align=True)
            every.enabled = len(session.takes) > 1
            button = every.operator(names.Operator.BAKE_ALL)
            for name in ("kind", "step", "tolerance", "influences"):
                setattr(button, name, getattr(obj.neurok.bake, name))
        else:
            layout.progress(factor=work[0], text=work[1])
        if len(obj.neurok.bakes):
            self._draw_takes(layout, obj)

    def _lines(self, obj: Object, take: SceneTake | None) -> Iterator[tuple[str, str]]:
        """What there is to bake, how large it gets, and what would be better."""
        if take is None:
            reads = kept_takes.is_waiting(obj)
            text = iface_("Reading the take...") if reads else iface_("Simulate first, then bake the motion here.")
            yield text, "TIME" if reads else "INFO"
            return
        settings = obj.neurok.bake
        sizes = session.bake_sizes.wanted(take, settings.step, settings.tolerance, settings.influences)
        frames = iface_("Frames {} to {}").format(take.frame_start, take.frame_end)
        known = sizes is not None and settings.kind not in sizes.refused
        yield f"{frames}, {size_text(sizes.of(settings.kind) if known else None)}", "TIME"
        best = None if sizes is None else sizes.suggestion
        if best is not None:
            text = iface_("Suggested: {}").format(iface_(KIND_NAMES[best]))
            yield f"{text}, {size_text(sizes.of(best))}", "CHECKMARK"

    def _draw_choices(self, column: UILayout, obj: Object) -> None:
        settings = obj.neurok.bake
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(settings, "kind")
        if settings.kind == "COMPRESSED":
            column.prop(settings, "tolerance")
        elif settings.kind == "ARMATURE":
            column.prop(settings, "influences")
        elif settings.kind == "CACHE":
            column.prop(settings, "file")
        row = column.row(align=True)
        row.use_property_split = False
        row.prop(settings, "step")
        row.prop(settings, "use_start", text="")
        value = row.row(align=True)
        value.active = settings.use_start
        value.prop(settings, "start")
        if len(obj.neurok.bakes):
            column.prop(settings, "place")

    def _draw_button(self, layout: UILayout, obj: Object) -> None:
        settings = obj.neurok.bake
        button = layout.operator(names.Operator.BAKE, icon=BAKE_ICONS[settings.kind])
        for name in ("kind", "place", "step", "tolerance", "influences", "file"):
            setattr(button, name, getattr(settings, name))
        if settings.use_start:
            button.start = settings.start

    def _draw_takes(self, layout: UILayout, obj: Object) -> None:
        settings = obj.neurok
        layout.template_list(
            names.UserList.BAKES, "", settings, "bakes", settings, "active_bake", rows=min(len(settings.bakes), 5)
        )
        if settings.active_bake < len(settings.bakes):
            entry = settings.bakes[settings.active_bake]
            if entry.error > 0.0:
                text = iface_("At most {:.4f} m off").format(entry.error)
                layout.label(text=text, icon="INFO", translate=False)
            layout.operator(names.Operator.BAKE_CLEAR, icon="X").index = settings.active_bake


CLASSES = (NEUROK_UL_bakes, NEUROK_PT_bake)
