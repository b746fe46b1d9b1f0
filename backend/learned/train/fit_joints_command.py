"""`python -m backend fit-joints`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`fit-joints`."""
    parser.add_argument("--count", type=int, default=1500, metavar="N", help="how many procedural objects to draw")
    parser.add_argument("--data", type=Path, nargs="*", default=[], metavar="DIR", help="folders with real objects too")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="(default: where the shipped ones are)")


def run(options: argparse.Namespace) -> str:
    """Fits and writes the scores; a text about them. Raises UserError."""
    from .joint_scores import fit_joint_scores

    return fit_joint_scores(options.output, options.count, options.data)
