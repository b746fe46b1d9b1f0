"""`python -m backend data`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`data pool` and `data samples`."""
    kinds = parser.add_subparsers(dest="what", required=True)
    pool = kinds.add_parser("pool", help="simulate random takes into a folder of sequences")
    pool.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the takes go")
    pool.add_argument("--count", type=int, default=48, metavar="N", help="how many takes")
    pool.add_argument("--data", type=Path, metavar="DIR", help="real objects to simulate beside the own ones")
    samples = kinds.add_parser("samples", help="write random objects of the procedural families, to measure on")
    samples.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the objects go")
    samples.add_argument("--count", type=int, default=100, metavar="N", help="how many objects")
    for each in (pool, samples):
        each.add_argument("--seed", type=int, default=0, help="the same seed gives the same files")


def run(options: argparse.Namespace) -> str:
    """Makes the data; one line about it. Raises UserError."""
    if options.what == "samples":
        from .samples import make_samples

        paths = make_samples(options.out, options.count, options.seed)
        return f"{options.out}: {len(paths)} objects."
    from .simulated import make_pool

    paths = make_pool(options.out, options.count, options.data, options.seed)
    return f"{options.out}: {len(paths)} takes."
