"""The gizmo group of the active object's conditions."""

from bpy.types import GizmoGroup

from .. import names
from ..session.state import session
from .gizmo_pools import POOLS, assign_slots
from .handle_group import HandleGroup

__all__ = ["CLASSES", "NEUROK_GGT_conditions"]

COLORS = {
    "POKE": (1.0, 0.45, 0.1),
    "VELOCITY": (0.2, 0.75, 0.95),
    "WIND": (0.55, 0.95, 0.5),
    "GROUND": (0.95, 0.8, 0.35),
}
ACTIVE_ALPHA, FAINT_ALPHA = 1.0, 0.3
# Where several handles lie on one another, the mouse takes the later of these, and the chosen condition's first.
PICKED_LAST = (
    names.GizmoGroup.FLOOR,
    names.GizmoGroup.DIAL,
    names.GizmoGroup.RING,
    names.GizmoGroup.AXIS,
    names.GizmoGroup.GRIP,
    names.GizmoGroup.ARROW,
)


class NEUROK_GGT_conditions(HandleGroup, GizmoGroup):
    bl_idname = names.GizmoGroup.CONDITIONS
    bl_label = "NeuROK Conditions"

    __slots__ = ("pools",)

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        return (
            not session.is_busy
            and obj is not None
            and obj.type == "MESH"
            and obj.library is None
            and obj.mode == "OBJECT"
            and obj.select_get()
            and any(item.enabled and item.kind in COLORS for item in obj.neurok.conditions)
        )

    def setup(self, _context):
        self.pools = {}
        for pool, count in POOLS.items():
            self.pools[pool] = [self.new_handle(pool) for _number in range(count)]

    def draw_prepare(self, context):
        # Undo and scripts change the list without a call of `refresh`, so every redraw looks at it.
        obj = context.active_object
        conditions = obj.neurok.conditions
        shared = assign_slots(conditions, obj.neurok.active_condition)
        for pool, gizmos in self.pools.items():
            slots = shared[pool]
            for number, gizmo in enumerate(gizmos):
                gizmo.hide = number >= len(slots)
                if not gizmo.hide:
                    slot = slots[number]
                    gizmo.index = slot.index
                    gizmo.is_faint = not slot.is_active
                    gizmo.color = COLORS[conditions[slot.index].kind]
                    gizmo.alpha = ACTIVE_ALPHA if slot.is_active else FAINT_ALPHA
                    gizmo.select_bias = PICKED_LAST.index(pool) + (len(PICKED_LAST) if slot.is_active else 0.0)
                    gizmo.prepare(context, obj)


CLASSES = (NEUROK_GGT_conditions,)
