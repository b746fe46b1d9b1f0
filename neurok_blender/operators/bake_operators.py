"""Bake, and Clear and Play of baked takes."""

from math import inf

import bpy
from bpy.app.translations import pgettext_rpt as rpt_
from bpy.props import IntProperty, StringProperty
from bpy.types import Operator

from .. import names
from ..errors import Refusal
from ..properties.bake_properties import BakeChoices
from ..scene.bakes.base import Bake, Baked
from ..scene.bakes.kinds import BakeOptions, bake_of
from ..scene.bakes.ledger import clear, let_play
from ..session.screen import redraw_sidebars, set_status_text
from ..session.state import Notice, session
from ..session.take_list import half_if_unused
from .feedback import is_idle, report_refusal

__all__ = ["CLASSES", "NEUROK_OT_bake", "NEUROK_OT_bake_clear", "NEUROK_OT_bake_play"]

TICK_SECONDS, BUDGET_SECONDS = 0.01, 0.02


class NEUROK_OT_bake(BakeChoices, Operator):
    """Keep the simulated motion on the timeline"""

    bl_idname = names.Operator.BAKE
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    start: IntProperty(
        name="Start",
        description="Frame of the timeline at which the take begins; left out, that of the simulation",
        options={"SKIP_SAVE"},
    )
    take_name: StringProperty(name="Name", description="What the take is called; empty: a free name")

    @classmethod
    def poll(cls, context):
        return is_idle(cls)

    def execute(self, context):
        """Bakes to the end before it returns: for scripts, and for Blender without a window."""
        try:
            bake = self._new_bake(context)
            bake.advance(inf)
        except Refusal as refusal:
            return self._refused(context, refusal)
        return self._report_done(context, bake.baked)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)  # without a window no timer runs
        try:
            session.bake = self._bake = self._new_bake(context)
        except Refusal as refusal:
            return self._refused(context, refusal)
        self._timer = context.window_manager.event_timer_add(TICK_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        set_status_text("NeuROK: Esc: Cancel Bake")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if session.bake is not self._bake:  # ended from elsewhere
            self._leave(context)
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            self.cancel(context)
            session.show_takes(context.scene.frame_current)
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}  # nothing else may happen to the mesh meanwhile
        try:
            complete = self._bake.advance(BUDGET_SECONDS)
        except BaseException as error:
            self._leave(context)  # or nothing could be begun any more
            if isinstance(error, Refusal):
                return self._refused(context, error)
            raise
        redraw_sidebars()
        if not complete:
            return {"RUNNING_MODAL"}
        self._leave(context)
        return self._report_done(context, self._bake.baked)

    def cancel(self, context):
        """By Esc, or because Blender ends the operator, as it does when another file is opened."""
        self._bake.cancel()
        self._leave(context)

    def _new_bake(self, context) -> Bake:
        options = BakeOptions(
            kind=self.kind,
            place=self.place,
            start=self.start if self.properties.is_property_set("start") else None,
            step=self.step,
            name=self.take_name,
            tolerance=self.tolerance,
            influences=self.influences,
            file=self.file,
        )
        obj = context.active_object
        return bake_of(context, obj, session.take_of(obj), options)

    def _leave(self, context) -> None:
        if session.bake is self._bake:
            session.bake = None
        context.window_manager.event_timer_remove(self._timer)
        set_status_text(None)
        redraw_sidebars()

    def _report_done(self, context, baked: Baked) -> set[str]:
        if baked.kind == "ARMATURE":
            size = max(context.active_object.dimensions) or 1.0
            message = rpt_("{} bones are on the timeline; no vertex is off by more than {:.3f} % of the size.").format(
                baked.count, 100.0 * baked.error / size
            )
        elif baked.kind == "CACHE":
            message = rpt_("{} shapes are in the file ({:.1f} MB).").format(baked.count, baked.megabytes)
        else:
            message = rpt_("{} shape keys are on the timeline.").format(baked.count)
        session.notice = Notice(message)
        self.report({"INFO"}, message)
        session.show_takes(context.scene.frame_current)
        return {"FINISHED"}

    def _refused(self, context, refusal: Refusal) -> set[str]:
        report_refusal(self, refusal)
        session.show_takes(context.scene.frame_current)
        return {"CANCELLED"}


class _OnTake:
    """Mix-in of operators on a take of the list."""

    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty(
        name="Number", description="Place of the take in the list, from 0; -1 is the chosen one", default=-1, min=-1
    )

    @classmethod
    def poll(cls, context):
        obj = context.active_object
        if not is_idle(cls):
            return False
        return obj is not None and obj.type == "MESH" and obj.mode == "OBJECT" and len(obj.neurok.bakes) > 0

    def _entry(self, context):
        """None, with a report, where there is none."""
        settings = context.active_object.neurok
        index = settings.active_bake if self.index < 0 else self.index
        if index < len(settings.bakes):
            return settings.bakes[index]
        self.report({"ERROR"}, rpt_("The list has no take number {}. It counts from 0.").format(index))
        return None


class NEUROK_OT_bake_clear(_OnTake, Operator):
    """Remove everything that was made for this baked take: keys, bones, groups, curves, and its file for good"""

    bl_idname = names.Operator.BAKE_CLEAR
    bl_label = "Clear"

    def execute(self, context):
        if (entry := self._entry(context)) is None:
            return {"CANCELLED"}
        clear(context.active_object, entry)
        half_if_unused(context.active_object)
        session.notice = Notice()
        session.show_takes(context.scene.frame_current)
        return {"FINISHED"}


class NEUROK_OT_bake_play(_OnTake, Operator):
    """Let this baked take play, or not; others at the same frames are switched off"""

    bl_idname = names.Operator.BAKE_PLAY
    bl_label = "Play Take"

    def execute(self, context):
        if (entry := self._entry(context)) is None:
            return {"CANCELLED"}
        let_play(context.active_object, entry.serial, not entry.used)
        session.show_takes(context.scene.frame_current)
        return {"FINISHED"}


CLASSES = (NEUROK_OT_bake, NEUROK_OT_bake_clear, NEUROK_OT_bake_play)
