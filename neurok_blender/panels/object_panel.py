"""The Object panel: provider, findings, pieces, material, support, and the button that finds joints."""

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Object, Panel, UILayout

from .. import names
from ..gizmos.units import length_text
from ..operators.finding_operator import found_lines, warning_texts
from ..operators.preset_operators import NEUROK_PT_object_presets
from ..operators.size_operator import likely_size
from ..operators.wrapped_text import LINE_SCALE, draw_lines, draw_text
from ..properties.provider_menu import menu
from ..scene.joint_alternatives import kept_alternatives, open_joints
from ..session.background_analysis import background_analysis, summary_of
from ..session.state import session
from .icons import icon_value
from .pieces_list import draw_pieces
from .sidebar import SidebarPanel, active_mesh_object, draw_progress

__all__ = ["CLASSES", "NEUROK_PT_object"]

LINES = 4  # of what was found, whether it is there already or not
MOST_WAYS = 3  # joints whose other ways have buttons in the last of these lines


class NEUROK_PT_object(SidebarPanel, Panel):
    bl_idname = names.Panel.OBJECT
    bl_label = "Object"

    def draw_header(self, _context):
        self.layout.label(text="", icon_value=icon_value("neurok"))

    def draw_header_preset(self, context):
        if active_mesh_object(context) is not None:
            NEUROK_PT_object_presets.draw_panel_header(self.layout)

    def draw(self, context):
        layout = self.layout
        obj = active_mesh_object(context)
        if obj is None:
            draw_text(layout, context, "Select a mesh object.", "INFO")
            return
        settings = obj.neurok
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(settings, "provider")
        for problem in menu.problems:
            draw_text(layout, context, problem, "ERROR")
            draw_text(layout, context, problem.remedy, "BLANK1")
        background_analysis.watch(obj)
        self._draw_finding(context, obj)
        draw_pieces(layout, context, obj)
        column = layout.column()
        row = column.row(align=True)
        row.use_property_split = False
        row.prop(settings, "matter", text="")
        factor = row.row(align=True)
        factor.enabled = menu.understands(settings.provider.lower(), "stiffness")
        factor.prop(settings, "stiffness", slider=True)
        elastic = column.column()
        elastic.enabled = menu.understands(settings.provider.lower(), "stiffness_hz")
        if settings.matter == "OWN":
            elastic.prop(settings, "stiffness_hz")
            elastic.prop(settings, "settle_seconds")
            column.prop(settings, "density")
        row = column.row(align=True)
        row.prop(settings, "anchor")
        held = row.row(align=True)
        held.active = settings.anchor not in ("NONE", "FLOOR")
        held.prop(settings, "settled", text="", icon="FREEZE")
        if settings.anchor == "GROUP":
            column.prop_search(settings, "anchor_group", obj, "vertex_groups")
        if session.one_shot is None:
            row = layout.row(align=True)
            row.operator(names.Operator.JOINTS_FIND, icon="CONSTRAINT_BONE")
            row.prop(settings, "joint_source", text="", icon_only=True)
        else:
            draw_progress(layout, session.one_shot.progress)

    def _draw_finding(self, context, obj: Object) -> None:
        """Always as high, so that nothing moves under the mouse when the analysis arrives."""
        finding, summary = background_analysis.finding_of(obj), summary_of(obj)
        current = background_analysis.is_current(obj)
        row = self.layout.box().row()
        column = row.column(align=True)
        column.active = current
        if finding is not None and finding.message:
            entries, ways = [(finding.message, "ERROR"), (finding.remedy, "BLANK1")], {}
        elif summary is None:
            entries, ways = [(iface_("Analyzing..."), "TIME")], {}
        else:
            first, second = found_lines(summary)
            entries = [(first, "CHECKMARK") if current else (iface_("Analyzing..."), "TIME"), (second, "BLANK1")]
            entries += [(warning, "ERROR") for warning in warning_texts(summary)]
            ways = open_joints(summary.get("choices", ())) if finding is not None else {}
        likely = likely_size(obj, summary)
        sized = likely is not None or obj.neurok.size > 0.0
        draw_lines(column, context, entries, LINES - bool(ways) - sized)
        if sized:
            self._draw_size(column, context, obj, likely)
        if ways:
            self._draw_ways(column, obj, finding.form, ways)
        side = row.column()
        side.operator(names.Operator.FINDING, text="", icon="INFO", emboss=False)

    def _draw_size(self, layout: UILayout, context, obj: Object, likely: float | None) -> None:
        """With what size it is simulated, or would better be, and a click to change that."""
        row, given = layout.row(align=True), obj.neurok.size > 0.0
        row.scale_y = LINE_SCALE
        text = iface_("Simulated as {} Long") if given else iface_("Simulate as {} Long")
        text = text.format(length_text(context.scene, obj.neurok.size if given else likely))
        row.operator(names.Operator.SIZE, text=text, translate=False, icon="X" if given else "ERROR", depress=given)

    def _draw_ways(self, layout: UILayout, obj: Object, form: str, ways: dict[int, list[int]]) -> None:
        """A button for each of the first joints that may move otherwise."""
        kept = kept_alternatives(obj, form)
        row = layout.row(align=True)
        row.scale_y = LINE_SCALE
        for joint, others in list(ways.items())[:MOST_WAYS]:
            now = next((1 + others.index(number) for number in kept if number in others), 0)
            text = iface_("Joint {}: Option {}/{}").format(joint + 1, now + 1, 1 + len(others))
            row.operator(names.Operator.WAY_NEXT, text=text, translate=False).joint = joint


CLASSES = (NEUROK_PT_object,)
