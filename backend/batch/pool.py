"""A pool of worker processes on this machine: each makes one take after the other, and all end with the batch."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import NoReturn

from ..io.atomic_write import remove_partial_files
from .job import Job, Outcome
from .run_job import run_job

__all__ = ["run_here", "usable_cores"]

GRACE = 10.0  # s that a worker has to clean up before it is killed
TRIES = 2  # how often a job may take its process down with it
# A fresh interpreter each: what this process has loaded and opened is not theirs.
_PROCESSES = multiprocessing.get_context("spawn")


def usable_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_here(tasks: Sequence[tuple[Job, str]], journal: Path, workers: int) -> Iterator[tuple[Job, Outcome]]:
    """Makes the outputs of jobs, each with the digest of its inputs; yields them in the order in which they end.

    However this is left, its workers are gone and no half-written file is there.
    """
    waiting = deque((job, inputs, 1) for job, inputs in tasks)
    pool: list[_Worker] = []
    try:
        while waiting or any(worker.task for worker in pool):
            while waiting and len(pool) < workers:
                pool.append(_Worker(journal))
            for worker in pool:
                if waiting and worker.task is None:
                    worker.begin(waiting.popleft())
            ready = wait([worker.connection for worker in pool if worker.task])
            for worker in [each for each in pool if each.connection in ready]:
                job, inputs, tries = worker.task
                outcome = worker.answer()
                if outcome is None:  # the process is dead
                    pool.remove(worker)
                    worker.end()
                    if tries < TRIES:
                        waiting.appendleft((job, inputs, tries + 1))
                        continue
                    outcome = Outcome(
                        f"Its process ended {tries} times ({worker.ending}), perhaps for lack of memory. "
                        "Use fewer workers, or a lighter mesh."
                    )
                yield job, outcome
    finally:
        for worker in pool:
            worker.stop()
        for worker in pool:
            worker.end()


class _Worker:
    """One process. `task` is what it is doing."""

    def __init__(self, journal: Path) -> None:
        self.task: tuple[Job, str, int] | None = None
        self._journal = journal
        self.connection, theirs = _PROCESSES.Pipe()
        self._process = _PROCESSES.Process(target=_serve, args=(theirs,), name="neurok-batch", daemon=True)
        with _no_interrupt():
            self._process.start()
        theirs.close()

    def begin(self, task: tuple[Job, str, int]) -> None:
        """Sends a job; a dead process is noticed when its answer is read."""
        self.task = task
        job, inputs, _tries = task
        with suppress(OSError):
            self.connection.send((job, inputs, self._journal))

    def answer(self) -> Outcome | None:
        """The outcome of the job; None where the process is dead."""
        try:
            outcome = self.connection.recv()
        except (EOFError, OSError):
            return None
        self.task = None
        return outcome

    @property
    def ending(self) -> str:
        """How the process ended, in words."""
        code = self._process.exitcode
        return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"

    def stop(self) -> None:
        """Interrupts the process; one without a job just ends."""
        self.connection.close()
        if self.task is not None:
            self._process.terminate()

    def end(self) -> None:
        """Waits until it has ended, and removes what it may have left of the file that it was writing."""
        self.connection.close()
        self._process.join(GRACE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        if self.task is not None:
            remove_partial_files(self.task[0].output)


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """A process started in here never sees Ctrl-C, which goes to all processes of a terminal: the parent stops it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _leave(_signal: int, _frame: object) -> NoReturn:
    raise SystemExit(1)  # by way of every `finally`, so that the file being written is removed


def _serve(connection: Connection) -> None:
    """The life of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_follow_parent, daemon=True).start()
    while True:
        try:
            job, inputs, journal = connection.recv()
            connection.send(run_job(job, inputs, journal))
        except (EOFError, OSError):
            return


def _follow_parent() -> None:
    """A batch that was killed leaves no workers behind."""
    multiprocessing.parent_process().join()
    os.kill(os.getpid(), signal.SIGTERM)
