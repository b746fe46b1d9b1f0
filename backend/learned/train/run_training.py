"""Training runs: one run by the options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import torch

from ...data.families import FAMILIES
from ...data.real import real_families
from ...data.source import Source
from ...errors import UserError
from .training import train
from .training_config import ABLATIONS, CONFIGS, OF_JOINTS, OF_MATERIALS, VERDICT, Config

__all__ = ["train_model"]

REAL_SHARE = 0.2  # of the examples, where there are real objects


def _config(name: str) -> Config:
    return ABLATIONS[name.removeprefix("ablate/")] if name.startswith("ablate/") else CONFIGS[name]


def _source(folders: Sequence[Path]) -> Source:
    families = dict(FAMILIES)
    whole = sum(family.share for family in FAMILIES.values())
    for folder in folders:
        families |= real_families(folder, whole * REAL_SHARE / (1.0 - REAL_SHARE) / len(folders))
    return Source(families)


def train_model(options: argparse.Namespace) -> str:
    """One run, to its end or for as long as it may take; a sentence of what was reached. Raises UserError."""
    for name, value in (("minutes", options.minutes), ("cooldown", options.cooldown)):
        if value is not None and value <= 0:
            raise UserError("bad_option.duration", option=name, value=value)
    if options.config in OF_JOINTS:
        from .joint_network.joint_train_command import train_joint_network

        return train_joint_network(options)
    if options.config in OF_MATERIALS:
        from .material_network.material_train_command import train_material_network

        return train_material_network(options)
    if options.config == VERDICT:
        from .verdict_fit import fit_verdict

        return fit_verdict(options.output or Path("build/train") / VERDICT, options.data)
    torch.set_num_threads(1)  # one process a core: more threads wait for each other at these sizes, see torchrun
    folder = options.output or Path("build/train") / options.config
    config, source = _config(options.config), _source(options.data)
    reached = train(config, source, folder, options.minutes, options.cooldown, options.start)
    return f"Step {reached}: {folder / 'model.safetensors'}"
