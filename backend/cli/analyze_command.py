"""`python -m backend analyze`: its options."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`analyze MESH`."""
    parser.add_argument("mesh", type=Path, metavar="MESH", help=".obj .ply .stl .glb .npz .urdf")
    parser.add_argument("--provider", default="auto", metavar="NAME", help="how it moves (a wrong name lists them all)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(options: argparse.Namespace) -> str:
    """What was found, as JSON or as lines of text. Raises UserError."""
    from .. import engine
    from ..texts import in_english
    from .extensions import report_extensions
    from .object_files import read_source

    report_extensions()
    source = read_source(options.mesh)
    mesh = source.mesh
    found = engine.analyze(
        mesh.vertices,
        mesh.triangles,
        options.provider,
        slots=mesh.slots,
        joints=source.jointed,
        labels=mesh.labels,
        rig=source.rig,
    )
    summary = in_english(found.summary)
    if options.json:
        return json.dumps(summary)
    lists = ("joints", "choices", "reasons", "warnings", "pieces")
    lines = [f"{name.replace('_', ' '):20} {value}" for name, value in summary.items() if name not in lists]
    lines += [f"{'why':20} {reason}" for reason in summary["reasons"]]
    for piece in summary["pieces"]:
        made = f"{piece['share']:.0%} {piece['material']} ({piece['probability']:.0%}), {piece['behaviour']}"
        lines.append(f"{'piece ' + piece['name']:20} {made}. {piece['reason']}")
    titled = [(f"joint {joint['joint']}", joint) for joint in summary["joints"]]
    titled += [(f"choice {number}", choice) for number, choice in enumerate(summary["choices"])]
    for title, values in titled:
        about = ", ".join(f"{name} {value}" for name, value in values.items() if name != title.split()[0])
        lines.append(f"{title:20} {about}")
    return "\n".join(lines + [f"Note: {warning}" for warning in summary["warnings"]])
