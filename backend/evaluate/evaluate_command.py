"""`python -m backend evaluate`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_options", "run"]

_WHAT = {
    "ik": "the whole shape from a thousand points, and from twelve",
    "plausible": "random states: stretch, intersections, tears",
    "reconstruct": "how much of the true motion the coordinates can follow, and how many they are",
    "transfer": "inverse kinematics of objects and of categories that training has not seen",
    "robots": "jointed objects: files in MuJoCo, swings in both solvers, forward and inverse kinematics",
    "joints": "joints found in the static mesh against the true ones",
    "assets": "everyday things dropped, poked and blown at, with default settings: the share of checks that hold",
    "materials": "what pieces are made of, from names, look and shape: named parts, procedural and annotated things",
    "false-joints": "joints told by default of things that have none, joints missed, and what confidence is worth",
    "ablate": "what each part of the network is worth: runs of equal length with one thing changed",
}


def add_options(evaluate_parser: argparse.ArgumentParser) -> None:
    """`evaluate joints --data DIR` and its like."""
    kinds = evaluate_parser.add_subparsers(dest="what", required=True)
    for name, about in _WHAT.items():
        parser = kinds.add_parser(name, help=about)
        parser.add_argument(
            "--data", type=Path, nargs="+", required=True, metavar="DIR", help="folders with real objects"
        )
        if name not in ("assets", "materials"):
            parser.add_argument("--held-out", action="store_true", help="only what no training may see")
        parser.add_argument(
            "--limit", type=int, metavar="N", help="only N objects of each folder, of as many categories as there are"
        )
        if name == "ablate":
            parser.add_argument("--runs", type=Path, required=True, metavar="DIR", help="its ablate/ has the runs")
        elif name == "assets":
            parser.add_argument("--only", nargs="+", metavar="NAME", help="only the things with these names")
            parser.add_argument("--motions", action="store_true", help="drop, throw, tilt, drag and wind instead")
        elif name == "materials":
            parser.add_argument("--runs", type=Path, metavar="DIR", help="of training: for the named parts")
            parser.add_argument("--weights", type=Path, metavar="FILE", help="of the network; else those that ship")
            parser.add_argument("--count", type=int, default=400, metavar="N", help="procedural things")
        elif name == "false-joints":
            parser.add_argument("--count", type=int, default=60, metavar="N", help="procedural objects too, half still")
        elif name == "robots":
            parser.add_argument("--targets", type=int, default=1000, metavar="N", help="of inverse kinematics, a robot")
        else:
            parser.add_argument("--weights", type=Path, metavar="FILE", help="of the network; else those that ship")
            parser.add_argument("--rows", "--provider", nargs="+", metavar="ROW", help="only these rows of the table")
        parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
        if name == "joints":
            parser.add_argument("--own-parts", action="store_true", help="the parts are to be found too")
        if name in ("ik", "assets"):
            drawn = "the worst ten objects" if name == "ik" else "a contact sheet of each thing"
            parser.add_argument("--pictures", type=Path, metavar="DIR", help=f"draw {drawn} into a folder")


def run(options: argparse.Namespace) -> str:
    """The figures, as JSON or as a table. Raises UserError."""
    from .run_evaluation import evaluate

    return evaluate(options)
