"""The options of `python -m backend data`, apart from its work: every other command reads them too."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_data"]


def add_data(commands: argparse._SubParsersAction) -> None:
    """The command's own options."""
    data_parser = commands.add_parser("data", help="make data for training and for measuring")
    kinds = data_parser.add_subparsers(dest="what", required=True)
    pool = kinds.add_parser("pool", help="simulate random takes into a folder of sequences")
    pool.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the takes go")
    pool.add_argument("--count", type=int, default=48, metavar="N", help="how many takes")
    pool.add_argument("--data", type=Path, metavar="DIR", help="real objects to simulate beside the own ones")
    samples = kinds.add_parser("samples", help="write random objects of the procedural families, to measure on")
    samples.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the objects go")
    samples.add_argument("--count", type=int, default=100, metavar="N", help="how many objects")
    for parser in (pool, samples):
        parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same files")
