"""The arrows of the active object: a fixed pool, of which each condition with a direction takes one."""

from bpy.types import GizmoGroup

from .. import names
from ..session import session
from .conditions import ARROW_KINDS

__all__ = ["CLASSES", "NEUROK_GGT_arrows"]

POOL = 16
COLORS = {"POKE": (1.0, 0.45, 0.1), "VELOCITY": (0.2, 0.75, 0.95)}
ACTIVE_ALPHA, OTHER_ALPHA = 1.0, 0.6


class NEUROK_GGT_arrows(GizmoGroup):
    bl_idname = names.GizmoGroup.ARROWS
    bl_label = "NeuROK Arrows"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        return (
            session.simulation is None
            and obj is not None
            and obj.type == "MESH"
            and obj.mode == "OBJECT"
            and obj.select_get()
            and any(item.enabled and item.kind in ARROW_KINDS for item in obj.neurok.conditions)
        )

    def setup(self, _context):
        for _number in range(POOL):
            arrow = self.gizmos.new(names.GizmoGroup.ARROW)
            arrow.hide = True
            arrow.use_draw_modal = True
            arrow.use_draw_value = True
            arrow.color_highlight = (1.0, 1.0, 1.0)
            arrow.alpha_highlight = 1.0

    def refresh(self, context):
        self._assign(context)

    def draw_prepare(self, context):
        # Undo and scripts change the list without a refresh, so every redraw looks at it.
        self._assign(context)

    def _assign(self, context) -> None:
        settings = context.active_object.neurok
        wanted = [index for index, item in enumerate(settings.conditions) if item.enabled and item.kind in ARROW_KINDS]
        for number, arrow in enumerate(self.gizmos):
            arrow.hide = number >= len(wanted)
            if not arrow.hide:
                arrow.condition = wanted[number]
                arrow.color = COLORS[settings.conditions[wanted[number]].kind]
                arrow.alpha = ACTIVE_ALPHA if wanted[number] == settings.active_condition else OTHER_ALPHA


CLASSES = (NEUROK_GGT_arrows,)
