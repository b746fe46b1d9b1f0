"""`python -m backend analyze`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`analyze MESH`."""
    parser.add_argument("mesh", type=Path, metavar="MESH", help=".obj .ply .stl .glb .npz .urdf")
    parser.add_argument("--provider", default="auto", metavar="NAME", help="how it moves (a wrong name lists them all)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(options: argparse.Namespace) -> str:
    """What was found, as JSON or as lines of text. Raises UserError."""
    from .commands import analyze

    return analyze(options.mesh, options.provider, options.json)
