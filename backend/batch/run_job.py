"""Runs one job, in a worker process of this machine or of a cluster."""

from __future__ import annotations

import threading
from pathlib import Path
from time import perf_counter

from ..errors import UserError
from .job import Job, Outcome

__all__ = ["run_job"]

_ONE_AT_A_TIME = threading.Lock()  # should a worker of a cluster have several threads


def run_job(job: Job, inputs: str, journal: Path) -> Outcome:
    """Makes the output of a job, unless the journal has it. Problems are returned; an interruption is raised."""
    with _ONE_AT_A_TIME:
        try:
            return _made(job, inputs, journal)
        except UserError as problem:
            return Outcome(str(problem))
        except MemoryError:
            return Outcome("There is not enough memory for this job. Use fewer workers, or a lighter mesh.")
        except Exception as problem:
            return Outcome(
                f"It broke down ({type(problem).__name__}: {problem}). "
                "Run it alone with 'python -m backend simulate' to see where."
            )


def _made(job: Job, inputs: str, journal: Path) -> Outcome:
    from ..cli.solve import solve_take
    from ..io.json_file import read_json
    from .journal import Journal

    if Journal(journal).has(job.output, inputs):
        return Outcome()
    begin = perf_counter()
    conditions = read_json(job.conditions, "conditions") if isinstance(job.conditions, Path) else job.conditions or {}
    take = solve_take(job.source, conditions, job.folder, job.output)
    book = Journal(journal)
    # A cluster may take a slow worker for a dead one and give its job to another.
    if book.has(job.output, inputs):
        return Outcome()
    take.write()
    book.add(job.output, inputs, perf_counter() - begin, take.notes)
    return Outcome(notes=tuple(take.notes))
