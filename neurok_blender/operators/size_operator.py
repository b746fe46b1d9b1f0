"""Simulate the active object as large as it likely is, or as it is drawn again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface as iface_
from bpy.types import Operator

from .. import names
from ..gizmos.units import length_text
from ..session.background_analysis import summary_of
from .feedback import has_mesh

__all__ = ["CLASSES", "NEUROK_OT_size", "likely_size"]

FAR = 3.0  # times as large or as small as it likely is: what is nearer may well be right


def likely_size(obj: bpy.types.Object, summary: Mapping[str, Any] | None) -> float | None:
    """The longest side (m) that an object likely has where it is drawn much larger or smaller; else None."""
    likely, drawn = (summary or {}).get("size_guess"), max(obj.dimensions)
    if likely is None or drawn <= 0.0 or 1.0 / FAR < drawn / likely < FAR:
        return None
    return float(f"{likely:.1g}") if likely < 1.0 else float(f"{likely:.2g}")


class NEUROK_OT_size(Operator):
    """Simulate the object as large as it likely is, whatever its drawn size; press again to go back"""

    bl_idname = names.Operator.SIZE
    bl_label = "Simulate at Likely Size"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def description(cls, context, _properties):
        """With the size as drawn, which has no room on the button."""
        drawn = length_text(context.scene, max(context.active_object.dimensions))
        return f"{iface_('Drawn {} long.').format(drawn)} {iface_(cls.__doc__)}"

    @classmethod
    def poll(cls, context):
        if not has_mesh(cls, context):
            return False
        obj = context.active_object
        if obj.neurok.size == 0.0 and likely_size(obj, summary_of(obj)) is None:
            cls.poll_message_set("Needs an object that is drawn much larger or smaller than it likely is")
            return False
        return True

    def execute(self, context):
        obj = context.active_object
        obj.neurok.size = 0.0 if obj.neurok.size > 0.0 else likely_size(obj, summary_of(obj))
        return {"FINISHED"}


CLASSES = (NEUROK_OT_size,)
