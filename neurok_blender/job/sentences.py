"""Why a job failed whose worker process has ended."""

from __future__ import annotations

from ..backend.texts import Text
from .phases import Ended

__all__ = ["death_text"]

# The signal that the kernel sends when memory is short, and that a person sends to end a process for good.
SIGNAL_KILL = 9


def death_text(ended: Ended, log: str, activity: Text, starting: bool) -> Text:
    """`log`: the path of its log; `activity`: what the worker was doing, see `JobState.activity`."""
    advice = Text("advice.memory" if ended.exit_code == -SIGNAL_KILL else "advice.log", log=log)
    if ended.damage is not None:
        return Text("worker.damaged", activity=activity, damage=ended.damage, advice=advice)
    cause = _cause(ended.exit_code)
    if starting and ended.last_line:
        return Text("worker.start_failed", cause=cause, line=ended.last_line, advice=advice)
    return Text("worker.stopped", cause=cause, activity=activity, advice=advice)


def _cause(exit_code: int) -> Text:
    if exit_code < 0:
        return Text("cause.signal", number=-exit_code)
    # Windows reports a crash as a large number that is known by its hexadecimal form.
    return Text("cause.exit" if exit_code < 2**16 else "cause.crash", code=exit_code)
