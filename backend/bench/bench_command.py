"""`python -m backend bench`: its options, and which of the five benchmarks they choose."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`bench`, `bench --batch`, `bench --pointmap`, `bench --piles` and `bench --growth`."""
    parser.add_argument(
        "--peers",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="time Blender's Soft Body and Cloth and Newton's VBD in the same run, where they are installed",
    )
    parser.add_argument("--quick", action="store_true", help="fewer sizes, and the default number of handles alone")
    parser.add_argument(
        "--batch", action="store_true", help="measure takes a minute of 1 and 2 workers, and nothing else"
    )
    parser.add_argument(
        "--pointmap", action="store_true", help="measure pointmaps of an arm with seven joints, and nothing else"
    )
    parser.add_argument(
        "--piles",
        type=int,
        nargs="?",
        const=500,
        metavar="COUNT",
        help="measure how seeded piles of 2 to 8 things come to rest (500 unless given), and nothing else",
    )
    parser.add_argument(
        "--growth",
        action="store_true",
        help="measure 10 to 100 boxes that rain into a bin, and nothing else; with MuJoCo and Blender's Rigid Body, "
        "where they are installed",
    )
    parser.add_argument("--objects", type=Path, metavar="FOLDER", help="mesh files that are things of piles too")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(options: argparse.Namespace) -> str:
    """The figures, as JSON or as a table. Raises UserError."""
    if options.batch:
        from .batch_rate import batch_table, run_batches

        measured, table = run_batches(options.quick), batch_table
    elif options.pointmap:
        from .pointmap_rate import pointmap_table, run_pointmaps

        measured, table = run_pointmaps(options.quick), pointmap_table
    elif options.piles is not None:
        from .piles import pile_table, run_piles

        measured, table = run_piles(options.piles, options.objects), pile_table
    elif options.growth:
        from .growth import growth_table, run_growth

        measured, table = run_growth(options.peers, options.quick), growth_table
    else:
        from . import frame_times

        measured, table = frame_times.run(options.peers, options.quick), frame_times.table
    return json.dumps(measured) if options.json else table(measured)
