"""Simulate, and Cancel."""

import time

import bpy
from bpy.types import Operator

from .. import names
from ..properties.provider_menu import menu
from ..scene.colliders import scene_colliders
from ..scene.object_motion import TransformMotion, transform_motion
from ..scene.participants import participants
from ..session.screen import redraw_sidebars
from ..session.simulation import Simulation
from ..session.state import Notice, session
from .feedback import RedrawPace
from .modal_job import ModalJob

__all__ = ["CLASSES", "NEUROK_OT_cancel", "NEUROK_OT_simulate"]


class NEUROK_OT_simulate(ModalJob, Operator):
    """Simulate how the selected objects move, all of which hit each other, showing the frames as they arrive"""

    bl_idname = names.Operator.SIMULATE
    bl_label = "Simulate"
    bl_options = {"REGISTER", "UNDO"}
    status = "NeuROK: Esc: Stop Simulation"

    def invoke(self, context, event):
        """Adds a poke first where nothing acts on the objects, so that something moves, and plays what it leads to."""
        objects = participants(context)
        obj = objects[0] if objects else None
        self._plays = False
        if obj is not None and obj == context.active_object and obj.library is None and self._are_at_rest(objects):
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
    def _are_at_rest(objects) -> bool:
        """Whether nothing is in their lists, no animation moves them, and they fall on nothing.

        One alone is held at its base then, or falls.
        """
        if any(len(obj.neurok.conditions) or obj.neurok.starts_posed for obj in objects):
            return False
        settings, scene = objects[0].neurok, bpy.context.scene
        if any(transform_motion(obj, scene) is not TransformMotion.STILL for obj in objects):
            return False
        if scene_colliders(bpy.context.view_layer, objects):
            return False
        return len(objects) > 1 or (settings.anchor == "AUTO" and menu.entry(settings.provider.lower()).holdable)

    def _make(self, context) -> Simulation:
        simulation = Simulation(context, participants(context) or [context.active_object])
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


CLASSES = (NEUROK_OT_simulate, NEUROK_OT_cancel)
