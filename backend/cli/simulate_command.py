"""`python -m backend simulate`: its options."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..errors import UserError

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
    """Simulates a mesh or a scene file and writes the result; one line about it.

    `report` gets the report with clock times (JSON). Raises UserError before anything is written.
    """
    from tqdm import tqdm

    from ..io import check_output_path
    from ..io.animation import check_folder
    from ..io.atomic_write import atomic_write
    from ..io.json_file import read_json
    from .extensions import report_extensions
    from .solve import solve_take

    path = options.conditions
    if path is not None and options.source.suffix.lower() == ".json":
        raise UserError("bad_conditions.beside_scene", path=path)
    check_output_path(options.output)
    if options.report is not None:
        check_folder(options.report)
    conditions = {} if path is None else read_json(path, "conditions")
    folder = Path() if path is None else path.parent
    report_extensions()
    take = solve_take(
        options.source,
        conditions,
        folder,
        options.output,
        lambda frames, count: tqdm(frames, total=count, desc="simulating", unit="frame", leave=False),
    )
    for note in take.notes:
        tqdm.write(f"Note: {note}")
    line = take.write()
    if options.report is not None:
        with atomic_write(options.report) as stream:
            stream.write(json.dumps({**take.report, "stages": take.seconds}, indent=1).encode() + b"\n")
    stages = ", ".join(f"{stage} {seconds:.2f}" for stage, seconds in take.seconds.items())
    return f"{line} {sum(take.seconds.values()):.2f} s: {stages}."
