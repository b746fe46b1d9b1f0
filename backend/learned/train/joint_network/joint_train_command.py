"""`python -m backend train --config joints`: one training run of the joint network."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from ....errors import UserError
from .joint_training import train_joints
from .joint_training_config import JOINT_CONFIGS
from .sources import joint_source, true_shapes
from .stock import make_stock, read_stock

__all__ = ["train_joint_network"]


def train_joint_network(options: argparse.Namespace) -> str:
    """One run, to its end or for as long as it may take; a sentence of what was reached. Raises UserError."""
    for name in ("start", "cooldown"):
        if getattr(options, name) is not None:
            raise UserError("bad_option.state_space_only", option=name)
    torch.set_num_threads(1)
    config = JOINT_CONFIGS[options.config]
    folder = options.output or Path("build/train") / options.config
    true = true_shapes(joint_source(options.data), config.training.augment)
    simulated = true
    if config.training.pretraining:
        make_stock(options.data, folder / "stock", config.training.stock)
        simulated = read_stock(folder / "stock")
    reached = train_joints(config, simulated, true, folder, options.minutes)
    return f"Step {reached}: {folder / 'model.safetensors'}"
