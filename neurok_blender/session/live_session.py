"""Live mode without the mouse: an object that is stepped in real time while it is pulled, and the recording of it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import bpy
from mathutils import Vector

from ..job.answers import error_text
from ..job.motion import Shape
from ..job.runner import Answer
from ..scene.takes import SceneTake
from .interactive_session import InteractiveSession, SessionPhase

__all__ = ["Grab", "Live"]

SMOOTH_FPS = 48.0  # steps a second, at least: so that a hand feels no delay, whatever the scene's frame rate
AHEAD_STEPS = 1.0  # steps that the object may be ahead of the clock, so that it answers a move of the mouse at once
LATE_STEPS = 24  # steps that it catches up, half a second; what is slower than that goes on in slow motion
MOST_SECONDS = 600.0  # of a recording


@dataclass
class Grab:
    """`point` on the drawn surface is pulled to `target` (both world, m), and what is within `radius` (m) with it."""

    point: Vector
    target: Vector
    radius: float


class Live:
    """Call `tick` often. Every step of the worker is one step of `seconds_per_step`."""

    def __init__(self, context: bpy.types.Context, obj: bpy.types.Object | None):
        """Raises Refusal where the object cannot be simulated."""
        scene = context.scene
        fps = scene.render.fps / scene.render.fps_base
        self._steps_per_frame = max(1, math.ceil(SMOOTH_FPS / fps))
        self._fps, self._frame_start = fps, scene.neurok.frame_start
        self.seconds_per_step = 1.0 / (fps * self._steps_per_frame)
        self.interactive = InteractiveSession(context, obj)
        self.grab: Grab | None = None
        self.is_recording = False
        self.steps = 0
        """How many the worker has made."""
        self._begin_sent = self._ready = False
        self._requested = 0  # steps
        self._at_once = 1  # steps that may be asked for together: more while redraws are what takes long
        self._now = time.monotonic
        self._clock = 0.0  # what the clock showed when the object was at its first step
        self._recorded: list[Shape] = []
        self._since_frame = 0

    @property
    def is_ready(self) -> bool:
        """Whether the object can be grabbed."""
        return self._ready and self.interactive.phase is SessionPhase.OPEN

    @property
    def recorded_frames(self) -> int:
        return len(self._recorded)

    def record(self) -> None:
        """Starts a new recording at the present shape."""
        self.is_recording, self._recorded, self._since_frame = True, [], 0

    def tick(self, wait_seconds: float = 0.0) -> bool:
        """Takes what the worker has answered and asks for the next step when it is due; true where the mesh moved.

        `wait_seconds`: how long to wait for the answer to the request of this call, which has the latest pull.
        """
        until, moved, requested_before = time.monotonic() + wait_seconds, False, self._requested
        first = True
        while True:
            shapes = [shape for answer in self.interactive.tick() if (shape := self._take(answer)) is not None]
            if shapes:
                moved = True
                self.interactive.show(shapes[-1])
            if self.interactive.phase is not SessionPhase.OPEN:
                return moved
            if first:  # whoever has answered all since the last redraw can do more until the next one
                self._at_once = 1 if self._requested > self.steps else min(2 * self._at_once, LATE_STEPS)
                first = False
            if not self._begin_sent:
                self.interactive.ask("live", parts=self._steps_per_frame)
                self._begin_sent = True
            if self._requested == requested_before:
                self._ask_when_due()
            if not self.interactive.is_waiting or time.monotonic() >= until:
                return moved
            time.sleep(0.0005)

    def take(self) -> SceneTake | None:
        """The recording as a take; None if it is empty."""
        if len(self._recorded) < 2:
            return None
        return self.interactive.take(self._frame_start, self._fps, self._recorded)

    def _ask_when_due(self) -> None:
        if not self._ready or self.interactive.is_waiting:
            return
        step, now = self.seconds_per_step, self._now()
        behind = (now - self._clock) / step - self.steps
        if behind > LATE_STEPS:
            self._clock += (behind - LATE_STEPS) * step
        ahead = AHEAD_STEPS if self.grab is not None else 0.0
        if behind < -ahead:
            return
        pull: dict[str, Any] | None = None
        if self.grab is not None:
            grab = self.grab
            pull = {"point": list(grab.point), "target": list(grab.target), "radius": grab.radius}
        for _step in range(max(1, min(int(behind + ahead), self._at_once))):
            self._requested += 1
            self.interactive.ask_on("step", pull=pull)

    def _take(self, answer: Answer) -> Shape | None:
        """The shape after a step, None of another answer."""
        kind = answer.header["type"]
        if kind == "started":
            self._ready, self._clock = True, self._now()
        elif kind == "stepped":
            self.steps += 1
        else:
            if kind == "error" and not self._ready:
                text = error_text(answer.header)
                self.interactive.end(text, text.remedy)
            return None
        shape = Shape.of(answer.arrays)
        if self.is_recording and len(self._recorded) <= MOST_SECONDS * self._fps:
            if self._since_frame % self._steps_per_frame == 0:
                self._recorded.append(shape)
            self._since_frame += 1
        return shape
