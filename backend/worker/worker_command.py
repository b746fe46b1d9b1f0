"""`python -m backend worker`: the add-on's child process."""

from __future__ import annotations

import argparse
import signal
from typing import Any

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`worker` has none."""


def run(_options: argparse.Namespace | None = None, engine: Any = None) -> int:
    """Serves stdin and stdout until quit or the end of stdin; the exit code of the process.

    `engine` has the functions `analyze`, `prepare`, `begin_pose` and `begin_live` of `backend.engine`, which is
    imported at the first request when none is given, after a heartbeat that says so.
    """
    from ..errors import UserError
    from .pipes import EXIT_BAD_STREAM, Inbox, Outlet, take_standard_streams
    from .server import Worker

    # Ctrl-C in a terminal reaches the whole group; ending the worker is the client's business.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = take_standard_streams()
    outlet = Outlet(answers)
    inbox = Inbox(requests)
    inbox.start()
    outlet.start()
    worker = Worker(inbox, outlet, engine)
    while (message := inbox.next_job()) is not None:
        worker.answer(message)
        del message  # its mesh is not held until the next request
    if inbox.exit_code == EXIT_BAD_STREAM:
        worker.refuse(0, UserError("bad_stream.broken"))
    return inbox.exit_code
