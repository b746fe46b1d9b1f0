"""Transitions of a job when things go wrong: death, silence, messages that do not fit, and the end."""

import numpy as np
import pytest

from neurok_blender.backend.texts import Text
from neurok_blender.job.effects import (
    CloseWorker,
    DropTake,
    KillWorker,
    SpawnWorker,
)
from neurok_blender.job.requests import ObjectRequest
from neurok_blender.job.state import (
    SILENCE_SECONDS,
    START_SECONDS,
    Phase,
    WorkerPhase,
    close_worker,
    message_received,
    spawn_failed,
    watch_clock,
)
from tests.job.story import (
    BUSY,
    ENTRIES,
    HANDLES,
    HELLO,
    TRIANGLES,
    VERTICES,
    WEIGHTS,
    Story,
    analyzing,
    cancelling,
    done,
    greeting,
    preparing,
    request,
    simulating,
)


@pytest.mark.parametrize(
    ("phase", "exit_code", "sentence"),
    [
        (greeting, 1, "The backend stopped unexpectedly (exit code 1) while starting up."),
        (analyzing, -11, "The backend stopped unexpectedly (signal 11) while analyzing the mesh."),
        (preparing, -9, "The backend stopped unexpectedly (signal 9) while preparing the simulation."),
        (
            simulating,
            0xC0000005,
            "The backend stopped unexpectedly (exit code 0xC0000005) while simulating frame 2 of 3.",
        ),
        (
            lambda: simulating(250, 33),
            -9,
            "The backend stopped unexpectedly (signal 9) while simulating frame 34 of 250.",
        ),
    ],
)
def test_the_death_of_the_worker_is_told_by_phase(phase, exit_code, sentence):
    story = phase().dies(exit_code)
    assert story.state.phase is Phase.FAILED and str(story.state.message) == sentence
    assert "/tmp/neurok.log" in str(story.state.remedy) and str(story.state.remedy).endswith(".")
    assert ("emory" in str(story.state.remedy)) == (exit_code == -9)
    assert story.effects == () and story.state.worker is WorkerPhase.ABSENT
    restarted = story.start(request())
    assert restarted.has(SpawnWorker)
    assert restarted.hears(HELLO).sent()[0]["type"] == "analyze"  # the new one knows no mesh


def test_a_death_at_the_start_quotes_the_log():
    story = greeting().dies(1, last_line="ModuleNotFoundError: No module named 'numpy'")
    expected = "The backend could not start (exit code 1): ModuleNotFoundError: No module named 'numpy'"
    assert str(story.state.message) == expected


def test_damage_in_the_stream_is_told():
    story = simulating().dies(-9, damage=Text("stream.header_not_object"))
    assert str(story.state.message) == (
        "The answers of the backend were damaged while simulating frame 2 of 3: A header is not a JSON object."
    )


def test_a_death_while_cancelling_is_a_cancel():
    story = cancelling().dies(0)
    assert story.state.phase is Phase.CANCELLED and story.effects == ()


def test_a_death_between_jobs_is_no_news_to_the_user():
    story = done().dies(-15)
    assert story.state.phase is Phase.DONE and story.effects == () and story.state.message == ""
    assert story.state.worker is WorkerPhase.ABSENT and story.start(request()).has(SpawnWorker)


def test_a_worker_that_cannot_be_started_fails_the_job():
    story = greeting()
    story.happens(spawn_failed, "No such file or directory: 'python9'.")
    assert story.state.phase is Phase.FAILED and "python9" in str(story.state.message)
    assert "setup" in str(story.state.remedy) and story.start(request()).has(SpawnWorker)


@pytest.mark.parametrize("phase", [analyzing, preparing, simulating])
def test_a_silent_worker_is_killed_with_a_clear_sentence(phase):
    story = phase().waits(SILENCE_SECONDS, heard_after=0.0)
    assert story.effects == () and story.state.busy
    story.waits(1.0, heard_after=-SILENCE_SECONDS)
    assert story.state.phase is Phase.FAILED and story.effects == (KillWorker(),)
    assert str(story.state.message).startswith("The backend gave no sign of life for 10 seconds while ")
    assert story.state.remedy


def test_a_worker_that_is_heard_is_left_alone():
    story = simulating()
    for _ in range(100):
        story.waits(1.0, heard_after=0.5)
    assert story.state.phase is Phase.SIMULATING and story.effects == ()


def test_a_worker_may_take_its_time_to_say_the_first_word():
    story = greeting().waits(START_SECONDS)
    assert story.state.phase is Phase.STARTING
    story.waits(1.0)
    assert story.state.phase is Phase.FAILED and story.has(KillWorker)


def test_silence_while_the_computer_slept_proves_nothing():
    story = simulating()
    story.waits(1.0, heard_after=0.0)
    heard = story.now
    story.now += 3600.0
    story.happens(watch_clock, story.now, heard)
    assert story.state.phase is Phase.SIMULATING
    story.waits(SILENCE_SECONDS - 1.0, heard_after=-3600.0)
    assert story.state.phase is Phase.SIMULATING
    story.waits(2.0, heard_after=-3600.0)
    assert story.state.phase is Phase.FAILED


def test_silence_between_jobs_is_fine():
    story = done().waits(100.0, heard_after=0.0)
    assert story.state.phase is Phase.DONE and story.effects == ()
    story.start(request()).waits(1.0, heard_after=-100.0)
    assert story.state.phase is Phase.SIMULATING


BAD_MESSAGES = [
    (greeting, {"type": "done", "report": {}, "seconds": {}}, {}),
    (greeting, {"type": "hello"}, {}),
    (greeting, {"type": "error"}, {}),
    (simulating, {"type": "error", "text": {"id": "no.such_text", "args": {}}}, {}),
    (simulating, {"type": "error", "text": {"id": "poke.held", "args": {"number": 1}}}, {}),
    (greeting, {"type": "heartbeat"}, {}),
    (analyzing, {"type": "analysis"}, {}),
    (analyzing, {"type": "frame", "index": 1}, {"handles_0": HANDLES}),
    (analyzing, {"type": "surprise"}, {}),
    (preparing, {"type": "started", "frames": 3, "fps": 24.0, "objects": ENTRIES}, {}),
    (preparing, {"type": "started", "frames": 0, "fps": 24.0, "objects": ENTRIES}, {"weights_0": WEIGHTS}),
    (preparing, {"type": "started", "frames": 3, "fps": 0.0, "objects": ENTRIES}, {"weights_0": WEIGHTS}),
    (preparing, {"type": "started", "frames": "x", "fps": 24.0, "objects": ENTRIES}, {"weights_0": WEIGHTS}),
    (preparing, {"type": "started", "frames": 3, "fps": 24.0, "objects": ENTRIES}, {"weights_0": WEIGHTS[:2]}),
    (
        preparing,
        {"type": "started", "frames": 3, "fps": 24.0, "objects": ENTRIES},
        {"weights_0": WEIGHTS.astype(float)},
    ),
    (preparing, {"type": "frame", "index": 1}, {"handles_0": HANDLES}),
    (preparing, {"type": "done", "report": {}, "seconds": {}}, {}),
    (simulating, {"type": "started", "frames": 3, "fps": 24.0, "objects": ENTRIES}, {"weights_0": WEIGHTS}),
    (simulating, {"type": "frame", "index": 1}, {"handles_0": HANDLES}),
    (simulating, {"type": "frame", "index": 3}, {"handles_0": HANDLES}),
    (simulating, {"type": "frame", "index": 2}, {}),
    (simulating, {"type": "frame", "index": 2}, {"handles_0": HANDLES[:1]}),
    (simulating, {"type": "frame", "index": 2}, {"handles_0": HANDLES.astype(float)}),
    (simulating, {"type": "done", "report": {}, "seconds": {}}, {}),
    (lambda: simulating(3, 3), {"type": "frame", "index": 4}, {"handles_0": HANDLES}),
    (lambda: simulating(3, 3), {"type": "done"}, {}),
]


def _identity(value: object) -> str:
    return getattr(value, "__name__", str(value)[:40])


@pytest.mark.parametrize(("phase", "header", "arrays"), BAD_MESSAGES, ids=_identity)
def test_a_message_that_does_not_fit_fails_the_job_and_ends_the_worker(phase, header, arrays):
    story = phase().hears(header, arrays)
    assert story.state.phase is Phase.FAILED and story.effects == (KillWorker(),)
    assert f"'{header['type']}' message that does not fit" in str(story.state.message)
    assert story.state.worker is WorkerPhase.ABSENT and "same release" in str(story.state.remedy)


def test_a_message_without_a_number_fails_the_job():
    story = simulating()
    story.happens(message_received, {"type": "frame"}, {})
    assert story.state.phase is Phase.FAILED


@pytest.mark.parametrize("phase", [*BUSY, done])
def test_close_lets_go_of_everything(phase):
    story = phase()
    story.happens(close_worker)
    assert story.effects == (CloseWorker(), DropTake())
    assert story.state.phase is Phase.IDLE and story.state.worker is WorkerPhase.ABSENT
    story.dies(0)
    assert story.state.phase is Phase.IDLE and story.effects == ()
    assert story.start(request()).has(SpawnWorker)


def test_close_without_a_worker_only_drops_the_take():
    story = Story()
    assert story.happens(close_worker).effects == (DropTake(),)


@pytest.mark.parametrize(
    "change",
    [
        {"vertices": VERTICES.astype(float)},
        {"vertices": VERTICES.ravel()},
        {"vertices": VERTICES[:, :2]},
        {"triangles": TRIANGLES.astype(np.int64)},
        {"slots": np.zeros(2, dtype=np.int32)},
        {"slots": np.zeros(1, dtype=np.int64)},
        {"conditions": {"height": float("nan")}},
        {"conditions": {"point": {1.0, 2.0}}},
    ],
    ids=lambda change: str(change)[:40],
)
def test_a_request_that_cannot_be_sent_is_refused_when_it_is_made(change):
    values = {
        "key": "mesh",
        "vertices": VERTICES,
        "triangles": TRIANGLES,
        "provider": "auto",
        "conditions": {},
        **change,
    }
    with pytest.raises(ValueError):
        ObjectRequest(**values)
