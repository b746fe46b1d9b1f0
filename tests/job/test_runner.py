"""The runner with the real worker process: whole jobs, cancel, kill, full pipes, and nothing left behind."""

import gc
import itertools
import os
import queue
import signal
import sys
import threading
import time
import weakref
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from neurok_blender.backend.errors import UserError
from neurok_blender.backend.protocol import encode_message
from neurok_blender.job.requests import JobRequest, ObjectRequest, Task
from neurok_blender.job.runner import JobRunner
from neurok_blender.job.state import Phase, WorkerPhase
from neurok_blender.setup.worker_python import ENGINES
from tests.job.helpers import Launcher, finish, frames_are_right, job, tick_until
from tests.job.story import HELLO
from tests.job.worker_client import TRIANGLE
from tests.waiting import never_waits


def test_a_job_from_start_to_take(runner, launcher):
    runner.start(job(frames=6))
    state = finish(runner)
    assert state.phase is Phase.DONE, state
    frames_are_right(runner, 6)
    assert runner.motions[0].fps == 24.0 and runner.motions[0].weights.shape == (3, 2)
    assert state.report["frames"] == 6 and state.seconds["solve"] == 1.5 and state.summary["provider"] == "auto"
    assert len(launcher.started) == 1


def test_the_worker_is_kept_and_knows_the_mesh(runner, launcher):
    runner.start(job(frames=2))
    finish(runner)
    phases = set()
    runner.start(job(frames=3))
    tick_until(runner, lambda state: phases.add(state.phase) or not state.busy)
    frames_are_right(runner, 3)
    assert Phase.ANALYZING not in phases and len(launcher.started) == 1


def test_a_worker_that_forgot_the_mesh_is_sent_it_again(runner):
    runner.start(job("first", frames=1))
    finish(runner)
    known = runner.state.known
    for number in range(4):
        runner.start(job(f"other {number}", frames=1))
        finish(runner)
    runner.state = replace(runner.state, known=known)  # as if this side had not kept count
    runner.start(job("first", frames=2))
    assert finish(runner).phase is Phase.DONE
    frames_are_right(runner, 2)


def test_analysis_alone_and_a_mere_check(runner):
    runner.start(None)
    assert finish(runner).phase is Phase.DONE and runner.state.backend["engine"] in ENGINES
    runner.start(
        JobRequest((ObjectRequest("mesh", TRIANGLE["vertices"], TRIANGLE["triangles"], "rigid"),), Task.ANALYZE)
    )
    assert finish(runner).summary["provider"] == "rigid" and runner.motions == ()


def test_a_second_start_is_refused_and_the_first_goes_on(runner):
    runner.start(job(frames=5, frame_seconds=0.02))
    with pytest.raises(UserError, match="already running") as refusal:
        runner.start(job(frames=1))
    assert refusal.value.code == "busy"
    assert finish(runner).phase is Phase.DONE
    frames_are_right(runner, 5)


def test_cancel_ends_a_long_simulation_soon_and_the_worker_is_used_again(runner, launcher):
    runner.start(job(frames=10_000, frame_seconds=0.02))
    tick_until(runner, lambda state: state.frames >= 3)
    runner.cancel()
    assert finish(runner).phase is Phase.CANCELLED  # uncancelled it takes 200 seconds
    assert len(runner.motions[0].shapes) == runner.state.frames >= 3
    runner.start(job(frames=4))
    assert finish(runner).phase is Phase.DONE
    frames_are_right(runner, 4)
    assert len(launcher.started) == 1


def test_cancel_of_a_deaf_worker_kills_it(runner, launcher):
    runner.start(job(provider="deaf"))
    tick_until(runner, lambda state: state.phase is Phase.ANALYZING and state.stage == "analyzing")
    time.sleep(0.2)
    runner.cancel()
    assert finish(runner).phase is Phase.CANCELLED
    assert launcher.all_ended()  # it is deaf for a minute
    runner.start(job(frames=2))
    assert finish(runner).phase is Phase.DONE
    assert len(launcher.started) == 2


def test_cancel_while_the_worker_is_starting(runner):
    runner.start(job(frames=2))
    runner.cancel()
    assert runner.state.phase is Phase.CANCELLED
    runner.start(job(frames=3))
    assert finish(runner).phase is Phase.DONE
    frames_are_right(runner, 3)


def test_a_killed_worker_fails_the_job_with_a_sentence_and_the_next_start_works(runner, launcher):
    runner.start(job(frames=250, frame_seconds=0.01))
    tick_until(runner, lambda state: state.frames >= 33)
    os.kill(launcher.started[0].pid, signal.SIGKILL)
    state = finish(runner, 2.0)
    assert state.phase is Phase.FAILED and len(runner.motions[0].shapes) == state.frames >= 33
    expected = f"The backend stopped unexpectedly (signal 9) while simulating frame {state.frames + 1} of 250."
    assert str(state.message) == expected and str(launcher.log) in str(state.remedy)
    runner.start(job(frames=2))
    assert finish(runner).phase is Phase.DONE
    frames_are_right(runner, 2)


def test_a_crash_in_native_code_is_told(runner):
    runner.start(job(frames=9, die_at=4))
    state = finish(runner)
    assert str(state.message) == "The backend stopped unexpectedly (signal 11) while simulating frame 4 of 9."


def test_a_worker_that_died_between_jobs_is_replaced_silently(runner, launcher):
    runner.start(job(frames=1))
    finish(runner)
    os.kill(launcher.started[0].pid, signal.SIGKILL)
    assert launcher.started[0].wait_ended(20.0)
    runner.start(job(frames=2))
    assert finish(runner).phase is Phase.DONE and len(launcher.started) == 2


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (job(provider="refused"), "The mesh has no faces."),
        (job(**{"raise": "user"}), "The condition 'pokes[0].point' is missing."),
        (job(**{"raise": "value"}), "The backend met an unexpected ValueError."),
    ],
)
def test_errors_of_the_engine_fail_the_job_and_the_worker_stays(runner, launcher, request_, message):
    runner.start(request_)
    state = finish(runner)
    assert state.phase is Phase.FAILED and str(state.message) == message
    if "unexpected" in message:
        assert str(state.remedy) == f"The details are in {launcher.log}."
        assert "ValueError: nothing fits" in launcher.log.read_text()
    runner.start(job(frames=1))
    assert finish(runner).phase is Phase.DONE and len(launcher.started) == 1


def test_a_python_that_is_not_there(tmp_path):
    runner = JobRunner(Launcher(tmp_path / "log", ["/nowhere/python", "-m", "backend", "worker"]))
    runner.start(job())
    assert runner.state.phase is Phase.FAILED
    assert "could not be started" in str(runner.state.message) and "/nowhere/python" in str(runner.state.message)


def test_a_python_that_lacks_numpy_is_told_with_the_words_of_the_log(tmp_path):
    command = [sys.executable, "-c", "raise ModuleNotFoundError(\"No module named 'numpy'\")"]
    runner = JobRunner(Launcher(tmp_path / "log", command))
    runner.start(job())
    expected = "The backend could not start (exit code 1): ModuleNotFoundError: No module named 'numpy'"
    assert str(finish(runner).message) == expected


def test_something_that_is_no_worker_at_all(tmp_path):
    launcher = Launcher(tmp_path / "log", [sys.executable, "-c", "print('Usage: python'); input()"])
    runner = JobRunner(launcher)
    runner.start(job())
    state = finish(runner)
    assert state.phase is Phase.FAILED and "damaged" in str(state.message)
    assert launcher.all_ended()


def test_a_worker_of_another_version_is_refused(tmp_path):
    script = (
        "from backend import protocol\n"
        "from backend.worker import worker_command\n"
        "import sys\n"
        "protocol.PROTOCOL_VERSION = 99\n"
        "sys.exit(worker_command.run(engine=object()))\n"
    )
    launcher = Launcher(tmp_path / "log", [sys.executable, "-c", script])
    runner = JobRunner(launcher)
    runner.start(job())
    state = finish(runner)
    assert state.phase is Phase.FAILED and "protocol 99" in str(state.message) and "same release" in str(state.remedy)
    assert launcher.all_ended()


def test_two_hundred_megabytes_with_nobody_reading_for_a_while(runner):
    frames, handles = 40, 104_000  # 5 MB a frame
    runner.start(job(provider="wide", frames=frames))
    tick_until(runner, lambda state: state.frame_count > 0)
    time.sleep(1.5)  # Blender is busy with something else
    assert finish(runner).phase is Phase.DONE
    assert runner.motions[0].shapes[0].handles.shape == (handles, 3, 4)
    frames_are_right(runner, frames)


def test_a_big_mesh_is_sent_without_holding_up_the_caller(runner, launcher):
    vertices = np.random.default_rng(0).random((3_000_000, 3), dtype=np.float32)
    triangles = np.zeros((3_000_000, 3), dtype=np.int32)
    runner.start(None)
    finish(runner)
    worker = launcher.started[-1].pid
    os.kill(worker, signal.SIGSTOP)  # nobody reads the pipe, which holds a thousandth of it
    too_late = threading.Timer(30.0, os.kill, (worker, signal.SIGCONT))
    too_late.start()
    runner.start(JobRequest((ObjectRequest("big", vertices, triangles, "auto"),), Task.ANALYZE))
    runner.tick(0.010)
    assert too_late.is_alive()
    too_late.cancel()
    os.kill(worker, signal.SIGCONT)
    assert finish(runner).phase is Phase.DONE


def test_a_tick_keeps_to_its_budget(runner, monkeypatch):
    """Counted with a clock that goes on by 1.05 ms at each look, so that no load can blur it."""
    runner.start(job(frames=2000))
    tick_until(runner, lambda state: state.frames > 0)
    time.sleep(0.5)  # let the frames pile up
    ticking = itertools.count(time.monotonic(), 0.00105)
    clock = SimpleNamespace(monotonic=lambda: next(ticking))
    monkeypatch.setattr("neurok_blender.job.runner.time", clock)
    for _ in range(20):
        before = runner.state.frames
        runner.tick(0.010)
        assert 5 <= runner.state.frames - before <= 10
    monkeypatch.undo()
    assert finish(runner).frames == 2000


def test_close_in_the_middle_of_a_job_leaves_nothing(runner, launcher):
    runner.start(job(frames=10_000, frame_seconds=0.01))
    tick_until(runner, lambda state: state.frames >= 2)
    with never_waits():
        runner.close()
    assert runner.state.phase is Phase.IDLE and runner.motions == ()
    assert launcher.all_ended()
    runner.close()
    runner.start(job(frames=2))
    assert finish(runner).phase is Phase.DONE


def test_what_a_worker_that_was_given_up_still_sends_is_ignored():
    """The first one's second message would greet the second one's job."""
    stray = SimpleNamespace(header={"type": "surprise", "id": 1}, arrays={})
    greeting = SimpleNamespace(header={**HELLO, "id": 2}, arrays={})
    first, second = FakeProcess([stray, greeting]), FakeProcess([])
    launches = iter((first, second))
    runner = JobRunner(lambda: next(launches))
    runner.start(None)
    assert runner.tick().phase is Phase.FAILED and first.killed
    runner.start(None)
    assert runner.tick().phase is Phase.STARTING and first.arrived == [greeting]
    second.arrived.append(greeting)
    assert runner.tick().phase is Phase.DONE


class FakeProcess:
    """A worker that has sent what is in `arrived`."""

    heard_at = None

    def __init__(self, arrived: list) -> None:
        self.arrived, self.killed, self.outgoing = arrived, False, queue.SimpleQueue()

    def receive(self):
        return self.arrived.pop(0) if self.arrived else None

    def kill(self) -> None:
        self.killed = True


def test_the_mesh_is_let_go_after_the_job(runner):
    vertices = TRIANGLE["vertices"].copy()
    gone = weakref.ref(vertices)
    runner.start(JobRequest((ObjectRequest("mesh", vertices, TRIANGLE["triangles"], "auto", {"frames": 2}),)))
    del vertices
    finish(runner)
    gc.collect()
    assert gone() is None


def test_a_mesh_too_big_for_a_pipe_and_a_worker_that_does_not_read(tmp_path):
    """The worker hangs before it reads: the mesh stays in the queue, close still ends everything."""
    launcher = Launcher(tmp_path / "log", [sys.executable, "-c", "import time; time.sleep(60)"])
    process = launcher()
    mesh = {"vertices": np.zeros((1_000_000, 3), dtype=np.float32)}
    process.outgoing.put(encode_message({"type": "analyze", "id": 1}, mesh))
    process.close()
    assert launcher.all_ended()


def test_the_state_of_the_worker_after_everything(runner):
    runner.start(job(frames=1))
    finish(runner)
    assert runner.state.worker is WorkerPhase.READY
    runner.close()
    assert runner.state.worker is WorkerPhase.ABSENT
