"""Interactive jobs about one object and jobs with several objects, in the transitions and with a worker."""

import numpy as np
import pytest

from neurok_blender.job.answers import error_text
from neurok_blender.job.effects import BeginTake, Deliver, KillWorker, StoreFrame
from neurok_blender.job.requests import JobRequest, ObjectRequest, Task, with_buffers
from neurok_blender.job.state import CANCEL_PATIENCE_SECONDS, SILENCE_SECONDS, Phase
from tests.job.helpers import finish, tick_until
from tests.job.story import ENTRIES, HANDLES, HELLO, SUMMARY, TRIANGLES, VERTICES, WEIGHTS, Story, error
from tests.job.worker_client import TRIANGLE


def interactive_job() -> JobRequest:
    return JobRequest((ObjectRequest("mesh", VERTICES, TRIANGLES, "auto"),), Task.INTERACTIVE)


def interactive() -> Story:
    return Story().start(interactive_job()).hears(HELLO).hears({"type": "analysis", "summary": SUMMARY})


def test_an_interactive_job_stays_open_and_asks_one_question_after_the_other():
    story = interactive()
    assert story.state.phase is Phase.INTERACTIVE and story.state.busy and not story.sent()
    story.asks("pose")
    assert story.sent() == [{"type": "pose", "id": 3}]
    story.asks("shape")
    assert not story.sent()
    story.hears({"type": "posed"}, {"handles_0": HANDLES})
    delivered, _ = story.effects
    assert isinstance(delivered, Deliver) and delivered.header["type"] == "posed"
    assert delivered.arrays["handles_0"] is HANDLES and story.sent() == [{"type": "shape", "id": 4}]
    story.hears({"type": "shapes"})
    assert story.state.busy and story.state.awaited == 0


def test_what_is_asked_early_waits_for_the_analysis():
    story = Story().start(interactive_job()).asks("pose")
    assert not story.sent()
    story.hears(HELLO)
    assert story.sent()[0]["type"] == "analyze"
    assert story.hears({"type": "analysis", "summary": SUMMARY}).sent() == [{"type": "pose", "id": 3}]


def test_only_the_latest_question_of_a_channel_waits():
    story = interactive().asks("pose", "mouse")
    for number in range(5):
        story.asks("pose", "mouse", number=number)
        story.asks("shape", number=number)
    assert len(story.state.waiting) == 6
    order = []
    for _ in range(6):
        order += [(entry["type"], entry["number"]) for entry in story.hears({"type": "posed"}).sent()]
    assert order == [("shape", 0), ("shape", 1), ("shape", 2), ("shape", 3), ("pose", 4), ("shape", 4)]


def test_a_refusal_is_an_answer_and_the_job_goes_on():
    story = interactive().asks("pose")
    story.hears(error("bad_pose.no_vertex"))
    (delivered,) = story.effects
    assert error_text(delivered.header).code == "bad_pose" and story.state.phase is Phase.INTERACTIVE


def test_a_mesh_that_the_worker_forgot_is_sent_again_with_the_question():
    story = interactive().asks("pose")
    story.hears(error("unknown_mesh.key"))
    assert story.sent()[0]["type"] == "analyze" and story.state.phase is Phase.ANALYZING
    assert story.hears({"type": "analysis", "summary": SUMMARY}).sent()[0]["type"] == "pose"


def test_an_idle_session_may_be_silent_and_a_request_may_not():
    story = interactive().waits(10.0 * SILENCE_SECONDS, heard_after=0.0)
    assert story.state.phase is Phase.INTERACTIVE and not story.effects
    story.asks("pose")
    story.waits(SILENCE_SECONDS - 1.0, heard_after=-100.0)
    assert story.state.phase is Phase.INTERACTIVE
    story.waits(3.0, heard_after=-200.0)
    assert story.state.phase is Phase.FAILED and story.has(KillWorker)


def test_an_idle_session_ends_at_once_and_a_busy_one_when_the_worker_lets_go():
    story = interactive().cancel()
    assert story.state.phase is Phase.CANCELLED and story.effects == ()
    assert not story.asks("pose").effects  # too late
    busy = interactive().asks("pose").cancel()
    assert busy.state.phase is Phase.CANCELLING and busy.sent() == [{"type": "cancel", "id": 4, "target": 3}]
    assert busy.waits(CANCEL_PATIENCE_SECONDS + 1.0, heard_after=0.0).has(KillWorker)


def test_a_worker_that_dies_ends_the_job_with_a_sentence():
    story = interactive().asks("pose").dies()
    assert story.state.phase is Phase.FAILED and "posing the object" in str(story.state.message) and story.state.remedy


def several(count: int = 2, **shared: object) -> JobRequest:
    return JobRequest(
        tuple(ObjectRequest(f"mesh{number}", VERTICES, TRIANGLES, "auto", {"n": number}) for number in range(count)),
        shared=shared,
    )


def test_each_of_several_objects_is_analysed_and_all_are_simulated_in_one_request():
    story = Story().start(several(frames=3)).hears(HELLO)
    for number in range(2):
        assert story.sent()[0]["key"] == f"mesh{number}:auto"
        story.hears({"type": "analysis", "summary": {**SUMMARY, "n": number}})
    (simulate,) = story.sent()
    assert simulate["objects"] == [{"key": f"mesh{n}:auto", "conditions": {"n": n}} for n in range(2)]
    assert simulate["shared"] == {"frames": 3}
    started = {"type": "started", "frames": 3, "fps": 24.0, "objects": 2 * ENTRIES}
    story.hears(started, {"weights_0": WEIGHTS, "weights_1": WEIGHTS})
    assert isinstance(story.effects[0], BeginTake) and len(story.effects[0].weights) == 2
    story.hears({"type": "frame", "index": 1}, {"handles_0": HANDLES, "handles_1": HANDLES})
    assert isinstance(story.effects[0], StoreFrame) and len(story.effects[0].shapes) == 2
    assert len(story.state.summaries) == 2


POINTS = np.zeros((3, 3), np.float32)


def test_objects_may_move_by_points_or_by_handles_and_points():
    story = Story().start(several(frames=3)).hears(HELLO)
    for _number in range(2):
        story.hears({"type": "analysis", "summary": SUMMARY})
    entries = 2 * [{"summary": SUMMARY, "points": True}]
    story.hears({"type": "started", "frames": 3, "fps": 24.0, "objects": entries}, {"weights_1": WEIGHTS})
    (begun,) = story.effects
    assert begun.weights[0] is None and begun.weights[1] is WEIGHTS and begun.has_points == (True, True)
    story.hears({"type": "frame", "index": 1}, {"points_0": POINTS, "handles_1": HANDLES, "points_1": POINTS})
    first, second = story.effects[0].shapes
    assert first.handles is None and first.points is POINTS and second.handles is HANDLES and second.points is POINTS
    bad = {"points_0": POINTS, "handles_1": HANDLES, "points_1": POINTS[:2]}
    story.hears({"type": "frame", "index": 2}, bad)
    assert story.state.phase is Phase.FAILED and "points" in str(story.state.message)


def test_more_objects_than_the_worker_surely_keeps_are_each_analysed_once():
    story = Story().start(several(7)).hears(HELLO)
    for number in range(7):
        assert story.sent()[0]["key"] == f"mesh{number}:auto"
        story.hears({"type": "analysis", "summary": SUMMARY})
    assert story.sent()[0]["type"] == "simulate"


def test_arrays_in_conditions_become_buffers_of_the_message():
    places, faces = np.arange(6.0).reshape(2, 3), np.array([[0, 1, 2]])
    arrays: dict[str, np.ndarray] = {}
    sent = with_buffers({"colliders": [{"vertices": places, "triangles": faces}], "fps": 24}, arrays)
    assert sent == {"colliders": [{"vertices": {"buffer": "buffer_0"}, "triangles": {"buffer": "buffer_1"}}], "fps": 24}
    assert arrays["buffer_0"] is places and arrays["buffer_1"] is faces


@pytest.mark.parametrize("change", [{"objects": ()}, {"task": Task.INTERACTIVE}])
def test_jobs_that_make_no_sense_are_refused_when_they_are_made(change):
    with pytest.raises(ValueError):
        JobRequest(**({"objects": several().objects} | change))


def test_an_interactive_job_with_a_real_process(runner):
    """The engine of the tests fills handles with the number of solves so far."""
    runner.start(
        JobRequest((ObjectRequest("mesh", TRIANGLE["vertices"], TRIANGLE["triangles"], "auto"),), Task.INTERACTIVE)
    )
    drags = {"vertices": np.array([1], np.int32), "targets": np.zeros((1, 3), np.float32)}
    found = []
    for number in range(1, 4):
        runner.ask({"type": "pose", "key": "mesh:auto", "conditions": {}}, drags)
        tick_until(runner, lambda _state: found.extend(runner.answers()) or bool(found))
        answer = found.pop()
        assert answer.header["type"] == "posed" and answer.arrays["handles_0"].max() == number
    runner.cancel()
    assert finish(runner).phase is Phase.CANCELLED


def test_what_is_drawn_needs_no_object_and_no_analysis():
    """A job to draw goes from hello straight to what is asked, and says what it is at."""
    story = Story().start(JobRequest((), Task.DRAW)).asks("pointmap")
    assert story.hears(HELLO).sent() == [{"type": "pointmap", "id": 2}]
    assert story.state.phase is Phase.INTERACTIVE and str(story.state.activity) == "drawing pointmaps"
    story.hears({"type": "heartbeat", "stage": "drawing pointmaps", "done": 3, "total": 49})
    assert (story.state.done, story.state.total) == (3, 49)
    story.hears({"type": "pointmapped", "report": {}})
    (delivered,) = story.effects
    assert isinstance(delivered, Deliver) and delivered.header["type"] == "pointmapped"
    with pytest.raises(ValueError, match="cannot have 0 objects"):
        JobRequest((), Task.INTERACTIVE)
    with pytest.raises(ValueError, match="cannot have 1 objects"):
        JobRequest((ObjectRequest("mesh", VERTICES, TRIANGLES, "auto"),), Task.DRAW)
