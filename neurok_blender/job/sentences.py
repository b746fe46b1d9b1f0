"""The sentences about a worker process that the user reads."""

from __future__ import annotations

from .events import ProcessEnded

__all__ = ["death_remedy", "death_sentence"]

# The signal that the kernel sends when memory is short, and that a person sends to end a process for good.
SIGNAL_KILL = 9


def death_sentence(event: ProcessEnded, doing: str, starting: bool) -> str:
    """Why a job failed whose process is no more; `doing` stands after "while"."""
    cause = _cause(event.exit_code)
    if event.damage:
        return f"The answers of the backend were damaged while {doing}: {event.damage}"
    if starting and event.last_line:
        return f"The backend could not start ({cause}): {event.last_line}"
    return f"The backend stopped unexpectedly ({cause}) while {doing}."


def death_remedy(event: ProcessEnded) -> str:
    if event.exit_code == -SIGNAL_KILL:
        return f"Memory may have run out: close other programs or simplify the mesh. The log is {event.log}."
    return f"Start again; if it happens again, the log says more: {event.log}."


def _cause(exit_code: int) -> str:
    if exit_code < 0:
        return f"signal {-exit_code}"
    # Windows reports a crash as a large number that is known by its hexadecimal form.
    return f"exit code {exit_code}" if exit_code < 2**16 else f"exit code 0x{exit_code:08X}"
