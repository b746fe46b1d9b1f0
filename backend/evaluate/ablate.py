"""Ablation: runs of equal length with one thing changed, compared on the same objects.

A folder holds ablate/NAME/ for configurations of `ABLATIONS`, each as `python -m backend train --config ablate/NAME`
leaves it. All decoders are fitted by the same steps, in all latents z; what the reduction to q costs is measured on the
run "screws" by the rows of `ik`.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from tqdm import tqdm

from ..data.families import MOVING
from ..data.real import RealItem
from ..data.source import Source
from ..errors import UserError
from ..learned.train.training_config import ABLATIONS
from ..learned.train.training_model import TrainedModel, load_training_model
from .decoder_cost import COST_POINTS, decoder_cost
from .decoder_errors import STATES, Trial, errors_of, procedural_trials, real_trial, row_of, still_errors
from .ik import measure_object, row_means
from .row_candidates import shape_of
from .subject import Subject, read_subject

__all__ = ["Run", "ablation", "find_runs"]

PROCEDURAL = 12  # objects
UNEQUAL = 0.05  # by which the times of two runs may differ
WITH_REDUCTION = "screws"


@dataclass(frozen=True)
class Run:
    """One trained configuration."""

    name: str
    weights: Path
    seconds: float
    steps: int


def find_runs(folder: Path) -> list[Run]:
    """The finished runs of a folder in the order of `ABLATIONS`. Raises UserError where they are not to be compared."""
    places = {name: folder / "ablate" / name for name in ABLATIONS}
    runs = [_run(name, place) for name, place in places.items() if place.is_dir()]
    if not runs:
        raise UserError("no_runs.ablate", folder=folder, known=", ".join(ABLATIONS))
    shortest, longest = min(runs, key=lambda run: run.seconds), max(runs, key=lambda run: run.seconds)
    if longest.seconds > (1.0 + UNEQUAL) * shortest.seconds:
        times = " and ".join(f"'{run.name}' for {run.seconds / 60.0:.1f} minutes" for run in (shortest, longest))
        raise UserError("unequal_times.runs", times=times)
    return runs


def _run(name: str, folder: Path) -> Run:
    weights = folder / "model.safetensors"
    try:
        with (folder / "loss.csv").open(newline="") as file:
            last = list(csv.DictReader(file))[-1]
        seconds, steps = float(last["seconds"]), int(float(last["step"]))
        if not weights.is_file() or seconds <= 0.0:
            raise ValueError
    except (OSError, IndexError, KeyError, TypeError, ValueError):
        raise UserError("unfinished_run.weights", run=name) from None
    return Run(name, weights, seconds, steps)


def _loaded(run: Run) -> TrainedModel:
    try:
        return load_training_model(run.weights)
    except UserError as problem:
        raise UserError("bad_weights.run", run=run.name) from problem


def ablation(folder: Path, items: Sequence[RealItem]) -> dict[str, Any]:
    """All figures of the runs of a folder. Raises UserError."""
    runs = find_runs(folder)
    torch.set_num_threads(1)  # costs are those of one core
    models = {run.name: _loaded(run) for run in runs}
    points = max(model.config.points for model in models.values())
    source = Source(MOVING)
    subjects = [read_subject(item, STATES) for item in items]
    trials = {
        "procedural": procedural_trials(source, PROCEDURAL, points),
        "real": [real_trial(subject, points) for subject in subjects],
    }
    dense = procedural_trials(source, 1, points, COST_POINTS)[0]
    rows: dict[str, dict[str, Any]] = {
        "identity": {data: row_of([still_errors(trial) for trial in some]) for data, some in trials.items()}
    }
    for run in runs:
        rows[run.name] = _row(run, models[run.name], trials, dense)
    found: dict[str, Any] = {
        "objects": {data: len(some) for data, some in trials.items()},
        "seconds": median(run.seconds for run in runs),
        "rows": rows,
    }
    for run in runs:
        if run.name == WITH_REDUCTION:
            found["reduction"] = _reduction(run, subjects)
    return found


def _row(run: Run, model: TrainedModel, trials: dict[str, list[Trial]], dense: Trial) -> dict[str, Any]:
    row: dict[str, Any] = {
        "seconds": run.seconds,
        "steps": run.steps,
        "parameters": sum(weights.numel() for weights in model.parameters()),
        "decoder": model.config.decoder,
        "posterior": model.config.posterior,
    }
    for data, some in trials.items():
        row[data] = row_of(
            [errors_of(model, trial) for trial in tqdm(some, desc=f"{run.name}, {data}", unit="object", leave=False)]
        )
    row["cost"] = decoder_cost(model, dense.samples)
    return row


def _reduction(run: Run, subjects: Sequence[Subject]) -> dict[str, Any]:
    """The same network in its reduced coordinates q and in all latents z, by the fit that `ik` uses."""
    results = [measure_object(subject, ["learned", "latents"], run.weights) for subject in subjects]
    reduced = [shape_of(subject, run.weights) for subject in subjects]
    return {
        "rows": row_means(results),
        "coordinates": {
            "learned": median(shape.dof for shape in reduced),
            "latents": median(shape.space.latent_count for shape in reduced),
        },
    }
