"""The words of the command line for pointmaps."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_pointmap"]


def add_pointmap(commands: argparse._SubParsersAction) -> None:
    """`pointmap TAKE.npz --camera CAMERA.json -o OUT.npz` with its options."""
    parser = commands.add_parser("pointmap", help="draw where in camera space each pixel of a take lies")
    parser.add_argument("take", type=Path, metavar="TAKE.npz", help="what 'simulate' wrote")
    parser.add_argument("--camera", type=Path, required=True, metavar="CAMERA.json", help="Blender's camera as JSON")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT.npz")
    parser.add_argument("--exr", type=Path, metavar="FOLDER", help="write OpenEXR pictures as well")
    parser.add_argument("--frames", type=int, default=49, metavar="N", help="how many, from the first (default: 49)")
    parser.add_argument(
        "--size",
        type=int,
        nargs=2,
        metavar=("HEIGHT", "WIDTH"),
        help="in pixels (default: the resolution in the camera file, else 480 720)",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
