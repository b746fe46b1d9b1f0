"""Simulate and its cancel."""

import time

import bpy
from bpy.types import Operator

from .. import names
from ..errors import Refusal
from ..session import Notice, session
from ..simulation import Outcome, Progress, Simulation
from .feedback import RedrawPace, is_idle, redraw_sidebars, report_error, report_refusal, set_status_text

__all__ = ["CLASSES", "NEUROK_OT_cancel", "NEUROK_OT_simulate", "NEUROK_OT_simulate_together", "selected_meshes"]

TICK_SECONDS = 0.02


def selected_meshes(context) -> list:
    """The selected mesh objects, in the order of their names; the active one first."""
    chosen = sorted((obj for obj in context.selected_objects if obj.type == "MESH"), key=lambda obj: obj.name)
    return sorted(chosen, key=lambda obj: obj != context.active_object)


class _Simulating:
    """What both ways to simulate share: to the end for scripts, modal and streamed in a window."""

    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return is_idle(cls)

    def _objects(self, context) -> list:
        raise NotImplementedError

    def execute(self, context):
        """Simulates to the end before it returns: for scripts, and for Blender without a window."""
        simulation = self._begin(context)
        return {"CANCELLED"} if simulation is None else self._result(simulation.finish())

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)  # without a window no timer runs
        simulation = self._begin(context)
        if simulation is None:
            return {"CANCELLED"}
        self._simulation = simulation
        self._shown = simulation.progress
        self._pace = RedrawPace()
        self._timer = context.window_manager.event_timer_add(TICK_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        set_status_text("NeuROK: Esc stops the simulation")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        simulation = self._simulation
        if event.type == "ESC" and event.value == "PRESS":
            simulation.cancel()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"}
        may_show = self._pace.is_time(time.monotonic())
        progress = simulation.tick(show_frames=may_show)
        if may_show and progress != self._shown:
            self._shown = progress
            self._pace.redrawn()
            redraw_sidebars()
        if progress.outcome is Outcome.RUNNING:
            return {"RUNNING_MODAL"} if event.type == "ESC" else {"PASS_THROUGH"}
        self._leave(context)
        return self._result(progress)

    def cancel(self, context):
        """Blender ends the operator itself, as it does when another file is opened."""
        self._simulation.abort()
        self._leave(context)

    def _begin(self, context) -> Simulation | None:
        try:
            return Simulation(context, self._objects(context))
        except Refusal as refusal:
            report_refusal(self, refusal)
            return None

    def _leave(self, context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        set_status_text(None)
        redraw_sidebars()

    def _result(self, progress: Progress) -> set[str]:
        if progress.outcome is Outcome.DONE:
            self.report({"INFO"}, progress.message)
            return {"FINISHED"}
        if progress.outcome is Outcome.FAILED:
            report_error(self, progress.message, progress.remedy)
        return {"CANCELLED"}


class NEUROK_OT_simulate(_Simulating, Operator):
    """Simulate how the active object moves, showing the frames as they arrive"""

    bl_idname = names.Operator.SIMULATE
    bl_label = "Simulate"

    def invoke(self, context, event):
        """Whoever presses the button first of all sees what the object can do: it is poked where nothing acts on it."""
        obj = context.active_object
        if obj is not None and obj.type == "MESH" and self._is_at_rest(obj.neurok) and obj.library is None:
            bpy.ops.neurok.condition_add(kind="POKE")
            bpy.ops.ed.undo_push(message="Add Poke")
            self.report({"INFO"}, "Nothing acted on the object, so it is poked. The poke is in the list of conditions.")
        return super().invoke(context, event)

    @staticmethod
    def _is_at_rest(settings) -> bool:
        """Held at its base and with nothing in its list; what is rigid would not move then, however it is poked."""
        nothing = not len(settings.conditions) and not settings.starts_posed
        return nothing and settings.anchor == "AUTO" and settings.provider != "RIGID"

    def _objects(self, context) -> list:
        return [context.active_object]


class NEUROK_OT_simulate_together(_Simulating, Operator):
    """Simulate all selected mesh objects at once: they bump into each other"""

    bl_idname = names.Operator.SIMULATE_TOGETHER
    bl_label = "Simulate Selected Together"

    @classmethod
    def poll(cls, context):
        if len(selected_meshes(context)) < 2:
            cls.poll_message_set("Select two mesh objects or more")
            return False
        return super().poll(context)

    def _objects(self, context) -> list:
        return selected_meshes(context)


class NEUROK_OT_cancel(Operator):
    """Stop the simulation and give the object its shape back"""

    bl_idname = names.Operator.CANCEL
    bl_label = "Cancel"

    @classmethod
    def poll(cls, context):
        return session.simulation is not None

    def execute(self, context):
        session.simulation.cancel()
        session.notice = Notice()
        return {"FINISHED"}


CLASSES = (NEUROK_OT_simulate, NEUROK_OT_simulate_together, NEUROK_OT_cancel)
