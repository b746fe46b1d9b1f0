"""Batches on a dask.distributed cluster; its scheduler repeats the jobs of a worker that dies."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ..errors import UserError
from .job import Job, Outcome
from .on_cluster import run_job_on_cluster

__all__ = ["run_on_cluster"]

PATIENCE = 15  # s to find the scheduler


def run_on_cluster(tasks: Sequence[tuple[Job, str]], journal: Path, address: str) -> Iterator[tuple[Job, Outcome]]:
    """Makes the outputs of jobs, each with the digest of its inputs; yields them in the order in which they end.

    What runs on a worker when this is left early runs to its end there, and the journal then has it.
    """
    distributed = _library()
    client = _connected(distributed, address)
    futures: dict[Any, Job] = {}
    try:
        if not client.scheduler_info()["workers"]:
            tqdm.write(f"Note: The scheduler at {address} has no workers yet; waiting for some.")
        for job, inputs in tasks:
            future = client.submit(run_job_on_cluster, job, inputs, journal, pure=False)
            futures[future] = job
        for future in distributed.as_completed(list(futures)):
            job = futures.pop(future)
            yield job, _outcome(distributed, future, address)
    finally:
        with suppress(Exception):
            client.cancel(list(futures))
        client.close()


def _library() -> Any:
    try:
        import distributed
    except ModuleNotFoundError as missing:
        raise UserError("no_dask.missing", module=missing.name) from missing
    # What it says of workers that come and go belongs to the scheduler's own output. Its configuration gives some of
    # its modules a level of their own.
    for name in [each for each in logging.root.manager.loggerDict if each.split(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


def _connected(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as problem:  # TimeoutError is an OSError
        raise UserError("no_scheduler.silent", address=address) from problem


def _outcome(distributed: Any, future: Any, address: str) -> Outcome:
    """The outcome of a future."""
    try:
        return future.result()
    except distributed.scheduler.KilledWorker:
        return Outcome(
            "The workers that tried it ended one after the other, perhaps for lack of memory. "
            "Give workers more memory, or use a lighter mesh."
        )
    except ModuleNotFoundError as missing:
        raise UserError("bad_worker.module", module=missing.name) from missing
    except (OSError, distributed.client.FutureCancelledError) as problem:
        raise UserError("scheduler_lost.gone", address=address) from problem
