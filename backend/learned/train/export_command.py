"""`python -m backend export`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`export` and `export joints`."""
    parser.add_argument("what", nargs="?", default="state-space", choices=["state-space", "joints"])
    parser.add_argument("--weights", type=Path, metavar="FILE", help="of which network (default: that of the add-on)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="(default: beside the weights)")


def run(options: argparse.Namespace) -> str:
    """Writes the graphs; one line about them. Raises UserError."""
    if options.what == "joints":
        from .joint_network.joint_graph_export import export_joint_graph as export_graphs
    else:
        from .graph_export import export_graphs

    return export_graphs(options.weights, options.output)
