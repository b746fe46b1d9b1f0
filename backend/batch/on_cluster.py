"""The task that a cluster's worker runs."""

from __future__ import annotations

import os
from pathlib import Path

from .job import Job, Outcome
from .run_job import run_job

__all__ = ["run_job_on_cluster"]


def run_job_on_cluster(job: Job, inputs: str, journal: Path) -> Outcome:
    """`run_job`, with one thread of BLAS, as `python -m backend` has.

    A worker may have loaded NumPy before it gets here, so that it is too late to say so in the environment.
    """
    from threadpoolctl import threadpool_limits

    for library in ("OPENBLAS", "MKL", "OMP"):  # what is loaded from now on, as PyTorch is
        os.environ[f"{library}_NUM_THREADS"] = "1"
    threadpool_limits(1)
    return run_job(job, inputs, journal)
