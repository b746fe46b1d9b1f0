"""`python -m backend simulate`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`simulate MESH --conditions C.json -o OUT`."""
    parser.add_argument(
        "source",
        type=Path,
        metavar="MESH",
        help=".obj .ply .stl .glb .npz, a robot (.urdf), or a scene of several objects (.json)",
    )
    parser.add_argument(
        "--conditions", type=Path, metavar="C.json", help="what acts on the object (JSON); a scene has its own"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help=".npz .pc2 .glb .usdc")
    parser.add_argument(
        "--report", type=Path, metavar="FILE.json", help="write the report with the seconds of each stage (JSON)"
    )


def run(options: argparse.Namespace) -> str:
    """Simulates and writes; one line about it. Raises UserError."""
    from .commands import simulate

    return simulate(options.source, options.conditions, options.output, options.report)
