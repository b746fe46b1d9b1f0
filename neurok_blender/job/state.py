"""The transitions of a job, pure functions (state, news) -> (state, effects). No Blender, input, output or clock.

A job is a chain of requests to one worker process: hello (once per process), analyze (unless this process
knows the mesh), simulate. The state remembers what the process has, so that a second job on the same mesh
goes straight to simulate. An interactive job stays open after the analysis and sends one request after the other until
it is cancelled. A job ends as DONE, CANCELLED or FAILED; the worker then waits for the next one, and the frames that
came stay until that.

Times are seconds of any monotonic clock. Effects are to be carried out in their order.
"""

from __future__ import annotations

from dataclasses import replace

from ..backend.protocol import PROTOCOL_VERSION
from ..backend.texts import Text
from .answers import message_received
from .effects import CloseWorker, DropTake, KillWorker, Refuse, Send, SpawnWorker
from .phases import Ended, JobState, Phase, QueuedRequest, WorkerPhase
from .requests import JobRequest
from .sentences import death_text
from .steps import Step, end, fail, lose_worker, next_interactive_request, next_request, send, without_worker

__all__ = [
    "CANCEL_PATIENCE_SECONDS",
    "SILENCE_SECONDS",
    "START_SECONDS",
    "TICK_GAP_SECONDS",
    "JobState",
    "Phase",
    "WorkerPhase",
    "cancel_job",
    "close_worker",
    "message_received",
    "process_ended",
    "queue_request",
    "spawn_failed",
    "start_job",
    "watch_clock",
]

# A cancel that is not answered for so long ends the worker.
CANCEL_PATIENCE_SECONDS = 1.5
# A busy worker sends a heartbeat every half second; silence of this length means that it hangs.
SILENCE_SECONDS = 10.0
# Python itself must start, from a cold disk and past a virus scanner, before the worker can say anything.
START_SECONDS = 60.0
# When no tick came for this long the computer slept or Blender was blocked, and silence proves nothing.
TICK_GAP_SECONDS = 2.0


def start_job(state: JobState, time: float, request: JobRequest | None) -> Step:
    """Begins a job; without a request only the worker is started and greeted."""
    if state.busy:
        return state, (Refuse(Text("busy.job", activity=state.activity)),)
    state = JobState(
        phase=Phase.STARTING,
        request=request,
        backend=state.backend,
        worker=state.worker,
        known=state.known,
        last_request=state.last_request,
        watched_since=time,
        last_tick=time,
    )
    if state.worker is WorkerPhase.READY:
        state, effects = next_request(state)
        return state, (DropTake(), *effects)
    if state.worker is WorkerPhase.GREETING:
        return state, (DropTake(),)
    state, hello = send(replace(state, worker=WorkerPhase.GREETING), {"type": "hello", "protocol": PROTOCOL_VERSION})
    return state, (DropTake(), SpawnWorker(), hello)


def queue_request(state: JobState, time: float, request: QueuedRequest) -> Step:
    """Sends a request of an interactive session, at once or after those that wait."""
    if not state.busy or state.request is None or not state.request.task.is_interactive:
        return state, ()  # the session has ended meanwhile, which the caller sees in the state
    # A new request replaces one that still waits on the same channel: only the latest place of a mouse counts.
    waiting = tuple(each for each in state.waiting if not request.channel or each.channel != request.channel)
    idle = not state.awaited
    state = replace(state, waiting=(*waiting, request))
    if state.phase is not Phase.INTERACTIVE:
        return state, ()
    return next_interactive_request(replace(state, watched_since=time) if idle else state)


def cancel_job(state: JobState, time: float) -> Step:
    """Ends the job; a worker that is at work is asked to stop."""
    if state.phase is Phase.STARTING or (state.phase is Phase.INTERACTIVE and not state.awaited):
        # Nothing runs yet; the worker may go on warming up for the next job.
        return end(state, Phase.CANCELLED, Text("job.cancelled")), ()
    if state.phase not in (Phase.ANALYZING, Phase.SIMULATING, Phase.INTERACTIVE):
        return state, ()
    number = state.last_request + 1
    request = Send({"type": "cancel", "id": number, "target": state.awaited})
    deadline = time + CANCEL_PATIENCE_SECONDS
    return replace(state, phase=Phase.CANCELLING, last_request=number, cancel_deadline=deadline), (request,)


def close_worker(state: JobState) -> Step:
    """The worker is of no more use: the file closes, the add-on is disabled, memory is wanted back."""
    idle = JobState(last_request=state.last_request)
    present = state.worker is not WorkerPhase.ABSENT
    return idle, (CloseWorker(), DropTake()) if present else (DropTake(),)


def watch_clock(state: JobState, time: float, heard: float | None) -> Step:
    """Time goes by.

    `heard` is when the last message of the worker came in, handled already or not; None before its first message.
    """
    slept = time - state.last_tick > TICK_GAP_SECONDS
    watched_since = time if slept else state.watched_since
    state = replace(state, last_tick=time, watched_since=watched_since)
    if not state.busy or (state.phase is Phase.INTERACTIVE and not state.awaited):
        return state, ()
    if state.cancel_deadline is not None and time >= state.cancel_deadline:
        late = Text("job.cancelled_late")
        return end(without_worker(state), Phase.CANCELLED, late), (KillWorker(),)
    silent_since, patience = watched_since, START_SECONDS
    if heard is not None:
        silent_since, patience = max(heard, watched_since), SILENCE_SECONDS
    if time - silent_since > patience:
        return lose_worker(state, Text("worker.silent", seconds=patience, activity=state.activity))
    return state, ()


def spawn_failed(state: JobState, reason: str) -> Step:
    """The operating system could not start the worker; `reason` is its sentence."""
    return fail(without_worker(state), Text("worker.not_started", reason=reason))


def process_ended(state: JobState, ended: Ended, log: str) -> Step:
    """The worker is no more; `log` is the path of its log."""
    if state.phase is Phase.CANCELLING:
        return end(without_worker(state), Phase.CANCELLED, Text("job.cancelled")), ()
    if not state.busy:
        return without_worker(state), ()
    return fail(without_worker(state), death_text(ended, log, state.activity, state.phase is Phase.STARTING))
