"""Runs a file of jobs: makes the takes that are missing or whose inputs have changed, with a progress bar."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from tqdm import tqdm

from ..errors import UserError
from ..io.atomic_write import remove_partial_files
from .journal import Journal, journal_folder
from .pool import run_here, usable_cores
from .read_jobs import Digests, read_jobs

__all__ = ["batch"]


def batch(path: Path, workers: int | None = None, scheduler: str | None = None) -> str:
    """Makes the takes of a file of jobs; one line about them. Raises UserError, also where some of them failed."""
    jobs = read_jobs(path)
    if workers is not None and workers < 1:
        raise UserError("bad_workers.count", count=workers)
    if workers is not None and scheduler is not None:
        raise UserError("bad_workers.cluster")
    folder = journal_folder(path.resolve())
    with _ours_alone(folder), _stopped_politely():
        digests, journal = Digests(), Journal(folder)
        tasks = [(job, digests.of(job)) for job in jobs]
        missing = [(job, inputs) for job, inputs in tasks if not journal.has(job.output, inputs)]
        failed: dict[int, str] = {}
        noted = 0
        bar = tqdm(total=len(jobs), initial=len(jobs) - len(missing), desc="batch", unit="take")
        with bar:
            if scheduler is None:
                outcomes = run_here(missing, folder, min(workers or usable_cores(), max(1, len(missing))))
            else:
                from .cluster import run_on_cluster

                outcomes = run_on_cluster(missing, folder, scheduler) if missing else iter(())
            for job, outcome in outcomes:
                remove_partial_files(job.output)
                if outcome.problem:
                    failed[job.line] = f"{job.title}: {outcome.problem}"
                    tqdm.write(failed[job.line], file=sys.stderr)
                noted += bool(outcome.notes)
                bar.update()
    made = len(missing) - len(failed)
    there = len(jobs) - len(missing)
    if failed:
        raise UserError(
            "jobs_failed.takes",
            path=path,
            failed=len(failed),
            count=len(jobs),
            made=made,
            there=there,
            listed="\n".join(failed[line] for line in sorted(failed)),
        )
    notes = f" Of {noted} there is a note in {folder.name}." if noted else ""
    return f"{path}: {len(jobs)} takes, {made} made, {there} there already.{notes}"


@contextmanager
def _ours_alone(folder: Path) -> Iterator[None]:
    """A lock on the journal: two commands on one file of jobs would make everything twice."""
    try:
        folder.mkdir(exist_ok=True)
        lock = FileLock(folder / "lock", timeout=0)
        lock.acquire()
    except Timeout as problem:
        raise UserError("already_running.batch") from problem
    except OSError as problem:
        raise UserError("cannot_write.journal", folder=folder, reason=problem.strerror or problem) from problem
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _stopped_politely() -> Iterator[None]:
    """SIGTERM, as a farm's queue sends it, ends the batch as Ctrl-C does."""

    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
