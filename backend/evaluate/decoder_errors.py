"""Errors of decoders of any kind on known motions: z fitted to many points of a shape, and to few.

Objects are given by surface points alone, as training gives them, so that no decoder has to know of meshes. Free
objects have had their motion as a whole taken out of their states, and are not placed again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..data.example import Example, example_at
from ..data.source import Source
from ..geometry.mesh import cross
from ..geometry.surface_samples import sample_surface
from ..kinematics.base import Array
from ..learned.train.training_model import TrainedModel
from .bound_decoder import bound
from .metrics import SAMPLES, ShapeError, Target, mean_error
from .subject import Subject
from .torch_fit import fitted_latents

__all__ = [
    "DRAGGED",
    "STATES",
    "Errors",
    "Samples",
    "Trial",
    "errors_of",
    "procedural_trials",
    "real_trial",
    "row_of",
    "samples_of",
    "still_errors",
]

STATES = 3  # of each object
OBSERVED = 128  # points whose targets are given where the whole motion is to be followed: the per-point decoder is slow
DRAGGED = 12
HELD_OUT_SEED = 7_310_449  # of the procedural stream: no training uses it


@dataclass(frozen=True)
class Samples:
    """Samples of an object: its training example without supervision."""

    points: NDArray[np.float32]  # Float[N,3], normalised
    normals: NDArray[np.float32]  # Float[N,3]
    shell: NDArray[np.int64]  # Int[N]
    slot: NDArray[np.int64]  # Int[N]
    moves: NDArray[np.float32]  # Float[S,N,3]

    @classmethod
    def of(cls, example: Example) -> Samples:
        return cls(example.points, example.normals, example.shell, example.slot, example.moves)


@dataclass(frozen=True)
class Trial:
    """One object: samples for the encoder, then those that are fitted and judged, the last `judged` of them."""

    samples: Samples
    judged: int

    @cached_property
    def shapes(self) -> Array:
        """The judged samples in each state, Float[S,n,3]."""
        return (self.samples.points + self.samples.moves)[:, -self.judged :].astype(np.float64)

    @cached_property
    def targets(self) -> list[Target]:
        return [Target(shape) for shape in self.shapes]


@dataclass(frozen=True)
class Errors:
    """Of one object in its states: distances, and squares of what was missed and of the motion (means over samples)."""

    shapes: tuple[ShapeError, ...]
    missed: float
    motion: float


def procedural_trials(source: Source, count: int, encoder_points: int, judged: int = SAMPLES) -> list[Trial]:
    """Objects as in training, augmented, from a stream that no training uses."""
    points = encoder_points + judged
    examples = (example_at(source, HELD_OUT_SEED, number, points, STATES) for number in range(count))
    return [Trial(Samples.of(example), judged) for example in examples]


def real_trial(subject: Subject, encoder_points: int, judged: int = SAMPLES) -> Trial:
    """A real object; the judged samples are spread evenly over its surface."""
    observed = sample_surface(subject.vertices, subject.triangles, subject.shell, subject.rng(4), encoder_points)
    even = subject.sample(judged, 5)
    corners, shares = (
        np.concatenate([observed.corners, even.corners]),
        np.concatenate([observed.barycentric, even.shares]),
    )
    return Trial(samples_of(subject, corners, shares), judged)


def samples_of(subject: Subject, corners: NDArray[np.int64], shares: Array) -> Samples:
    """Of places on a real object, by corners Int[N,3] and shares Float[N,3]."""

    def places(vertices: Array) -> Array:
        return np.einsum("nc,nci->ni", shares, vertices[corners])

    first, second, third = (subject.vertices[corners[:, corner]] for corner in range(3))
    normal = cross(second - first, third - first)
    rest = places(subject.vertices)
    return Samples(
        points=rest.astype(np.float32),
        normals=(normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]).astype(np.float32),
        shell=np.unique(subject.shell[corners[:, 0]], return_inverse=True)[1],
        slot=np.zeros(len(corners), dtype=np.int64),
        moves=np.stack([places(state) - rest for state in subject.states]).astype(np.float32),
    )


@torch.no_grad()
def errors_of(model: TrainedModel, trial: Trial) -> dict[str, Errors]:
    """By what z is found from: "full", fitted to the motion of many points, and "sparse", to that of twelve;

    "encoded": by the deformation encoder, where there is one, from the motion of all its points.
    """
    decoder = bound(model, trial.samples, trial.judged)
    moved = torch.from_numpy(trial.samples.moves[:, -trial.judged :])
    everywhere = decoder.moves(slice(None))
    # The samples are in no order: any first ones are a random choice.
    observed = slice(0, min(OBSERVED, trial.judged))
    found = {}
    for mode in ("full", "sparse"):
        predicted = []
        for state in range(len(moved)):
            dragged = slice(DRAGGED * state, DRAGGED * (state + 1))
            part = observed if mode == "full" else dragged
            z = fitted_latents(decoder.moves(part), moved[state, part], decoder.mean)
            predicted.append(everywhere(z[None])[0].double().numpy())
        found[mode] = _judged(trial, np.stack(predicted))
    if decoder.encoded is not None:
        shown = torch.from_numpy(trial.samples.moves[:, : model.config.points])
        found["encoded"] = _judged(trial, decoder.encoded(shown).double().numpy())
    return found


def _judged(trial: Trial, predicted: Array) -> Errors:
    """Of moves Float[S,n,3]."""
    rest = trial.samples.points[-trial.judged :].astype(np.float64)
    shapes = rest + predicted
    missed, motion = ((each**2).sum(-1).mean() for each in (shapes - trial.shapes, rest - trial.shapes))
    each = tuple(target.error(shape) for target, shape in zip(trial.targets, shapes, strict=True))
    return Errors(each, float(missed), float(motion))


def still_errors(trial: Trial) -> dict[str, Errors]:
    """Of not moving at all."""
    errors = _judged(trial, np.zeros_like(trial.shapes))
    return {"full": errors, "sparse": errors}


def row_of(results: Sequence[dict[str, Errors]]) -> dict[str, dict[str, Any]]:
    """Means over objects; `ratio` is the RMS of what was missed over the RMS of the motion, of all of them."""
    row = {}
    for mode in results[0]:
        errors = [result[mode] for result in results]
        missed, motion = (float(np.mean([getattr(each, name) for each in errors])) for name in ("missed", "motion"))
        distances = mean_error([mean_error(each.shapes) for each in errors]).as_json()
        row[mode] = {**distances, "ratio": float(np.sqrt(missed / max(motion, 1e-12)))}
    return row
