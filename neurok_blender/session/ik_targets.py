"""Parts that reach for targets: the object follows as targets are moved, and whole takes of moving targets.

The worker solves; a timer asks it, so that nothing waits. What is shown meanwhile is a pose as pose mode shows it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_data as data_
from bpy.app.translations import pgettext_rpt as rpt_
from mathutils import Matrix
from numpy.typing import NDArray

from ..backend.texts import Text
from ..errors import Refusal
from ..job.answers import error_text
from ..job.motion import Shape
from ..job.runner import Answer
from ..properties.pose_properties import coordinate_values
from ..properties.provider_menu import JOINTED
from ..scene import preview
from ..scene.bakes.ledger import playing
from ..scene.ik_goals import Goals, goals_of, targets_of
from ..scene.joint_tree import has_joints
from ..scene.provider import provider_of
from ..scene.sliders import found_sliders, make_sliders, set_sliders
from ..scene.takes import find_by_uid
from .interactive_session import InteractiveSession, SessionPhase
from .screen import redraw_sidebars
from .simulation import Outcome, Progress
from .state import Notice, session

__all__ = ["NEAR_METRES", "NEAR_RADIANS", "Follower", "ReachTake", "can_reach", "follower", "is_missed"]

TICK_SECONDS = 1.0 / 60.0
WAIT_SECONDS = 0.25  # between looks whether what keeps the worker busy has ended
CALM_SECONDS = 0.2  # without a move: other starts are tried where a target was missed
REST_SECONDS = 0.5  # without a move: the pose is kept, and the worker is free for others
NEAR_METRES, NEAR_RADIANS = 1e-3, float(np.radians(0.5))  # what counts as reached
AS_DRAWN = 1e-5  # of handles: nothing has moved
ROWS_AT_ONCE = 8  # frames of a take in one request

Float32 = NDArray[np.float32]


def can_reach(obj: bpy.types.Object | None) -> bool:
    """Whether it has joints by which it moves, and a target."""
    if obj is None or obj.type != "MESH" or obj.library is not None or not len(obj.neurok.reaches):
        return False
    return has_joints(obj) and provider_of(obj) == JOINTED


def is_missed(distance: float, turn: float, turns: bool) -> bool:
    return distance > NEAR_METRES or (turns and turn > NEAR_RADIANS)


class _ReachSession:
    """An interactive session of inverse kinematics: the sliders of the object, and requests from where they are."""

    def __init__(self, context: bpy.types.Context, obj: bpy.types.Object):
        """Raises Refusal where the object cannot be moved."""
        self.interactive = InteractiveSession(context, obj, with_conditions=False)
        self.is_ready = self._begin_sent = False

    def tick(self, budget_seconds: float) -> list[Answer]:
        """Answers to `ask`; refusals end the session."""
        answers = []
        for answer in self.interactive.tick(budget_seconds):
            match answer.header["type"]:
                case "coordinates":
                    make_sliders(self.interactive.object, found_sliders(answer.header))
                    self.is_ready = True
                case "error":
                    text = error_text(answer.header)
                    self.interactive.end(text, text.remedy)
                case "reached":
                    answers.append(answer)
        if self.interactive.phase is SessionPhase.OPEN and not self._begin_sent:
            self._begin_sent = True
            self.interactive.ask("coordinates")
        return answers

    def ask(self, goals: Goals, rows: Float32, values: Sequence[float] | Float32, search: bool, channel: str) -> None:
        """Targets Float32[n,g,4,4], from slider values."""
        arrays = {"tips": goals.tips, "targets": rows, "values": np.array(values, np.float32)}
        self.interactive.ask("reach", arrays, channel, goals=list(goals.entries), search=search)

    def goals(self, obj: bpy.types.Object) -> Goals:
        return goals_of(obj, Matrix(self.interactive.snapshot.to_world.tolist()))


class Follower:
    """One object at a time, the others after it. Call `tick` often while `is_active`; it never waits."""

    def __init__(self) -> None:
        self._wanted = 0  # session_uid of the object whose targets were moved
        self._waiting: list[int] = []  # of others, whose targets were moved meanwhile
        self._reach: _ReachSession | None = None
        self._last: dict[int, bytes] = {}  # what each object has reached for last
        self._kept: dict[int, str] = {}  # by its session_uid: the identifier of the pose that was kept of an object
        self._numbers: tuple[int, ...] = ()
        self._since = 0.0
        self._missed = self._searched = False
        self._shape: Shape | None = None

    @property
    def is_active(self) -> bool:
        return self._wanted != 0

    @property
    def is_following(self) -> bool:
        """Whether an object is moved just now."""
        return self._reach is not None

    def touch(self, obj: bpy.types.Object) -> None:
        """Its targets may have been moved. Called by handlers: it only takes note, and sees to it that a timer runs."""
        if can_reach(obj) and not isinstance(session.one_shot, ReachTake):
            uid = obj.session_uid
            if self._wanted == 0:
                self._wanted = uid
            elif uid not in (self._wanted, *self._waiting):
                self._waiting.append(uid)
            if not bpy.app.background and not bpy.app.timers.is_registered(_timer):
                bpy.app.timers.register(_timer, first_interval=0.0)

    def frame_changed(self, scene: bpy.types.Scene) -> None:
        """Follows targets that are animated, unless a take or a bake of the object plays."""
        for obj in scene.objects:
            if not can_reach(obj) or playing(obj):
                continue
            take = session.take_of(obj)
            if (take is None or take.frame_count < 2) and self._has_moved(obj):
                self.touch(obj)

    def tick(self, budget_seconds: float = 0.005) -> bool:
        """Goes on a little; true where there is something new to see."""
        if self._wanted == 0:
            return False
        if self._reach is None:
            return self._begin()
        reach, news = self._reach, False
        for answer in reach.tick(budget_seconds):
            news |= self._adopt(answer)
        if reach.interactive.phase is SessionPhase.ENDED:
            if reach.interactive.message:
                session.notice = Notice(reach.interactive.message, reach.interactive.remedy, bad=True)
            self._next()
            return True
        if reach.is_ready:
            news |= self._follow(reach, time.monotonic())
        return news

    def finish(self) -> None:
        """Keeps the pose that is shown; what plays from before plays on."""
        reach, shape = self._reach, self._shape
        self._reach = None
        if reach is not None and reach.interactive.phase is not SessionPhase.ENDED:
            scene = bpy.context.scene
            fps = scene.render.fps / scene.render.fps_base
            take = None if shape is None else reach.interactive.take(scene.neurok.frame_start, fps, [shape])
            as_drawn = shape is not None and np.abs(shape.handles - np.eye(4, dtype=np.float32)[:3]).max() < AS_DRAWN
            if take is None or reach.interactive.covers_motion or (as_drawn and not reach.interactive.has_take):
                reach.interactive.end()
            else:
                uid = reach.interactive.object_uid
                reach.interactive.keep(take, data_("IK Pose"), self._kept.get(uid, ""))
                self._kept[uid] = take.uid
        self._next()

    def forget(self) -> None:
        """Nothing is followed any more; who runs a session ends it himself."""
        self._waiting.clear()
        self._next()

    def _next(self) -> None:
        self._reach = self._shape = None
        self._wanted = self._waiting.pop(0) if self._waiting else 0

    def _has_moved(self, obj: bpy.types.Object) -> bool:
        return self._last.get(obj.session_uid) != self._fingerprint(goals_of(obj, obj.matrix_world), obj)

    @staticmethod
    def _fingerprint(goals: Goals, obj: bpy.types.Object) -> bytes:
        targets = targets_of(obj, goals.numbers)
        return repr(goals.entries).encode() + goals.tips.tobytes() + (b"" if targets is None else targets.tobytes())

    def _begin(self) -> bool:
        obj = find_by_uid(bpy.data.objects, self._wanted)
        if obj is None or not can_reach(obj) or bpy.context.mode != "OBJECT":
            self._next()
            return False
        if session.is_busy:
            return False
        before = session.take_of(obj)
        try:
            self._reach = _ReachSession(bpy.context, obj)
        except Refusal as refusal:
            session.notice = Notice(refusal.message, refusal.remedy, bad=True)
            self._next()
            return True
        if before is not None:  # nothing is seen of the shape as drawn in between
            shape = before.shape(before.index_at(bpy.context.scene.frame_current))
            preview.show(obj.data, shape, before.snapshot.storage.original)
        self._last.pop(obj.session_uid, None)
        self._since, self._missed, self._searched = time.monotonic(), False, True
        return False

    def _follow(self, reach: _ReachSession, now: float) -> bool:
        obj = reach.interactive.object
        goals = reach.goals(obj)
        targets = targets_of(obj, goals.numbers)
        if not goals.numbers or targets is None:
            self.finish()
            return True
        goal = self._fingerprint(goals, obj)
        if self._last.get(obj.session_uid) != goal:
            self._last[obj.session_uid] = goal
            self._since, self._searched = now, False
            self._ask(reach, obj, goals, targets, search=False)
        elif not reach.interactive.is_waiting:
            if self._missed and not self._searched and now - self._since > CALM_SECONDS:
                self._searched = True
                self._ask(reach, obj, goals, targets, search=True)
            elif now - self._since > REST_SECONDS:
                self.finish()
                return True
        return False

    def _ask(self, reach: _ReachSession, obj, goals: Goals, targets: Float32, search: bool) -> None:
        self._numbers = goals.numbers
        reach.ask(goals, targets[None], coordinate_values(obj), search, "reach")

    def _adopt(self, answer: Answer) -> bool:
        reach = self._reach
        obj = None if reach is None else reach.interactive.object
        if reach is None or obj is None:
            return False
        set_sliders(obj, answer.arrays["values"][0])
        self._shape = Shape.rows_of(answer.arrays)[0]
        reach.interactive.show(self._shape)
        self._missed = False
        distances, turns = answer.arrays["ways"][0], answer.arrays["turns"][0]
        for number, distance, turn in zip(self._numbers, distances, turns, strict=False):
            if number < len(obj.neurok.reaches):
                entry = obj.neurok.reaches[number]
                entry.missing, entry.missing_angle = float(distance), float(turn)
                self._missed |= is_missed(distance, turn, entry.turns)
        return True


def _timer() -> float | None:
    """Blender's timer, while targets are followed."""
    if follower.tick():
        redraw_sidebars()
    if not follower.is_active:
        return None
    return TICK_SECONDS if follower.is_following else WAIT_SECONDS if session.is_busy else 0.0


class ReachTake:
    """A take of an object whose parts reach for moving targets, over the simulated range of the timeline.

    Call `tick` until its outcome is no longer RUNNING. The session knows it as a one-shot request.
    """

    def __init__(self, context: bpy.types.Context, obj: bpy.types.Object, with_keys: bool = False):
        """`with_keys`: the sliders of the joints are keyed too. Raises Refusal."""
        scene = context.scene
        self._scene_uid, self._with_keys = scene.session_uid, with_keys
        self._first, self._count = scene.neurok.frame_start, scene.neurok.frame_count
        self._fps, self._frame_before = scene.render.fps / scene.render.fps_base, scene.frame_current
        self._reach = _ReachSession(context, obj)
        self._goals = self._reach.goals(obj)
        if not self._goals.numbers:
            self._reach.interactive.end()
            raise Refusal(rpt_("No part of {} has a target.").format(obj.name), "Press Add IK Target first.")
        self._rows: list[Float32] = []
        self._requested = 0
        self._values: list[Float32] = []
        self._shapes: list[Shape] = []
        self._worst = 0.0
        self.progress = Progress(stage="reading the targets", total=self._count)
        session.one_shot = self
        session.notice = Notice()

    def tick(self, budget_seconds: float = 0.010) -> Progress:
        """Goes on a little."""
        if self.progress.outcome is not Outcome.RUNNING:
            return self.progress
        interactive, answers = self._reach.interactive, self._reach.tick(budget_seconds)
        if interactive.phase is SessionPhase.ENDED:
            outcome = Outcome.FAILED if interactive.message else Outcome.CANCELLED
            self._end(outcome, interactive.message, interactive.remedy)
        elif len(self._rows) < self._count:
            self._read(budget_seconds)
        elif self._reach.is_ready:
            for answer in answers:
                self._take(answer)
            if len(self._shapes) == self._count:
                self._keep()
            elif self._requested == len(self._shapes):
                self._ask()
        return self.progress

    def cancel(self) -> None:
        """Restores the object; the worker ends its present request by itself."""
        self.abort()

    def abort(self) -> None:
        if self.progress.outcome is Outcome.RUNNING:
            self._end(Outcome.CANCELLED)

    def _read(self, budget_seconds: float) -> None:
        """Shows frame after frame, and the one from before again."""
        until, scene, obj = time.monotonic() + budget_seconds, self._scene, self._reach.interactive.object
        while len(self._rows) < self._count and scene is not None:
            scene.frame_set(self._first + len(self._rows))
            row = targets_of(obj, self._goals.numbers)
            if row is None:
                self._end(Outcome.FAILED, "A target was deleted.", "Add it again, or close its eye in the list.")
                return
            self._rows.append(row)
            if time.monotonic() >= until:
                break
        self.progress = Progress(stage="reading the targets", done=len(self._rows), total=self._count)
        if len(self._rows) == self._count:
            self._restore_frame()

    def _ask(self) -> None:
        begin = len(self._shapes)
        rows = np.array(self._rows[begin : begin + ROWS_AT_ONCE], np.float32)
        values = self._values[-1] if self._values else coordinate_values(self._reach.interactive.object)
        self._reach.ask(self._goals, rows, values, search=True, channel="")
        self._requested = begin + len(rows)

    def _take(self, answer: Answer) -> None:
        arrays: Mapping[str, Any] = answer.arrays
        self._values += list(arrays["values"])
        self._shapes += Shape.rows_of(arrays)
        self._worst = max(self._worst, float(arrays["ways"].max()))
        self.progress = Progress(stage="following the targets", done=len(self._shapes), total=self._count)

    def _keep(self) -> None:
        interactive, obj, scene = self._reach.interactive, self._reach.interactive.object, self._scene
        take = interactive.take(self._first, self._fps, self._shapes)
        if take is None or obj is None or scene is None:
            self._end(Outcome.CANCELLED)
            return
        interactive.keep(take, data_("IK Targets"))
        if self._with_keys:
            self._key(obj)
        set_sliders(obj, self._values[take.index_at(scene.frame_current)])
        message = rpt_("{} frames follow the targets, {:.0f} mm away at most; they play and can be baked.")
        self._end(Outcome.DONE, message.format(self._count, 1000.0 * self._worst))
        session.show_takes(scene.frame_current)

    def _key(self, obj: bpy.types.Object) -> None:
        for number, values in enumerate(self._values):
            set_sliders(obj, values)
            for slider in obj.neurok.coordinates:
                path = slider.path_from_id("value")
                obj.keyframe_insert(path, frame=self._first + number, group="NeuROK Pose")

    @property
    def _scene(self) -> bpy.types.Scene | None:
        return find_by_uid(bpy.data.scenes, self._scene_uid)

    def _restore_frame(self) -> None:
        if (scene := self._scene) is not None and scene.frame_current != self._frame_before:
            scene.frame_set(self._frame_before)

    def _end(self, outcome: Outcome, message: Text | str = "", remedy: Text | str = "") -> None:
        self.progress = Progress(outcome, message=message, remedy=remedy)
        self._reach.interactive.end()
        if session.one_shot is self:
            session.one_shot = None
        self._restore_frame()
        session.notice = Notice(message, remedy, bad=outcome is Outcome.FAILED)


follower = Follower()
