"""How long tests wait for others, and calls that never wait: known by what they call, not by a clock."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

__all__ = ["BUSY", "never_waits"]

BUSY = 5.0  # times as long as on a quiet machine may things take before a test gives up

# What blocks a Python thread until something else has happened. Locks alone are not seen.
BLOCKING = (
    (time, "sleep"),
    (threading.Thread, "join"),
    (threading.Condition, "wait"),  # of events and queues too
    (subprocess.Popen, "wait"),
)


@contextmanager
def never_waits() -> Iterator[None]:
    """In here the main thread fails the test where it would wait; other threads may."""
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in BLOCKING:
            patch.setattr(owner, name, _refusing(getattr(owner, name), name))
        yield


def _refusing(function, name: str):
    def refuse_in_main_thread(*arguments, **options):
        # A thread that starts is waited for, for microseconds, by Thread.start itself.
        starts = sys._getframe(2).f_code is threading.Thread.start.__code__
        over = name in ("join", "wait") and _is_over(arguments[0])
        if threading.current_thread() is threading.main_thread() and not (starts or over):
            raise AssertionError(f"The main thread waits, in {name}.")
        return function(*arguments, **options)

    return refuse_in_main_thread


def _is_over(waited_for: object) -> bool:
    """Whether a thread or a process has ended already."""
    if isinstance(waited_for, threading.Thread):
        return not waited_for.is_alive()
    return isinstance(waited_for, subprocess.Popen) and waited_for.poll() is not None
