"""`python -m backend train`: its options, readable without torch."""

from __future__ import annotations

import argparse
from pathlib import Path

from .training_config import ABLATIONS, CONFIGS, OF_JOINTS, OF_MATERIALS, VERDICT

__all__ = ["add_options", "run"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """`train --config base`."""
    ablations = (f"ablate/{name}" for name in ABLATIONS)
    parser.add_argument("--config", default="base", choices=[*CONFIGS, *ablations, *OF_JOINTS, *OF_MATERIALS, VERDICT])
    parser.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="folder of the run (default: build/train/CONFIG)"
    )
    parser.add_argument(
        "--data", type=Path, nargs="*", default=[], metavar="DIR", help="folders with real objects to train on as well"
    )
    parser.add_argument(
        "--start", type=Path, metavar="FILE", help="begin with these weights where there is no checkpoint yet"
    )
    parser.add_argument("--minutes", type=float, metavar="M", help="stop after so long, with a checkpoint")
    parser.add_argument("--cooldown", type=int, metavar="N", help="let the learning rate fall to its end in N steps")


def run(options: argparse.Namespace) -> str:
    """One training run; a sentence about it. Raises UserError."""
    from .run_training import train_model

    return train_model(options)
