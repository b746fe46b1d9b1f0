"""Bakes the takes of all objects of a scene, one after the other."""

from __future__ import annotations

from dataclasses import replace

import bpy
from bpy.app.translations import pgettext_rpt as rpt_

from ..errors import Refusal
from ..scene.bakes.kinds import BakeOptions, bake_of
from ..scene.bakes.ledger import clear
from ..scene.takes import find_by_uid
from .simulation import Outcome, Progress
from .state import Notice, session

__all__ = ["BakeAll", "unbaked"]


def unbaked(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Objects of the scene that play a take of which they have no baked one."""
    found = []
    for obj in scene.objects:
        take = session.take_of(obj)
        if take is not None and all(each.take != take.uid for each in obj.neurok.bakes):
            found.append(obj)
    return found


class BakeAll:
    """Call `tick` until its outcome is no longer RUNNING. What cannot be baked is told, and the others go on."""

    def __init__(self, context: bpy.types.Context, options: BakeOptions):
        """Raises Refusal where there is nothing to bake."""
        self._waiting = [obj.session_uid for obj in unbaked(context.scene)]
        if not self._waiting:
            raise Refusal("All takes are baked already.", "Press Simulate first.")
        self._options = replace(options, place="NEW", start=None, name="", file="")
        self._total = len(self._waiting)
        self._made: list[tuple[int, str]] = []  # session_uid of the object, name of the baked take
        self._refused: Refusal | None = None
        self.progress = Progress(stage="baking", total=self._total)

    def tick(self, budget_seconds: float = 0.020) -> Progress:
        """Goes on for at most about `budget_seconds`."""
        if self.progress.outcome is not Outcome.RUNNING:
            return self.progress
        if not self._waiting:
            self._end()
            return self.progress
        obj = find_by_uid(bpy.data.objects, self._waiting[0])
        try:
            if session.bake is None:
                session.bake = bake_of(bpy.context, obj, session.take_of(obj), self._options)
            if not session.bake.advance(budget_seconds):
                return self.progress
            self._made.append((self._waiting[0], session.bake.baked.name))
        except BaseException as error:
            session.bake = None  # or nothing could be begun any more
            if not isinstance(error, Refusal):
                raise
            self._refused = self._refused or error
        session.bake = None
        self._waiting.pop(0)
        self.progress = replace(self.progress, done=self._total - len(self._waiting))
        return self.progress

    def cancel(self) -> None:
        """Takes away what was baked so far."""
        if self.progress.outcome is not Outcome.RUNNING:
            return
        if session.bake is not None:
            session.bake.cancel()
            session.bake = None
        for uid, name in self._made:
            if (obj := find_by_uid(bpy.data.objects, uid)) is not None and name in obj.neurok.bakes:
                clear(obj, obj.neurok.bakes[name])
        self.progress = Progress(Outcome.CANCELLED)
        session.show_takes(bpy.context.scene.frame_current)

    abort = cancel

    def _end(self) -> None:
        if not self._made and self._refused is not None:
            self.progress = Progress(Outcome.FAILED, message=self._refused.message, remedy=self._refused.remedy)
        else:
            message = rpt_("The takes of {} objects are baked.").format(len(self._made))
            self.progress = Progress(Outcome.DONE, message=message)
        told = self._refused
        if told is None:
            session.notice = Notice(self.progress.message)
        else:
            session.notice = Notice(told.message, told.remedy, bad=True)
        session.show_takes(bpy.context.scene.frame_current)
