"""`python -m backend convert`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`convert SOURCE -o OUT`."""
    parser.add_argument("source", type=Path, metavar="SOURCE", help="a robot (.urdf), joints (.json) or a mesh")
    parser.add_argument("--joints", type=Path, metavar="FILE", help="the joints of a mesh (.urdf or .json)")
    parser.add_argument("--density", type=float, metavar="KG/M3", help="of parts without a mass (default: 1000)")
    parser.add_argument("--base", choices=["fixed", "free"], default="fixed", help="whether the root is bolted down")
    parser.add_argument("--name", help="of the robot (default: that of the file)")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help=".urdf .xml .usda .usdc")


def run(options: argparse.Namespace) -> str:
    """Writes the robot; what was written. Raises UserError."""
    from .convert import convert

    fixed = options.base == "fixed"
    return convert(options.source, options.joints, options.output, options.density, options.name, fixed)
