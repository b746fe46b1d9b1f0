"""The job as a pure reducer: (state, event) -> (state, effects). No Blender, no input or output, no clock.

A job is a chain of requests to one worker process: hello (once per process), analyze (unless this process
knows the mesh), simulate. The state remembers what the process has, so that a second job on the same mesh
goes straight to simulate. An interactive job stays open after the analysis and sends one request after the other until
it is cancelled. A job ends as DONE, CANCELLED or FAILED; the worker then waits for the next one.
"""

from __future__ import annotations

from dataclasses import replace

from ..backend.protocol import PROTOCOL_VERSION
from ..backend.texts import Text
from .answers import message_received
from .events import (
    CancelRequested,
    CloseRequested,
    CloseWorker,
    DropTake,
    Event,
    KillWorker,
    MessageReceived,
    ProcessEnded,
    Refuse,
    Send,
    SendRequested,
    SpawnFailed,
    SpawnWorker,
    StartRequested,
    Tick,
)
from .phases import JobState, Phase, WorkerPhase
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
    "reduce",
]

# A cancel that is not answered for so long ends the worker.
CANCEL_PATIENCE_SECONDS = 1.5
# A busy worker sends a heartbeat every half second; silence of this length means that it hangs.
SILENCE_SECONDS = 10.0
# Python itself must start, from a cold disk and past a virus scanner, before the worker can say anything.
START_SECONDS = 60.0
# When no tick came for this long the computer slept or Blender was blocked, and silence proves nothing.
TICK_GAP_SECONDS = 2.0


def reduce(state: JobState, event: Event) -> Step:
    """The state after `event`, and what has to be done about it, in order."""
    match event:
        case StartRequested():
            return _start(state, event)
        case CancelRequested():
            return _cancel(state, event)
        case SendRequested():
            return _queue(state, event)
        case CloseRequested():
            return _close(state)
        case Tick():
            return _tick(state, event)
    if event.worker != state.worker_number or state.worker is WorkerPhase.ABSENT:
        return state, ()  # the last words of a process that was given up
    match event:
        case MessageReceived():
            return message_received(state, event)
        case SpawnFailed():
            return fail(without_worker(state), Text("worker.not_started", reason=event.reason))
        case ProcessEnded():
            return _process_ended(state, event)


def _start(state: JobState, event: StartRequested) -> Step:
    if state.busy:
        return state, (Refuse(Text("busy.job", activity=state.activity)),)
    state = JobState(
        phase=Phase.STARTING,
        request=event.request,
        backend=state.backend,
        worker=state.worker,
        worker_number=state.worker_number,
        known=state.known,
        last_request=state.last_request,
        watched_since=event.time,
        last_tick=event.time,
    )
    if state.worker is WorkerPhase.READY:
        state, effects = next_request(state)
        return state, (DropTake(), *effects)
    if state.worker is WorkerPhase.GREETING:
        return state, (DropTake(),)
    number = state.worker_number + 1
    state = replace(state, worker=WorkerPhase.GREETING, worker_number=number)
    state, hello = send(state, {"type": "hello", "protocol": PROTOCOL_VERSION})
    return state, (DropTake(), SpawnWorker(number), hello)


def _queue(state: JobState, event: SendRequested) -> Step:
    if not state.busy or state.request is None or not state.request.task.is_interactive:
        return state, ()  # the session has ended meanwhile, and whoever asks will see it
    # A new request replaces one that still waits on the same channel: only the latest place of a mouse counts.
    waiting = tuple(each for each in state.waiting if not event.channel or each.channel != event.channel)
    idle = not state.awaited
    state = replace(state, waiting=(*waiting, event))
    if state.phase is not Phase.INTERACTIVE:
        return state, ()
    return next_interactive_request(replace(state, watched_since=event.time) if idle else state)


def _cancel(state: JobState, event: CancelRequested) -> Step:
    if state.phase is Phase.STARTING or (state.phase is Phase.INTERACTIVE and not state.awaited):
        # Nothing runs yet; the worker may go on warming up for the next job.
        return end(state, Phase.CANCELLED, Text("job.cancelled")), (DropTake(),)
    if state.phase not in (Phase.ANALYZING, Phase.SIMULATING, Phase.INTERACTIVE):
        return state, ()
    number = state.last_request + 1
    request = Send({"type": "cancel", "id": number, "target": state.awaited})
    deadline = event.time + CANCEL_PATIENCE_SECONDS
    return replace(state, phase=Phase.CANCELLING, last_request=number, cancel_deadline=deadline), (request,)


def _close(state: JobState) -> Step:
    idle = JobState(worker_number=state.worker_number, last_request=state.last_request)
    present = state.worker is not WorkerPhase.ABSENT
    return idle, (CloseWorker(), DropTake()) if present else (DropTake(),)


def _tick(state: JobState, event: Tick) -> Step:
    slept = event.time - state.last_tick > TICK_GAP_SECONDS
    watched_since = event.time if slept else state.watched_since
    state = replace(state, last_tick=event.time, watched_since=watched_since)
    if not state.busy or (state.phase is Phase.INTERACTIVE and not state.awaited):
        return state, ()
    if state.cancel_deadline is not None and event.time >= state.cancel_deadline:
        late = Text("job.cancelled_late")
        return end(without_worker(state), Phase.CANCELLED, late), (KillWorker(), DropTake())
    heard, patience = watched_since, START_SECONDS
    if event.heard is not None:
        heard, patience = max(event.heard, watched_since), SILENCE_SECONDS
    if event.time - heard > patience:
        return lose_worker(state, Text("worker.silent", seconds=patience, activity=state.activity))
    return state, ()


def _process_ended(state: JobState, event: ProcessEnded) -> Step:
    if state.phase is Phase.CANCELLING:
        return end(without_worker(state), Phase.CANCELLED, Text("job.cancelled")), (DropTake(),)
    if not state.busy:
        return without_worker(state), ()
    return fail(without_worker(state), death_text(event, state.activity, state.phase is Phase.STARTING))
