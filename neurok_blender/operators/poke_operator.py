"""Place a poke by a click on the surface."""

from bpy.app.translations import pgettext_rpt as rpt_
from bpy.types import Operator

from .. import names
from ..scene.condition_list import add_poke
from ..scene.surface import SurfacePoint, cast_ray, line_of_sight
from ..session.screen import set_status_text
from ..session.state import session
from .feedback import has_mesh_in_object_mode, has_view
from .view_regions import NAVIGATION, mouse_in, region_under

__all__ = ["CLASSES", "NEUROK_OT_poke_place"]

HINT = "NeuROK: LMB: Place Poke, Esc/RMB: Cancel"


class NEUROK_OT_poke_place(Operator):
    """Click on the surface to poke it there, straight in"""

    bl_idname = names.Operator.POKE_PLACE
    bl_label = "Place Poke"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = "Needs a 3D view to click in; scripts use neurok.condition_add"
        return has_mesh_in_object_mode(cls, context) and has_view(cls, context, reason)

    def invoke(self, context, event):
        self._area = context.area
        self._object_name = context.active_object.name
        # One pokes the shape that the simulation starts from, not a pose that happens to be shown.
        session.show_originals()
        context.window.cursor_modal_set("PAINT_CROSS")
        context.window_manager.modal_handler_add(self)
        set_status_text(HINT)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self.cancel(context)
            return {"CANCELLED"}
        if event.type in NAVIGATION:
            return {"PASS_THROUGH"}
        if event.type == "LEFTMOUSE" and event.value == "PRESS":
            return self._click(context, event)
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        session.show_takes(context.scene.frame_current)
        context.window.cursor_modal_restore()
        set_status_text(None)

    def _click(self, context, event):
        region = region_under(self._area, event)
        if region is None or region.type != "WINDOW":
            return {"PASS_THROUGH"}
        obj = context.view_layer.objects.get(self._object_name)
        if obj is None:
            self.cancel(context)
            return {"CANCELLED"}
        place = self._surface_under(context, obj, region, event)
        if place is None:
            self.report({"WARNING"}, rpt_("There is nothing of {} here. Click on its surface.").format(obj.name))
            return {"RUNNING_MODAL"}
        add_poke(obj, place, context.scene.neurok.frame_start)
        self.cancel(context)
        self._area.tag_redraw()
        return {"FINISHED"}

    def _surface_under(self, context, obj, region, event) -> SurfacePoint | None:
        view = self._area.spaces.active.region_3d
        return cast_ray(context, obj, *line_of_sight(region, view, mouse_in(region, event)))


CLASSES = (NEUROK_OT_poke_place,)
