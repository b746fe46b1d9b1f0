"""The Object panel: provider, findings, material, anchor."""

import json
from typing import Any

from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Object, Panel

from .. import names
from ..operators.preset_operators import NEUROK_PT_object_presets
from ..operators.wrapped_text import draw_text
from ..properties.provider_menu import menu
from ..scene.joint_alternatives import kept_alternatives, open_joints
from ..session.backend_text import kept_texts
from ..session.background_analysis import Finding, background_analysis
from .icons import icon_value
from .pieces_list import draw_pieces
from .sidebar import SidebarPanel, active_mesh_object

__all__ = ["CLASSES", "NEUROK_PT_object", "found_lines"]


def found_lines(summary: dict[str, Any]) -> list[str]:
    """The findings of the backend about an object, a line each, in the artist's language."""
    freedom, parts = summary["degrees_of_freedom"], summary["parts"]
    moves = iface_("{}, {} degree of freedom" if freedom == 1 else "{}, {} degrees of freedom")
    consists = iface_("{} part, {:.3g} kg" if parts == 1 else "{} parts, {:.3g} kg")
    lines = [
        moves.format(iface_(menu.entry(summary["provider"]).label), freedom),
        consists.format(parts, summary["mass"]),
    ]
    if summary.get("confidence") is not None:  # what an older release found has none
        lines.append(iface_("Learned motion: {:.0f} % sure").format(100.0 * summary["confidence"]))
    return lines


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
            draw_text(layout, context, "Click a mesh object to make it move.", "INFO")
            return
        settings = obj.neurok
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(settings, "provider")
        for problem in menu.problems:
            draw_text(layout, context, problem, "ERROR")
            draw_text(layout, context, problem.remedy, "BLANK1")
        background_analysis.watch(obj)
        self._draw_finding(context, background_analysis.finding_of(obj), settings.found)
        draw_pieces(layout, context, obj)
        column = layout.column()
        column.prop(settings, "matter")
        elastic = column.column()
        elastic.enabled = menu.understands(settings.provider.lower(), "stiffness_hz")
        if settings.matter == "OWN":
            elastic.prop(settings, "stiffness_hz")
            elastic.prop(settings, "settle_seconds")
            column.prop(settings, "density")
        factor = column.column()
        factor.enabled = menu.understands(settings.provider.lower(), "stiffness")
        factor.prop(settings, "stiffness", slider=True)
        column = layout.column()
        column.prop(settings, "anchor")
        if settings.anchor == "GROUP":
            column.prop_search(settings, "anchor_group", obj, "vertex_groups")
        if settings.anchor not in ("NONE", "FLOOR"):
            row = column.row()
            row.use_property_split = False  # the name needs the whole width
            row.prop(settings, "settled")

    def _draw_finding(self, context, finding: Finding | None, found: str) -> None:
        """`found` is what was stored after the last simulation, for as long as nothing newer is known."""
        if finding is not None and finding.message:
            box = self.layout.box().column(align=True)
            draw_text(box, context, finding.message, "ERROR")
            draw_text(box, context, finding.remedy, "BLANK1")
            return
        if background_analysis.is_analyzing:
            self.layout.label(text=iface_("Analyzing..."), icon="VIEWZOOM", translate=False)
        if finding is None and not found:
            return
        summary = finding.summary if finding is not None else json.loads(found)
        box = self.layout.box().column(align=True)
        for number, line in enumerate(found_lines(summary)):
            box.label(text=line, icon="BLANK1" if number else "CHECKMARK", translate=False)
        for reason in kept_texts(summary.get("reasons", ())):
            draw_text(box, context, reason, "BLANK1")
        if menu.understands(summary["provider"], "joints") and not len(context.active_object.neurok.joints):
            draw_text(box, context, "Press Find Joints to have joints in a list and correct them.", "BLANK1")
        for warning in kept_texts(summary["warnings"]):
            draw_text(box, context, warning, "ERROR")
        if finding is not None and summary.get("choices"):
            self._draw_ways(context.active_object, finding)

    def _draw_ways(self, obj: Object, finding: Finding) -> None:
        """A button for each joint that may move otherwise."""
        kept = kept_alternatives(obj, finding.form)
        column = self.layout.column(align=True)
        for joint, others in open_joints(finding.summary["choices"]).items():
            now = next((1 + others.index(number) for number in kept if number in others), 0)
            text = iface_("Joint {}: alternative {} of {}").format(joint + 1, now + 1, 1 + len(others))
            button = column.operator(names.Operator.WAY_NEXT, text=text, icon="FILE_REFRESH", translate=False)
            button.joint = joint


CLASSES = (NEUROK_PT_object,)
