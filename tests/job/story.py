"""A job's state and what happens to it, for the tests of its transitions."""

from collections.abc import Callable

import numpy as np

from neurok_blender.backend.protocol import PROTOCOL_VERSION
from neurok_blender.job.effects import Send
from neurok_blender.job.phases import Ended, QueuedRequest
from neurok_blender.job.requests import JobRequest, ObjectRequest, Task
from neurok_blender.job.state import (
    JobState,
    cancel_job,
    message_received,
    process_ended,
    queue_request,
    start_job,
    watch_clock,
)
from neurok_blender.job.steps import Step

VERTICES = np.zeros((3, 3), dtype=np.float32)
TRIANGLES = np.array([[0, 1, 2]], dtype=np.int32)
SUMMARY = {"provider": "elastic", "handles": 2}
ENTRIES = [{"summary": SUMMARY, "points": False}]
WEIGHTS = np.zeros((3, 2), dtype=np.float32)
HANDLES = np.zeros((2, 3, 4), dtype=np.float32)
HELLO = {
    "type": "hello",
    "protocol": PROTOCOL_VERSION,
    "version": "1",
    "device": "cpu",
    "engine": "numpy",
    "providers": [],
    "materials": [],
    "problems": [],
}


def request(key="mesh", provider="auto", conditions=None) -> JobRequest:
    return JobRequest((ObjectRequest(key, VERTICES, TRIANGLES, provider, conditions or {}),))


def error(text_id: str, **args) -> dict:
    """An answer of the worker that refuses."""
    return {"type": "error", "text": {"id": text_id, "args": args}}


class Story:
    """A state and the effects of its last transition."""

    def __init__(self) -> None:
        self.state = JobState()
        self.now = 100.0
        self.effects: tuple = ()

    def happens(self, transition: Callable[..., Step], *news: object) -> "Story":
        self.state, self.effects = transition(self.state, *news)
        return self

    def start(self, job: JobRequest | None) -> "Story":
        return self.happens(start_job, self.now, job)

    def cancel(self) -> "Story":
        return self.happens(cancel_job, self.now)

    def asks(self, kind: str, channel: str = "", **header: object) -> "Story":
        return self.happens(queue_request, self.now, QueuedRequest({"type": kind, **header}, {}, channel))

    def hears(self, header: dict, arrays: dict | None = None) -> "Story":
        """A message; the awaited request's number where the header gives none."""
        if header["type"] == "analysis" and self.state.request is not None:
            # Of the object that is analysed now.
            known = dict(self.state.known)
            keys = [each.wire_key for each in self.state.request.objects if each.wire_key not in known]
            header = {"key": keys[0] if keys else "", **header}
            arrays = {"piece": np.zeros(len(TRIANGLES), np.int32), **(arrays or {})}
        return self.happens(message_received, {"id": self.state.awaited, **header}, arrays or {})

    def dies(self, exit_code=-9, damage=None, last_line="") -> "Story":
        return self.happens(process_ended, Ended(exit_code, damage, last_line), "/tmp/neurok.log")

    def waits(self, seconds: float, heard_after: float | None = None, step: float = 0.5) -> "Story":
        """Ticks go by; the worker was last heard so many seconds from now, or never."""
        heard = None if heard_after is None else self.now + heard_after
        end = self.now + seconds
        while self.now < end:
            self.now = min(self.now + step, end)
            self.happens(watch_clock, self.now, heard)
            if self.effects:
                break
        return self

    def sent(self) -> list[dict]:
        return [dict(effect.header) for effect in self.effects if isinstance(effect, Send)]

    def has(self, kind: type) -> bool:
        return any(isinstance(effect, kind) for effect in self.effects)


def greeting() -> Story:
    return Story().start(request())


def analyzing() -> Story:
    return greeting().hears(HELLO)


def preparing() -> Story:
    return analyzing().hears({"type": "analysis", "key": "mesh:auto", "summary": SUMMARY})


def simulating(frames: int = 3, received: int = 1) -> Story:
    started = {"type": "started", "frames": frames, "fps": 24.0, "objects": ENTRIES}
    story = preparing().hears(started, {"weights_0": WEIGHTS})
    for index in range(1, received + 1):
        story.hears({"type": "frame", "index": index}, {"handles_0": HANDLES})
    return story


def done() -> Story:
    return simulating(3, 3).hears({"type": "done", "report": {"steps": 7}, "seconds": {}})


def cancelling() -> Story:
    return simulating().cancel()


BUSY = [greeting, analyzing, preparing, simulating, cancelling]


def analysis_only(key: str = "mesh") -> JobRequest:
    return JobRequest((ObjectRequest(key, VERTICES, TRIANGLES, "auto"),), Task.ANALYZE)
