"""The words of the command line for batches."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_batch"]


def add_batch(commands: argparse._SubParsersAction) -> None:
    """`batch JOBS.jsonl` with its options."""
    parser = commands.add_parser("batch", help="make the takes of a file of jobs, several at a time")
    parser.add_argument(
        "jobs", type=Path, metavar="JOBS.jsonl", help='a job a line: {"mesh": .., "conditions": .., "output": ..}'
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes on this machine (default: as many as cores)"
    )
    parser.add_argument("--scheduler", metavar="ADDR", help="use a dask.distributed cluster instead: tcp://HOST:8786")
