"""Why a job failed whose worker process is no more."""

from __future__ import annotations

from ..backend.texts import Text
from .events import ProcessEnded

__all__ = ["death_text"]

# The signal that the kernel sends when memory is short, and that a person sends to end a process for good.
SIGNAL_KILL = 9


def death_text(event: ProcessEnded, activity: Text, starting: bool) -> Text:
    """`activity`: what the worker was doing, see `JobState.activity`."""
    advice = Text("advice.memory" if event.exit_code == -SIGNAL_KILL else "advice.log", log=event.log)
    if event.damage is not None:
        return Text("worker.damaged", activity=activity, damage=event.damage, advice=advice)
    cause = _cause(event.exit_code)
    if starting and event.last_line:
        return Text("worker.start_failed", cause=cause, line=event.last_line, advice=advice)
    return Text("worker.stopped", cause=cause, activity=activity, advice=advice)


def _cause(exit_code: int) -> Text:
    if exit_code < 0:
        return Text("cause.signal", number=-exit_code)
    # Windows reports a crash as a large number that is known by its hexadecimal form.
    return Text("cause.exit" if exit_code < 2**16 else "cause.crash", code=exit_code)
