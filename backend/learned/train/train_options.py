"""Options of `python -m backend train`, read without torch."""

from __future__ import annotations

import argparse
from pathlib import Path

from .training_config import ABLATIONS, CONFIGS, OF_JOINTS

__all__ = ["add_train"]


def add_train(commands: argparse._SubParsersAction) -> None:
    """The command's own options."""
    parser = commands.add_parser(
        "train", help="train the learned state space or the network of joints, from its checkpoint on"
    )
    parser.add_argument(
        "--config", default="base", choices=[*CONFIGS, *(f"ablate/{name}" for name in ABLATIONS), *OF_JOINTS]
    )
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
