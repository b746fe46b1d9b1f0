"""The reducer, event by event: every phase, without processes, clocks or Blender."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from neurok_blender.backend.protocol import PROTOCOL_VERSION
from neurok_blender.job.events import (
    CancelRequested,
    CloseRequested,
    CloseWorker,
    DropTake,
    JobRequest,
    KillWorker,
    MessageReceived,
    ProcessEnded,
    Refuse,
    Send,
    SpawnFailed,
    SpawnWorker,
    StartRequested,
    StoreFrame,
    StoreWeights,
    Tick,
)
from neurok_blender.job.state import (
    CANCEL_PATIENCE_SECONDS,
    SILENCE_SECONDS,
    START_SECONDS,
    JobState,
    Phase,
    WorkerPhase,
    reduce,
)

VERTICES = np.zeros((3, 3), dtype=np.float32)
TRIANGLES = np.array([[0, 1, 2]], dtype=np.int32)
SUMMARY = {"provider": "elastic", "handles": 2}
WEIGHTS = np.zeros((3, 2), dtype=np.float32)
HANDLES = np.zeros((2, 3, 4), dtype=np.float32)
HELLO = {"type": "hello", "protocol": PROTOCOL_VERSION, "version": "1", "device": "cpu", "engine": "numpy"}


def request(key="mesh", provider="auto", conditions=None) -> JobRequest:
    return JobRequest(key, VERTICES, TRIANGLES, provider, {} if conditions is None else conditions)


class Story:
    """A state that events happen to; `effects` are those of the last event."""

    def __init__(self) -> None:
        self.state = JobState()
        self.now = 100.0
        self.effects: tuple = ()

    def happens(self, event) -> "Story":
        self.state, self.effects = reduce(self.state, event)
        return self

    def start(self, job: JobRequest | None) -> "Story":
        return self.happens(StartRequested(self.now, job))

    def cancel(self) -> "Story":
        return self.happens(CancelRequested(self.now))

    def hears(self, header: dict, arrays: dict | None = None, worker: int | None = None) -> "Story":
        """A message; the awaited request's number where the header gives none."""
        number = self.state.worker_number if worker is None else worker
        return self.happens(MessageReceived(self.now, number, {"id": self.state.awaited, **header}, arrays or {}))

    def dies(self, exit_code=-9, damage="", last_line="", worker: int | None = None) -> "Story":
        number = self.state.worker_number if worker is None else worker
        return self.happens(ProcessEnded(self.now, number, exit_code, damage, last_line, "/tmp/neurok.log"))

    def waits(self, seconds: float, heard_after: float | None = None, step: float = 0.5) -> "Story":
        """Ticks go by; the worker was last heard so many seconds from now, or never."""
        heard = None if heard_after is None else self.now + heard_after
        end = self.now + seconds
        while self.now < end:
            self.now = min(self.now + step, end)
            self.happens(Tick(self.now, heard))
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
    started = {"type": "started", "frames": frames, "fps": 24.0, "summary": SUMMARY}
    story = preparing().hears(started, {"weights": WEIGHTS})
    for index in range(1, received + 1):
        story.hears({"type": "frame", "index": index}, {"handles": HANDLES})
    return story


def done() -> Story:
    return simulating(3, 3).hears({"type": "done", "report": {"steps": 7}})


def cancelling() -> Story:
    return simulating().cancel()


BUSY = [greeting, analyzing, preparing, simulating, cancelling]


def test_the_first_start_spawns_a_worker_and_greets_it():
    story = greeting()
    assert story.effects[:2] == (DropTake(), SpawnWorker(1))
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
    story.hears({"type": "heartbeat", "stage": "analyzing", "done": 1, "total": 4})
    assert story.state.fraction == 0.25


def test_simulation_follows_the_analysis():
    story = preparing()
    assert story.state.phase is Phase.SIMULATING and story.state.summary == SUMMARY
    assert story.sent() == [{"type": "simulate", "id": 3, "key": "mesh:auto", "conditions": {}}]


def test_frames_are_stored_and_counted():
    started = {"type": "started", "frames": 3, "fps": 30.0, "summary": SUMMARY}
    story = preparing().hears(started, {"weights": WEIGHTS})
    (stored,) = story.effects
    assert isinstance(stored, StoreWeights) and stored.weights is WEIGHTS
    assert (stored.fps, stored.frame_count) == (30.0, 3)
    story.hears({"type": "frame", "index": 1}, {"handles": HANDLES})
    assert isinstance(story.effects[0], StoreFrame) and story.effects[0].handles is HANDLES
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
    assert story.sent() == [{"type": "simulate", "id": 4, "key": "mesh:auto", "conditions": {"frames": 9}}]
    assert story.state.phase is Phase.SIMULATING and story.state.summary == SUMMARY
    assert story.state.report is None and story.state.done == 0


def test_another_provider_or_another_mesh_is_analysed():
    assert done().start(request(provider="rigid")).sent()[0]["key"] == "mesh:rigid"
    assert done().start(request(key="other")).sent()[0]["key"] == "other:auto"


def analysis_only(key: str = "mesh") -> JobRequest:
    return JobRequest(key, VERTICES, TRIANGLES, "auto", None)


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
    unknown = {"type": "error", "code": "unknown_mesh", "message": "Unknown.", "remedy": "Send it."}
    story.hears(unknown)
    assert story.state.phase is Phase.ANALYZING and story.sent()[0]["type"] == "analyze"
    story.hears({"type": "analysis", "summary": SUMMARY})
    assert story.sent()[0]["type"] == "simulate"
    story.hears(unknown)
    assert story.state.phase is Phase.FAILED and story.state.message == "Unknown."


@pytest.mark.parametrize("phase", BUSY)
def test_a_start_while_busy_is_refused_and_changes_nothing(phase):
    story = phase()
    before = story.state
    story.start(request())
    (refusal,) = story.effects
    assert isinstance(refusal, Refuse) and refusal.code == "busy"
    assert "already running" in refusal.message and "cancel" in refusal.remedy
    assert story.state is before


def test_another_protocol_version_fails_with_a_remedy():
    story = greeting().hears({**HELLO, "protocol": 99})
    assert story.state.phase is Phase.FAILED and "protocol 99" in story.state.message
    assert "same release" in story.state.remedy
    assert story.has(KillWorker) and story.state.worker is WorkerPhase.ABSENT


@pytest.mark.parametrize("code", ["protocol_mismatch", "engine_missing"])
def test_an_error_in_place_of_the_greeting_fails_and_ends_the_worker(code):
    story = greeting().hears({"type": "error", "code": code, "message": "No.", "remedy": "Do."})
    assert (story.state.phase, story.state.message, story.state.remedy) == (Phase.FAILED, "No.", "Do.")
    assert story.has(KillWorker) and story.has(DropTake)
    assert story.start(request()).has(SpawnWorker)


@pytest.mark.parametrize("phase", [analyzing, preparing, simulating])
def test_an_error_fails_the_job_and_the_worker_stays(phase):
    story = phase().hears({"type": "error", "code": "empty_mesh", "message": "No faces.", "remedy": "Add one."})
    assert (story.state.phase, story.state.message) == (Phase.FAILED, "No faces.")
    assert story.state.remedy == "Add one." and story.effects == (DropTake(),)
    assert story.state.worker is WorkerPhase.READY and not story.start(request()).has(SpawnWorker)


def test_an_error_that_belongs_to_no_request_fails_the_job():
    story = simulating().hears({"type": "error", "id": 0, "code": "bad_stream", "message": "B.", "remedy": "R."})
    assert story.state.phase is Phase.FAILED and story.state.message == "B."


@pytest.mark.parametrize("phase", [analyzing, preparing, simulating])
def test_cancel_asks_the_worker_and_its_answer_ends_the_job(phase):
    story = phase()
    target = story.state.awaited
    story.cancel()
    assert story.sent() == [{"type": "cancel", "id": target + 1, "target": target}]
    assert story.state.phase is Phase.CANCELLING and story.state.busy
    story.hears({"type": "cancelled", "id": target})
    assert story.state.phase is Phase.CANCELLED and story.effects == (DropTake(),)
    assert story.state.worker is WorkerPhase.READY
    assert story.start(request()).state.phase in (Phase.ANALYZING, Phase.SIMULATING)


def test_cancel_while_starting_is_immediate_and_the_worker_warms_up_on():
    story = greeting().cancel()
    assert story.state.phase is Phase.CANCELLED and not story.sent() and story.effects == (DropTake(),)
    story.start(request("second"))
    assert story.state.phase is Phase.STARTING and story.effects == (DropTake(),)
    story.hears({"type": "heartbeat", "id": 1, "stage": "importing", "done": 0, "total": 0})
    assert story.state.stage == "importing"
    story.hears({**HELLO, "id": 1})
    assert story.sent()[0]["key"] == "second:auto"


def test_a_greeting_after_the_cancel_makes_the_worker_ready_without_a_job():
    story = greeting().cancel().hears({**HELLO, "id": 1})
    assert story.state.phase is Phase.CANCELLED and story.state.worker is WorkerPhase.READY
    assert story.effects == ()


def test_an_error_in_place_of_the_greeting_after_a_cancel_only_ends_the_worker():
    story = greeting().cancel().hears({"type": "error", "id": 1, "code": "x", "message": "N.", "remedy": "R."})
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
    assert story.state.phase is Phase.CANCELLED and story.effects == (KillWorker(), DropTake())
    assert "did not answer" in story.state.message
    assert story.start(request()).effects[1] == SpawnWorker(2)


def test_what_was_on_its_way_when_the_cancel_went_out_is_ignored():
    story = cancelling()
    story.hears({"type": "frame", "index": 2}, {"handles": HANDLES})
    story.hears({"type": "done", "report": {}})
    assert story.state.phase is Phase.CANCELLING and story.effects == ()


@pytest.mark.parametrize(
    "header",
    [
        {"type": "error", "code": "x", "message": "M.", "remedy": "R."},
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
        ({"type": "frame", "index": 2}, {"handles": HANDLES}),
        ({"type": "done", "report": {}}, {}),
        ({"type": "cancelled"}, {}),
        ({"type": "heartbeat", "stage": "old", "done": 1, "total": 2}, {}),
        ({"type": "error", "code": "x", "message": "M.", "remedy": "R."}, {}),
    ):
        story.hears({**header, "id": old}, arrays)
        assert story.state is before and story.effects == ()


def test_news_of_a_worker_that_was_given_up_is_ignored():
    story = cancelling().waits(2.0, heard_after=0.0)
    story.start(request())
    before = story.state
    story.hears(HELLO, worker=1)
    assert story.state is before
    story.dies(worker=1)
    assert story.state is before and story.effects == ()


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
    assert story.state.phase is Phase.FAILED and story.state.message == sentence
    assert "/tmp/neurok.log" in story.state.remedy and story.state.remedy.endswith(".")
    assert ("emory" in story.state.remedy) == (exit_code == -9)
    assert story.effects == (DropTake(),) and story.state.worker is WorkerPhase.ABSENT
    restarted = story.start(request())
    assert SpawnWorker(2) in restarted.effects
    assert restarted.hears(HELLO).sent()[0]["type"] == "analyze"  # the new one knows no mesh


def test_a_death_at_the_start_quotes_the_log():
    story = greeting().dies(1, last_line="ModuleNotFoundError: No module named 'numpy'")
    expected = "The backend could not start (exit code 1): ModuleNotFoundError: No module named 'numpy'"
    assert story.state.message == expected


def test_damage_in_the_stream_is_told():
    story = simulating().dies(-9, damage="A header is not UTF-8 JSON.")
    assert story.state.message.startswith("The answers of the backend were damaged while simulating frame 2")


def test_a_death_while_cancelling_is_a_cancel():
    story = cancelling().dies(0)
    assert story.state.phase is Phase.CANCELLED and story.effects == (DropTake(),)


def test_a_death_between_jobs_is_no_news_to_the_user():
    story = done().dies(-15)
    assert story.state.phase is Phase.DONE and story.effects == () and story.state.message == ""
    assert story.state.worker is WorkerPhase.ABSENT and story.start(request()).has(SpawnWorker)


def test_a_worker_that_cannot_be_started_fails_the_job():
    story = greeting()
    story.happens(SpawnFailed(story.now, 1, "No such file or directory: 'python9'."))
    assert story.state.phase is Phase.FAILED and "python9" in story.state.message
    assert "setup" in story.state.remedy and story.start(request()).has(SpawnWorker)


@pytest.mark.parametrize("phase", [analyzing, preparing, simulating])
def test_a_silent_worker_is_killed_with_a_clear_sentence(phase):
    story = phase().waits(SILENCE_SECONDS, heard_after=0.0)
    assert story.effects == () and story.state.busy
    story.waits(1.0, heard_after=-SILENCE_SECONDS)
    assert story.state.phase is Phase.FAILED and story.effects == (KillWorker(), DropTake())
    assert story.state.message.startswith("The backend gave no sign of life for 10 seconds while ")
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
    story.happens(Tick(story.now, heard))
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
    (greeting, {"type": "done", "report": {}}, {}),
    (greeting, {"type": "hello"}, {}),
    (greeting, {"type": "error"}, {}),
    (greeting, {"type": "heartbeat"}, {}),
    (analyzing, {"type": "analysis"}, {}),
    (analyzing, {"type": "frame", "index": 1}, {"handles": HANDLES}),
    (analyzing, {"type": "surprise"}, {}),
    (preparing, {"type": "started", "frames": 3, "fps": 24.0, "summary": {}}, {}),
    (preparing, {"type": "started", "frames": 0, "fps": 24.0, "summary": {}}, {"weights": WEIGHTS}),
    (preparing, {"type": "started", "frames": 3, "fps": 0.0, "summary": {}}, {"weights": WEIGHTS}),
    (preparing, {"type": "started", "frames": "x", "fps": 24.0, "summary": {}}, {"weights": WEIGHTS}),
    (preparing, {"type": "started", "frames": 3, "fps": 24.0, "summary": {}}, {"weights": WEIGHTS[:2]}),
    (
        preparing,
        {"type": "started", "frames": 3, "fps": 24.0, "summary": {}},
        {"weights": WEIGHTS.astype(float)},
    ),
    (preparing, {"type": "frame", "index": 1}, {"handles": HANDLES}),
    (preparing, {"type": "done", "report": {}}, {}),
    (simulating, {"type": "started", "frames": 3, "fps": 24.0, "summary": {}}, {"weights": WEIGHTS}),
    (simulating, {"type": "frame", "index": 1}, {"handles": HANDLES}),
    (simulating, {"type": "frame", "index": 3}, {"handles": HANDLES}),
    (simulating, {"type": "frame", "index": 2}, {}),
    (simulating, {"type": "frame", "index": 2}, {"handles": HANDLES[:1]}),
    (simulating, {"type": "frame", "index": 2}, {"handles": HANDLES.astype(float)}),
    (simulating, {"type": "done", "report": {}}, {}),
    (lambda: simulating(3, 3), {"type": "frame", "index": 4}, {"handles": HANDLES}),
    (lambda: simulating(3, 3), {"type": "done"}, {}),
]


@pytest.mark.parametrize(("phase", "header", "arrays"), BAD_MESSAGES, ids=lambda value: str(value)[:40])
def test_a_message_that_does_not_fit_fails_the_job_and_ends_the_worker(phase, header, arrays):
    story = phase().hears(header, arrays)
    assert story.state.phase is Phase.FAILED and story.effects == (KillWorker(), DropTake())
    assert f"'{header['type']}' message that does not fit" in story.state.message
    assert story.state.worker is WorkerPhase.ABSENT and "same release" in story.state.remedy


def test_a_message_without_a_number_fails_the_job():
    story = simulating()
    story.happens(MessageReceived(story.now, story.state.worker_number, {"type": "frame"}))
    assert story.state.phase is Phase.FAILED


@pytest.mark.parametrize("phase", [*BUSY, done])
def test_close_lets_go_of_everything(phase):
    story = phase()
    story.happens(CloseRequested(story.now))
    assert story.effects == (CloseWorker(), DropTake())
    assert story.state.phase is Phase.IDLE and story.state.worker is WorkerPhase.ABSENT
    story.dies(0)
    assert story.state.phase is Phase.IDLE and story.effects == ()
    assert SpawnWorker(2) in story.start(request()).effects


def test_close_without_a_worker_only_drops_the_take():
    story = Story()
    assert story.happens(CloseRequested(story.now)).effects == (DropTake(),)


@pytest.mark.parametrize(
    "change",
    [
        {"vertices": VERTICES.astype(float)},
        {"vertices": VERTICES.ravel()},
        {"vertices": VERTICES[:, :2]},
        {"triangles": TRIANGLES.astype(np.int64)},
        {"conditions": {"height": float("nan")}},
        {"conditions": {"point": np.zeros(3)}},
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
        JobRequest(**values)


messages = st.sampled_from(
    [
        (HELLO, {}),
        ({"type": "analysis", "summary": SUMMARY}, {}),
        ({"type": "started", "frames": 2, "fps": 24.0, "summary": SUMMARY}, {"weights": WEIGHTS}),
        ({"type": "frame", "index": 1}, {"handles": HANDLES}),
        ({"type": "frame", "index": 2}, {"handles": HANDLES}),
        ({"type": "done", "report": {}}, {}),
        ({"type": "cancelled"}, {}),
        ({"type": "heartbeat", "stage": "s", "done": 1, "total": 2}, {}),
        ({"type": "error", "code": "unknown_mesh", "message": "M.", "remedy": "R."}, {}),
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
                story.happens(CloseRequested(story.now))
            case ("dies",) if alive:
                alive = False
                story.dies()
            case ("spawn fails",) if story.has(SpawnWorker):
                alive = False
                story.happens(SpawnFailed(story.now, story.state.worker_number, "No."))
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
                case StoreWeights():
                    take = True
                case StoreFrame():
                    assert take
                case DropTake():
                    take = False
        assert alive == (story.state.worker is not WorkerPhase.ABSENT)
        assert story.state.busy or story.state.request is None
        if take:
            assert story.state.phase in (Phase.SIMULATING, Phase.CANCELLING, Phase.DONE)
        if story.state.phase is Phase.FAILED:
            assert story.state.message and story.state.remedy
