"""Texts of the job layer in Blender: a worker that stops, and what it was doing."""

from __future__ import annotations

__all__ = ["ERRORS", "NOTES"]

SAME_RELEASE = "Install the add-on and the backend from the same release."

ERRORS = {
    "busy.job": ("A job is already running (it is {activity}).", "Wait until it is done, or cancel it first."),
    "worker.not_started": (
        "The backend could not be started: {reason}",
        "Check the backend in the add-on's preferences and run its setup again.",
    ),
    "worker.silent": (
        "The backend gave no sign of life for {seconds:.0f} seconds while {activity}.",
        "It was ended; start again, and simplify the mesh if it happens again.",
    ),
    "worker.unfit_message": ("The backend sent a '{type}' message that does not fit ({reason}).", SAME_RELEASE),
    "worker.other_protocol": ("The backend speaks protocol {given}, this add-on {own}.", SAME_RELEASE),
    "worker.damaged": ("The answers of the backend were damaged while {activity}: {damage}", "{advice}"),
    "worker.start_failed": ("The backend could not start ({cause}): {line}", "{advice}"),
    "worker.stopped": ("The backend stopped unexpectedly ({cause}) while {activity}.", "{advice}"),
}
NOTES = {
    "activity.starting": "starting up",
    "activity.analyzing": "analyzing the mesh",
    "activity.simulating": "simulating frame {frame} of {count}",
    "activity.preparing": "preparing the simulation",
    "activity.drawing": "drawing pointmaps",
    "activity.joints": "working on joints",
    "activity.posing": "posing the object",
    "activity.cancelling": "cancelling",
    "activity.idle": "idle",
    "advice.memory": "Memory may have run out: close other programs or simplify the mesh. The log is {log}.",
    "advice.log": "Start again; if it happens again, the log says more: {log}.",
    "cause.signal": "signal {number}",
    "cause.exit": "exit code {code}",
    "cause.crash": "exit code 0x{code:08X}",
    "job.cancelled": "Cancelled.",
    "job.cancelled_late": "Cancelled; the backend did not answer in time and was ended.",
}
