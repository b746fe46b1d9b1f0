"""What the analysis has found out about an object, in lines for the panel, and all of it in a tooltip and a popup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Operator

from .. import names
from ..backend.texts import Text
from ..properties.provider_menu import menu
from ..session.backend_text import backend_text, kept_texts
from ..session.background_analysis import background_analysis, summary_of
from .feedback import has_mesh
from .wrapped_text import draw_text

__all__ = ["CLASSES", "NEUROK_OT_finding", "details", "found_lines", "warning_texts"]

POPUP_WIDTH = 380  # pixels at interface scale 1

Summary = Mapping[str, Any]


def found_lines(summary: Summary) -> list[str]:
    """The two lines that say most: how it moves and by how many joints, and what it is and weighs."""
    reasons = [backend_text(reason).rstrip(".") for reason in kept_texts(summary.get("reasons", ()))]
    moves = reasons[0] if reasons else iface_(menu.entry(summary["provider"]).label)
    count = len(summary.get("joints", ()))
    if count:
        joints = iface_("1 joint") if count == 1 else iface_("{} joints").format(count)
        moves = f"{moves}, {joints}"
    pieces = len(summary.get("pieces", ())) or 1
    consists = iface_("1 piece, {}") if pieces == 1 else iface_("{} pieces, {}")
    mass = iface_("{} kg").format(mass_text(summary["mass"]))
    return [moves, consists.format(mass) if pieces == 1 else consists.format(pieces, mass)]


def mass_text(kilograms: float) -> str:
    """To three digits, without a power of ten where that can be helped."""
    return f"{kilograms:,.0f}" if kilograms >= 100.0 else f"{kilograms:.3g}"


def warning_texts(summary: Summary) -> list[Text | str]:
    return kept_texts(summary["warnings"])


def details(summary: Summary) -> Iterator[tuple[Text | str, str]]:
    """(sentence, icon) of all that is known."""
    for number, line in enumerate(found_lines(summary)):
        yield f"{line}.", "BLANK1" if number else "CHECKMARK"
    freedom = summary["degrees_of_freedom"]
    yield iface_("1 degree of freedom." if freedom == 1 else "{} degrees of freedom.").format(freedom), "BLANK1"
    if summary.get("confidence") is not None:  # what an older release found has none
        yield iface_("Learned motion: {:.0f} % sure.").format(100.0 * summary["confidence"]), "BLANK1"
    for reason in kept_texts([summary["support_reason"]] if "support_reason" in summary else ()):
        yield reason, "BLANK1"
    if menu.understands(summary["provider"], "joints"):
        yield iface_("Press Find Joints to list the joints and correct them."), "BLANK1"
    for warning in warning_texts(summary):
        yield warning, "ERROR"


def _all_lines(obj: bpy.types.Object) -> list[tuple[Text | str, str]]:
    finding = background_analysis.finding_of(obj)
    if finding is not None and finding.message:
        return [(finding.message, "ERROR"), (finding.remedy, "BLANK1")]
    summary = summary_of(obj)
    return [(iface_("Not analyzed yet."), "INFO")] if summary is None else list(details(summary))


class NEUROK_OT_finding(Operator):
    """Show all that the analysis found"""

    bl_idname = names.Operator.FINDING
    bl_label = "Analysis"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        return has_mesh(cls, context)

    @classmethod
    def description(cls, context, _properties):
        return " ".join(backend_text(text) for text, _icon in _all_lines(context.active_object))

    def invoke(self, context, _event):
        return context.window_manager.invoke_popup(self, width=POPUP_WIDTH)

    def draw(self, context):
        for text, icon in _all_lines(context.active_object):
            draw_text(self.layout, context, text, icon, width=POPUP_WIDTH)

    def execute(self, context):
        for text, _icon in _all_lines(context.active_object):
            self.report({"INFO"}, backend_text(text))
        return {"FINISHED"}


CLASSES = (NEUROK_OT_finding,)
