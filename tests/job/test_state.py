"""The transitions of a job, one by one: jobs, cancelling and late messages, without processes, clocks or Blender."""

from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from neurok_blender.backend.protocol import PROTOCOL_VERSION
from neurok_blender.backend.texts import from_wire
from neurok_blender.job.effects import (
    BeginTake,
    CloseWorker,
    DropTake,
    KillWorker,
    Refuse,
    Send,
    SpawnWorker,
    StoreFrame,
    StoreRegistry,
)
from neurok_blender.job.requests import JobRequest
from neurok_blender.job.state import (
    CANCEL_PATIENCE_SECONDS,
    Phase,
    WorkerPhase,
    close_worker,
    spawn_failed,
)
from tests.job.story import (
    BUSY,
    ENTRIES,
    HANDLES,
    HELLO,
    SUMMARY,
    VERTICES,
    WEIGHTS,
    Story,
    analysis_only,
    analyzing,
    cancelling,
    done,
    error,
    greeting,
    preparing,
    request,
    simulating,
)


def test_the_first_start_spawns_a_worker_and_greets_it():
    story = greeting()
    assert story.effects[:2] == (DropTake(), SpawnWorker())
    assert story.sent() == [{"type": "hello", "id": 1, "protocol": PROTOCOL_VERSION}]
    assert story.state.phase is Phase.STARTING and story.state.busy


def test_heartbeats_while_starting_tell_the_stage():
    story = greeting().hears({"type": "heartbeat", "stage": "importing", "done": 0, "total": 0})
    assert story.state.stage == "importing" and story.state.fraction == 0.0


def test_the_mesh_is_analysed_after_the_greeting():
    story = analyzing()
    assert story.state.phase is Phase.ANALYZING
    assert story.state.backend == {"version": "1", "device": "cpu", "engine": "numpy"}
    assert story.sent() == [{"type": "analyze", "id": 2, "key": "mesh:auto", "provider": "auto"}]
    assert story.effects[0].arrays["vertices"] is VERTICES
    assert "slots" not in story.effects[0].arrays
    story.hears({"type": "heartbeat", "stage": "analyzing", "done": 1, "total": 4})
    assert story.state.fraction == 0.25


def test_material_slots_go_with_the_mesh():
    slots = np.zeros(1, dtype=np.int32)
    story = Story().start(JobRequest((replace(request().objects[0], slots=slots),))).hears(HELLO)
    assert story.effects[0].arrays["slots"] is slots


def test_simulation_follows_the_analysis():
    story = preparing()
    assert story.state.phase is Phase.SIMULATING and story.state.summary == SUMMARY
    objects = [{"key": "mesh:auto", "conditions": {}}]
    assert story.sent() == [{"type": "simulate", "id": 3, "objects": objects, "shared": {}}]


def test_frames_are_stored_and_counted():
    started = {"type": "started", "frames": 3, "fps": 30.0, "objects": ENTRIES}
    story = preparing().hears(started, {"weights_0": WEIGHTS})
    (stored,) = story.effects
    assert isinstance(stored, BeginTake) and stored.weights[0] is WEIGHTS and stored.has_points == (False,)
    assert (stored.fps, stored.frame_count) == (30.0, 3)
    story.hears({"type": "frame", "index": 1}, {"handles_0": HANDLES})
    assert isinstance(story.effects[0], StoreFrame) and story.effects[0].shapes[0].handles is HANDLES
    assert (story.state.done, story.state.total) == (1, 3)
    # A heartbeat counts as the worker sees it, ahead of or behind the frames that are here.
    story.hears({"type": "heartbeat", "stage": "simulating", "done": 3, "total": 3})
    assert (story.state.done, story.state.total) == (1, 3)


def test_the_last_message_ends_the_job_and_lets_go_of_the_mesh():
    story = done()
    assert story.state.phase is Phase.DONE and not story.state.busy and story.effects == ()
    assert story.state.report == {"steps": 7} and story.state.summary == SUMMARY
    assert story.state.request is None and story.state.message == ""


def test_a_second_job_on_the_same_mesh_goes_straight_to_simulate():
    story = done().start(request(conditions={"frames": 9}))
    assert story.effects[0] == DropTake() and not story.has(SpawnWorker)
    objects = [{"key": "mesh:auto", "conditions": {"frames": 9}}]
    assert story.sent() == [{"type": "simulate", "id": 4, "objects": objects, "shared": {}}]
    assert story.state.phase is Phase.SIMULATING and story.state.summary == SUMMARY
    assert story.state.report is None and story.state.done == 0


def test_another_provider_or_another_mesh_is_analysed():
    assert done().start(request(provider="rigid")).sent()[0]["key"] == "mesh:rigid"
    assert done().start(request(key="other")).sent()[0]["key"] == "other:auto"


def test_without_conditions_the_job_ends_with_the_analysis():
    story = Story().start(analysis_only()).hears(HELLO)
    story.hears({"type": "analysis", "key": "mesh:auto", "summary": SUMMARY})
    assert story.state.phase is Phase.DONE and story.state.summary == SUMMARY and not story.sent()
    again = story.start(analysis_only())
    assert again.state.phase is Phase.DONE and again.state.summary == SUMMARY and not again.sent()


def test_without_a_request_the_job_ends_with_the_greeting():
    story = Story().start(None)
    assert story.state.phase is Phase.STARTING
    story.hears(HELLO)
    assert story.state.phase is Phase.DONE and story.state.backend["device"] == "cpu"


def test_the_state_forgets_what_the_worker_forgets():
    story = Story().start(analysis_only("0")).hears(HELLO)
    for number in range(5):
        story.hears({"type": "analysis", "summary": SUMMARY})
        assert story.state.phase is Phase.DONE
        story.start(analysis_only(str(number + 1)))
    assert [key for key, _ in story.state.known] == ["1:auto", "2:auto", "3:auto", "4:auto"]


def test_an_unknown_mesh_is_sent_again_once():
    story = done().start(request())
    unknown = error("unknown_mesh.key")
    story.hears(unknown)
    assert story.state.phase is Phase.ANALYZING and story.sent()[0]["type"] == "analyze"
    story.hears({"type": "analysis", "summary": SUMMARY})
    assert story.sent()[0]["type"] == "simulate"
    story.hears(unknown)
    assert story.state.phase is Phase.FAILED and str(story.state.message) == "The backend does not know this mesh."


@pytest.mark.parametrize("phase", BUSY)
def test_a_start_while_busy_is_refused_and_changes_nothing(phase):
    story = phase()
    before = story.state
    story.start(request())
    (refusal,) = story.effects
    assert isinstance(refusal, Refuse) and refusal.text.code == "busy"
    assert "already running" in str(refusal.text) and "cancel" in str(refusal.text.remedy)
    assert story.state is before


def test_another_protocol_version_fails_with_a_remedy():
    story = greeting().hears({**HELLO, "protocol": 99})
    assert story.state.phase is Phase.FAILED and "protocol 99" in str(story.state.message)
    assert "same release" in str(story.state.remedy)
    assert story.has(KillWorker) and story.state.worker is WorkerPhase.ABSENT


@pytest.mark.parametrize(
    "header", [error("protocol_mismatch.client", own=1, given=2), error("engine_missing.part", reason="numpy")]
)
def test_an_error_in_place_of_the_greeting_fails_and_ends_the_worker(header):
    story = greeting().hears(header)
    assert story.state.phase is Phase.FAILED and story.state.text == from_wire(header["text"])
    assert story.has(KillWorker)
    assert story.start(request()).has(SpawnWorker)


@pytest.mark.parametrize("phase", [analyzing, preparing, simulating])
def test_an_error_fails_the_job_and_the_worker_stays(phase):
    story = phase().hears(error("no_faces.mesh"))
    assert story.state.phase is Phase.FAILED and str(story.state.message) == "The mesh has no faces."
    assert str(story.state.remedy).startswith("Add faces") and story.effects == ()
    assert story.state.worker is WorkerPhase.READY and not story.start(request()).has(SpawnWorker)


def test_an_error_that_belongs_to_no_request_fails_the_job():
    story = simulating().hears({**error("bad_stream.broken"), "id": 0})
    assert story.state.phase is Phase.FAILED and story.state.text.code == "bad_stream"


@pytest.mark.parametrize("phase", [analyzing, preparing, simulating])
def test_cancel_asks_the_worker_and_its_answer_ends_the_job(phase):
    story = phase()
    target = story.state.awaited
    story.cancel()
    assert story.sent() == [{"type": "cancel", "id": target + 1, "target": target}]
    assert story.state.phase is Phase.CANCELLING and story.state.busy
    story.hears({"type": "cancelled", "id": target})
    assert story.state.phase is Phase.CANCELLED and story.effects == ()
    assert story.state.worker is WorkerPhase.READY
    assert story.start(request()).state.phase in (Phase.ANALYZING, Phase.SIMULATING)


def test_cancel_while_starting_is_immediate_and_the_worker_warms_up_on():
    story = greeting().cancel()
    assert story.state.phase is Phase.CANCELLED and not story.sent() and story.effects == ()
    story.start(request("second"))
    assert story.state.phase is Phase.STARTING and story.effects == (DropTake(),)
    story.hears({"type": "heartbeat", "id": 1, "stage": "importing", "done": 0, "total": 0})
    assert story.state.stage == "importing"
    story.hears({**HELLO, "id": 1})
    assert story.sent()[0]["key"] == "second:auto"


def test_a_greeting_after_the_cancel_makes_the_worker_ready_without_a_job():
    story = greeting().cancel().hears({**HELLO, "id": 1})
    assert story.state.phase is Phase.CANCELLED and story.state.worker is WorkerPhase.READY
    assert story.effects == (StoreRegistry((), (), ()),)


def test_an_error_in_place_of_the_greeting_after_a_cancel_only_ends_the_worker():
    story = greeting().cancel().hears({**error("engine_missing.part", reason="numpy"), "id": 1})
    assert story.state.phase is Phase.CANCELLED and story.effects == (KillWorker(),)


@pytest.mark.parametrize("make", [Story, done])
def test_cancel_without_a_job_does_nothing(make):
    story = make()
    before = story.state
    assert story.cancel().effects == () and story.state is before


def test_a_second_cancel_does_nothing():
    story = cancelling()
    before = story.state
    assert story.cancel().effects == () and story.state is before


def test_cancel_without_an_answer_kills_the_worker():
    story = cancelling().waits(CANCEL_PATIENCE_SECONDS - 0.1, heard_after=0.0, step=0.1)
    assert story.state.phase is Phase.CANCELLING and story.effects == ()
    story.waits(0.2, heard_after=0.0, step=0.1)
    assert story.state.phase is Phase.CANCELLED and story.effects == (KillWorker(),)
    assert "did not answer" in str(story.state.message)
    assert story.start(request()).effects[1] == SpawnWorker()


def test_what_was_on_its_way_when_the_cancel_went_out_is_ignored():
    story = cancelling()
    story.hears({"type": "frame", "index": 2}, {"handles_0": HANDLES})
    story.hears({"type": "done", "report": {}, "seconds": {}})
    assert story.state.phase is Phase.CANCELLING and story.effects == ()


@pytest.mark.parametrize(
    "header",
    [
        error("no_faces.mesh"),
        {"type": "cancelled"},
    ],
)
def test_an_error_of_the_cancelled_job_is_as_good_as_the_answer(header):
    assert cancelling().hears(header).state.phase is Phase.CANCELLED


def test_late_messages_of_an_old_job_are_ignored():
    story = simulating()
    old = story.state.awaited
    story.cancel().hears({"type": "cancelled"})
    story.start(request())
    before = story.state
    for header, arrays in (
        ({"type": "frame", "index": 2}, {"handles_0": HANDLES}),
        ({"type": "done", "report": {}, "seconds": {}}, {}),
        ({"type": "cancelled"}, {}),
        ({"type": "heartbeat", "stage": "old", "done": 1, "total": 2}, {}),
        (error("no_faces.mesh"), {}),
    ):
        story.hears({**header, "id": old}, arrays)
        assert story.state is before and story.effects == ()


messages = st.sampled_from(
    [
        (HELLO, {}),
        ({"type": "analysis", "summary": SUMMARY}, {}),
        ({"type": "started", "frames": 2, "fps": 24.0, "objects": ENTRIES}, {"weights_0": WEIGHTS}),
        ({"type": "frame", "index": 1}, {"handles_0": HANDLES}),
        ({"type": "frame", "index": 2}, {"handles_0": HANDLES}),
        ({"type": "done", "report": {}, "seconds": {}}, {}),
        ({"type": "cancelled"}, {}),
        ({"type": "heartbeat", "stage": "s", "done": 1, "total": 2}, {}),
        (error("unknown_mesh.key"), {}),
    ]
)
moves = st.one_of(
    st.tuples(st.just("hears"), messages, st.integers(-2, 0)),
    st.tuples(st.sampled_from(["start", "check", "cancel", "close", "dies", "spawn fails"])),
    st.tuples(st.just("waits"), st.floats(0.1, 12.0)),
)


@given(st.lists(moves, max_size=40))
def test_any_order_of_events_keeps_worker_and_take_consistent(history):
    """Kills, closes and sends only ever go to a worker that is there; only done jobs leave a take."""
    story, alive, take = Story(), False, False
    for move in history:
        match move:
            case ("hears", (header, arrays), late):
                story.hears({**header, "id": story.state.awaited + late}, arrays)
            case ("start",):
                story.start(request())
            case ("check",):
                story.start(None)
            case ("cancel",):
                story.cancel()
            case ("close",):
                story.happens(close_worker)
            case ("dies",) if alive:
                alive = False
                story.dies()
            case ("spawn fails",) if story.has(SpawnWorker):
                alive = False
                story.happens(spawn_failed, "No.")
            case ("waits", seconds):
                story.waits(seconds, heard_after=0.0)
            case _:
                continue
        for effect in story.effects:
            match effect:
                case SpawnWorker():
                    assert not alive
                    alive = True
                case KillWorker() | CloseWorker():
                    assert alive
                    alive = False
                case Send():
                    assert alive
                case BeginTake():
                    take = True
                case StoreFrame():
                    assert take
                case DropTake():
                    take = False
        assert alive == (story.state.worker is not WorkerPhase.ABSENT)
        assert story.state.busy or story.state.request is None
        if take:
            assert story.state.phase not in (Phase.IDLE, Phase.STARTING, Phase.ANALYZING)
        if story.state.phase is Phase.FAILED:
            assert story.state.message and story.state.remedy
