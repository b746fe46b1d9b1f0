"""`python -m backend train --config materials`: nets that keep some repositories aside, and one trained on all."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from ....errors import UserError
from .material_batches import Hidden, batches
from .material_examples import ExampleArrays, read_examples
from .material_training import MaterialRun, best_temperature, logits_of, train_materials
from .material_training_config import MATERIAL_CONFIGS

__all__ = ["kept_aside", "train_material_network"]

_FEWEST = 200  # parts of a repository that is kept aside alone; the others are, together


def train_material_network(options: argparse.Namespace) -> str:
    """One run, to its end or for as long as it may take; a sentence of what was reached. Raises UserError.

    In its folder, `without_NAME` are nets that have not seen the repository (or `without_others`) and tell how right
    and how sure they are; the temperature of the last one, trained on all, is the best for what those say.
    """
    for name in ("start", "cooldown"):
        if getattr(options, name) is not None:
            raise UserError("bad_option.state_space_only", option=name)
    if not options.data:
        raise UserError("no_data.materials_needed")
    torch.set_num_threads(1)
    config = MATERIAL_CONFIGS[options.config]
    folder = options.output or Path("build/train") / options.config
    real, priors, things, repositories = read_examples(
        options.data, config.training.things, config.training.seed, config.model
    )
    logits, truth = [], []
    for name, aside in kept_aside(real, repositories).items():
        run = MaterialRun(config, folder / f"without_{name}")
        seen = real.chosen(~aside)
        if not train_materials(config, batches(seen, priors, things, config.training, run.step), run, options.minutes):
            return f"Step {run.step}: {run.folder}"
        judged = real.chosen(aside)
        logits += [logits_of(run.average, judged, hidden) for hidden in _views(len(judged))]
        truth += [judged.shares.argmax(axis=1)] * len(_views(0))
    run = MaterialRun(config, folder)
    whole = train_materials(config, batches(real, priors, things, config.training, run.step), run, options.minutes)
    if whole:
        run.average.temperature.fill_(best_temperature(np.concatenate(logits), np.concatenate(truth)))
        run.save()
    return f"Step {run.step}: {folder / 'model.safetensors'}"


def kept_aside(real: ExampleArrays, repositories: Sequence[str]) -> dict[str, NDArray[np.bool_]]:
    """Which examples, Bool[N], each net has not seen: those of one repository, or those of all small ones."""
    sizes = np.bincount(real.group, minlength=len(repositories))
    large = np.flatnonzero(sizes >= _FEWEST)
    folds = {repositories[number].replace("/", "+"): real.group == number for number in large}
    return folds | {"others": ~np.isin(real.group, large)}


def _views(count: int) -> list[Hidden]:
    """With names that do not tell the material, without names, and with all."""
    every = np.ones(count, dtype=bool)
    return [Hidden(np.tile(rows, (count, 1)), every, every) for rows in ((3, 4, -1), (-1, -1, -1), (0, 1, 2))]
