"""Simulate, Simulate Selected Together, and Cancel."""

import time

import bpy
from bpy.types import Operator

from .. import names
from ..properties.provider_menu import menu
from ..session.screen import redraw_sidebars
from ..session.simulation import Simulation
from ..session.state import Notice, session
from .feedback import RedrawPace
from .modal_job import ModalJob

__all__ = ["CLASSES", "NEUROK_OT_cancel", "NEUROK_OT_simulate", "NEUROK_OT_simulate_together", "selected_meshes"]


def selected_meshes(context) -> list:
    """The selected mesh objects, in the order of their names; the active one first."""
    chosen = sorted((obj for obj in context.selected_objects if obj.type == "MESH"), key=lambda obj: obj.name)
    return sorted(chosen, key=lambda obj: obj != context.active_object)


class _Simulating(ModalJob):
    """Mix-in of simulations; frames are shown as they arrive."""

    bl_options = {"REGISTER", "UNDO"}
    status = "NeuROK: Esc: Stop Simulation"

    def _objects(self, context) -> list:
        raise NotImplementedError

    def _make(self, context) -> Simulation:
        simulation = Simulation(context, self._objects(context))
        self._shown, self._pace = simulation.progress, RedrawPace()
        return simulation

    def _tick(self):
        may_show = self._pace.is_time(time.monotonic())
        progress = self._job.tick(show_frames=may_show)
        if may_show and progress != self._shown:
            self._shown = progress
            self._pace.redrawn()
            redraw_sidebars()
        return progress


class NEUROK_OT_simulate(_Simulating, Operator):
    """Simulate how the active object moves, showing the frames as they arrive"""

    bl_idname = names.Operator.SIMULATE
    bl_label = "Simulate"

    def invoke(self, context, event):
        """Adds a poke first where nothing acts on the object, so that something moves, and plays what it leads to."""
        obj = context.active_object
        self._plays = False
        if obj is not None and obj.type == "MESH" and self._is_at_rest(obj.neurok) and obj.library is None:
            self._plays = bpy.ops.neurok.condition_add(kind="POKE") == {"FINISHED"}
            bpy.ops.ed.undo_push(message="Add Poke")
            self.report({"INFO"}, "Nothing acted on the object, so it is poked. The poke is in the list of conditions.")
        return super().invoke(context, event)

    def _result(self, progress):
        result = super()._result(progress)
        screen = bpy.context.screen
        if getattr(self, "_plays", False) and result == {"FINISHED"} and not screen.is_animation_playing:
            bpy.context.scene.frame_set(bpy.context.scene.neurok.frame_start)
            bpy.ops.screen.animation_play()
        return result

    @staticmethod
    def _is_at_rest(settings) -> bool:
        """Held at its base and with nothing in its list. A rigid object would not move then, even if poked."""
        nothing = not len(settings.conditions) and not settings.starts_posed
        return nothing and settings.anchor == "AUTO" and menu.entry(settings.provider.lower()).holdable

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
    """Stop the simulation; the frames that came are kept as a take"""

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
