"""Runners that tick as Blender's timer does, and the processes they start."""

import time

import numpy as np

from neurok_blender.job.process import BackendProcess
from neurok_blender.job.requests import JobRequest, ObjectRequest
from neurok_blender.job.runner import JobRunner
from tests.job.worker_client import SLOW_WORKER, STAGE, TRIANGLE, is_running
from tests.waiting import BUSY, never_waits


class Launcher:
    """Starts workers for a runner and remembers them all."""

    def __init__(self, log, command=None) -> None:
        self.log = log
        self.command = command or SLOW_WORKER
        self.started: list[BackendProcess] = []

    def __call__(self) -> BackendProcess:
        self.started.append(BackendProcess(self.command, STAGE, self.log))
        return self.started[-1]

    def running(self) -> int:
        return sum(is_running(process.pid) for process in self.started)

    def all_ended(self, seconds: float = 20.0) -> bool:
        """Waits until no process is left; whether that came."""
        until = time.monotonic() + seconds
        while self.running() and time.monotonic() < until:
            time.sleep(0.02)
        return not self.running()


def job(key: str = "mesh", provider: str = "auto", **conditions: object) -> JobRequest:
    """A triangle with conditions for the engine of the tests."""
    return JobRequest((ObjectRequest(key, TRIANGLE["vertices"], TRIANGLE["triangles"], provider, conditions),))


def tick_until(runner: JobRunner, reached, seconds: float = 20.0, pause: float = 0.01) -> None:
    """Ticks as Blender's timer does until `reached(state)`; no tick may wait. `seconds` of a quiet machine."""
    until = time.monotonic() + BUSY * seconds
    while not reached(runner.state):
        assert time.monotonic() < until, runner.state
        with never_waits():
            runner.tick(0.010)
        time.sleep(pause)


def finish(runner: JobRunner, seconds: float = 20.0):
    tick_until(runner, lambda state: not state.busy, seconds)
    return runner.state


def frames_are_right(runner: JobRunner, count: int) -> None:
    (motion,) = runner.motions
    assert motion.frame_count == count == len(motion.shapes)
    for index, shape in enumerate(motion.shapes, start=1):
        assert shape.points is None and shape.handles.dtype == np.float32 and shape.handles.shape[1:] == (3, 4)
        assert shape.handles.min() == index == shape.handles.max()
