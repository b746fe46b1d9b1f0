"""Every number that shapes the network and its training, in frozen dataclasses; `CONFIGS` holds the named sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["ABLATIONS", "CONFIGS", "Config", "ModelConfig", "TrainingConfig"]

DecoderKind = Literal["screws", "affine", "point"]


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the network. A handle is a token that moves as one body, a mode is one number of z."""

    width: int = 192
    heads: int = 4
    handles: int = 32
    modes: int = 40  # numbers in z
    points: int = 512  # surface samples that the encoder sees
    posterior_points: int = 256  # of them, those whose motion the deformation encoder sees
    rounds: int = 3  # of: tokens read the points, think, and the points read the tokens
    thinking: int = 2  # self-attention blocks of the tokens in each round
    posterior_blocks: int = 2
    frequencies: int = 8  # of the sine embedding of positions, per axis
    codes: int = 8  # length of the random code of a loose part, and of a material slot
    shells: int = 64  # loose parts told apart when features are pooled per part
    decoder: DecoderKind = "screws"


@dataclass(frozen=True)
class TrainingConfig:
    """One run. A step sees `objects` objects in `states` states each, on every process."""

    steps: int = 40_000
    objects: int = 8
    states: int = 6
    queries: int = 512  # surface samples where the motion is judged
    rate: float = 8e-4
    warmup: int = 500
    final_rate: float = 0.02  # of `rate`, where the cosine ends
    weight_decay: float = 0.02
    clip: float = 1.0
    average: float = 0.999  # of the exponential moving average of the weights
    divergence: float = 5e-5  # weight of the KL divergence, summed over z, beside a squared error in normalised units
    divergence_warmup: int = 1500
    elbow: float = 0.05  # error above which the loss grows linearly: what cannot be foreseen must not rule
    augment: bool = True
    save_every: int = 500
    log_every: int = 20
    seed: int = 20261118


@dataclass(frozen=True)
class Config:
    """A model and how it is trained."""

    model: ModelConfig
    training: TrainingConfig


_BASE = Config(ModelConfig(), TrainingConfig())
_SMALL = Config(
    replace(_BASE.model, width=96, heads=4, rounds=2, thinking=1, handles=24, modes=24),
    replace(_BASE.training, steps=4000, warmup=200, divergence_warmup=600),
)
_TINY = Config(
    ModelConfig(32, 2, 8, 6, 96, 48, 1, 1, 1, 4, 4, 16),
    replace(_BASE.training, steps=60, objects=2, states=2, queries=64, warmup=5, save_every=20, log_every=5),
)
CONFIGS = {"base": _BASE, "small": _SMALL, "tiny": _TINY}
# One change each to the small configuration, trained for the same time.
ABLATIONS = {
    "screws": _SMALL,
    "no_augmentation": replace(_SMALL, training=replace(_SMALL.training, augment=False)),
    "affine": replace(_SMALL, model=replace(_SMALL.model, decoder="affine")),
    "point": replace(_SMALL, model=replace(_SMALL.model, decoder="point")),
}
