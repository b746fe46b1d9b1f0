"""`python -m backend batch`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`batch JOBS.jsonl`."""
    parser.add_argument(
        "jobs", type=Path, metavar="JOBS.jsonl", help='a job a line: {"mesh": .., "conditions": .., "output": ..}'
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes on this machine (default: as many as cores)"
    )
    parser.add_argument("--scheduler", metavar="ADDR", help="use a dask.distributed cluster instead: tcp://HOST:8786")


def run(options: argparse.Namespace) -> str:
    """Makes the takes that are missing; one line about them. Raises UserError."""
    from ..cli.extensions import report_extensions
    from .run_batch import batch

    report_extensions()
    return batch(options.jobs, options.workers, options.scheduler)
