"""`python -m backend check`: its options."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from ...errors import UserError
from ...texts import to_wire

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`check --device cuda`."""
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda", "mps"], help="where (default: cpu)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a sentence")


def run(options: argparse.Namespace) -> str:
    """The differences to exact numbers, as JSON or as a sentence. Raises UserError."""
    from .device_check import check_device

    try:
        found = check_device(options.device)
    except UserError as problem:
        if options.json:
            print(json.dumps({"error": to_wire(problem.text)}), flush=True)
        raise
    return json.dumps(asdict(found)) if options.json else str(found)
